/// Every command there is, in the order in which `help` lists them within their group.
enum Commands {
    static let all: [CommandDeclaration] = entries.map { $0.declaration() }

    /// Those that are called as some word is. A command line has its command in it, and to make all declarations takes longer than many a command does.
    static func named(in words: [String]) -> [CommandDeclaration] {
        entries.filter { entry in words.contains { $0 == entry.name } }.map { $0.declaration() }
    }

    /// A command before it is made.
    struct Entry: Sendable {
        let name: String
        let declaration: @Sendable () -> CommandDeclaration

        init(_ name: String, _ declaration: @escaping @Sendable () -> CommandDeclaration) {
            self.name = name
            self.declaration = declaration
        }
    }

    static let entries = looking + changing + moving + maintaining + general

    private static let looking: [Entry] = [
        Entry("ls") { ListDocumentsCommand.declaration },
        Entry("cat") { ShowDocumentsCommand.declaration },
        Entry("revs") { RevisionsCommand.declaration },
        Entry("conflicts") { ConflictsCommand.declaration },
        Entry("changes") { ChangesCommand.declaration },
        Entry("diff") { DiffCommand.declaration },
        Entry("blob") { BlobCommand.declaration },
        Entry("grep") { GrepCommand.declaration },
        Entry("fts") { FullTextCommand.declaration },
        Entry("info") { InfoCommand.declaration },
        Entry("schema") { SchemaCommand.declaration },
        Entry("stats") { StatsCommand.declaration },
        Entry("logcat") { LogCommand.declaration },
        Entry("tree") { TreeCommand.declaration },
        Entry("view") { ViewCommand.declaration },
        Entry("query") { QueryCommand.declaration },
        Entry("select") { SelectCommand.declaration },
        Entry("run") { SavedQueryCommands.run },
        Entry("translate") { TranslateCommand.declaration },
        Entry("sql") { SQLCommand.declaration },
        Entry("lscoll") { ListCollectionsCommand.declaration },
    ]

    private static let changing: [Entry] = [
        Entry("put") { PutCommand.declaration },
        Entry("edit") { EditCommand.declaration },
        Entry("rm") { RemoveCommand.declaration },
        Entry("undelete") { UndeleteCommand.declaration },
        Entry("revert") { RevertCommand.declaration },
        Entry("purge") { PurgeCommand.declaration },
        Entry("expire") { ExpireCommand.declaration },
        Entry("resolve") { ResolveCommand.declaration },
        Entry("mv") { MoveCommand.declaration },
        Entry("mkcoll") { MakeCollectionCommand.declaration },
        Entry("rmcoll") { RemoveCollectionCommand.declaration },
        Entry("begin") { TransactionCommands.begin },
        Entry("commit") { TransactionCommands.commit },
        Entry("rollback") { TransactionCommands.rollback },
        Entry("undo") { UndoCommand.declaration },
    ]

    private static let moving: [Entry] = [
        Entry("cp") { CopyCommand.declaration },
        Entry("import") { ImportCommand.declaration },
        Entry("export") { ExportCommand.declaration },
        Entry("push") { SyncCommands.push },
        Entry("pull") { SyncCommands.pull },
        Entry("sync") { SyncCommands.sync },
        Entry("serve") { ServeCommand.declaration },
        Entry("peers") { PeersCommand.declaration },
        Entry("passwords") { PasswordsCommand.declaration },
        Entry("dump") { DumpCommand.declaration },
        Entry("restore") { RestoreCommand.declaration },
    ]

    private static let maintaining: [Entry] = [
        Entry("check") { CheckCommand.declaration },
        Entry("mkindex") { MakeIndexCommand.declaration },
        Entry("rmindex") { RemoveIndexCommand.declaration },
        Entry("compact") { CompactCommand.declaration },
        Entry("embed") { EmbedCommand.declaration },
        Entry("reindex") { ReindexCommand.declaration },
        Entry("encrypt") { EncryptionCommands.encrypt },
        Entry("rekey") { EncryptionCommands.rekey },
        Entry("decrypt") { EncryptionCommands.decrypt },
    ]

    private static let general: [Entry] = [
        Entry("open") { ShellCommands.open },
        Entry("openremote") { OpenRemoteCommand.declaration },
        Entry("databases") { DatabaseCommands.list },
        Entry("close") { DatabaseCommands.close },
        Entry("cd") { ChangeCollectionCommand.declaration },
        Entry("history") { ShellCommands.history },
        Entry("again") { ShellCommands.again },
        Entry("save") { SavedQueryCommands.save },
        Entry("saved") { SavedQueryCommands.list },
        Entry("quit") { ShellCommands.quit },
        Entry("tour") { TourCommand.declaration },
        Entry("help") { HelpCommand.declaration },
        Entry("version") { VersionCommand.declaration },
        Entry("generate") { GenerateCommand.declaration },
        Entry("complete") { CompleteCommand.declaration },
    ]
}

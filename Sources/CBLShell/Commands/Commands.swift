/// Every command there is, in the order in which `help` lists them within their group.
enum Commands {
    static let all: [CommandDeclaration] = looking + changing + moving + maintaining + general

    private static let looking: [CommandDeclaration] = [
        ListDocumentsCommand.declaration,
        ShowDocumentsCommand.declaration,
        RevisionsCommand.declaration,
        ConflictsCommand.declaration,
        ChangesCommand.declaration,
        DiffCommand.declaration,
        BlobCommand.declaration,
        GrepCommand.declaration,
        FullTextCommand.declaration,
        InfoCommand.declaration,
        SchemaCommand.declaration,
        StatsCommand.declaration,
        LogCommand.declaration,
        TreeCommand.declaration,
        ViewCommand.declaration,
        QueryCommand.declaration,
        SelectCommand.declaration,
        SavedQueryCommands.run,
        TranslateCommand.declaration,
        SQLCommand.declaration,
        ListCollectionsCommand.declaration,
    ]

    private static let changing: [CommandDeclaration] = [
        PutCommand.declaration,
        EditCommand.declaration,
        RemoveCommand.declaration,
        UndeleteCommand.declaration,
        RevertCommand.declaration,
        PurgeCommand.declaration,
        ExpireCommand.declaration,
        ResolveCommand.declaration,
        MoveCommand.declaration,
        MakeCollectionCommand.declaration,
        RemoveCollectionCommand.declaration,
        TransactionCommands.begin,
        TransactionCommands.commit,
        TransactionCommands.rollback,
        UndoCommand.declaration,
    ]

    private static let moving: [CommandDeclaration] = [
        CopyCommand.declaration,
        ImportCommand.declaration,
        ExportCommand.declaration,
        SyncCommands.push,
        SyncCommands.pull,
        SyncCommands.sync,
        ServeCommand.declaration,
        PeersCommand.declaration,
        PasswordsCommand.declaration,
        DumpCommand.declaration,
        RestoreCommand.declaration,
    ]

    private static let maintaining: [CommandDeclaration] = [
        CheckCommand.declaration,
        MakeIndexCommand.declaration,
        RemoveIndexCommand.declaration,
        CompactCommand.declaration,
        EmbedCommand.declaration,
        ReindexCommand.declaration,
        EncryptionCommands.encrypt,
        EncryptionCommands.rekey,
        EncryptionCommands.decrypt,
    ]

    private static let general: [CommandDeclaration] = [
        ShellCommands.open,
        OpenRemoteCommand.declaration,
        DatabaseCommands.list,
        DatabaseCommands.close,
        ChangeCollectionCommand.declaration,
        ShellCommands.history,
        ShellCommands.again,
        SavedQueryCommands.save,
        SavedQueryCommands.list,
        ShellCommands.quit,
        TourCommand.declaration,
        HelpCommand.declaration,
        VersionCommand.declaration,
        GenerateCommand.declaration,
        CompleteCommand.declaration,
    ]
}

import CBLFleece
import CBLStore

/// `cblite info DATABASE`, `info indexes`, `info index NAME`, `info keys`
enum InfoCommand {
    static let declaration = CommandDeclaration(
        "info", aliases: ["file"], group: .looking,
        summary: "Describe a database",
        discussion: """
            Prints where the database is, which releases wrote it, how large it is, when it was changed, what it holds, how far it is \
            replicated with each remote, and what is wrong with it. Without -v only what is found quickly in a database of any size: conflicts \
            and documents with blobs of very large collections are not counted, nor are more than 20,000 blobs; of documents that cannot be \
            counted in a moment it says about how many there are (~). With --json they are counted. -v counts everything, and adds \
            the identity and a table of the collections; -vv also how the sizes of documents are distributed.

            How many documents are to be pushed is what the file tells: those changed behind the checkpoint whose current revision the remote \
            is not known to have.

            Of a database that this program cannot open, it says what kind it is.
            """,
        database: .reads,
        flags: [Flag("verbose", short: "v", repeatable: true, "More; twice, even more")],
        examples: [
            .init("cblite info travel.cblite2", "A summary."),
            .init("cblite info -v travel.cblite2", "All that is known of it."),
            .init("cblite info indexes travel.cblite2", "The indexes."),
        ],
        subcommands: [InfoIndexes.listDeclaration, InfoIndexes.entriesDeclaration, keysDeclaration],
        run: run)

    private static let keysDeclaration = CommandDeclaration(
        "keys", group: .looking,
        summary: "List the shared keys: the property names that documents refer to by number",
        database: .reads,
        examples: [.init("cblite info keys travel.cblite2", "Number and name of each.")],
        run: listKeys)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.refuseCollection()
        let database: Database
        do {
            database = try invocation.database()
        } catch let error as CommandError where error.exitCode == .cannotOpen {
            guard let path = invocation.parsed.databasePath, !invocation.session.options.keys.areGiven,
                try describeUnopened(path, invocation)
            else { throw error }
            return .cannotOpen
        }
        let source = invocation.session.packedSource(of: database.path)
        let page = try InfoPage(database, level: invocation.count("verbose"), source: source, estimates: !invocation.wantsJSON)
        if invocation.wantsJSON { try page.writeFacts(to: invocation.session) } else { try page.write(to: invocation.session) }
        return .success
    }

    /// Says what kind of database it is that cannot be opened; false if it is none.
    private static func describeUnopened(_ path: String, _ invocation: Invocation) throws -> Bool {
        do throws(StoreError) {
            _ = try Database(path: path)
            return false
        } catch {
            let kind: String
            switch error.code {
            case .needsKey: kind = "encrypted"
            case .version1: kind = "1.x"
            case .tooNew: kind = "too new"
            case .tooOld: kind = "too old"
            default: return false
            }
            let size = BundleFacts(path)
            if invocation.wantsJSON {
                try invocation.session.writeFacts { line in
                    line.add("path", InfoPage.fullPath(path))
                    line.add("openable", false)
                    line.add("kind", kind)
                    line.add("reason", error.message)
                    line.add("size", size.database)
                }
            } else {
                try invocation.session.writeFact("Database", InfoPage.fullPath(path))
                try invocation.session.writeFact("Format", error.message)
                try invocation.session.writeFact("Size", SizeText.text(size.database))
            }
            return true
        }
    }

    @Sendable private static func listKeys(_ invocation: Invocation) throws -> ExitCode {
        try invocation.database().read { snapshot in
            let keys = snapshot.sharedKeys
            for index in 0..<keys.count {
                try Interruption.check()
                let name = keys.string(at: index) ?? ""
                if invocation.wantsJSON {
                    try invocation.session.writeFacts { line in
                        line.add("index", index)
                        line.add("key", name)
                    }
                } else {
                    let number = "\(index)"
                    try invocation.output.write(repeating: UInt8(ascii: " "), count: 4 - number.utf8.count)
                    try invocation.output.write(number + "  ")
                    try invocation.output.write(name)
                    try invocation.output.write("\n")
                }
            }
            if keys.count == 0 { invocation.session.notice("(No shared keys)") }
            return .success
        }
    }
}

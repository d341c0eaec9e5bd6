import CBLStore

/// `cblite tree DATABASE`
enum TreeCommand {
    static let declaration = CommandDeclaration(
        "tree", aliases: ["du"], group: .looking,
        summary: "Show the scopes, collections and indexes, and how much room each takes",
        discussion: """
            Prints what the database consists of, with sizes: the collections by scope, with their indexes below them, the blobs, and the \
            rest, which is pages that are free, tables of the database's own, the log. It adds up to the size of the bundle.

            Documents are the live ones; the room they take includes deleted ones and what finds them by ID. Of large files only the maps of \
            the pages are read, which do not tell of what is still in the log: then sizes are said to be estimates, and --exact reads \
            everything.
            """,
        database: .reads,
        flags: [Flag("exact", "Read every page of the file, however large it is")],
        examples: [
            .init("cblite tree travel.cblite2", "What takes up the room?"),
            .init("cblite tree --json travel.cblite2", "For programs, in bytes."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.refuseCollection()
        let database = try invocation.database()
        return try database.read { snapshot in
            snapshot.connection.setProgressCheck { _ in Interruption.isRequested ? 1 : 0 }
            defer { snapshot.connection.setProgressCheck(nil) }
            let space = try snapshot.storageSpace(readsAll: invocation.flag("exact"))
            let counts = try space.collections.map { collection in
                try Interruption.check()
                return try snapshot.counts(of: collection.name)
            }
            let page = TreePage(path: database.path, space: space, counts: counts)
            if invocation.wantsJSON {
                try page.writeFacts(to: invocation.session)
            } else {
                try page.write(to: invocation.session)
            }
            return .success
        }
    }
}

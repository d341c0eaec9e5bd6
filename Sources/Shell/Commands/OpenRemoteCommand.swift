import DocumentStore
import Transport

/// `cblite openremote URL`, and `cblite ws://…`
enum OpenRemoteCommand {
    static let declaration = CommandDeclaration(
        "openremote", group: .general,
        summary: "Work interactively on a copy of a server's database",
        discussion: """
            Pulls a database, or what the flags choose of it, into a temporary copy and opens that; the URL alone means the same. The copy is \
            deleted at the end. At a terminal there is a prompt, otherwise the statements on standard input are run. In the copy, pull fetches \
            what is new; it need not be told from where.

            With --writeable the copy can be changed, and push sends the changes. What \
            was not pushed at the end is asked about; where there is nobody to be asked, the copy stays, and its path is said. --bidi opens \
            it for changes, too, and pushes them at the end without asking.
            """,
        flags: DatabaseSync.serverFlags + [
            Flag(
                "filter", value: "[COLLECTION:]CONDITION", .text, repeatable: true,
                "Pull only documents for which this SQL++ condition is true"),
            Flag("bidi", "Open it for changes, and push them at the end"),
            // The copy is that of a moment: the vendor's program keeps pulling while one looks at it.
            Flag("continuous", "Understood and ignored: pull fetches what is new"),
            GlobalFlags.keepGoing,
        ] + DatabaseSync.pullFlags,
        arguments: [Argument("URL", .text, .required, "ws://HOST:PORT/DATABASE, or wss://… with TLS")],
        examples: [
            .init("cblite openremote wss://sync.example.com/travel --user ada", "The prompt, on a copy."),
            .init("cblite ws://localhost:4984/travel --channel paris", "A part of it."),
            .init("echo 'SELECT count(*) FROM _' | cblite ws://localhost:4984/travel", "A query, as in a script."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        let url = invocation.argument("URL")
        guard case .remote? = Endpoint(url) else { throw invocation.usageError("\(url) is no URL: it begins with ws:// or wss://") }
        for path in RemoteCopy.removeStale() {
            session.notice(
                "\(path) was left by a session that was killed, perhaps with changes that were not pushed. Delete it when nobody needs it.")
        }
        if invocation.flag("continuous") { session.notice("--continuous is ignored here: \"pull\" fetches what is new.") }
        let isWriteable = session.options.isWriteable || invocation.flag("bidi")
        let copy: RemoteCopy
        do { copy = try RemoteCopy(of: url, isWriteable: isWriteable) } catch let error as TransportError {
            throw SyncAdvice.commandError(error)
        }
        session.remoteCopies.append(.init(copy: copy, pushesAtEnd: invocation.flag("bidi")))
        Termination.delay()
        do {
            try pull(url, into: copy, invocation)
        } catch {
            session.remoteCopies.removeLast()
            copy.remove()
            if session.remoteCopies.isEmpty, session.shell == nil, let signal = Termination.signal { Termination.die(of: signal) }
            throw error
        }
        // What was said of the pull is not meant for each command that follows.
        let collections = session.options.collection
        session.options.collection = nil
        session.options.creates = false
        session.options.isWriteable = isWriteable
        if invocation.flag("keep-going") { session.options.keepsGoing = true }
        if let shell = session.shell {
            try shell.use(copy.path)
            return .success
        }
        return try InteractiveShell.run(on: copy.path, in: session, collection: collections.flatMap { try? CollectionName(parsing: $0) })
    }

    private static func pull(_ url: String, into copy: RemoteCopy, _ invocation: Invocation) throws {
        let session = invocation.session
        let wantsJSON = session.options.isJSON
        // Standard output is for what the statements find.
        session.options.isJSON = false
        defer { session.options.isJSON = wantsJSON }
        let database = try Database(path: copy.path, options: Database.Options(access: .create, upgrade: upgrade(session.options)))
        defer { database.close() }
        _ = try DatabaseSync(invocation).run(database, with: .remote(url), .pull)
    }

    private static func upgrade(_ options: GlobalOptions) -> Database.Options.Upgrade {
        options.upgrade == .versionVectors ? .versionVectors : .none
    }
}

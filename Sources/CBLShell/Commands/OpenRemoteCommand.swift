import CBLStore
import CBLTransport

/// `cblite openremote URL`, and `cblite ws://…`
enum OpenRemoteCommand {
    static let declaration = CommandDeclaration(
        "openremote", group: .general,
        summary: "Work interactively on a copy of a server's database",
        discussion: """
            Pulls a database, or what the flags choose of it, into a temporary copy and opens that; the URL alone means the same. The copy is \
            deleted at the end. At a terminal there is a prompt, otherwise the statements on standard input are run. In the copy, pull fetches \
            what is new; it need not be told from where. With --continuous that comes by itself.

            With --writeable the copy can be changed, and push sends the changes. What \
            was not pushed at the end is asked about; where there is nobody to be asked, the copy stays, and its path is said. --bidi opens \
            it for changes, too, and pushes them at the end without asking.
            """,
        flags: DatabaseSync.serverFlags + [
            Flag(
                "filter", value: "[COLLECTION:]CONDITION", .text, repeatable: true,
                "Pull only documents for which this SQL++ condition is true"),
            Flag("bidi", "Open it for changes, and push them at the end"),
            Flag("continuous", "Go on pulling what is new while the copy is open"),
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
        let isWriteable = session.options.isWriteable || invocation.flag("bidi")
        let copy: RemoteCopy
        do { copy = try RemoteCopy(of: url, isWriteable: isWriteable) } catch let error as TransportError {
            throw SyncAdvice.commandError(error)
        }
        session.remoteCopies.append(.init(copy: copy, pushesAtEnd: invocation.flag("bidi")))
        Termination.delay()
        do {
            let follower = try pull(url, into: copy, invocation)
            session.remoteCopies[session.remoteCopies.count - 1].follower = follower
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

    /// Gives what goes on pulling, if it is to.
    private static func pull(_ url: String, into copy: RemoteCopy, _ invocation: Invocation) throws -> RemoteFollower? {
        let session = invocation.session
        let wantsJSON = session.options.isJSON
        // Standard output is for what the statements find.
        session.options.isJSON = false
        defer { session.options.isJSON = wantsJSON }
        let database = try Database(path: copy.path, options: Database.Options(access: .create, upgrade: upgrade(session.options)))
        do {
            let sync = DatabaseSync(invocation)
            var settings = try sync.settings(database, with: .remote(url), .pull)
            try sync.follow(database, settings, .pull)
            if invocation.flag("continuous") {
                for index in settings.collections.indices { settings.collections[index].pull = .continuous }
                return try RemoteFollower(database, settings)
            }
        } catch {
            database.close()
            throw error
        }
        database.close()
        return nil
    }

    private static func upgrade(_ options: GlobalOptions) -> Database.Options.Upgrade {
        options.upgrade == .versionVectors ? .versionVectors : .none
    }
}

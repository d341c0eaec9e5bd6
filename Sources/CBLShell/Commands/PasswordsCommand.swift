import CBLBase
import CBLFleece
import CBLTransport

/// `cblite passwords`
enum PasswordsCommand {
    static let declaration = CommandDeclaration(
        "passwords", group: .moving,
        summary: "List the servers of which the keyring keeps a password, or forget one",
        discussion: """
            Where a desktop has a keyring (GNOME's, KDE's, KeePassXC: the Secret Service of freedesktop.org), "push", "pull", "sync" and "openremote" find \
            there who one is at a server, if neither flags nor ~/.netrc say so; it is sent when the server asks. --keep-password at one of these has a \
            password kept that the server has accepted. It is for that host and port alone, with TLS or without.

            This command lists which users of which servers that are, and never a password. --forget has them forgotten: all of one server, or those of one --user.

            A password that was not kept by this program is found if it has the same attributes: secret-tool store --label=travel application cblite protocol https \
            server sync.example.com port 4984 user ada. For ws:// and http:// the protocol is http.
            """,
        flags: [
            Flag("forget", "Forget what is kept for SERVER"),
            Flag("user", value: "NAME", .text, "Only of this user"),
        ],
        arguments: [
            Argument("SERVER", .text, .optional, "wss://HOST:PORT, ws://…, https://… or http://…; a database behind it does not count")
        ],
        examples: [
            .init("cblite passwords", "Whose passwords are kept."),
            .init("cblite passwords --forget wss://sync.example.com:4984", "Until somebody keeps another one."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        try invocation.refuseCollection()
        let session = invocation.session
        let user = invocation.string("user")
        let server = try invocation.argumentIfGiven("SERVER").map { try PeerURL($0) }
        do {
            if invocation.flag("forget") {
                guard let server else { throw invocation.usageError("SERVER is missing: whose passwords are to be forgotten?") }
                let count = try session.askKeyring { keyring throws(KeyringError) in try keyring.forget(server, user: user) }
                guard count > 0 else { throw CommandError.failed("nothing is kept for \(KeptPassword(server, user: user ?? "").server)") }
                session.notice(count == 1 ? "Forgot a password." : "Forgot \(count) passwords.")
                return .success
            }
            let (all, locked) = try session.askKeyring { keyring throws(KeyringError) in try keyring.all() }
            let wanted = server.map { KeptPassword($0, user: "").server }
            let kept = all.filter { (wanted == nil || $0.server == wanted) && (user == nil || $0.user == user) }
            try list(kept.sorted { ($0.server, $0.user) < ($1.server, $1.user) }, invocation)
            if locked > 0 { session.notice("(\(locked == 1 ? "1 more is" : "\(locked) more are") in a keyring that is locked)") }
            if kept.isEmpty, locked == 0 { session.notice("(No passwords are kept)") }
            return .success
        } catch let error as KeyringError { throw Session.commandError(error) }
    }

    private static func list(_ kept: [KeptPassword], _ invocation: Invocation) throws {
        if invocation.wantsJSON {
            for password in kept {
                try invocation.session.writeFacts { line in
                    line.add("server", password.server)
                    line.add("user", password.user)
                }
            }
            return
        }
        guard !kept.isEmpty else { return }
        var table = Table([.left("Server"), .left("User")])
        for password in kept { table.add([password.server, password.user].map { ForeignText.line($0, limit: 200) }) }
        try table.write(to: invocation.session)
    }
}

import DocumentStore
import Glibc
import Replication
import Transport

// What the flags of `push`, `pull`, `sync` and `cp` say about a replication.
extension DatabaseSync {
    static let bidi = Flag("bidi", "Replicate in both directions")

    static let flags: [Flag] = [
        Flag("continuous", "Go on with what changes from now on, until Ctrl-C"),
        Flag("user", value: "NAME[:PASSWORD]", .text, "Log in; :@FILE has the password in a file, and without one it is asked for"),
        Flag("token", value: "TOKEN", .text, "Log in with a session of the server's"),
        Flag("header", value: "NAME: VALUE", .text, repeatable: true, "A header for the server"),
        Flag("cacert", aliases: ["rootcerts"], value: "FILE", .file, "Trust these certificates, and what they have signed, alone"),
        Flag("channel", value: "NAME,…", .text, repeatable: true, "Pull these channels only"),
        Flag("doc-id", value: "ID", .document, repeatable: true, "Only this document"),
        Flag("reset-checkpoint", "Look at everything again, also at what was done already"),
        Flag("existing", short: "x", "Fail if the database is not there, instead of making it"),
        Flag("verbose", short: "v", repeatable: true, "Tell of every document"),
    ]

    /// The collections that --collection names, separated by commas, or the current one.
    func collectionNames() throws -> [CollectionName] {
        let named = try invocation.session.options.collection.map { try ArchiveTransfer.collections([$0], invocation) } ?? nil
        return named ?? [invocation.session.currentCollection]
    }

    func server(_ text: String) throws -> WebSocketClientSettings {
        let url = try PeerURL(text)
        guard !url.path.drop(while: { $0 == "/" }).isEmpty else {
            throw invocation.usageError("\(url): the name of the database is missing: \(url)/DATABASE")
        }
        var server = ReplicatorSettings.server(url)
        if let user = invocation.string("user") { server.handshake.credentials = try credentials(user, for: url) }
        if let token = invocation.string("token") { server.handshake.headers.add("Cookie", "SyncGatewaySession=\(token)") }
        for header in invocation.strings("header") {
            let parts = header.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let value = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
            guard parts.count == 2, HTTPHeaders.isWritable(name: String(parts[0]), value: value) else {
                throw invocation.usageError("--header needs a name, a colon and a value, not \"\(header)\"")
            }
            server.handshake.headers.add(String(parts[0]), value)
        }
        if let file = invocation.string("cacert") {
            let certificates = try Certificate.read(DatabaseSync.content(of: file), name: file)
            server.trust = .pinned(certificates.map { .certificate($0) })
        }
        let names = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        let set = names.compactMap { name in Terminal.environment(name).map { (name, $0) } }
        server.proxy = .environment(Dictionary(set, uniquingKeysWith: { one, _ in one }))
        return server
    }

    private func credentials(_ user: String, for url: PeerURL) throws -> Credentials {
        let parts = user.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard parts.count == 2 else {
            return Credentials(user: name, password: try invocation.session.askSecret("Password of \(name) at \(url): "))
        }
        guard parts[1].hasPrefix("@") else { return Credentials(user: name, password: String(parts[1])) }
        let lines = String(decoding: try DatabaseSync.content(of: String(parts[1].dropFirst())), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return Credentials(user: name, password: String(lines.first ?? ""))
    }

    private static func content(of path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandError.system(path, errno: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 16384)
        // Neither passwords nor certificates are larger.
        while bytes.count < 1 << 20 {
            let count = SystemCall.retrying { read(descriptor, &piece, piece.count) }
            guard count >= 0 else { throw CommandError.system(path, errno: errno) }
            if count == 0 { break }
            bytes += piece[..<count]
        }
        return bytes
    }
}

extension Session {
    /// Asks for something that nobody else should see.
    func askSecret(_ question: String) throws -> String {
        guard canAsk else { throw CommandError.usage("the password is missing: --user NAME:PASSWORD, or NAME:@FILE") }
        StandardError.write(StandardError.safe(question))
        var before = termios()
        tcgetattr(STDIN_FILENO, &before)
        var silent = before
        silent.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &silent)
        defer {
            tcsetattr(STDIN_FILENO, TCSANOW, &before)
            StandardError.write("\n")
        }
        var answer: [UInt8] = []
        while true {
            var byte: UInt8 = 0
            let count = read(STDIN_FILENO, &byte, 1)
            try Interruption.check()
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { return String(decoding: answer, as: UTF8.self) }
            answer.append(byte)
        }
    }
}

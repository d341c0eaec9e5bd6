import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Testing

/// Passwords in the keyring of a session: kept, found and forgotten, with a real one on a bus of the test's own.
@Suite(.enabled(if: PrivateKeyring.isPossible, "\(PrivateKeyring.absence)")) struct KeyringTests {
    private let scratch: Scratch
    private let keyring: PrivateKeyring
    private let secret = "sEcret-pass wörd"

    init() throws {
        scratch = try Scratch(["a": "{}"])
        keyring = try PrivateKeyring()
    }

    private func push(_ url: String, _ words: String...) throws -> Program.Result {
        try scratch.run(["push", url] + words, environment: keyring.environment)
    }

    private func passwords(_ words: String...) throws -> Program.Result {
        try Program.run(["passwords"] + words, environment: keyring.environment)
    }

    private func server(_ url: String) -> String { url.replacing("/db", with: "") }

    @Test func whatTheServerHasAcceptedIsKeptAndFound() throws {
        try keyring.order("start")
        let server = try SyncServer(scratch, user: "ada", password: secret)
        #expect(try push(server.url, "--user", "ada:wrong", "--keep-password").exitCode == 1)
        #expect(try passwords().errors.contains("No passwords are kept"))
        #expect(try push(server.url).errors.contains("the server asks for a user name"))

        let kept = try push(server.url, "--user", "ada:" + secret, "--keep-password")
        #expect(kept.exitCode == 0 && kept.errors.contains("The keyring keeps the password of ada"), "\(kept.errors)")
        #expect(try passwords("--json").output == "{\"server\":\"\(self.server(server.url))\",\"user\":\"ada\"}\n")
        #expect(try push(server.url).exitCode == 0)
        #expect(try push(server.url, "--user", "ada").exitCode == 0)
        // Of somebody else, or for another server, nothing is known.
        #expect(try push(server.url, "--user", "eve").exitCode == 2)
        let other = try SyncServer(Scratch(), user: "ada", password: secret)
        #expect(try push(other.url).errors.contains("the server asks for a user name"))

        // A file is asked first, and what stands in the command line before everything.
        #expect(try push(server.url, "--user", "ada:wrong").errors.contains("wrong user name or password"))
        for name in try FileManager.default.subpathsOfDirectory(atPath: keyring.directory.path) {
            guard let bytes = FileManager.default.contents(atPath: keyring.directory.path + "/" + name) else { continue }
            #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(name)")
        }
        let list = try passwords().output
        #expect(list.contains("ada") && !list.contains(secret))
    }

    @Test func whatIsKeptIsReplacedAndForgotten() throws {
        try keyring.order("start")
        let server = try SyncServer(scratch, user: "ada", password: secret)
        let place = self.server(server.url)
        // Another program's, of which nothing is given away, and one that is meant for this one.
        if Program.isInstalled("secret-tool") {
            func store(_ words: [String], _ password: String) throws {
                let attributes = ["protocol", "http", "server", "127.0.0.1", "port", "\(server.port)", "user", "ada"]
                let stored = try RunningProgram(
                    ["store", "--label=x"] + words + attributes, program: "/usr/bin/secret-tool", environment: keyring.environment)
                #expect(stored.finish(input: Array(password.utf8)).exitCode == 0)
            }
            try store([], secret)
            #expect(try push(server.url).errors.contains("the server asks for a user name"))
            try store(["application", "cblite"], secret + "\n")
            #expect(try push(server.url).exitCode == 0)
            try store(["application", "cblite"], "an old one")
            let refused = try push(server.url)
            #expect(refused.errors.contains("--user ada --keep-password asks for another"), "\(refused.errors)")
        }
        #expect(try push(server.url, "--user", "ada:" + secret, "--keep-password").exitCode == 0)
        #expect(try push(server.url).exitCode == 0)
        #expect(try passwords("--forget").exitCode == 2)
        #expect(try passwords("--forget", place, "--user", "eve").errors.contains("nothing is kept for \(place)"))
        #expect(try passwords("--forget", server.url, "--user", "ada").exitCode == 0)
        #expect(try passwords().errors.contains("No passwords are kept"))
        #expect(try push(server.url).errors.contains("the server asks for a user name"))
        #expect(try push(server.url, "--keep-password").errors.contains("--keep-password needs --user"))
    }

    /// Nobody can be asked for what opens the lock, and nobody waits for it.
    @Test func aLockedKeyringGivesNothing() throws {
        try keyring.order("start")
        let server = try SyncServer(scratch, user: "ada", password: secret)
        #expect(try push(server.url, "--user", "ada:" + secret, "--keep-password").exitCode == 0)
        try keyring.order("lock")
        let refused = try push(server.url)
        #expect(refused.exitCode == 1 && refused.errors.contains("A password is kept for 127.0.0.1, but the keyring is locked."))
        #expect(try passwords().errors.contains("1 more is in a keyring that is locked"))
        #expect(try passwords("--forget", self.server(server.url)).errors.contains("the keyring is locked"))
        let unkept = try push(server.url, "--user", "ada:" + secret, "--keep-password")
        #expect(unkept.exitCode == 0 && unkept.errors.contains("the password is not kept: the keyring is locked"))
    }

    @Test func whereThereIsNoneNothingIsDifferent() throws {
        let server = try SyncServer(scratch, user: "ada", password: secret)
        // A bus without a keyring.
        #expect(try push(server.url).errors.hasPrefix("cblite: \(server.url): the server asks for a user name"))
        #expect(try push(server.url, "--user", "ada:" + secret).exitCode == 0)
        let refused = try push(server.url, "--user", "ada:" + secret, "--keep-password")
        #expect(refused.exitCode == 1 && refused.errors.contains("nothing of this session keeps secrets"))
        #expect(try passwords().errors.contains("gnome-keyring"))
    }
}

/// The same without any program of others.
@Suite struct AbsentKeyringTests {
    @Test(arguments: ["", "none:", "unix:path=/nonexistent/bus", "unixexec:path=/bin/false", "nonsense", "unix:path=/dev/null;unix:"])
    func withoutABusThereIsNoKeyring(address: String) throws {
        let directory = try TemporaryDirectory()
        let result = try Program.run(
            ["passwords"], environment: ["DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": directory.path])
        #expect(result.exitCode == 1 && result.errors.contains("there is no keyring"), "\(result.errors)")
    }

    /// What answers nothing is not waited for.
    @Test func aBusThatSaysNothingIsLeft() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/bus"
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(listener, $0, size) } == 0
        }
        try #require(isBound && listen(listener, 8) == 0)
        let result = try Program.run(["passwords"], environment: ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(path)"])
        #expect(result.exitCode == 1 && result.errors.contains("has not answered in time"), "\(result.errors)")
    }
}

import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Testing

/// Who one is, and whom one believes: passwords, tokens, certificates.
@Suite struct SyncLoginTests {
    private let scratch: Scratch
    private let secret = "sEcret-pass word"

    init() throws { scratch = try Scratch(["a": "{}"]) }

    private func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
        let path = scratch.directory.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// What the secret may not be found in.
    private func expectNoTrace(of result: Program.Result) throws {
        #expect(!result.errors.contains(secret) && !result.output.contains(secret))
        for name in try scratch.files() {
            // The folder of blobs is all that is none.
            guard name != "Attachments" else { continue }
            let bytes = try Data(contentsOf: URL(filePath: scratch.path + "/" + name))
            #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    @Test func aPasswordHasManyWays() throws {
        let server = try SyncServer(scratch, user: "ada", password: secret)
        let encoded = "ada:" + secret.replacing(" ", with: "%20") + "@"
        let netrc = try file("netrc", "machine 127.0.0.1 login ada password \"\(secret)\"\n")
        let ways: [(words: [String], environment: [String: String])] = [
            (["--user", "ada:" + secret], [:]), (["--user", "ada:@" + (try file("password", secret + "\n"))], [:]),
            (["--user", "ada"], ["CBLITE_PASSWORD": secret]), (["--user", "ada"], ["NETRC": netrc]), ([], ["NETRC": netrc]),
        ]
        for (words, environment) in ways {
            let result = try scratch.expect(["push", server.url] + words, environment: environment)
            try expectNoTrace(of: result)
        }
        try expectNoTrace(of: scratch.expect(["push", server.url(encoded)]))
        try expectNoTrace(of: scratch.expect(["push", server.url("ada@")], environment: ["CBLITE_PASSWORD": secret]))
        #expect(try server.documents().keys.sorted() == ["a"])
    }

    @Test func whatIsMissingOrWrongIsSaid() throws {
        let server = try SyncServer(scratch, user: "ada", password: secret)
        try scratch.expectRefusal(["push", server.url], "the server asks for a user name and a password (401)")
        try scratch.expectRefusal(["push", server.url], "Log in with --user NAME")
        try scratch.expectRefusal(["push", server.url, "--user", "ada:nonsense"], "wrong user name or password (401)")
        try scratch.expectRefusal(["push", server.url, "--user", "ada"], exitCode: 2, "$CBLITE_PASSWORD")
        try scratch.expectRefusal(["push", server.url, "--user", "ada:@/nonexistent"], "/nonexistent: ")
        try scratch.expectRefusal(["push", server.url, "--user", "ada:x", "--token", "y"], exitCode: 2, "two ways to log in")
        try scratch.expectRefusal(
            ["push", server.url.replacing("/db", with: "/nope"), "--user", "ada:" + secret], "there is no such database")
        let readable = try scratch.run(["push", server.url, "--user", "ada:@" + (try file("open", secret, mode: 0o644))])
        #expect(readable.exitCode == 0 && readable.errors.contains("chmod 600"))
    }

    @Test func aPasswordIsNotSeenInTheListOfProcesses() throws {
        let server = try SyncServer(scratch, user: "ada", password: secret)
        let process = try RunningProgram(
            ["push", "--continuous", "--header", "X-Key: other", scratch.path, server.url("eve:unused@"), "--user", "ada:" + secret])
        while server.connections == 0 { usleep(10_000) }
        let line = try Data(contentsOf: URL(filePath: "/proc/\(process.processID)/cmdline"))
        let words = line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        #expect(words.contains("ada:" + String(repeating: "x", count: secret.count)), "\(words)")
        #expect(words.contains("X-Key:xxxxxx") && words.contains(server.url("eve:xxxxxx@")), "\(words)")
        process.send(signal: SIGINT)
        #expect(process.finish(input: []).exitCode == 0)
    }

    @Test func whoForgetsTLSIsReminded() throws {
        let server = try SyncServer(scratch, isSecure: true)
        let result = try scratch.run(["push", server.url.replacing("wss://", with: "ws://")])
        #expect(result.exitCode == 1 && result.errors.contains("write wss:// instead of ws://"), "\(result.errors)")
    }

    @Test func aServerIsTrustedByItsPin() throws {
        let server = try SyncServer(scratch, isSecure: true)
        let identity = try #require(server.identity)
        let pin = identity.certificates[0].fingerprint
        let refused = try scratch.run(["push", server.url])
        #expect(refused.exitCode == 1 && refused.errors.contains("self-signed"))
        #expect(refused.errors.contains("--pin \(pin.certificate)"))
        let pem = try file("server.pem", identity.certificatePEM)
        for words in [
            ["--pin", pin.certificate], ["--pin", pin.key], ["--pin", pem], ["--cacert", pem], ["--rootcerts", pem], ["--self-signed"],
        ] {
            try scratch.expect(["push", server.url] + words)
        }
        try scratch.expectRefusal(["push", server.url, "--pin", String(repeating: "0", count: 64)], "not the one that is expected")
        try scratch.expectRefusal(["push", server.url, "--pin", "12"], exitCode: 2, "64 hexadecimal digits")
        try scratch.expectRefusal(["push", server.url, "--pin", pem, "--self-signed"], exitCode: 2, "choose one")
        // One that does not speak as it is spoken to.
        let plain = try SyncServer(Scratch(), isSecure: false)
        try scratch.expectRefusal(["push", plain.url.replacing("ws:", with: "wss:")], "write ws:// instead of wss://")
    }

    @Test func aClientShowsItsCertificate() throws {
        let client = try TLSIdentity.make(.client, hosts: ["ada"], from: 0, to: 4_000_000_000)
        let expected = client.certificates[0].fingerprint
        let server = try SyncServer(scratch, isSecure: true, clients: .check { $0.first?.fingerprint == expected })
        let certificate = try file("client.pem", client.certificatePEM)
        let key = try file("client.key", client.keyPEM())
        let both = try file("both.pem", client.certificatePEM + client.keyPEM())
        try scratch.expect(["push", server.url, "--self-signed", "--cert", certificate, "--key", key])
        try scratch.expect(["push", server.url, "--self-signed", "--cert", both])
        try scratch.expectRefusal(["push", server.url, "--self-signed", "--key", key], exitCode: 2, "which --cert names")
        try scratch.expectRefusal(["push", server.url, "--self-signed", "--cert", certificate], "there is no private key in it")
        let locked = try file("locked.key", client.keyPEM(passphrase: "open"))
        try scratch.expectRefusal(
            ["push", server.url, "--self-signed", "--cert", certificate, "--key", locked], exitCode: 2, "nobody to ask")
        #expect(try scratch.run(["push", server.url, "--self-signed"]).exitCode == 1)
    }

    @Test(
        arguments: [
            (["--proxy", "http://127.0.0.1:1"], 1, "http://127.0.0.1:1: connection refused"), (["--proxy", "ftp://x"], 1, "ftp"),
            (["--interface", "nosuchinterface"], 1, "nosuchinterface"), (["--heartbeat", "0"], 2, "from 1 to"),
        ] as [([String], Int32, String)])
    func whatCannotBeUsedOnTheWayIsSaid(words: [String], exitCode: Int32, message: String) throws {
        let server = try SyncServer(scratch)
        try scratch.expectRefusal(["push", server.url] + words, exitCode: exitCode, message)
        try scratch.expect(
            ["push", server.url, "--proxy", "none", "--interface", "lo", "--heartbeat", "5"],
            environment: ["http_proxy": "http://127.0.0.1:1"])
    }
}

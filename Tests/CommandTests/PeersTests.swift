import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Finding peers, with a real Avahi daemon on a loopback interface.
@Suite(.timeLimit(.minutes(10)), .enabled(if: LocalNetwork.isPossible, "\(LocalNetwork.absence)")) struct PeersTests {
    private let network: LocalNetwork
    private let directory: TemporaryDirectory
    private var path: String { directory.path }

    init() throws {
        network = try LocalNetwork()
        directory = try TemporaryDirectory()
    }

    /// `serve` that has been seen by the daemon.
    private final class Server {
        let program: RunningProgram
        let url: String

        init(_ network: LocalNetwork, _ words: [String]) throws {
            program = try network.start(["serve", "--port", "0", "--json", "-vv"] + words)
            while !program.outputSoFar.contains(#""event":"advertised""#) {
                guard program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) else { break }
            }
            url = program.outputSoFar.split(separator: "\"").first { $0.hasPrefix("ws") }.map(String.init) ?? ""
        }

        /// Reads on until some line has all of these words; nil if none comes.
        func line(with words: [String]) -> String? {
            while true {
                let lines = program.outputSoFar.split(separator: "\n")
                if let line = lines.first(where: { line in words.allSatisfy { line.contains($0) } }) { return String(line) }
                guard program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) else { return nil }
            }
        }

        func stop(_ signal: Int32 = SIGINT) -> Program.Result {
            program.send(signal: signal)
            return program.finish()
        }
    }

    private func make(_ name: String, _ id: String, usesVectors: Bool = false) throws -> String {
        let file = "\(path)/\(name)"
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: true)
        let database = file + "/travel.cblite2"
        let made = try Program.run(["--create"] + (usesVectors ? ["--upgrade=vv"] : []) + ["put", database, id, #"{"n":1}"#])
        try #require(made.exitCode == 0, "\(made.errors)")
        return database
    }

    private func password() throws -> String {
        let file = path + "/password"
        try Data("open sesame\n".utf8).write(to: URL(filePath: file))
        chmod(file, 0o600)
        return file
    }

    /// The documents of a database, once they are these.
    private func wait(for ids: [String], in database: String) throws -> [String] {
        let end = ContinuousClock.now + Patience.duration
        while true {
            let found = try Program.run(["ls", database]).lines
            if found.sorted() == ids.sorted() || ContinuousClock.now > end { return found.sorted() }
            usleep(100_000)
        }
    }

    @Test func whatIsAdvertisedIsListedAndSyncedWith() throws {
        let database = try make("a", "one")
        #expect(try network.run(["peers"]).errors.hasPrefix("Nobody was found."))
        let server = try Server(network, [database, "notes=\(try make("b", "two"))", "--address", "0.0.0.0", "--advertise=Küche 1"])
        let table = try network.run(["peers"]).lines
        #expect(table.count == 3 && table[2].hasPrefix("Küche 1  cblite  island.local"), "\(table)")
        #expect(table.last?.hasSuffix("notes, travel") == true)
        struct Peer: Decodable {
            let name, kind, host: String
            let port: Int
            let addresses, databases, urls: [String]
            let tls, mesh: Bool
        }
        let peer = try JSONDecoder().decode(Peer.self, from: Data(try network.run(["peers", "--json"]).outputBytes))
        #expect(peer.name == "Küche 1" && peer.kind == "cblite" && peer.host == "island.local" && !peer.tls && !peer.mesh)
        #expect(peer.addresses == ["127.0.0.1"] && peer.databases == ["notes", "travel"])
        #expect(peer.urls == ["notes", "travel"].map { "ws://127.0.0.1:\(peer.port)/\($0)" })

        // The database of the same name, whatever the case of the peer's; another one by its name.
        let own = path + "/travel.cblite2"
        let pulled = try network.run(["sync", own, "peer:küche 1"])
        #expect(pulled.exitCode == 0 && pulled.errors.hasPrefix("Completed 1 doc "), "\(pulled.errors)")
        #expect(try network.run(["pull", "peer:Küche 1/notes", path + "/other.cblite2"]).exitCode == 0)
        #expect(try Program.run(["ls", path + "/other.cblite2"]).output == "two\n")
        // At another port it is the same database: nothing is looked at again.
        #expect(server.stop().exitCode == 0)
        let next = try Server(network, [database, "--address", "0.0.0.0", "--advertise=Küche 1"])
        #expect(try Program.run(["put", own, "three", "{}"]).exitCode == 0)
        let pushed = try network.run(["push", own, "peer:Küche 1"])
        #expect(pushed.errors.hasPrefix("Completed 1 doc "), "\(pushed.errors)")
        for (words, message) in [
            (["sync", own, "peer:Kueche 1"], #"there is no peer "Kueche 1". Did you mean "Küche 1"?"#),
            (["sync", own, "peer:cellar"], "There are: Küche 1."),
            (["sync", own, "peer:Küche 1/notes"], #""Küche 1" has no database "notes""#),
        ] {
            let result = try network.run(words)
            #expect(result.exitCode == 1 && result.errors.contains(message), "\(result.errors)")
        }
        #expect(next.stop().exitCode == 0)
        #expect(try network.run(["peers"]).output.isEmpty)
    }

    @Test func aNameThatIsTakenGetsANumber() throws {
        let database = try make("a", "one")
        let servers = try (0..<2).map { _ in try Server(network, [database, "--address", "0.0.0.0", "--advertise=x"]) }
        #expect(servers[1].line(with: [#""event":"advertised""#]) == ##"{"event":"advertised","name":"x #2"}"##)
        #expect(try network.run(["peers"]).lines.dropFirst(2).map { $0.prefix(4) } == ["x   ", "x #2"])
        for server in servers { #expect(server.stop().exitCode == 0) }
    }

    @Test(.enabled(if: access("/usr/bin/avahi-publish", X_OK) == 0, "avahi-publish is not installed"))
    func othersAreToldApart() throws {
        let own = try make("a", "one")
        let publishers = try [
            ["LiteServ", "_cbl._tcp", "59840", "Key=value"], ["phone", "_couchbaseP2P._tcp", "5000"], ["printer", "_http._tcp", "80"],
            ["CouchbaseLite_pc", "_http._tcp", "5984"], ["twin", "_cbl._tcp", "1"], ["Twin", "_couchbaseP2P._tcp", "2"],
            ["evil\u{1B}[31m", "_cbl._tcp", "3", "id=\(String(repeating: "a", count: 32))", "db=../\u{1B}[31m", "db2=x\u{202E}y"],
        ].map { try network.start(tool: "/usr/bin/avahi-publish", ["--service"] + $0) }
        var lines: [String] = []
        let end = ContinuousClock.now + Patience.duration
        while lines.count < 8, ContinuousClock.now < end { lines = try network.run(["peers"]).lines }
        let kinds = lines.dropFirst(2).map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
        #expect(
            Set(kinds) == ["LiteServ 1.x", "phone multipeer", "CouchbaseLite_pc 1.x", "twin 1.x", "Twin multipeer", "evil [31m"], "\(lines)"
        )
        #expect(!lines.joined().utf8.contains(0x1B))
        for (name, message) in [
            ("LiteServ", "does not say which databases it has"), ("phone", "is a multipeer replicator of the vendor's"),
            ("TWIN", "2 peers are called \"TWIN\": island.local (port 2), island.local (port 1)"),
            ("LiteServ/travel", "127.0.0.1:59840"),
        ] {
            let result = try network.run(["sync", own, "peer:" + name])
            #expect(result.exitCode == 1 && result.errors.contains(message), "\(result.errors)")
        }
        for publisher in publishers {
            publisher.send(signal: SIGTERM)
            _ = publisher.finish()
        }
    }

    /// Three databases that begin with different documents, one of which goes away for a while; and a stranger with the same database.
    @Test(arguments: [false, true]) func aMeshAgrees(usesVectors: Bool) throws {
        let databases = try ["a", "b", "c"].map { try make($0, $0, usesVectors: usesVectors) }
        let stranger = try make("d", "d", usesVectors: usesVectors)
        let words = ["--mesh", "--identity", path + "/group.pem", "--user", "ada:@\(try password())"]
        let logging = (0...3).map { ["--log-dir", "\(path)/logs\($0)", "--log-level", "verbose"] }
        func logs() throws -> String { try (0...3).map { try Program.run(["logcat", "\(path)/logs\($0)"]).output }.joined() }
        let outsider = try Server(
            network,
            [stranger, "--mesh", "--identity", path + "/other.pem", "--user", "ada:@\(try password())", "--advertise=stranger"] + logging[3]
        )
        var servers: [Server] = []
        for (number, database) in databases.enumerated() {
            servers.append(try Server(network, [database, "--advertise=p\(number)"] + logging[number] + words))
        }
        for database in databases { #expect(try wait(for: ["a", "b", "c"], in: database) == ["a", "b", "c"]) }
        // What is changed somewhere is soon everywhere.
        #expect(try Program.run(["put", databases[1], "later", "{}"]).exitCode == 0)
        for database in databases { #expect(try wait(for: ["a", "b", "c", "later"], in: database).count == 4) }

        let gone = servers.removeLast().stop()
        #expect(gone.exitCode == 0, "\(gone.errors)")
        #expect(try Program.run(["put", databases[0], "meanwhile", "{}"]).exitCode == 0)
        #expect(try Program.run(["put", databases[2], "alone", "{}"]).exitCode == 0)
        servers.append(try Server(network, [databases[2], "--advertise=p2"] + words))
        let all = ["a", "alone", "b", "c", "later", "meanwhile"]
        for database in databases { #expect(try wait(for: all, in: database) == all) }

        // The stranger knows the password, but not the certificate. Of each two servers one connects, whose log tells that it was refused.
        let end = ContinuousClock.now + Patience.duration
        while try !logs().contains("is tried again in"), ContinuousClock.now < end { usleep(50_000) }
        for server in servers { #expect(server.stop().exitCode == 0) }
        #expect(outsider.stop().exitCode == 0)
        let logs = try logs()
        for line in ["Starting Replicator ", "Connected!", "documentEnded (p", "is tried again in"] {
            #expect(logs.contains(line), "\(line): \(logs.prefix(4000))")
        }
        #expect(try Program.run(["ls", stranger]).output == "d\n")
        for database in databases { #expect(try Program.run(["check", database]).exitCode == 0) }
    }

    /// Each has a certificate of its own, and knows those of the members.
    @Test func aMeshKnowsItsMembersByTheirCertificates() throws {
        let databases = try ["a", "b", "c"].map { try make($0, $0) }
        var members = Data()
        for (number, database) in databases.enumerated() {
            // What makes the certificate.
            let maker = try RunningProgram([
                "serve", "--port", "0", "--address", "127.0.0.1", "--identity", "\(path)/\(number).pem", database,
            ])
            maker.readOutput(atLeast: 20)
            maker.send(signal: SIGINT)
            #expect(maker.finish().exitCode == 0)
            if number < 2 { members += try Data(contentsOf: URL(filePath: "\(path)/\(number).crt")) }
        }
        try members.write(to: URL(filePath: path + "/members.pem"))
        let servers = try databases.enumerated().map { number, database in
            try Server(
                network,
                [database, "--mesh", "--identity", "\(path)/\(number).pem", "--client-ca", path + "/members.pem", "--advertise=p\(number)"])
        }
        for database in databases[..<2] { #expect(try wait(for: ["a", "b"], in: database) == ["a", "b"]) }
        for server in servers { #expect(server.stop().exitCode == 0) }
        #expect(try Program.run(["ls", databases[2]]).output == "c\n")
        for database in databases[..<2] { #expect(try Program.run(["ls", database]).lines == ["a", "b"]) }
    }

    @Test func aMeshOutlivesTheDaemon() throws {
        let databases = try ["a", "b"].map { try make($0, $0) }
        let words = ["--mesh", "--address", "0.0.0.0", "--user", "ada:@\(try password())"]
        let servers = try databases.enumerated().map { try Server(network, [$1, "--advertise=p\($0)"] + words) }
        for database in databases { #expect(try wait(for: ["a", "b"], in: database) == ["a", "b"]) }
        try network.order("stop")
        // The connection is still there.
        #expect(try Program.run(["put", databases[0], "still", "{}"]).exitCode == 0)
        #expect(try wait(for: ["a", "b", "still"], in: databases[1]).count == 3)
        try network.order("start")
        let end = ContinuousClock.now + Patience.duration
        var lines: [String] = []
        while lines.count < 4, ContinuousClock.now < end { lines = try network.run(["peers"]).lines }
        #expect(lines.dropFirst(2).map { $0.prefix(2) } == ["p0", "p1"])
        for server in servers {
            let result = server.stop()
            #expect(result.exitCode == 0 && result.errors.contains("the Avahi daemon does not run any more"), "\(result.errors)")
        }
    }

    @Test func withoutADaemonThatIsSaid() throws {
        try network.order("stop")
        for words in [
            ["peers"], ["sync", try make("a", "one"), "peer:x"],
            ["serve", "--port", "0", "--address", "0.0.0.0", "--advertise", try make("b", "one")],
        ] {
            let result = try network.run(words)
            #expect(result.exitCode == 1 && result.errors.contains("the Avahi daemon does not run on this machine"), "\(result.errors)")
        }
    }
}

/// What needs no network.
@Suite struct PeersWithoutNetworkTests {
    @Test func withoutABusThatIsSaid() throws {
        let process = try RunningProgram(["peers"], environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"])
        let result = process.finish()
        #expect(result.exitCode == 1 && result.output.isEmpty)
        let places: [String] = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
        let isInstalled = places.contains { access($0 + "/libavahi-client.so.3", F_OK) == 0 }
        let package = isInstalled ? "Install the Debian package avahi-daemon" : "Install the Debian package libavahi-client3"
        #expect(result.errors.contains(package), "\(result.errors)")
    }

    @Test(
        arguments: [
            (["--advertise"], "--advertise: only programs of this machine can connect"),
            (["--mesh", "--user", "a:b"], "--mesh: only programs of this machine can connect"),
            (["--mesh", "--address", "0.0.0.0"], "--mesh needs --user NAME"),
            (["--mesh", "--address", "0.0.0.0", "--reader", "a:b"], "as the first --user"),
            (["--mesh", "--tls", "--user", "a:b"], "--mesh with --tls needs --cacert FILE"),
            (["--mesh", "--address", "0.0.0.0", "--user", "a:b", "--cacert", "/dev/null"], "--cacert needs TLS"),
            (["--mesh", "--tls", "--user", "a:b", "--read-only"], "--mesh goes both ways"),
            (["--cacert", "/dev/null"], "--cacert is for --mesh"),
            (["--address", "0.0.0.0", "--advertise="], "a name has 1 to 63 bytes"),
            (["--address", "0.0.0.0", "--advertise=\(String(repeating: "ü", count: 32))"], "a name has 1 to 63 bytes"),
            (["--address", "0.0.0.0", "--advertise=a\u{1B}b"], "no control characters"),
        ] as [([String], String)])
    func mistakesAreExplained(words: [String], message: String) throws {
        let scratch = try Scratch()
        let result = try Program.run(["serve", "--port", "0", scratch.path] + words)
        #expect(result.exitCode == 2 && result.errors.contains(message), "\(result.exitCode): \(result.errors)")
        #expect(result.output.isEmpty)
    }
}

import CBLStore
import CBLTestSupport
import FoundationEssentials
import Glibc
import Synchronization

/// The world, and what happens in it.
final class Soak {
    private let program: String
    private let folder: String
    private let seconds: Double
    private var random: SeededRandom
    private let replicas: [Database]
    /// `nil` if somebody else's is used.
    private let gateway: Daemon?
    private let gatewayDatabase: String
    private var syncs: [Daemon] = []
    private var listeners: [Daemon] = []
    private let cable: Cable
    private let port: UInt16
    private var samples = Samples()
    private var problems: [String] = []
    private let start = ContinuousClock.now
    /// Edits, deletions, conflicts, blobs, cuts, kills, pauses.
    private var counts: [String: Int] = [:]

    // As many as fit into a small app, so that all of them are changed again and again.
    private static let documentCount = 2000

    init(program: String, folder: String, hours: Double, seed: UInt64, foreignGateway: String?) throws {
        self.program = program
        self.folder = folder
        seconds = hours * 3600
        random = SeededRandom(seed)
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if let foreignGateway {
            guard let url = URL(string: foreignGateway), let number = url.port.flatMap(UInt16.init(exactly:)) else {
                throw Cable.NotConnected()
            }
            port = number
            gatewayDatabase = url.lastPathComponent
            gateway = nil
        } else {
            port = UInt16(40000 + getpid() % 10000)
            gatewayDatabase = "g"
            _ = try Database(path: folder + "/g.cblite2", options: .init(access: .create, upgrade: .versionVectors))
            gateway = Daemon("gateway", program, ["serve", "--rest", "--port", "\(port)", "g=\(folder)/g.cblite2"], folder)
        }
        replicas = try (1...4).map {
            try Database(path: "\(folder)/r\($0).cblite2", options: .init(access: .create, upgrade: .versionVectors))
        }
        cable = try Cable(to: port)
        for number in 1...4 {
            syncs.append(
                Daemon(
                    "sync\(number)", program,
                    ["sync", "--continuous", "--conflict", "merge", "\(folder)/r\(number).cblite2"]
                        + ["ws://127.0.0.1:\(cable.port)/\(gatewayDatabase)"],
                    folder))
        }
        listeners = [
            Daemon(
                "live query", program,
                ["query", "--watch", "--json", "\(folder)/r1.cblite2", "SELECT kind, count(*) FROM _ GROUP BY kind"], folder),
            Daemon("changes", program, ["changes", "--follow", "\(folder)/r2.cblite2"], folder),
        ]
    }

    private var elapsed: Double { (ContinuousClock.now - start) / .seconds(1) }

    func run() throws -> [String] {
        try gateway?.start()
        try waitForGateway()
        for daemon in syncs + listeners { try daemon.start() }
        let reader = HTTPReader(port: port, database: gatewayDatabase)
        reader.start()
        var (nextPing, nextSample, nextTrouble, nextCompaction) = (5.0, 30.0, 60.0, 600.0)
        while elapsed < seconds {
            let round = ContinuousClock.now
            try edit()
            if elapsed > nextPing {
                ping()
                nextPing = elapsed + 5
            }
            if elapsed > nextTrouble {
                try trouble()
                nextTrouble = elapsed + 20 + Double(random.below(60))
            }
            if elapsed > nextCompaction {
                compact()
                nextCompaction = elapsed + 600
            }
            if elapsed > nextSample {
                try sample(reader)
                nextSample = elapsed + 30
            }
            let rest = .milliseconds(100) - (ContinuousClock.now - round)
            if rest > .zero { usleep(UInt32(rest / .microseconds(1))) }
        }
        reader.stop()
        for daemon in syncs where !daemon.isRunning { try daemon.start() }
        converge()
        finish()
        print(counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", "))
        return problems + samples.growth()
    }

    private var ownGateway: [Daemon] { gateway.map { [$0] } ?? [] }
    /// The gateway's database, if it is one of ours.
    private var ownDatabase: [String] { gateway == nil ? [] : ["g"] }

    private func count(_ name: String) { counts[name, default: 0] += 1 }

    private func waitForGateway() throws {
        for _ in 0..<300 {
            if HTTPReader.get("/\(gatewayDatabase)/", port) != nil { return }
            usleep(100_000)
        }
        problems.append("the gateway does not answer")
    }

    // MARK: What people do

    private func edit() throws {
        let replica = random.below(replicas.count)
        let id = "doc-\(random.below(Soak.documentCount))"
        switch random.below(20) {
        case 0:
            try replicas[replica].write { transaction in
                if let document = try transaction.document(id), !document.isDeleted { try transaction.delete(id) }
            }
            count("deletions")
        case 1:
            let bytes = (0..<20_000).map { _ in UInt8(random.below(256)) }
            let blob = try bytes.withUnsafeBytes { try replicas[replica].blobs.write($0) }
            try save(id, #"{"kind":"photo","photo":{"@type":"blob","digest":"\#(blob.digest)","length":20000}}"#, replica)
            count("blobs")
        case 2:
            // Two people at once.
            try save(id, text("one"), replica)
            try save(id, text("other"), (replica + 1) % replicas.count)
            count("conflicts")
        default:
            try save(id, text("note"), replica)
            count("edits")
        }
    }

    private func text(_ kind: String) -> String {
        let words = (0..<random.below(40)).map { _ in "word\(random.below(1000))" }.joined(separator: " ")
        return #"{"kind":"\#(kind)","n":\#(random.below(1000)),"text":"\#(words)","tags":["a\#(random.below(9))"]}"#
    }

    private func save(_ id: String, _ json: String, _ replica: Int) throws {
        try replicas[replica].write { transaction in _ = try transaction.save(id, body: transaction.encode(json: json)) }
    }

    /// How long a change takes from the first replica to the second one, over the gateway.
    private func ping() {
        let mark = "\(counts["pings", default: 0])"
        count("pings")
        guard (try? save("ping", #"{"kind":"ping","mark":"\#(mark)"}"#, 0)) != nil else { return }
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .seconds(60) {
            let seen = try? replicas[1].read { snapshot in
                try snapshot.document("ping").map { DocumentProperties($0.body, keys: snapshot.sharedKeys).json() }
            }
            if seen?.contains("\"\(mark)\"") ?? false {
                samples.add("ping ms", (ContinuousClock.now - begin) / .milliseconds(1))
                return
            }
            usleep(5000)
        }
        count("pings that were late")
    }

    // MARK: What happens to them

    private func trouble() throws {
        // The first two work all the time in one process each.
        let victim = syncs[2 + random.below(2)]
        switch random.below(3) {
        case 0:
            cable.cut()
            count("cuts")
        case 1:
            if victim.isRunning {
                victim.kill()
                count("kills")
            }
        default:
            if victim.isRunning {
                victim.send(random.below(2) == 0 ? SIGSTOP : SIGCONT)
                count("pauses")
            }
        }
        for daemon in syncs[2...] where daemon !== victim {
            if daemon.isRunning { daemon.send(SIGCONT) } else { try daemon.start() }
        }
    }

    private func compact() {
        for name in ownDatabase + ["r1", "r2", "r3", "r4"] {
            let result = try? RunningProgram(["compact", "\(folder)/\(name).cblite2"], program: program).finish(timeout: 120)
            if result?.exitCode != 0 { problems.append("compact \(name): \(result?.errors ?? "not started")") }
        }
        count("compactions")
    }

    // MARK: What is looked at

    private func sample(_ reader: HTTPReader) throws {
        for daemon in ownGateway + [syncs[0], syncs[1]] + listeners {
            guard daemon.isRunning else {
                problems.append("\(daemon.name) has ended: \(daemon.lastWords)")
                try? daemon.start()
                continue
            }
            samples.add(process: daemon.name, daemon.processID)
        }
        samples.add(process: "library", getpid())
        for name in ownDatabase + ["r1", "r2"] { samples.add("\(name) disk KiB", Samples.kibibytes(below: "\(folder)/\(name).cblite2")) }
        for time in reader.takeTimes() { samples.add("HTTP ms", time) }
        try samples.endRow(elapsed, file: folder + "/samples.csv")
    }

    private func converge() {
        for daemon in syncs { daemon.send(SIGCONT) }
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .seconds(300) {
            usleep(2_000_000)
            // What a foreign gateway has is asked for through a door of its own, and compared as a database of ours.
            if gateway == nil {
                let url = "ws://127.0.0.1:\(port)/\(gatewayDatabase)"
                let pull = try? RunningProgram(["pull", "\(folder)/g.cblite2", url], program: program).finish(timeout: 120)
                guard pull?.exitCode == 0 else { continue }
            }
            let isSame = (1...4).allSatisfy { number in
                let files = ["g", "r\(number)"].map { "\(folder)/\($0).cblite2" }
                let result = try? RunningProgram(["diff"] + files, program: program).finish(timeout: 60)
                return result?.exitCode == 0
            }
            if isSame {
                print("the same everywhere \(Int((ContinuousClock.now - begin) / .seconds(1))) s after the last edit")
                return
            }
        }
        problems.append("the replicas do not come to the same")
    }

    private func finish() {
        for daemon in syncs + listeners + ownGateway { daemon.end(&problems) }
        for replica in replicas { replica.close() }
        for name in ["g", "r1", "r2", "r3", "r4"] {
            let result = try? RunningProgram(["check", "\(folder)/\(name).cblite2"], program: program).finish(timeout: 300)
            if result?.exitCode != 0 { problems.append("check \(name): \(result?.output ?? "")") }
        }
    }
}

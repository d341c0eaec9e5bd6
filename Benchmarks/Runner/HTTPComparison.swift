import CBLBenchProcesses
import FoundationEssentials
import Glibc

/// What it costs to use a database over HTTP: documents read and written by curl, beside `export` and `import` of the same, in turn; replication
/// between two processes of the program; and single documents read by wrk, if that is installed.
struct HTTPComparison {
    let program: String
    let folder: String
    /// JSON Lines, each beginning with an ID.
    let data: String
    let runs: Int

    private static let documents = 10_000
    private static let seconds = 5
    private static let connections = [16, 64]

    private var served: String { folder + "/served" }
    private var lines: String { folder + "/some.json" }
    private var bulk: String { folder + "/bulk.json" }
    private var out: String { folder + "/out" }
    private var some: String { folder + "/some.cblite2" }

    /// One run: the program that asked, and what the server took for it.
    private struct Served {
        let run: Run
        let serverMilliseconds: Double
    }

    func run() throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: served, withIntermediateDirectories: true)
        try prepare()
        let server = try ServedProgram(program, directory: served)
        print("| over HTTP | ms | beside it | ms | ratio | server's CPU ms | CPU ms | ratio |")
        print("|---|---:|---|---:|---:|---:|---:|---:|")
        try compare("`_all_docs?include_docs`", "`export`", server) { _ in
            ["-o", "/dev/null", server.url + "users/_all_docs?include_docs=true"]
        } _: {
            try Run(of: program, ["export", served + "/users.cblite2", out + ".json"])
        }
        try compare("`_bulk_docs`", "`import`", server) { round in
            try curl(["-X", "PUT", "-o", "/dev/null", server.url + "bulk\(round)"])
            let content = ["-H", "Content-Type: application/json", "-H", "Expect:", "--data-binary", "@" + bulk]
            return content + ["-o", out + ".answer", server.url + "bulk\(round)/_bulk_docs"]
        } _: {
            try Run(of: program, ["cp", "--jsonid", "_id", lines, out + ".cblite2"])
        }
        print("")
        try replicate(server)
        print("")
        try readOneByOne(server)
    }

    private func prepare() throws {
        let all = try Data(contentsOf: URL(filePath: data)).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true)
        let first = all.prefix(HTTPComparison.documents)
        guard first.count == HTTPComparison.documents else { throw Failure(text: "\(data) has only \(first.count) documents") }
        try Data(first.joined(separator: "\n".utf8)).write(to: URL(filePath: lines))
        try Data(Data("{\"docs\":[".utf8) + first.joined(separator: ",\n".utf8) + Data("]}".utf8)).write(to: URL(filePath: bulk))
        for (source, database) in [(data, served + "/users.cblite2"), (lines, served + "/some.cblite2"), (lines, some)] {
            guard try Run(of: program, ["cp", "--jsonid", "_id", source, database]).hasSucceeded else {
                throw Failure(text: "cannot make \(database)")
            }
        }
    }

    private func clear() throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("out") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
    }

    @discardableResult
    private func curl(_ words: [String]) throws -> Run {
        let run = try Run(of: "curl", ["-sSf"] + words)
        guard run.hasSucceeded else { throw Failure(text: "curl \(words.joined(separator: " ")) fails") }
        return run
    }

    private func measured(_ server: ServedProgram, _ work: () throws -> Run) throws -> Served {
        let start = server.processorMilliseconds
        let run = try work()
        guard run.hasSucceeded else { throw Failure(text: "a run against \(server.url) fails") }
        return Served(run: run, serverMilliseconds: server.processorMilliseconds - start)
    }

    private func compare(
        _ name: String, _ other: String, _ server: ServedProgram, _ words: (_ round: Int) throws -> [String], _ local: () throws -> Run
    ) throws {
        var asked: [Served] = []
        var beside: [Run] = []
        for round in 0...runs {
            let words = try words(round)
            let served = try measured(server) { try curl(words) }
            try clear()
            let run = try local()
            try clear()
            guard run.hasSucceeded else { throw Failure(text: "\(other) fails") }
            if round == 0 { continue }
            asked.append(served)
            beside.append(run)
        }
        let pairs = Array(zip(asked, beside))
        let cells = [
            name, cell(median(asked.map(\.run.milliseconds)), 0, width: 4), other, cell(median(beside.map(\.milliseconds)), 0, width: 4),
            cell(median(pairs.map { $0.run.milliseconds / $1.milliseconds }), 2, width: 4),
            cell(median(asked.map(\.serverMilliseconds)), 0, width: 4), cell(median(beside.map(\.processorMilliseconds)), 0, width: 4),
            cell(median(pairs.map { $0.serverMilliseconds / $1.processorMilliseconds }), 2, width: 4),
        ]
        print("| " + cells.joined(separator: " | ") + " |")
        fflush(nil)
    }

    private func replicate(_ server: ServedProgram) throws {
        print("| replication of \(HTTPComparison.documents) documents | documents/s | server's CPU ms | client's CPU ms | client's MiB |")
        print("|---|---:|---:|---:|---:|")
        try replicate("pull", server) { _ in
            try clear()
            return try Run(of: program, ["pull", out + ".cblite2", server.url + "some"])
        }
        try replicate("push", server) { round in
            try curl(["-X", "PUT", "-o", "/dev/null", server.url + "pushed\(round)"])
            return try Run(of: program, ["push", some, server.url + "pushed\(round)"])
        }
        print("\nThe server has held \(cell(server.peakMiB, 0, width: 1)) MiB at most.")
    }

    private func replicate(_ name: String, _ server: ServedProgram, _ work: (_ round: Int) throws -> Run) throws {
        let rounds = try (0...runs).map { round in try measured(server) { try work(round) } }.dropFirst()
        let cells = [
            name, cell(median(rounds.map { Double(HTTPComparison.documents) * 1e3 / $0.run.milliseconds }), 0, width: 6),
            cell(median(rounds.map(\.serverMilliseconds)), 0, width: 4), cell(median(rounds.map(\.run.processorMilliseconds)), 0, width: 4),
            cell(median(rounds.map(\.run.peakMiB)), 0, width: 4),
        ]
        print("| " + cells.joined(separator: " | ") + " |")
        fflush(nil)
    }

    private func readOneByOne(_ server: ServedProgram) throws {
        guard try Run(of: "sh", ["-c", "command -v wrk"]).hasSucceeded else {
            return print("Without wrk, no documents are read one by one.")
        }
        print("| connections | documents/s | server's CPU µs a document |")
        print("|---:|---:|---:|")
        for count in HTTPComparison.connections {
            let words = ["-t1", "-c\(count)", "-d\(HTTPComparison.seconds)s", server.url + "users/user_0000001"]
            let start = server.processorMilliseconds
            guard try Run(of: "wrk", words, output: out + ".wrk").hasSucceeded else { throw Failure(text: "wrk fails") }
            let taken = server.processorMilliseconds - start
            let text = String(decoding: try Data(contentsOf: URL(filePath: out + ".wrk")), as: UTF8.self)
            let line = text.split(separator: "\n").first { $0.hasPrefix("Requests/sec:") }
            guard let rate = line?.split(separator: " ").last.flatMap({ Double($0) }), !text.contains("Non-2xx") else {
                throw Failure(text: "wrk: \(text)")
            }
            let each = taken * 1e3 / (rate * Double(HTTPComparison.seconds))
            print("| \(count) | \(cell(rate, 0, width: 6)) | \(cell(each, 0, width: 3)) |")
            fflush(nil)
        }
    }
}

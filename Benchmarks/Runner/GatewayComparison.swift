import CBLBenchProcesses
import FoundationEssentials

/// Pushes documents to a gateway and pulls them from it, with both programs in turn.
///
/// The database of the gateway is empty when this begins. First it is filled, and pulled from into new databases; then each run pushes
/// documents that the gateway has not seen.
struct GatewayComparison {
    let url: String
    let program: String
    let vendor: String?
    let folder: String
    /// JSON Lines, each beginning with an ID.
    let data: String
    let documents: Int
    let runs: Int

    private static let idStart = "{\"_id\": \"user_"

    func run() throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let first = try database("first")
        guard try Run(of: program, ["push", first, url]).hasSucceeded else { throw Failure(text: "cannot push to \(url)") }
        print("| gateway | ours ms | vendor ms | ratio | ours CPU ms | vendor CPU ms | ratio | ours MiB | vendor MiB |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|")
        try compare("pull") { program, _ in try pull(program) }
        try compare("push") { program, name in
            let database = try database(name)
            return try Run(of: program, ["push", database, url])
        }
        // The gateway has what both have pushed.
        let expected = documents * (1 + (runs + 1) * (vendor == nil ? 1 : 2))
        let whole = folder + "/whole.cblite2"
        _ = try Run(of: program, ["pull", whole, url])
        try check(whole, expected)
    }

    private func pull(_ program: String) throws -> Run {
        let database = folder + "/pulled.cblite2"
        try? FileManager.default.removeItem(atPath: database)
        let run = try Run(of: program, ["pull", database, url])
        try check(database, documents)
        return run
    }

    private func check(_ database: String, _ expected: Int) throws {
        let list = folder + "/list"
        _ = try Run(of: program, ["ls", "--limit", String(expected + 1), database], output: list)
        let text = try Data(contentsOf: URL(filePath: list))
        let count = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: " ") }.count
        guard count == expected else { throw Failure(text: "\(database) has \(count) documents instead of \(expected); was \(url) empty?") }
    }

    /// A database with documents that have IDs of their own.
    private func database(_ name: String) throws -> String {
        let path = folder + "/" + name
        let all = try Data(contentsOf: URL(filePath: data))
        var lines = Data()
        var count = 0
        for line in all.split(separator: UInt8(ascii: "\n")) where count < documents {
            guard line.starts(with: GatewayComparison.idStart.utf8) else { throw Failure(text: "\(data) has a line without an ID") }
            lines += Data("{\"_id\": \"\(name)_".utf8) + line.dropFirst(GatewayComparison.idStart.utf8.count) + [UInt8(ascii: "\n")]
            count += 1
        }
        try lines.write(to: URL(filePath: path + ".json"))
        guard try Run(of: program, ["cp", "--jsonid", "_id", path + ".json", path + ".cblite2"]).hasSucceeded else {
            throw Failure(text: "cannot make \(path).cblite2")
        }
        return path + ".cblite2"
    }

    private func compare(_ name: String, _ work: (_ program: String, _ name: String) throws -> Run) throws {
        var mine: [Run] = []
        var other: [Run] = []
        for round in 0...runs {
            func ours() throws -> Run { try work(program, "\(name)-ours-\(round)") }
            func theirs() throws -> Run? { try vendor.map { try work($0, "\(name)-theirs-\(round)") } }
            // What the gateway has to clear away of one run should not always be to the cost of the same program.
            let (own, foreign): (Run, Run?)
            if round % 2 == 0 {
                own = try ours()
                foreign = try theirs()
            } else {
                foreign = try theirs()
                own = try ours()
            }
            if round == 0 { continue }
            mine.append(own)
            if let foreign { other.append(foreign) }
        }
        func row(_ value: (Run) -> Double) -> String {
            guard !other.isEmpty else { return "\(cell(median(mine.map(value)), 0, width: 6)) | | |" }
            let ratio = median(zip(mine, other).map { value($0) / value($1) })
            return
                "\(cell(median(mine.map(value)), 0, width: 6)) | \(cell(median(other.map(value)), 0, width: 6)) | \(cell(ratio, 2, width: 4)) |"
        }
        let memory = [mine, other].map { $0.isEmpty ? "" : cell(median($0.map(\.peakMiB)), 0, width: 4) }
        print("| \(name) | \(row(\.milliseconds)) \(row(\.processorMilliseconds)) \(memory[0]) | \(memory[1]) |")
    }
}

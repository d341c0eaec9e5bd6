import CBLBenchProcesses
import FoundationEssentials

/// One of the two programs, with a folder and a database of its own: each reads the file that it wrote.
struct Contestant {
    let program: String
    let isOurs: Bool
    let folder: String
    let data: String
    /// Flags before each command, and for what it makes as well: of a key, for example.
    var flags: [String] = []

    /// Both are measured as they are installed: what a linker has written lies in the memory for files in small pieces, from which a program starts slower.
    private var installed: String { folder + "/program" }
    private var database: String { folder + "/users.cblite2" }
    private var out: String { folder + "/out" }
    private var revised: String { folder + "/revised.cblite2" }
    private var puts: String { folder + "/puts.txt" }

    func prepare() throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        guard try Run(of: "install", ["-s", program, installed]).hasSucceeded else { throw Failure(text: "\(program) cannot be installed") }
        // The vendor's program is known to crash at exit after writing, so its exit code says nothing.
        _ = try Run(of: installed, flags + ["cp", "--jsonid", "_id", data, database])
        guard FileManager.default.fileExists(atPath: database) else { throw Failure(text: "\(program) made no database") }
    }

    /// Does what a workload needs to have been done.
    func prepare(for workload: Workload) throws {
        if workload.uses("{revised}"), !FileManager.default.fileExists(atPath: revised) { try Corpus.makeRevised(at: revised) }
        if workload.uses("{puts}"), !FileManager.default.fileExists(atPath: puts) { try Corpus.makePuts(at: puts) }
        for step in workload.preparation { _ = try Run(of: installed, flags(for: step) + step.map(resolved)) }
    }

    func run(_ workload: Workload) throws -> Run {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("out") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        let input = workload.input.map(resolved) ?? "/dev/null"
        let steps = workload.steps.map { flags(for: $0) + $0.map(resolved) }
        let run = try steps.dropFirst().reduce(Run(of: installed, steps[0], input: input)) {
            try $0.followed(by: Run(of: installed, $1, input: input))
        }
        if isOurs && !run.hasSucceeded { throw Failure(text: "\(program) fails: \(steps)") }
        return run
    }

    /// The benchmark makes one of the databases itself, without a key.
    private func flags(for step: [String]) -> [String] { step.contains("{revised}") ? [] : flags }

    private func resolved(_ argument: String) -> String {
        if argument.hasPrefix("{out}") { return out + argument.dropFirst("{out}".count) }
        switch argument {
        case "{db}": return database
        case "{data}": return data
        case "{revised}": return revised
        case "{puts}": return puts
        default: return argument
        }
    }
}

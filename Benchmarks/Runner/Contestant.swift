import FoundationEssentials

/// One of the two programs, with a folder and a database of its own: each reads the file that it wrote.
struct Contestant {
    let program: String
    let folder: String
    let data: String

    private var database: String { folder + "/users.cblite2" }
    private var out: String { folder + "/out" }

    func prepare() throws {
        try? FileManager.default.removeItem(atPath: folder)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The vendor's program is known to crash at exit after writing, so its exit code says nothing.
        _ = try Run(of: program, ["cp", "--jsonid", "_id", data, database])
        guard FileManager.default.fileExists(atPath: database) else { throw Failure(text: "\(program) made no database") }
    }

    /// Does what a workload needs to have been done.
    func prepare(for workload: Workload) throws {
        for step in workload.preparation { _ = try Run(of: program, step.map(resolved)) }
    }

    func run(_ workload: Workload) throws -> Run {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name.hasPrefix("out") {
            try FileManager.default.removeItem(atPath: folder + "/" + name)
        }
        let steps = workload.steps.map { $0.map(resolved) }
        return try steps.dropFirst().reduce(Run(of: program, steps[0])) { try $0.followed(by: Run(of: program, $1)) }
    }

    private func resolved(_ argument: String) -> String {
        if argument.hasPrefix("{out}") { return out + argument.dropFirst("{out}".count) }
        return argument == "{db}" ? database : argument == "{data}" ? data : argument
    }
}

import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// A hundred processes have to do with one database, all at once: each does what it was asked for, or says that others were in its way; what
/// one of them reported done is there.
@Suite(.serialized) struct HundredProcessesTests {
    private let scratch: Scratch
    private var path: String { scratch.path }

    /// What says that others were in the way, and that it may be tried again.
    private static let busy = [
        "another program is using the database and did not let go of it in time",
        "another program changed the database while it was being read; please repeat",
        "the database cannot be read while another program changes it", "another program keeps changing the database",
    ]

    init() throws {
        scratch = try Scratch()
        let documents = (0..<60).map { "{\"_id\":\"old-\($0)\",\"n\":\($0),\"text\":\"\(String(repeating: "x", count: 500))\"}\n" }.joined()
        try scratch.expect(["import", "-"], input: documents)
        for number in 0..<8 {
            let lines = (0..<20).map { "{\"_id\":\"in-\(number)-\($0)\",\"n\":\($0)}\n" }.joined()
            try Data(lines.utf8).write(to: URL(filePath: "\(scratch.directory.path)/\(number).jsonl"))
        }
    }

    /// Commands, with `@` for the database and `@N` for a file with documents.
    private typealias Job = [String]

    private func words(_ job: Job) -> [String] {
        job.map { $0 == "@" ? path : $0.hasPrefix("@") ? "\(scratch.directory.path)/\($0.dropFirst()).jsonl" : $0 }
    }

    private static let jobs: [Job] =
        (0..<32).map { ["put", "@", "new-\($0)", "{\"n\":\($0),\"key-\($0)\":true}"] }
        + (0..<10).map { ["put", "@", "shared", "{\"writer\":\($0)}"] }
        + (0..<10).map { ["rm", "@", "old-\($0)"] }
        + (0..<8).map { ["purge", "@", "old-\(10 + $0)"] }
        + (0..<8).map { ["import", "@", "@\($0)"] }
        + (0..<6).map { ["mkindex", "@", "index\($0)", "n\($0)"] }
        + (0..<6).map { _ in ["compact", "@"] }
        + (0..<8).map { _ in ["ls", "-l", "@"] }
        + (0..<8).map { _ in ["select", "@", "count(*) FROM _ WHERE n >= 0"] }

    /// Of work that was not done one may say no more than that it can be repeated.
    private func isDone(_ result: Program.Result, _ job: Job) -> Bool {
        #expect(!result.timedOut, "\(job) does not end")
        if result.exitCode == 0 { return true }
        #expect(result.exitCode == 1 && Self.busy.contains { result.errors.contains($0) }, "\(job): \(result.exitCode) \(result.errors)")
        return false
    }

    @Test func eachDoesItsWorkOrSaysThatOthersWereInTheWay() throws {
        let followers = try (0..<4).map { _ in try RunningProgram(["changes", "--follow", "--json", path]) }
        // Nobody can write before all of them are there.
        let lock = try RawDatabase(path + "/db.sqlite3")
        try lock.execute("BEGIN IMMEDIATE")
        let programs = try Self.jobs.shuffled().map { job in
            (job, try RunningProgram(words(job)))
        }
        #expect(programs.count + followers.count == 100)
        try lock.execute("ROLLBACK")
        var (done, late) = ([Job](), [Job]())
        for (job, program) in programs {
            if isDone(program.finish(), job) { done.append(job) } else { late.append(job) }
        }
        // What was too much at once is none for itself.
        for job in late {
            let result = try Program.run(words(job))
            #expect(result.exitCode == 0, "\(job): \(result.errors)")
        }
        print("a hundred processes at once: \(done.count + followers.count) did their work, \(late.count) said that others were in the way")

        let ids = Set(try scratch.ids())
        var expected = Set((18..<60).map { "old-\($0)" } + (0..<32).map { "new-\($0)" } + ["shared"])
        for number in 0..<8 { expected.formUnion((0..<20).map { "in-\(number)-\($0)" }) }
        #expect(ids == expected)
        // Ten saves of one document are ten revisions.
        #expect(try Program.run(["ls", "-l", "--raw", path, "shared"]).output.contains(" 10-"))
        let indexes = try Program.run(["info", "indexes", path]).output
        for number in 0..<6 { #expect(indexes.contains("index\(number)")) }
        try scratch.expect(["check"])

        let last = try #require(try Program.run(["changes", path, "--json"]).lines.last)
        for follower in followers {
            while !follower.outputSoFar.contains(last) {
                guard follower.readOutput(atLeast: follower.outputSoFar.utf8.count + 1) else { break }
            }
            #expect(follower.outputSoFar.contains(last))
            follower.send(signal: SIGINT)
            #expect(follower.finish().exitCode == 130)
        }
    }
}

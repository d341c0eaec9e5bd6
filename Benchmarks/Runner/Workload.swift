/// One line of the benchmark table: a command that both programs understand, and how our time over theirs has to be.
struct Workload {
    enum Input { case users, database }

    let name: String
    /// `{data}`, `{db}` and `{out}` stand for the data set, the database made of it, and a path that does not exist before each run.
    let arguments: [String]
    let target: Double

    static let all = [
        Workload(name: "import", arguments: ["cp", "--jsonid", "_id", "{data}", "{out}.cblite2"], target: 0.60),
        Workload(name: "export", arguments: ["export", "{db}", "{out}.json"], target: 0.50),
        Workload(name: "ls", arguments: ["ls", "{db}"], target: 0.70),
        Workload(name: "ls -l", arguments: ["ls", "-l", "{db}"], target: 0.60),
        Workload(name: "cat all", arguments: ["cat", "--raw", "{db}", "*"], target: 0.50),
        Workload(name: "start", arguments: ["ls", "--limit", "1", "{db}"], target: 1.00),
    ]
}

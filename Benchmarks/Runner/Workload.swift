/// One line of the benchmark table: a command that both programs understand, or several in turn, and how our time over theirs has to be.
struct Workload {
    enum Input { case users, database }

    let name: String
    /// `{data}`, `{db}` and `{out}` stand for the data set, the database made of it, and a path that does not exist before each run.
    let steps: [[String]]
    let target: Double

    init(name: String, arguments: [String], target: Double) { self.init(name: name, steps: [arguments], target: target) }

    init(name: String, steps: [[String]], target: Double) {
        self.name = name
        self.steps = steps
        self.target = target
    }

    static let all = [
        Workload(name: "import", arguments: ["cp", "--jsonid", "_id", "{data}", "{out}.cblite2"], target: 0.60),
        Workload(name: "export", arguments: ["export", "{db}", "{out}.json"], target: 0.50),
        Workload(name: "ls", arguments: ["ls", "{db}"], target: 0.70),
        Workload(name: "ls -l", arguments: ["ls", "-l", "{db}"], target: 0.60),
        Workload(name: "cat all", arguments: ["cat", "--raw", "{db}", "*"], target: 0.50),
        Workload(name: "start", arguments: ["ls", "--limit", "1", "{db}"], target: 1.00),
        Workload(
            name: "mkindex", steps: [["mkindex", "{db}", "byState", "contact.address.state"], ["rmindex", "{db}", "byState"]], target: 0.90),
        Workload(
            name: "mkfts", steps: [["mkindex", "--fts", "{db}", "street", "contact.address.street"], ["rmindex", "{db}", "street"]],
            target: 0.90),
    ]
}

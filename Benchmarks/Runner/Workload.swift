/// One line of the benchmark table: a command that both programs understand, or several in turn, and how our time over theirs has to be.
struct Workload {
    let name: String
    /// `{data}`, `{db}` and `{out}` stand for the data set, the database made of it, and a path that does not exist before each run; `{revised}`
    /// for a database of ours with a document of many revisions, and `{puts}` for a file of lines that save documents (`Corpus`).
    let steps: [[String]]
    /// Nil where none was set.
    let target: Double?
    /// The file that is standard input.
    var input: String?
    /// The other program knows no such command.
    var isOurs = false
    /// What has to be done to the database first, once and untimed.
    var preparation: [[String]] = []

    init(name: String, arguments: [String], target: Double?) { self.init(name: name, steps: [arguments], target: target) }

    init(name: String, steps: [[String]], target: Double?) {
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
        query("query start", "name.last FROM _ LIMIT 1", target: 1.00),
        // Always the same document: after the first run it is a new revision. One more does not matter to the rows that follow.
        Workload(name: "put", arguments: ["put", "{db}", "benchmark", #"{"type": "note", "text": "one document"}"#], target: nil),
        Workload(
            name: "mkindex", steps: [["mkindex", "{db}", "byState", "contact.address.state"], ["rmindex", "{db}", "byState"]], target: 0.90),
        Workload(
            name: "mkfts", steps: [["mkindex", "--fts", "{db}", "street", "contact.address.street"], ["rmindex", "{db}", "street"]],
            target: 0.90),
        query("count", "count(*) FROM _", target: 0.80),
        query("scan", residents, target: 0.70),
        query(
            "group", "contact.address.state, count(*), avg(balance) FROM _ GROUP BY contact.address.state ORDER BY count(*) DESC",
            target: 0.60),
        query("top", "name.last, name.first, balance FROM _ ORDER BY balance DESC LIMIT 20", target: 0.80),
        query("sort", "name.last, balance FROM _ ORDER BY name.last, balance", target: 0.70),
        query("like", "count(*) FROM _ WHERE contact.address.street LIKE '%5th%'", target: 0.70),
        query("any", "count(*) FROM _ WHERE ANY l IN likes SATISFIES l = 'skiing' END", target: 0.70),
        grep("grep", ["5th"]),
        grep("grep regex", ["/[45]th Av/"]),
        query("star", "* FROM _", target: 0.50),
        query("indexed", residents, target: 0.80, preparation: ["mkindex", "{db}", "byState", "contact.address.state"]),
        query(
            "fts", "count(*) FROM _ WHERE MATCH(street, 'harvard')", target: 0.90,
            preparation: ["mkindex", "--fts", "{db}", "street", "contact.address.street"]),
        Workload(name: "cat large", arguments: ["cat", "{revised}", Corpus.revisedID], target: nil),
        puts,
    ]

    /// All values of all documents, beside the one property of "like".
    private static func grep(_ name: String, _ words: [String]) -> Workload {
        var workload = Workload(name: name, arguments: ["grep", "--count", "{db}"] + words, target: nil)
        workload.isOurs = true
        return workload
    }

    /// Each line is a command, and a transaction of its own.
    private static var puts: Workload {
        var workload = Workload(name: "put 10,000", arguments: ["--create", "{out}.cblite2"], target: nil)
        workload.input = "{puts}"
        return workload
    }

    func uses(_ word: String) -> Bool { input == word || (steps + preparation).contains { $0.contains(word) } }

    private static let residents = "count(*) FROM _ WHERE contact.address.state = 'CA'"

    private static func query(_ name: String, _ text: String, target: Double, preparation: [String]? = nil) -> Workload {
        var workload = Workload(name: name, arguments: ["select", "--raw", "{db}", text], target: target)
        workload.preparation = preparation.map { [$0] } ?? []
        return workload
    }
}

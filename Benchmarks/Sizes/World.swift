import CBLBenchProcesses

/// A database that is large in one way.
struct World {
    let name: String
    /// What there are many of.
    let unit: String
    let count: Int
    /// Makes the file that is imported, or, where a program of its own would take longer than what it measures, the database.
    let make: (_ place: Place) throws -> Void
    let steps: [Step]
}

/// What is done to it, in whole processes, one after the other. `{db}` is the database, `{data}` the file that it is made of, `{out}` a path where nothing is;
/// it is removed afterwards.
struct Step {
    enum Kind {
        /// Takes as long as there is much.
        case grows
        /// Takes no longer in a large database than in a small one.
        case isConstant
        /// What it leaves at `{out}` is for the next step.
        case leaves
        /// The database is removed before, and made anew.
        case remakes
        /// A server has `{db}`; `{url}` is where.
        case isServed
    }

    let name: String
    let commands: [[String]]
    let kind: Kind

    init(_ name: String, _ command: [String], kind: Kind = .grows) { self.init(name, [command], kind: kind) }

    init(_ name: String, _ commands: [[String]], kind: Kind = .grows) {
        self.name = name
        self.commands = commands
        self.kind = kind
    }

    static func query(_ name: String, _ text: String, kind: Kind = .grows) -> Step {
        Step(name, ["select", "--raw", "{db}", text], kind: kind)
    }
}

extension Failure {
    static func cannotWrite(_ path: String) -> Failure { Failure(text: "cannot write \(path)") }
}

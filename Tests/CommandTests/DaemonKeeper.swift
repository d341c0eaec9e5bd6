import CBLTestSupport

/// A shell script that keeps daemons for a test. It does what it is told, a word to a line, and answers each with `WORD done`.
final class DaemonKeeper {
    struct NotDone: Error, CustomStringConvertible {
        let description: String
    }

    private let program: RunningProgram
    private var answers = 0

    var processID: Int32 { program.processID }

    init(_ arguments: [String], program path: String, environment: [String: String]) throws {
        program = try RunningProgram(arguments, program: path, environment: environment)
    }

    deinit {
        // It ends when nothing can be ordered any more, and takes its daemons along.
        _ = program.finish(timeout: 30)
    }

    func order(_ word: String) throws {
        program.feed(Array("\(word)\n".utf8))
        try waitUntilDone(word)
    }

    /// What it does without an order.
    func waitUntilDone(_ word: String) throws {
        answers += 1
        while program.outputSoFar.split(separator: "\n").count < answers {
            guard program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) else { throw notDone(word) }
        }
        guard program.outputSoFar.split(separator: "\n").last == "\(word) done" else { throw notDone(word) }
    }

    private func notDone(_ word: String) -> NotDone { NotDone(description: "\(word): \(program.outputSoFar)") }
}

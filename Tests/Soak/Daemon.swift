import CBLTestSupport
import FoundationEssentials
import Glibc

/// A program that goes on until it is told to end. What it prints goes into a log.
final class Daemon {
    let name: String
    private let program: String
    private let arguments: [String]
    private let log: String
    private var running: RunningProgram?

    init(_ name: String, _ program: String, _ arguments: [String], _ folder: String) {
        self.name = name
        self.program = program
        self.arguments = arguments
        log = "\(folder)/\(name).log"
    }

    var processID: pid_t { running?.processID ?? 0 }

    var isRunning: Bool {
        guard let running, let status = try? String(contentsOfFile: "/proc/\(running.processID)/stat", encoding: .utf8) else {
            return false
        }
        return !(status.split(separator: ")").last?.hasPrefix(" Z") ?? true)
    }

    func start() throws {
        // The log does not grow for ever either: only its beginning is of interest.
        let script = #"exec "$0" "$@" > >(head -c 4000000 >> "$LOG"; cat > /dev/null) 2>&1"#
        running = try RunningProgram(["-c", script, program] + arguments, program: "/bin/bash", environment: ["LOG": log])
    }

    func send(_ signal: Int32) { running?.send(signal: signal) }

    func kill() {
        running = nil
    }

    var lastWords: String { String(((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").suffix(300)) }

    /// Asks it to end, in order.
    func end(_ problems: inout [String]) {
        guard isRunning else {
            problems.append("\(name) has ended before: \(lastWords)")
            return
        }
        send(SIGINT)
        let result = running?.finish(timeout: 60)
        running = nil
        if result?.timedOut ?? true { problems.append("\(name) does not end") }
        if let code = result?.exitCode, ![0, 130].contains(code) { problems.append("\(name) ends with \(code): \(lastWords)") }
    }
}

import Synchronization

/// The files of a sink: one for each level, whichever are written to.
final class LogFiles: Sendable {
    private struct State {
        var sink: FileLogSink
        var files: [LogFile]
    }

    private let state: Mutex<State>

    init(_ sink: FileLogSink) throws {
        try FileManager.default.createDirectory(atPath: sink.directory, withIntermediateDirectories: true)
        let files = try LogLevel.ofMessages.map { level in try LogFile(level, of: sink) }
        state = Mutex(State(sink: sink, files: files))
    }

    deinit { close() }

    /// Takes another sink's limits, if that one wants the same files; otherwise it says false.
    func adopt(_ sink: FileLogSink) -> Bool {
        state.withLock { state in
            guard state.sink.directory == sink.directory, state.sink.usePlaintext == sink.usePlaintext else { return false }
            state.sink = sink
            return true
        }
    }

    func write(_ message: String, _ level: LogLevel, of domain: LogDomain) throws(LogFileError) {
        try state.withLock { state throws(LogFileError) in
            guard state.sink.level.admits(level) else { return }
            let sink = state.sink
            try state.files[Int(level.rawValue)].write(message, domain: domain, sink: sink)
        }
    }

    func close() { state.withLock { state in for index in state.files.indices { state.files[index].close() } } }
}

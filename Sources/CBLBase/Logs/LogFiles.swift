import Synchronization

/// The files of a log: one for each level, whichever are written to.
package final class LogFiles: Sendable {
    private struct State {
        var settings: LogFileSettings
        var files: [LogFile]
    }

    private let state: Mutex<State>

    /// Makes the directory if it is not there.
    package init(_ settings: LogFileSettings) throws {
        try FolderTree.make(settings.directory)
        let files = try MessageLevel.allCases.map { level in try LogFile(level, settings) }
        state = Mutex(State(settings: settings, files: files))
    }

    deinit { close() }

    /// Takes other limits, if they are for the same files; otherwise it says false.
    package func adopt(_ settings: LogFileSettings) -> Bool {
        state.withLock { state in
            guard state.settings.directory == settings.directory, state.settings.isPlainText == settings.isPlainText else { return false }
            state.settings = settings
            return true
        }
    }

    /// `domain` is what the message is about, in one word, and `object` which of its kind: `/Repl#1/`.
    package func write(_ message: String, _ level: MessageLevel, of domain: String, about object: String = "") throws(LogFileError) {
        try state.withLock { state throws(LogFileError) in
            guard let least = state.settings.level, level >= least else { return }
            let settings = state.settings
            try state.files[Int(level.rawValue)].write(message, domain: domain, object: object, settings)
        }
    }

    package func close() { state.withLock { state in for index in state.files.indices { state.files[index].close() } } }
}

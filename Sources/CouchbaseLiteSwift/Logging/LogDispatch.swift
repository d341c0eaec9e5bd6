internal import CBLBase
import Glibc
import Synchronization

/// Takes messages to the sinks. There is one for the process; tests have their own.
final class LogDispatch: Sendable {
    static let shared = LogDispatch()

    private struct Sinks {
        var console: ConsoleLogSink?
        var file: FileLogSink?
        var files: LogFiles?
        // Programs answer for what they do in a sink that several threads call.
        nonisolated(unsafe) var custom: CustomLogSink?
    }

    private let sinks: Mutex<Sinks>
    /// For each domain, four bits with the lowest level that somebody listens to: so it costs next to nothing where nobody does.
    private let thresholds: Atomic<UInt64>
    private let hasAdvised = Atomic<Bool>(false)
    /// What the program sets sinks by.
    let interface = Atomic<LogInterface>(.none)
    private let showOnConsole: @Sendable (String) -> Void

    init(
        console: ConsoleLogSink? = ConsoleLogSink(level: .warning),
        showOnConsole: @escaping @Sendable (String) -> Void = LogDispatch.writeToStandardError
    ) {
        let sinks = Sinks(console: console)
        self.sinks = Mutex(sinks)
        self.showOnConsole = showOnConsole
        thresholds = Atomic(LogDispatch.thresholds(of: sinks))
    }

    var console: ConsoleLogSink? {
        get { sinks.withLock { $0.console } }
        set { change { $0.console = newValue } }
    }

    var custom: CustomLogSink? {
        get { sinks.withLock { Handed($0.custom) }.sink }
        set {
            let custom = Handed(newValue)
            change { $0.custom = custom.sink }
        }
    }

    var file: FileLogSink? {
        get { sinks.withLock { $0.file } }
        set {
            var problem: (any Error)?
            change { sinks in
                sinks.file = newValue
                if let newValue, let files = sinks.files, files.adopt(newValue.settings) { return }
                sinks.files?.close()
                sinks.files = nil
                do { sinks.files = try newValue.map { try LogFiles($0.settings) } } catch { problem = error }
            }
            if let problem { write("No log files are written: \(problem)", .warning, of: .database) }
        }
    }

    func isWanted(_ level: LogLevel, of domain: LogDomain) -> Bool {
        level.rawValue >= UInt8(truncatingIfNeeded: thresholds.load(ordering: .relaxed) >> domain.shift) & 0xF
    }

    /// Nobody is called, and no file written, under the lock: a sink may well have something to say itself.
    func write(_ message: String, _ level: LogLevel, of domain: LogDomain, about object: String = "") {
        let (console, files, custom) = sinks.withLock { ($0.console, $0.files, Handed($0.custom)) }
        do { if let grade = level.grade { try files?.write(message, grade, of: domain.nameInFiles, about: object) } } catch {
            giveUp(files, error)
        }
        if let console, console.level.admits(level), console.domains.contains(LogDomains(domain)) {
            showOnConsole(ConsoleLogSink.line(message, level, domain, at: .now))
        }
        if let custom = custom.sink, custom.level.admits(level), custom.domains.contains(LogDomains(domain)) {
            custom.logSink.writeLog(level: level, domain: domain, message: message)
        }
    }

    /// Says once that nothing is kept for the day when somebody asks what happened.
    func adviseFiles() {
        guard file == nil, !hasAdvised.exchange(true, ordering: .relaxed) else { return }
        guard isWanted(.warning, of: .database) else { return }
        write("No log files are written. With LogSinks.file set, they could tell later what happened.", .warning, of: .database)
    }

    /// Ends the files, of which one could not be written, unless others have taken their place meanwhile.
    private func giveUp(_ files: LogFiles?, _ error: any Error) {
        var wasTheirs = false
        change { sinks in
            guard sinks.files === files else { return }
            sinks.files = nil
            wasTheirs = true
        }
        if wasTheirs { write("Log files are not written any more: \(error)", .warning, of: .database) }
    }

    private func change(_ body: (inout Sinks) -> Void) {
        // What is replaced must not end under the lock: it is the program's, and may say something.
        let former = sinks.withLock { sinks in
            let former = Handed(sinks.custom)
            body(&sinks)
            thresholds.store(LogDispatch.thresholds(of: sinks), ordering: .relaxed)
            return former
        }
        withExtendedLifetime(former) {}
    }

    private static func thresholds(of sinks: Sinks) -> UInt64 {
        var result: UInt64 = 0
        for domain in LogDomain.all {
            var level = sinks.files == nil ? LogLevel.none : sinks.file?.level ?? .none
            if let console = sinks.console, console.domains.contains(LogDomains(domain)) { level = level.lower(console.level) }
            if let custom = sinks.custom, custom.domains.contains(LogDomains(domain)) { level = level.lower(custom.level) }
            result |= UInt64(level.rawValue) << domain.shift
        }
        return result
    }

    private static func writeToStandardError(_ line: String) {
        var line = line
        // In one piece, so that the lines of several threads do not mix. Nobody could be told of a failure.
        line.withUTF8 { bytes in _ = SystemCall.retrying { Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count) } }
    }
}

/// A program's sink on its way through a lock.
private struct Handed: @unchecked Sendable {
    // Sendable: see `Sinks.custom`.
    let sink: CustomLogSink?

    init(_ sink: CustomLogSink?) { self.sink = sink }
}

extension LogDomain {
    fileprivate static let all: [LogDomain] = [
        .database, .query, .replicator, .network, .listener, .peerDiscovery, .mdns, .multipeer,
    ]

    /// Where the four bits of this domain are: the highest domain is the tenth bit.
    fileprivate var shift: Int { rawValue.trailingZeroBitCount * 4 }
}

extension LogLevel {
    fileprivate func lower(_ other: LogLevel) -> LogLevel { other.rawValue < rawValue ? other : self }
}

import CBLBase
import CBLTestSupport
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

@Suite(.timeLimit(.minutes(5))) struct LogDispatchTests {
    private static let domains: [LogDomain] = [.database, .query, .replicator, .network, .listener, .peerDiscovery, .mdns, .multipeer]

    @Test func warningsGoToTheConsoleFromTheBeginning() {
        let lines = RecordedLines()
        let dispatch = LogDispatch(showOnConsole: lines.append)
        #expect(dispatch.console?.level == .warning)
        #expect(dispatch.console?.domains == .all)
        #expect(dispatch.file == nil)
        #expect(dispatch.custom == nil)
        #expect(!dispatch.isWanted(.info, of: .database))
        #expect(dispatch.isWanted(.warning, of: .multipeer))
        dispatch.write("something", .warning, of: .replicator)
        dispatch.write("nothing", .info, of: .replicator)
        #expect(lines.all.count == 1)
        #expect(lines.all[0].hasSuffix(" CouchbaseLite Replicator WARNING: something\n"))
    }

    @Test(arguments: LogLevel.ofMessages + [.none]) func aSinkHasWhatIsOfItsLevelOrAbove(level: LogLevel) {
        let dispatch = LogDispatch(console: nil)
        let sink = RecordedMessages()
        dispatch.custom = CustomLogSink(level: level, logSink: sink)
        for message in LogLevel.ofMessages {
            #expect(dispatch.isWanted(message, of: .query) == (message.rawValue >= level.rawValue))
            dispatch.write(message.title, message, of: .query)
        }
        #expect(sink.all.map(\.level) == LogLevel.ofMessages.filter { $0.rawValue >= level.rawValue })
        dispatch.write("no message", .none, of: .query)
        #expect(!sink.texts.contains("no message"))
    }

    @Test func aSinkHasItsDomainsAlone() {
        for chosen in Self.domains {
            let dispatch = LogDispatch(console: nil)
            let sink = RecordedMessages()
            let domains: LogDomains = [LogDomains(chosen), .listener]
            dispatch.custom = CustomLogSink(level: .debug, domains: domains, logSink: sink)
            for domain in Self.domains {
                #expect(dispatch.isWanted(.debug, of: domain) == domains.contains(LogDomains(domain)))
                dispatch.write(domain.title, .error, of: domain)
            }
            #expect(Set(sink.all.map(\.domain)) == [chosen, .listener])
        }
    }

    @Test func whatOneSinkWantsTheOthersDoNotGet() {
        let lines = RecordedLines()
        let sink = RecordedMessages()
        let dispatch = LogDispatch(showOnConsole: lines.append)
        dispatch.custom = CustomLogSink(level: .verbose, domains: .query, logSink: sink)
        #expect(dispatch.isWanted(.verbose, of: .query))
        #expect(!dispatch.isWanted(.verbose, of: .database))
        dispatch.write("detail", .verbose, of: .query)
        dispatch.write("trouble", .error, of: .database)
        #expect(sink.texts == ["detail"])
        #expect(lines.all.count == 1)
        dispatch.custom = nil
        #expect(!dispatch.isWanted(.verbose, of: .query))
    }

    @Test func theTextIsNotTouched() {
        let dispatch = LogDispatch(console: nil)
        let sink = RecordedMessages()
        dispatch.custom = CustomLogSink(level: .debug, logSink: sink)
        dispatch.write("100 %s of %@\n%", .info, of: .database)
        #expect(sink.texts == ["100 %s of %@\n%"])
    }

    @Test func whatAPeerSaysIsOneLineOnTheConsole() {
        let lines = RecordedLines()
        LogDispatch(showOnConsole: lines.append).write("a\nb\u{1B}[31m", .error, of: .network)
        #expect(lines.all[0].hasSuffix("ERROR: a\\nb\\u001b[31m\n"))
    }

    /// A sink that logs, and takes itself away.
    private final class Talkative: LogSinkProtocol, Sendable {
        let dispatch: LogDispatch
        let messages = RecordedMessages()

        init(_ dispatch: LogDispatch) { self.dispatch = dispatch }

        func writeLog(level: LogLevel, domain: LogDomain, message: String) {
            messages.writeLog(level: level, domain: domain, message: message)
            if message == "first" { dispatch.write("second", level, of: domain) } else { dispatch.custom = nil }
        }
    }

    @Test func aSinkMayLogAndChangeTheSinks() {
        let dispatch = LogDispatch(console: nil)
        let sink = Talkative(dispatch)
        dispatch.custom = CustomLogSink(level: .info, logSink: sink)
        dispatch.write("first", .info, of: .database)
        #expect(sink.messages.texts == ["first", "second"])
        #expect(dispatch.custom == nil)
    }

    /// Says something when it goes.
    private final class Leaving: LogSinkProtocol {
        let dispatch: LogDispatch

        init(_ dispatch: LogDispatch) { self.dispatch = dispatch }
        deinit { dispatch.write("gone", .error, of: .database) }

        func writeLog(level: LogLevel, domain: LogDomain, message: String) {}
    }

    @Test func aSinkMayLogWhileItIsReplaced() {
        let dispatch = LogDispatch(console: nil)
        let sink = RecordedMessages()
        dispatch.custom = CustomLogSink(level: .info, logSink: Leaving(dispatch))
        dispatch.custom = CustomLogSink(level: .info, logSink: sink)
        #expect(sink.texts == ["gone"])
    }

    @Test func theAdviceToKeepLogsComesOnceAndNotToThoseWhoDo() throws {
        let dispatch = LogDispatch(console: nil)
        let sink = RecordedMessages()
        dispatch.custom = CustomLogSink(level: .warning, logSink: sink)
        let directory = try TemporaryDirectory()
        dispatch.file = FileLogSink(level: .info, directory: directory.path)
        dispatch.adviseFiles()
        #expect(sink.all.isEmpty)
        dispatch.file = nil
        dispatch.adviseFiles()
        dispatch.adviseFiles()
        #expect(sink.all.count == 1)
    }

    @Test func manyThreadsMayLogWhileSinksChange() throws {
        let dispatch = LogDispatch(console: nil)
        let sink = RecordedMessages()
        let directory = try TemporaryDirectory()
        dispatch.custom = CustomLogSink(level: .info, logSink: sink)
        dispatch.file = FileLogSink(level: .info, directory: directory.path, usePlainText: true, maxKeptFiles: 10_000, maxFileSize: 5000)
        let threads = (0..<8).map { thread in
            WorkerThread {
                for number in 0..<200 { dispatch.write("message \(thread)/\(number).", .info, of: .database) }
            }
        }
        for size in 0..<50 {
            dispatch.file = FileLogSink(
                level: .info, directory: directory.path, usePlainText: true, maxKeptFiles: 10_000, maxFileSize: UInt64(2000 + size))
            dispatch.console = size % 2 == 0 ? nil : ConsoleLogSink(level: .error)
        }
        for thread in threads { thread.join() }
        dispatch.file = nil
        #expect(sink.all.count == 1600)
        let written = try LogFile.names(of: .info, in: directory.path)
            .map { try String(contentsOfFile: directory.path + "/" + $0, encoding: .utf8) }.joined()
        let lines = written.split(separator: "\n").filter { $0.contains(" DB Info message ") }
        #expect(lines.count == 1600)
        #expect(lines.allSatisfy { $0.hasSuffix(".") })
        #expect(Set(lines.map { $0.split(separator: " ").last }).count == 1600)
    }
}

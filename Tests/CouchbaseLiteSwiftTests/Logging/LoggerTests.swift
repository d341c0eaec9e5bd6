import CBLBase
import CBLTestSupport
import Testing

@testable import CouchbaseLiteSwift

/// The older interface, over a log of the test's own: that of the process is set up by the newer one.
@Suite struct LoggerTests {
    private let lines = RecordedLines()
    private let dispatch: LogDispatch
    private let log: Log

    init() {
        dispatch = LogDispatch(showOnConsole: lines.append)
        log = Log(dispatch)
    }

    @Test func theConsoleBeginsWithWarningsOfAllDomains() {
        #expect(log.console.level == .warning)
        #expect(log.console.domains == .all)
        dispatch.write("no", .info, of: .query)
        dispatch.write("yes", .warning, of: .query)
        #expect(lines.all.count == 1)
    }

    @Test func theConsoleHasTheLevelAndTheDomainsThatItIsGiven() {
        log.console.domains = [.query, .listener]
        #expect(log.console.level == .warning)
        log.console.level = .verbose
        #expect(log.console.domains == [.query, .listener])
        #expect(dispatch.console?.level == .verbose)
        dispatch.write("no", .error, of: .database)
        dispatch.write("no", .debug, of: .query)
        dispatch.write("yes", .verbose, of: .query)
        log.console.level = .none
        dispatch.write("no", .error, of: .query)
        #expect(lines.all.count == 1)
        #expect(log.console.domains == [.query, .listener])
    }

    /// A logger whose level changes.
    private final class Recorder: Logger {
        var level = LogLevel.info
        var texts: [String] = []

        func log(level: LogLevel, domain: LogDomain, message: String) { texts.append("\(domain) \(level) \(message)") }
    }

    @Test func aLoggerOfTheProgramHasItsLevel() {
        let recorder = Recorder()
        log.custom = recorder
        #expect(log.custom as? Recorder === recorder)
        dispatch.write("no", .verbose, of: .mdns)
        dispatch.write("%s", .info, of: .mdns)
        recorder.level = .error
        dispatch.write("no", .warning, of: .query)
        dispatch.write("bad", .error, of: .query)
        #expect(recorder.texts == ["mdns info %s", "query error bad"])
        // To want more takes a new setting.
        recorder.level = .verbose
        log.custom = recorder
        dispatch.write("more", .verbose, of: .query)
        #expect(recorder.texts.last == "query verbose more")
        log.custom = nil
        #expect(log.custom == nil)
        dispatch.write("no", .error, of: .query)
        #expect(recorder.texts.count == 3)
    }

    @Test func filesAreWrittenOnceThereAreBothAConfigurationAndALevel() throws {
        let directory = try TemporaryDirectory()
        func files() -> [String] { LogFile.names(of: .info, in: directory.path + "/logs") }
        #expect(log.file.level == .none)
        #expect(log.file.config == nil)
        let configuration = LogFileConfiguration(directory: directory.path + "/logs")
        configuration.usePlainText = true
        log.file.config = configuration
        #expect(files().isEmpty)
        log.file.level = .info
        dispatch.write("first", .info, of: .query)
        log.file.level = .verbose
        dispatch.write("second", .info, of: .query)
        #expect(files().count == 1)
        let text = try String(contentsOfFile: directory.path + "/logs/" + files()[0], encoding: .utf8)
        #expect(text.contains(" first\n") && text.contains(" second\n"))
        log.file.config = nil
        #expect(log.file.level == .verbose)
        #expect(dispatch.file == nil)
    }

    @Test func theSettingsOfFilesAreThoseOfTheSink() throws {
        let directory = try TemporaryDirectory()
        let configuration = LogFileConfiguration(directory: directory.path)
        #expect(!configuration.usePlainText)
        #expect(configuration.maxSize == 524_288)
        #expect(configuration.maxRotateCount == 1)
        configuration.maxSize = 4096
        configuration.maxRotateCount = 4
        log.file.level = .warning
        log.file.config = configuration
        configuration.maxSize = 1
        #expect(log.file.config?.maxSize == 4096)
        #expect(dispatch.file?.level == .warning)
        #expect(dispatch.file?.directory == directory.path)
        #expect(dispatch.file?.usePlaintext == false)
        #expect(dispatch.file?.maxFileSize == 4096)
        #expect(dispatch.file?.maxKeptFiles == 5)
        configuration.maxRotateCount = .max
        log.file.config = configuration
        #expect(dispatch.file?.maxKeptFiles == .max)
        log.file.config = nil
    }

    @Test func whatTheFileLoggerHasCannotBeChanged() async {
        await #expect(processExitsWith: .failure) {
            let log = Log(LogDispatch(console: nil))
            log.file.config = LogFileConfiguration(directory: "/nowhere")
            log.file.config?.maxSize = 1
        }
    }

    @Test func theLogOfTheDatabaseIsThatOfTheSinks() async {
        await #expect(processExitsWith: .success) {
            Database.log.console.level = .error
            guard LogSinks.console?.level == .error else { exit(1) }
            Database.log.console.domains = .query
            exit(LogSinks.console?.domains == .query ? 0 : 1)
        }
    }

    @Test func aProgramThatSetsUpBothIsEnded() async {
        await #expect(processExitsWith: .failure) {
            Database.log.console.level = .error
            LogSinks.custom = nil
        }
        await #expect(processExitsWith: .failure) {
            LogSinks.console = ConsoleLogSink(level: .error)
            Database.log.custom = nil
        }
        await #expect(processExitsWith: .failure) {
            LogSinks.file = nil
            Database.log.file.level = .error
        }
    }
}

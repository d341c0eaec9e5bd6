import CBLTestSupport
import Glibc
import Testing

@testable import CouchbaseLiteSwift

/// What all of the process shares: other tests may have messages there at the same time.
@Suite(.serialized) struct LogSinksTests {
    @Test func aSinkHasTheMessagesOfTheProgramAndOfTheLibrary() {
        let sink = RecordedMessages()
        LogSinks.custom = CustomLogSink(level: .info, domains: [.mdns], logSink: sink)
        defer { LogSinks.custom = nil }
        Log.log(domain: .mdns, level: .info, message: "by hand %s")
        log(.mdns, .error, "of the library")
        log(.mdns, .verbose, "too little")
        #expect(sink.all.filter { $0.domain == .mdns }.map(\.text) == ["by hand %s", "of the library"])
        #expect(LogSinks.custom?.level == .info)
        #expect(LogSinks.custom?.domains == .mdns)
        #expect(LogSinks.custom?.logSink as? RecordedMessages === sink)
    }

    @Test func aTextThatNobodyWantsIsNotMade() {
        let sink = RecordedMessages()
        var wasMade = false
        func text() -> String {
            wasMade = true
            return "made"
        }
        LogSinks.custom = CustomLogSink(level: .info, domains: .mdns, logSink: sink)
        defer { LogSinks.custom = nil }
        // Another test may have a file at the same time that wants everything.
        var isWanted = true
        while isWanted {
            isWanted = LogDispatch.shared.isWanted(.verbose, of: .mdns)
            log(.mdns, .verbose, text())
            isWanted = isWanted || LogDispatch.shared.isWanted(.verbose, of: .mdns)
            if isWanted { usleep(10_000) } else { #expect(!wasMade) }
            wasMade = false
        }
        log(.mdns, .info, text())
        #expect(wasMade)
    }

    @Test func theSinksAreWhatTheyWereSetTo() throws {
        let directory = try TemporaryDirectory()
        let console = LogSinks.console
        LogSinks.console = ConsoleLogSink(level: .error, domains: [.listener, .query])
        LogSinks.file = FileLogSink(level: .warning, directory: directory.path)
        defer {
            LogSinks.console = console
            LogSinks.file = nil
        }
        #expect(LogSinks.console?.level == .error)
        #expect(LogSinks.console?.domains == [.query, .listener])
        #expect(LogSinks.file?.level == .warning)
        #expect(LogSinks.file?.directory == directory.path)
        #expect(LogSinks.file?.usePlaintext == false)
        #expect(LogSinks.file?.maxFileSize == 524_288)
        #expect(LogSinks.file?.maxKeptFiles == 2)
        LogSinks.file = nil
        #expect(LogSinks.file == nil)
    }

    @Test func theDomainsAreThoseOfTheMessages() {
        let domains: [LogDomain] = [.database, .query, .replicator, .network, .listener, .peerDiscovery, .mdns, .multipeer]
        #expect(domains.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64, 512])
        #expect(LogDomains(domains.map { LogDomains($0) }) == .all)
        #expect(LogDomains.all.rawValue == 639)
    }
}

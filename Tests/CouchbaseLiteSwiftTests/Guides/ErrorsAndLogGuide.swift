// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/ErrorsAndLog.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runErrorsAndLog() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideErrorsAndLog) }
    }
}

private func guideErrorsAndLog() async throws {
    let database = try Database(name: "travel")
    let hotels = try database.createCollection(name: "hotels")

    do {
        try hotels.purge(id: "nobody")
    } catch let error as NSError where error.domain == CBLError.domain {
        switch error.code {
        case CBLError.notFound: print("There is no such document.")
        case CBLError.notOpen: print("The database is closed, or the collection deleted.")
        case CBLError.busy, CBLError.ioError: print("Try again later:", error.localizedDescription)
        default: throw error
        }
    }

    do {
        try hotels.purge(id: "nobody")
        Issue.record("nobody was purged")
    } catch let error as NSError {
        #expect(error.domain == CBLError.domain && error.code == CBLError.notFound)
    }

    do {
        try hotels.save(document: MutableDocument(data: ["number": Double.nan]))
        Issue.record("NaN was saved")
    } catch let error as NSError {
        #expect(error.domain == "CouchbaseLite.Fleece")
    }

    LogSinks.console = ConsoleLogSink(level: .info, domains: [.replicator, .network])
    LogSinks.file = FileLogSink(level: .verbose, directory: "log", usePlainText: true, maxKeptFiles: 5)
    Log.log(domain: .database, level: .info, message: "The program begins.")

    let names = try FileManager.default.contentsOfDirectory(atPath: "log")
    let log = try names.filter { $0.hasPrefix("cbl_info_") }.map { try String(contentsOfFile: "log/" + $0, encoding: .utf8) }.joined()
    #expect(log.contains("The program begins."))
    LogSinks.file = nil
    LogSinks.console = ConsoleLogSink(level: .warning)
}

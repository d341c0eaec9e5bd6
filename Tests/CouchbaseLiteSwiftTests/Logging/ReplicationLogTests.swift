import CBLTestSupport
import CBLTransport
import Testing

@testable import CouchbaseLiteSwift

/// What replicators write to log files, as the shell's `logcat` makes it out.
@Suite(.serialized) struct ReplicationLogTests {
    private let pair: Pair
    private let directory: TemporaryDirectory

    init() throws {
        pair = try Pair()
        directory = try TemporaryDirectory()
    }

    /// With files for what all of the process do; the tests look for their own.
    private func logging(_ level: LogLevel, plainText: Bool, _ body: () throws -> Void) rethrows {
        let former = LogDispatch.shared.file
        LogDispatch.shared.file = FileLogSink(level: level, directory: directory.path, usePlainText: plainText)
        defer { LogDispatch.shared.file = former }
        try body()
    }

    private func logcat(_ words: String...) throws -> String { try Program.run(["logcat"] + words + [directory.path]).output }

    @Test(arguments: [true, false]) func aReportTellsOfReplications(plainText: Bool) throws {
        let server = try HTTPServer(
            {
                var settings = HTTPServer.Settings()
                settings.address = "127.0.0.1"
                return settings
            }(), on: .shared
        ) { _ in .refuse(HTTPAnswer(403, "not today")) }
        defer { server.stop() }
        // The file has the lines of tests beside this one, too: documents that no other has.
        for number in 0..<3 { try pair.save("logged\(plainText)\(number)", in: pair.mine) }
        let url = URL(string: "ws://127.0.0.1:\(server.port)/travel")!
        logging(.verbose, plainText: plainText) {
            #expect(pair.run(pair.config(.push)).error == nil)
            var refused = pair.config(.pull, to: URLEndpoint(url: url))
            refused.maxAttempts = 1
            refused.authenticator = BasicAuthenticator(username: "ann", password: "sEcret")
            #expect(pair.run(refused).error != nil)
        }
        let report = try logcat("--report").split(separator: "\n").map(String.init)
        let local = try #require(report.first { $0.contains(pair.theirs.name) && $0.contains("documents") }, "\(report)")
        #expect(local.contains(": 3 documents, ended "))
        let place = try #require(report.firstIndex { $0.contains("\(url): 0 documents, ended ") }, "\(report)")
        try #require(place + 1 < report.count)
        #expect(report[place + 1].contains("403") && report[place + 1].contains("WebSocket/HTTP status"))
        let lines = try logcat("--object", "Repl").split(separator: "\n")
        #expect(lines.count { $0.contains("documentEnded (push) logged\(plainText)") } == 3)
        #expect(lines.contains { $0.contains("config: {Push=disabled, Pull=one-shot} and endpoint: \(url)") })
        #expect(lines.contains { $0.contains("config: {Push=one-shot, Pull=disabled}") })
        #expect(!lines.contains { $0.contains("sEcret") })
    }
}

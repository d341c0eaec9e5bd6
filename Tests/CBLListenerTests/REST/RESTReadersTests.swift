import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLListener

/// Many who read at the same time, over sockets.
@Suite struct RESTReadersTests {
    private func listener(_ directory: TemporaryDirectory) throws -> TestListener {
        let listener = try TestListener(ServedDatabases(directory: directory.path, rights: [.create])) {
            $0.rest = RESTService.Settings()
            $0.maximumConnections = 300
        }
        #expect(try send("PUT", "/db", to: listener).hasPrefix("HTTP/1.1 201"))
        return listener
    }

    private func send(_ method: String, _ path: String, _ json: String = "", to listener: TestListener) throws -> String {
        let client = try PlainClient(port: listener.listener.port)
        let head = "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: \(json.utf8.count)"
        client.write("\(head)\r\nContent-Type: application/json\r\n\r\n\(json)")
        return client.readToEnd()
    }

    private func ask(_ path: String, _ listener: TestListener) throws -> PlainClient {
        let client = try PlainClient(port: listener.listener.port)
        client.write("GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(client.readLine().hasPrefix("HTTP/1.1 200"))
        return client
    }

    @Test(.timeLimit(.minutes(10))) func eachOfTwoHundredHearsOfEachChange() async throws {
        let directory = try TemporaryDirectory()
        let listener = try listener(directory)
        let count = 12
        let readers = try (0..<200).map { _ in try ask("/db/_changes?feed=continuous&limit=\(count)", listener) }
        for number in 0..<count { #expect(try send("PUT", "/db/doc-\(number)", "{}", to: listener).hasPrefix("HTTP/1.1 201")) }
        for reader in readers {
            let text = reader.readToEnd()
            for number in 0..<count { #expect(text.contains("\"id\":\"doc-\(number)\"")) }
        }
        await listener.stop()
    }

    /// Who stops in the middle of a long answer keeps no state of the database: its log can be emptied.
    @Test(
        .timeLimit(.minutes(5)),
        arguments: ["_all_docs?include_docs=true", "_changes?include_docs=true", "_changes?include_docs=true&feed=continuous"])
    func whoStopsReadingHoldsNoSnapshot(path: String) async throws {
        let directory = try TemporaryDirectory()
        let listener = try listener(directory)
        let text = String(repeating: "0123456789", count: 10_000)
        for round in 0..<10 {
            let docs = (0..<16).map { "{\"_id\":\"\(round)-\($0)\",\"text\":\"\(text)\"}" }.joined(separator: ",")
            #expect(try send("POST", "/db/_bulk_docs", "{\"docs\":[\(docs)]}", to: listener).hasPrefix("HTTP/1.1 201"))
        }
        let stalled = try (0..<3).map { _ in try ask("/db/\(path)", listener) }
        #expect(try send("PUT", "/db/another", "{}", to: listener).hasPrefix("HTTP/1.1 201"))
        #expect(try send("POST", "/db/_compact", to: listener).hasPrefix("HTTP/1.1 202"))
        let log = directory.path + "/db.cblite2/db.sqlite3-wal"
        let size = try? FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        #expect(size ?? 0 == 0)
        withExtendedLifetime(stalled) {}
        await listener.stop()
    }
}

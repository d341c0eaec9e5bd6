import CBLBase
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// Clients that ask for much and take none of it.
@Suite struct RESTStalledTests {
    /// More than one would have threads for without thinking of them.
    private static let count = 40

    @Test(.timeLimit(.minutes(5))) func keepNobodyElseWaiting() async throws {
        let directory = try TemporaryDirectory()
        let listener = try TestListener(ServedDatabases(directory: directory.path)) { $0.rest = RESTService.Settings() }
        let root = try listener.url("").webDescription
        var settings = HTTPClientSettings()
        settings.mostConnections = Self.count + 1
        let client = HTTPClient(settings)
        let status: Int = try await withCheckedThrowingContinuation { done in
            _ = WorkerThread {
                done.resume(
                    with: Result {
                        func send(_ method: String, _ path: String, _ body: HTTPUploadBody = .none) throws -> HTTPDownload {
                            let type: HTTPHeaders = ["Content-Type": "application/octet-stream"]
                            return try client.send(HTTPClientRequest(method, try PeerURL(root + path), headers: type, body: body))
                        }
                        _ = try send("PUT", "db").readAll()
                        _ = try send("PUT", "db/a/large", .bytes([UInt8](repeating: 7, count: 16 << 20))).readAll()
                        let stalled = try (0..<Self.count).map { _ in try send("GET", "db/a/large") }
                        #expect(stalled.allSatisfy { $0.head.status == 200 })
                        return try withExtendedLifetime(stalled) { try send("GET", "db/a").head.status }
                    })
            }
        }
        #expect(status == 200)
        client.close()
        await listener.stop()
    }
}

import CBLBase
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(10))) struct HTTPUploadTests {
    /// Bytes that say where they are.
    private static func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7) } }

    /// A body in pieces, and how often it was begun anew.
    private final class Source {
        private let bytes: [UInt8]
        private var position = 0
        private(set) var restarts = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        func product(length: Int?, canRestart: Bool = true) -> HTTPProduct {
            HTTPProduct(
                length: length,
                restart: canRestart
                    ? {
                        self.position = 0
                        self.restarts += 1
                    } : nil
            ) { space in
                let count = min(space.count, self.bytes.count - self.position, 10_000)
                self.bytes.withUnsafeBytes {
                    space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[self.position..<self.position + count]))
                }
                self.position += count
                return count
            }
        }
    }

    private static func dechunked(_ bytes: [UInt8]) throws -> [UInt8] {
        var queue = ByteQueue(bytes)
        var reader = try HTTPBodyReader(.chunked)
        var body: [UInt8] = []
        while let count = try reader.available(in: &queue), count > 0 {
            body += queue.bytes[..<count]
            reader.consume(count, of: &queue)
        }
        return body
    }

    private func answer(_ server: RawServer, _ method: String, length: Int?, _ body: [UInt8], consent: Duration = .seconds(60)) async throws
        -> (status: Int, restarts: Int)
    {
        try await waiting {
            var settings = HTTPClientSettings()
            settings.consentTimeout = consent
            let client = HTTPClient(settings, on: Loops.client)
            defer { client.close() }
            let source = Source(body)
            let answer = try client.send(HTTPClientRequest(method, PeerURL(server.webURL + "/db")), source.product(length: length))
            _ = try answer.readAll()
            return (answer.head.status, source.restarts)
        }
    }

    @Test func bodiesAreSentInBothForms() async throws {
        let body = Self.pattern(300_000)
        let sized = try RawServer { connection, _ in
            guard let head = connection.head() else { return }
            #expect(head.contains("Content-Length: 300000\r\n") && head.contains("Expect: 100-continue\r\n"))
            connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            #expect(connection.read(300_000) == Self.pattern(300_000))
            connection.answer("thanks")
        }
        #expect(try await answer(sized, "PUT", length: body.count, body).status == 200)
        let chunked = try RawServer { connection, _ in
            guard let head = connection.head() else { return }
            #expect(head.contains("Transfer-Encoding: chunked\r\n") && !head.contains("Content-Length"))
            connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            var bytes: [UInt8] = []
            while bytes.suffix(5) != [0x30, 13, 10, 13, 10], case let more = connection.read(), !more.isEmpty { bytes += more }
            #expect((try? Self.dechunked(bytes)) == Self.pattern(300_000))
            connection.answer("thanks")
        }
        #expect(try await answer(chunked, "POST", length: nil, body).status == 200)
        sized.join()
        chunked.join()
    }

    @Test func whoDoesNotKnowHowToConsentGetsTheBodyAnyway() async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            #expect(connection.read(100_000) == Self.pattern(100_000))
            connection.answer("thanks")
        }
        #expect(try await answer(server, "PUT", length: 100_000, Self.pattern(100_000), consent: .milliseconds(20)).status == 200)
        server.join()
    }

    @Test func whoDoesNotWantTheBodyDoesNotGetIt() async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n")
            // Nothing comes but the end: what was announced is not sent, so the connection is of no more use.
            #expect(connection.read().isEmpty)
        }
        #expect(try await answer(server, "PUT", length: 100_000, Self.pattern(100_000)).status == 413)
        server.join()
    }

    @Test func anAnswerBeforeTheEndOfTheBodyIsSeen() async throws {
        let server = try RawServer { connection, _ in
            _ = connection.head()
            connection.write("HTTP/1.1 100 Continue\r\n\r\n")
            _ = connection.read(10_000)
            connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
            connection.readToEnd()
        }
        #expect(try await answer(server, "PUT", length: 20_000_000, [UInt8](repeating: 7, count: 20_000_000)).status == 403)
        server.join()
    }

    @Test func aBodyThatIsSentElsewhereIsMadeAgain() async throws {
        func run(canRestart: Bool) async throws -> Int {
            let server = try RawServer(connections: 2) { connection, number in
                _ = connection.head()
                connection.write("HTTP/1.1 100 Continue\r\n\r\n")
                #expect(connection.read(200_000) == Self.pattern(200_000))
                if number == 0 {
                    connection.write(
                        "HTTP/1.1 307 Temporary Redirect\r\nLocation: /other\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                } else {
                    connection.answer("thanks")
                }
            }
            return try await waiting {
                let client = HTTPClient(on: Loops.client)
                defer { client.close() }
                let source = Source(Self.pattern(200_000))
                let product = source.product(length: 200_000, canRestart: canRestart)
                _ = try client.send(HTTPClientRequest("PUT", PeerURL(server.webURL)), product).readAll()
                return source.restarts
            }
        }
        #expect(try await run(canRestart: true) == 1)
        let error = await #expect(throws: TransportError.self) { try await run(canRestart: false) }
        #expect(error?.description.contains("again") ?? false)
    }

    @Test(arguments: [99, 101]) func aBodyOfAnotherLengthIsAnError(length: Int) async throws {
        let server = try RawServer { connection, _ in connection.readToEnd() }
        let error = await #expect(throws: TransportError.self) {
            try await answer(server, "PUT", length: length, Self.pattern(100))
        }
        #expect(error?.description.contains("\(length) bytes were to be sent, and there are 100") ?? false)
        server.join()
    }

    @Test func aMakerThatFailsEndsTheRequest() async throws {
        struct Broken: Error {}
        let server = try RawServer { connection, _ in connection.readToEnd() }
        await #expect(throws: Broken.self) {
            try await waiting {
                let client = HTTPClient(on: Loops.client)
                let product = HTTPProduct(length: 10) { _ in throw Broken() }
                _ = try client.send(HTTPClientRequest("PUT", PeerURL(server.webURL)), product)
            }
        }
        server.join()
    }
}

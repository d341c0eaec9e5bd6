import CBLTestSupport
import Synchronization
import Testing

@testable import CBLTransport

/// A client's connection whose other end is in the test's hands.
@Suite(.timeLimit(.minutes(10))) struct HostileServerTests {
    private final class Owner: HTTPClientConnectionOwner {
        var ends = 0
        var bodyBytes = 0
        private var left = 100_000

        func connection(_ connection: HTTPClientConnection, wantsBody space: UnsafeMutableRawBufferPointer) throws(TransportError) -> Int? {
            let count = min(left, space.count)
            left -= count
            return count
        }

        func connection(_ connection: HTTPClientConnection, received head: HTTPResponseHead) {}

        func connection(_ connection: HTTPClientConnection, offers bytes: UnsafeRawBufferPointer) -> Int {
            bodyBytes += bytes.count
            return bytes.count
        }

        func connectionIsDone(_ connection: HTTPClientConnection) { ends += 1 }
        func connection(_ connection: HTTPClientConnection, failed error: TransportError, beforeAnswer: Bool) { ends += 1 }
    }

    // Ends, of one request, when the server says that and closes.
    private func ends(_ answer: [UInt8], pieces: [Int], hasBody: Bool) async throws -> Int {
        let url = try PeerURL("http://test/db")
        return await onLoop(Loops.client) {
            let (end, other) = PipeStream.pair(Loops.client, Loops.client)
            let owner = Owner()
            let connection = HTTPClientConnection(end, to: url, on: Loops.client)
            connection.begin(
                HTTPRequestHead(method: hasBody ? "PUT" : "GET", target: "/", headers: [:]), form: hasBody ? .sized(100_000) : .none,
                consent: nil, patience: nil, for: owner)
            var rest = answer[...]
            var sink = [UInt8](repeating: 0, count: 65536)
            for piece in pieces {
                while case .bytes = sink.withUnsafeMutableBytes({ other.read(into: $0) }) {}
                _ = Array(rest.prefix(piece)).withUnsafeBytes { other.write($0) }
                rest = rest.dropFirst(piece)
                connection.proceed()
            }
            _ = Array(rest).withUnsafeBytes { other.write($0) }
            other.close()
            connection.proceed()
            return owner.ends
        }
    }

    @Test func whateverAServerSendsThereIsOneEnd() async throws {
        var random = SeededRandom(2616)
        let answers = [
            head("HTTP/1.1 200 OK", "Content-Length: 11") + bytes("hello world"),
            head("HTTP/1.0 200 OK", "Connection: keep-alive") + bytes("x"),
            head("HTTP/1.1 100 Continue") + head("HTTP/1.1 404 Not Found", "Transfer-Encoding: chunked")
                + bytes("3\r\nabc\r\n0\r\nA: b\r\n\r\n"),
            head("HTTP/1.1 304 Not Modified", "Content-Length: 7"),
        ]
        for answer in answers {
            for hasBody in [false, true] { #expect(try await ends(answer, pieces: [1, 2, 3], hasBody: hasBody) == 1) }
            for _ in 0..<200 {
                let hostile = Mutation.mutated(answer, &random)
                let pieces = (0..<random.below(5)).map { _ in random.below(40) }
                #expect(
                    try await ends(hostile, pieces: pieces, hasBody: random.below(2) == 0) == 1,
                    "\(String(decoding: hostile, as: UTF8.self))")
            }
        }
    }

    @Test func whatComesBehindAnAnswerIsNoAnswer() async throws {
        let url = try PeerURL("http://test/db")
        let usable = await onLoop(Loops.client) {
            [[], bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")].map { more in
                let (end, other) = PipeStream.pair(Loops.client, Loops.client)
                let owner = Owner()
                let connection = HTTPClientConnection(end, to: url, on: Loops.client)
                connection.begin(
                    HTTPRequestHead(method: "GET", target: "/", headers: [:]), form: .none, consent: nil, patience: nil, for: owner)
                _ = head("HTTP/1.1 200 OK", "Content-Length: 0").withUnsafeBytes { other.write($0) }
                connection.proceed()
                _ = more.withUnsafeBytes { other.write($0) }
                return owner.ends == 1 && connection.isStillUsable()
            }
        }
        #expect(usable == [true, false])
    }
}

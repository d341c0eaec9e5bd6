import CBLBase
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

/// Answers with a closure; what it throws is that its client is gone.
struct Responder: HTTPResponder {
    let body: @Sendable (any HTTPExchange) throws -> (any HTTPFeed)?

    func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)? {
        let feed = try? body(exchange)
        if feed == nil { exchange.end() }
        return feed
    }
}

extension HTTPExchange {
    func readAll(piece: Int = 10_000) throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let more = try readSome(piece)
            if more.isEmpty { return all }
            all += more
        }
    }

    func readSome(_ most: Int) throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: most)
        let count = try buffer.withUnsafeMutableBytes { try read(into: $0) }
        return Array(buffer[..<count])
    }

    func write(_ bytes: [UInt8]) throws { try bytes.withUnsafeBytes { try write($0) } }
    func write(_ text: String) throws { try write(Array(text.utf8)) }
}

/// A server that answers by path, and the counts of what its responders came to.
final class TestHTTPServer: Sendable {
    struct Counts {
        var begun = 0
        var gone = 0
        var refused = 0
        var done = 0
    }

    private final class Register: Sendable { let counts = Mutex(Counts()) }

    private let server: HTTPServer
    private let register = Register()

    init(
        on loop: EventLoop = Loops.server, _ change: (inout HTTPServer.Settings) -> Void = { _ in },
        answer: @escaping @Sendable (any HTTPExchange) throws -> (any HTTPFeed)?
    ) throws {
        var settings = HTTPServer.Settings()
        settings.address = "127.0.0.1"
        change(&settings)
        let register = register
        server = try HTTPServer(settings, on: loop) { request in
            if request.http.path == ["socket"] {
                return .webSocket(protocols: ["BLIP_3+CBMobile_2"]) { _, _ in Recorder(onMessage: { $0.send($1) }) }
            }
            if request.http.path == ["short"] { return .answer(HTTPAnswer(404, "nothing")) }
            if request.http.path == ["asked"] {
                return .ask({ answer in WorkerThread { answer(true) }.join() }, then: { _ in .answer(.notFound) })
            }
            return .respond(
                Responder { exchange in
                    register.counts.withLock { $0.begun += 1 }
                    do {
                        let feed = try answer(exchange)
                        register.counts.withLock { $0.done += 1 }
                        return feed
                    } catch HTTPInterruption.gone {
                        register.counts.withLock { $0.gone += 1 }
                    } catch HTTPInterruption.refused(let answer) {
                        register.counts.withLock { $0.refused += 1 }
                        try exchange.begin(HTTPResponseHead(status: answer.status), length: 0)
                    }
                    return nil
                })
        }
    }

    var port: UInt16 { server.port }
    func stop() { server.stop() }
    func stopListening() { server.stopListening() }

    /// Waits until the counts are as they should be; tests have a limit of time.
    func wait(until condition: (Counts) -> Bool) { while !condition(register.counts.withLock { $0 }) { usleep(500) } }
}

/// A client that says exactly what a test wants, with a blocking socket.
final class TestHTTPClient {
    let descriptor: Int32
    private var queue = ByteQueue()
    private var headReader = HTTPHeadReader()

    init(_ port: UInt16) throws {
        descriptor = try connect(to: port)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) { RawServer.Connection(descriptor: descriptor).write(bytes) }
    func send(_ text: String) { send(Array(text.utf8)) }
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    func get(_ path: String, _ headers: String = "") { send("GET \(path) HTTP/1.1\r\nHost: h\r\n\(headers)\r\n") }

    struct Answer {
        let head: HTTPResponseHead
        let body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
    }

    private func fill() -> Bool {
        let space = queue.space(atLeast: 65536)
        let count = recv(descriptor, space.baseAddress, space.count, 0)
        if count > 0 { queue.commit(count) }
        return count > 0
    }

    /// Nil if the connection ends, or is silent for too long.
    func head() throws -> HTTPResponseHead? {
        while true {
            if let head = try headReader.response(in: &queue) { return head }
            guard fill() else { return nil }
        }
    }

    func answer(to method: String = "GET") throws -> Answer? {
        guard let head = try head() else { return nil }
        var reader = try HTTPBodyReader(head.bodyForm(answering: method))
        var body: [UInt8] = []
        while let count = try reader.available(in: &queue) {
            body += queue.bytes[..<count]
            reader.consume(count, of: &queue)
            guard count == 0 else { continue }
            if !fill() { try reader.end() }
        }
        return Answer(head: head, body: body)
    }

    /// What has come behind the last head, or comes next; nil at the end.
    func some() -> [UInt8]? {
        guard !queue.isEmpty || fill() else { return nil }
        defer { queue.removeAll() }
        return queue.array
    }

    /// Whether there is something to read, or the end.
    func hasSomething() -> Bool {
        var byte: UInt8 = 0
        return !queue.isEmpty || recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) >= 0 || errno != EAGAIN
    }

    /// Whether the server has ended the connection, and nothing else came.
    func isAtEnd() -> Bool { queue.isEmpty && !fill() }

    /// As many bytes as there are, up to so many, without looking what they are.
    func drain(_ most: Int = .max) -> Int {
        var total = queue.count
        queue.removeAll()
        while total < most, fill() {
            total += queue.count
            queue.removeAll()
        }
        return total
    }
}

/// A client that speaks TLS: sends everything, and collects what comes until the end.
final class TLSTestClient: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.
    private let stream: TLSStream
    private var outgoing: ByteQueue
    private var incoming = ByteQueue()
    private let done: ([UInt8]) -> Void

    private init(_ port: UInt16, _ request: [UInt8], _ done: @escaping ([UInt8]) -> Void) throws {
        let socket = SocketStream(try connect(to: port), on: Loops.client, peer: "test")
        let credentials = try TLSCredentials.shared(trust: .anything, identity: nil)
        stream = try TLSStream(
            TLSStream.Parameters(role: .client, credentials: credentials, peer: "localhost", objection: { _, _ in nil }), over: socket)
        outgoing = ByteQueue(request)
        self.done = done
        stream.handshake { [self] _ in
            stream.onReady = { [self] _ in pump() }
            pump()
        }
    }

    private func pump() {
        while !outgoing.isEmpty, case .bytes(let count) = stream.write(outgoing.bytes) { outgoing.consume(count) }
        while true {
            switch stream.read(into: incoming.space(atLeast: 65536)) {
            case .bytes(let count): incoming.commit(count)
            case .blocked: return stream.want(outgoing.isEmpty ? .reading : [.reading, .writing])
            case .end, .failed:
                stream.close()
                return done(incoming.array)
            }
        }
    }

    /// The bodies of the answers to so many requests with that body, the last of which ends the connection.
    static func exchange(_ port: UInt16, requests: Int, body: [UInt8]) async throws -> [[UInt8]] {
        let all = (1...requests).flatMap { number in
            bytes("POST / HTTP/1.1\r\nHost: h\r\n\(number == requests ? "Connection: close\r\n" : "")Content-Length: \(body.count)\r\n\r\n")
                + body
        }
        let received = await withCheckedContinuation { done in
            Loops.client.perform {
                do {
                    _ = try TLSTestClient(port, all) { done.resume(returning: $0) }
                } catch {
                    done.resume(returning: [])
                }
            }
        }
        var queue = ByteQueue(received)
        var answers: [[UInt8]] = []
        var headReader = HTTPHeadReader()
        while let head = try headReader.response(in: &queue) {
            var reader = try HTTPBodyReader(head.bodyForm(answering: "POST"))
            var answer: [UInt8] = []
            while let count = try reader.available(in: &queue), count > 0 {
                answer += queue.bytes[..<count]
                reader.consume(count, of: &queue)
            }
            answers.append(answer)
        }
        return answers
    }
}

func sleepBriefly() { usleep(1000) }

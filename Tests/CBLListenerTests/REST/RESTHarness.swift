import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLListener

/// A server of the REST API over a directory of a test's own, in the process.
final class RESTServer: Sendable {
    let path: String
    let service: RESTService
    let databases: ServedDatabases
    let clock = TestInstants()
    private nonisolated(unsafe) let directory: TemporaryDirectory

    init(
        rights: ServedDatabases.Rights = [.create, .delete], access: Share.Access = .readWrite,
        _ change: (inout RESTService.Settings) -> Void = { _ in }
    ) throws {
        directory = try TemporaryDirectory(inMemory: true)
        path = directory.path
        databases = ServedDatabases(directory: path, access: access, rights: rights)
        var settings = RESTService.Settings()
        settings.now = { [clock] in clock.now }
        change(&settings)
        service = RESTService(databases, settings)
    }

    deinit { databases.close() }

    /// With a database `db`.
    static func withDatabase(_ change: (inout RESTService.Settings) -> Void = { _ in }) throws -> RESTServer {
        let server = try RESTServer(change)
        #expect(try server.send("PUT", "/db").status == 201)
        return server
    }

    func database(_ name: String = "db") throws -> Database { try #require(try databases.database(named: name)).database }

    @discardableResult
    func send(
        _ method: String, _ target: String, _ json: String? = nil, headers: HTTPHeaders = [:], body: [UInt8]? = nil,
        as visitor: Visitor? = nil
    ) throws -> RESTAnswer {
        let request = try #require(HTTPRequest(method, target: target, headers: headers))
        let exchange = LocalExchange(request, body: body ?? json.map { Array($0.utf8) } ?? [])
        let feed = visitor.map { service.respond(to: exchange, for: $0, [:]) } ?? service.respond(to: exchange)
        #expect(feed == nil, "\(method) \(target) waits")
        feed?.stop()
        let answer = exchange.answer
        #expect(answer.hasEnded, "\(method) \(target)")
        return RESTAnswer(answer)
    }

    func get(_ target: String, headers: HTTPHeaders = [:]) throws -> RESTAnswer { try send("GET", target, headers: headers) }

    /// Stores a document, and gives its revision.
    @discardableResult
    func put(_ target: String, _ json: String) throws -> String {
        let answer = try send("PUT", target, json)
        #expect(answer.status == 201, "\(answer.text)")
        return answer["rev"] ?? ""
    }

    /// A request whose answer goes on.
    func feed(_ target: String, _ method: String = "GET", _ json: String = "", headers: HTTPHeaders = [:]) throws -> TestFeed {
        let request = try #require(HTTPRequest(method, target: target, headers: headers))
        let exchange = LocalExchange(request, body: Array(json.utf8))
        return TestFeed(try #require(service.respond(to: exchange), "\(exchange.answer.status)"), exchange)
    }
}

/// Time that passes when a test says so.
final class TestInstants: Sendable {
    private let instant = Mutex(Instant.now)
    var now: Instant { instant.withLock { $0 } }
    func advance(_ duration: Duration) { instant.withLock { $0 = $0 + duration } }
}

/// An answer, to be looked at.
struct RESTAnswer {
    let answer: LocalExchange.Answer

    init(_ answer: LocalExchange.Answer) { self.answer = answer }

    var status: Int { answer.status }
    var text: String { String(decoding: answer.body, as: UTF8.self) }
    var tag: String? { answer.headers["Etag"] }

    /// The body without blanks and in the order of names; what is no JSON as it is.
    var json: String { canonical(text) ?? text }

    /// The text or the JSON of what is at a path of names and places: `rows.0.id`.
    subscript(path: String) -> String? {
        guard let data = try? RESTCall.parse(answer.body) else { return nil }
        return data.withRoot { RESTAnswer.text(RESTAnswer.find(path, in: $0)) }
    }

    /// What the items of a list say at a path.
    func list(_ path: String, _ member: String) -> [String] {
        guard let data = try? RESTCall.parse(answer.body) else { return [] }
        return data.withRoot { root in
            RESTAnswer.find(path, in: root)?.array?.compactMap { RESTAnswer.text(RESTAnswer.find(member, in: $0)) } ?? []
        }
    }

    private static func find(_ path: String, in root: Value) -> Value? {
        var value: Value? = root
        for part in path.split(separator: ".") {
            if let array = value?.array {
                value = Int(part).flatMap { array.indices.contains($0) ? array[$0] : nil }
            } else {
                value = value?.dictionary?.value(forKey: String(part), nil)
            }
        }
        return value
    }

    private static func text(_ value: Value?) -> String? { value.map { $0.string ?? $0.json(style: .canonical) } }
}

func canonical(_ json: String) -> String? {
    guard let data = try? RESTCall.parse(Array(json.utf8)) else { return nil }
    return data.withRoot { $0.json(style: .canonical) }
}

/// A feed that proceeds when it is woken, and when a test says that time has passed.
final class TestFeed: Sendable {
    let feed: any HTTPFeed
    let exchange: LocalExchange
    private let bell = WaitCondition()
    private let wakes = Mutex(0)

    init(_ feed: any HTTPFeed, _ exchange: LocalExchange) {
        self.feed = feed
        self.exchange = exchange
        feed.start { [weak self] in
            guard let self else { return }
            bell.locked {
                wakes.withLock { $0 += 1 }
                bell.signal()
            }
        }
    }

    var text: String { String(decoding: exchange.answer.body, as: UTF8.self) }
    var lines: [String] { text.split(separator: "\n").map(String.init) }

    /// Whether it is complete.
    @discardableResult
    func proceed() throws -> Bool {
        if case .complete = try feed.proceed(exchange) { return true }
        return false
    }

    /// Proceeds whenever it is woken, until that is the case.
    func run(until isDone: @Sendable (TestFeed) -> Bool) throws {
        let end = Deadline(after: Patience.duration)
        while !isDone(self) {
            let isComplete = try proceed()
            if isComplete || isDone(self) { break }
            let isWoken = bell.locked {
                while wakes.withLock({ $0 }) == 0 { if !bell.wait(until: end) { return false } }
                wakes.withLock { $0 = 0 }
                return true
            }
            guard isWoken else { break }
        }
        #expect(isDone(self), "\(text)")
    }

    deinit { feed.stop() }
}

/// What several threads may add to.
final class LockedList<Item: Sendable>: Sendable {
    private let list = Mutex<[Item]>([])
    var items: [Item] { list.withLock { $0 } }
    func append(_ item: Item) { list.withLock { $0.append(item) } }
    func append(contentsOf more: some Sequence<Item>) { for item in more { append(item) } }
}

internal import CBLBase
internal import CBLListener
internal import CBLTransport
import CouchbaseLiteSwift
import Foundation
import Synchronization

import class CouchbaseLiteSwift.Database

/// The REST API of 1.x over databases of this program, without a socket: what 1.x apps asked by way of an internal URL.
///
///     let server = RESTServer([database])
///     let answer = try await server.respond(to: RESTRequest("GET", "/\(database.name)/_all_docs?include_docs=true"))
///     print(answer.status, await answer.body.text())
///
/// Views that the program has defined are there as those of design documents are: the view `places/near` as `_design/places/_view/near`, also with
/// `full_text` and `bbox`.
///
/// Whoever has it may everything with these databases, but make and delete them. It answers on threads of its own, one for each request.
public final class RESTServer: Sendable {
    private let service: RESTService
    private let databases: ServedDatabases

    /// The databases are found by their names, and stay open until the program closes them.
    public init(_ databases: [Database]) throws {
        let shares = try databases.map { database in
            var share = Share(database.name, try database.openCore())
            let views = database.views
            share.ownView = { views[ViewStore.Name(collection: $0, view: $1)] }
            return share
        }
        self.databases = ServedDatabases(shares)
        service = RESTService(self.databases)
    }

    deinit {
        service.stop()
        databases.close()
    }

    /// Answers a request, whose answer is there when it is known what it is; its body comes in pieces. Throws `invalidParameter` for what is no
    /// request at all.
    public func respond(to request: RESTRequest) async throws -> RESTResponse {
        var headers = HTTPHeaders()
        for (name, value) in request.headers {
            guard HTTPHeaders.isWritable(name: name, value: value) else {
                throw libraryError(CBLError.invalidParameter, "\"\(name)\" is no header of a request.")
            }
            headers.add(name, value)
        }
        guard let message = HTTPRequest(request.method, target: request.target, headers: headers) else {
            throw libraryError(CBLError.invalidParameter, "\"\(request.target)\" is no path of a request.")
        }
        let answering = Answering(service, message, Array(request.body))
        return await answering.begin()
    }
}

/// A request that is being answered, on a thread of its own.
private final class Answering: @unchecked Sendable {
    // Sendable: what changes has a mutex, or is set before the thread begins.
    private let service: RESTService
    private let pipe = BodyPipe()
    private var exchange: LocalExchange?
    private let bell = WaitCondition()
    private let isWoken = Mutex(false)
    private let start = Mutex<CheckedContinuation<RESTResponse, Never>?>(nil)

    init(_ service: RESTService, _ request: HTTPRequest, _ body: [UInt8]) {
        self.service = service
        exchange = LocalExchange(
            request, body: body, onBegin: { [weak self] head in self?.began(head) },
            receive: { [weak self] bytes in
                guard let self, !self.pipe.put(Data(bytes)) else { return }
                self.exchange?.leave()
            })
        pipe.whenAbandoned { [weak self] in
            self?.exchange?.leave()
            self?.wake()
        }
    }

    private func wake() {
        bell.locked {
            isWoken.withLock { $0 = true }
            bell.signal()
        }
    }

    func begin() async -> RESTResponse {
        await withCheckedContinuation { continuation in
            start.withLock { $0 = continuation }
            _ = WorkerThread(name: "cblite-rest") { self.run() }
        }
    }

    private func run() {
        guard let exchange else { return }
        if let feed = service.respond(to: exchange) { drive(feed, exchange) }
        // What has begun with nothing is an empty answer.
        if start.withLock({ $0 != nil }) { began(HTTPResponseHead(status: 200, headers: [:])) }
        pipe.complete()
    }

    private func drive(_ feed: any HTTPFeed, _ exchange: LocalExchange) {
        feed.start { [weak self] in self?.wake() }
        defer { feed.stop() }
        while case .waiting(let pause)? = try? feed.proceed(exchange) {
            let end = pause.map { Deadline(after: $0) }
            bell.locked {
                while !isWoken.withLock({ $0 }) {
                    guard let end else {
                        bell.wait()
                        continue
                    }
                    guard bell.wait(until: end) else { break }
                }
                isWoken.withLock { $0 = false }
            }
        }
    }

    private func began(_ head: HTTPResponseHead) {
        let continuation = start.withLock { start in
            defer { start = nil }
            return start
        }
        let headers = Dictionary(head.headers.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
        continuation?.resume(returning: RESTResponse(status: head.status, headers: headers, body: RESTBody(holder: .init(pipe))))
    }
}

import CBLBase
import CBLReplication
import CBLStore
import CBLTransport
import Synchronization

/// The REST API of Couchbase Lite 1.x, and what clients of CouchDB need of it, over databases of every version. It needs no socket: a request goes
/// in, and an answer comes out, piece by piece.
///
///     let service = RESTService(ServedDatabases(directory: "/srv/databases"))
///     let feed = service.respond(to: exchange)
///
/// Which handler answers what is said in `RESTRoutes`.
package final class RESTService: HTTPResponder {
    package struct Settings: Sendable {
        /// What is told to those who ask what this is.
        package var version = ""
        /// Of a request whose body is read as a whole. What is streamed may be longer.
        package var maximumBody = 64 << 20
        /// Of all bodies that are in memory at the same time.
        package var maximumBodies = 64 << 20
        /// Of a property whose content is streamed, where the API has a limit for it.
        package var longestBlob = 20 << 20
        /// How long a query may take, until its last row is sent.
        package var queryTimeLimit = Duration.seconds(300)
        /// Of the URLs that are given out.
        package var scheme = "http"
        /// Who asks for heartbeats that come sooner gets them after this time.
        package var shortestHeartbeat = Duration.seconds(5)
        /// Told of what else there is to know about replications.
        package var log: (@Sendable (MessageLevel, _ message: String) -> Void)?
        /// Told of each answer, on the thread that gives it.
        package var observer: (@Sendable (HTTPRequest, Visitor, _ status: Int) -> Void)?
        /// Answers as Couchbase Edge Server does; nil as 1.x does.
        package var edge: EdgeSettings?
        /// What tells of what was done, for those who have to know later.
        package var audit: AuditLog?
        /// What feeds measure time by.
        package var now: @Sendable () -> Instant = { .now }

        package init() {}
    }

    package let databases: ServedDatabases
    package let settings: Settings
    /// By which clients tell this server from others.
    let uuid = RESTService.newID()
    /// Those that clients have started.
    let replications: Replications
    /// What some of them sign in with.
    let loginTokens = LoginTokens()
    let bodies: BodyMemory
    /// Feeds of changes that are open.
    let feeds = OpenFeeds()
    /// Has replications begin anew when their tokens change.
    var watch: TokenWatch? {
        get { watching.withLock { $0 } }
        set { watching.withLock { $0 = newValue } }
    }
    private let watching = Mutex<TokenWatch?>(nil)
    /// Those who have users can sign in.
    let admission: Admission?

    package convenience init(_ databases: ServedDatabases, _ settings: Settings = Settings()) {
        self.init(databases, settings, admission: nil)
    }

    init(_ databases: ServedDatabases, _ settings: Settings, admission: Admission?) {
        self.databases = databases
        self.settings = settings
        self.admission = admission
        bodies = BodyMemory(limit: max(settings.maximumBody, settings.maximumBodies))
        replications = Replications(audit: settings.audit, log: settings.log)
    }

    /// The ID of a new document, as servers of the kind make them.
    func newDocumentID() -> String { settings.edge == nil ? RESTService.newID() : DocumentRules.newID() }

    /// What sessions are measured by.
    var loopTime: LoopTime { admission?.now() ?? LoopTime(nanoseconds: 0) }

    /// Ends what goes on by itself.
    package func stop() {
        watch?.stop()
        replications.stopAll()
    }

    /// Of the process itself, which may do everything.
    package func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)? { respond(to: exchange, for: .owner, [:]) }

    /// `headers` are what every answer has besides.
    func respond(to exchange: any HTTPExchange, for visitor: Visitor, _ headers: HTTPHeaders) -> (any HTTPFeed)? {
        var call: RESTCall?
        do {
            let place = try RESTPlace(exchange.request.path)
            let begun = RESTCall(exchange, place, visitor, headers, self)
            call = begun
            let method = exchange.request.method
            let route =
                try settings.edge == nil ? RESTRoutes.route(for: place.pattern, method) : EdgeRoutes.route(for: place.pattern, method)
            begun.needs = route.needs
            if visitor.standing == .stranger, route.needs != .nothing { throw RESTError(401, "unauthorized", "sign in first") }
            return try route.handler(begun)
        } catch {
            fail(exchange, call ?? RESTCall(exchange, .nowhere, visitor, headers, self), error)
            return nil
        }
    }

    /// Tells the client what went wrong, if it is there still. Of an answer that has begun it is told nothing but that.
    private func fail(_ exchange: any HTTPExchange, _ call: RESTCall, _ error: any Error) {
        guard !call.hasBegun else { return exchange.breakOff() }
        defer { exchange.end() }
        var problem: RESTError
        switch error {
        case HTTPInterruption.gone: return
        case HTTPInterruption.refused(let answer): problem = RESTError(answer)
        default: problem = RESTError(error)
        }
        if problem.reason?.isEmpty == true { problem.reason = nil }
        try? call.answer(problem)
    }
}

/// Answers one visitor's request.
struct VisitorResponder: HTTPResponder {
    let service: RESTService
    let visitor: Visitor
    let headers: HTTPHeaders

    func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)? { service.respond(to: exchange, for: visitor, headers) }
}

extension RESTPlace {
    /// Of a request that leads nowhere.
    static let nowhere = RESTPlace(pattern: .server)

    private init(pattern: Pattern) { self.pattern = pattern }
}

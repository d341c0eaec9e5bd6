import CBLTransport

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
        /// Refuses what would change documents. What replicators note of themselves is no such thing.
        package var isReadOnly = false
        /// What every answer has besides.
        package var extraHeaders: [(String, String)] = []
        /// Of a request whose body is read as a whole. What is streamed may be longer.
        package var maximumBody = 64 << 20
        /// Of the URLs that are given out.
        package var scheme = "http"
        /// Who asks for heartbeats that come sooner gets them after this time.
        package var shortestHeartbeat = Duration.seconds(5)
        /// What feeds measure time by.
        package var now: @Sendable () -> ContinuousClock.Instant = { .now }

        package init() {}
    }

    package let databases: ServedDatabases
    package let settings: Settings
    /// By which clients tell this server from others.
    let uuid = RESTService.newID()

    package init(_ databases: ServedDatabases, _ settings: Settings = Settings()) {
        self.databases = databases
        self.settings = settings
    }

    package func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)? {
        var call: RESTCall?
        do {
            let place = try RESTPlace(exchange.request.path)
            let begun = RESTCall(exchange, place, self)
            call = begun
            return try RESTRoutes.handler(for: place.pattern, exchange.request.method, self)(begun)
        } catch {
            fail(exchange, call, error)
            return nil
        }
    }

    /// Tells the client what went wrong, if it is there still. An answer that has begun ends in the middle, which every reader of JSON notices.
    private func fail(_ exchange: any HTTPExchange, _ call: RESTCall?, _ error: any Error) {
        defer { exchange.end() }
        guard call?.hasBegun != true else { return }
        var problem: RESTError
        switch error {
        case HTTPInterruption.gone: return
        case HTTPInterruption.refused(let answer): problem = RESTError(answer.status, HTTPStatus.phrase(answer.status), answer.reason)
        default: problem = RESTError(error)
        }
        if problem.reason?.isEmpty == true { problem.reason = nil }
        let call = call ?? RESTCall(exchange, .nowhere, self)
        try? call.answer(problem)
    }
}

extension RESTPlace {
    /// Of a request that leads nowhere.
    static let nowhere = RESTPlace(pattern: .server)

    private init(pattern: Pattern) { self.pattern = pattern }
}

/// Sends requests to servers, and keeps connections to them.
///
///     let client = HTTPClient(settings)
///     let answer = try client.send(HTTPClientRequest("GET", url))     // on a thread that may wait
///     let task = client.start(request, delegate: self)                // on the loop
package final class HTTPClient: @unchecked Sendable {
    // Sendable: the constants do not change, and the loop's thread alone touches the rest.

    private static let mostDigests = 100

    package let settings: HTTPClientSettings
    package let loop: EventLoop
    let pool: HTTPConnectionPool
    private var tasks: [ObjectIdentifier: HTTPTask] = [:]
    private var digests: [HTTPConnectionPool.Key: (digest: DigestAuthentication, count: Int)] = [:]

    package init(_ settings: HTTPClientSettings = HTTPClientSettings(), on loop: EventLoop = .shared) {
        self.settings = settings
        self.loop = loop
        pool = HTTPConnectionPool(settings, on: loop)
    }

    /// Begins a request, on the loop. The delegate is told of what comes later, and is not kept.
    package func start(_ request: HTTPClientRequest, delegate: any HTTPTaskDelegate) -> HTTPTask {
        loop.preconditionOnLoop()
        let task = HTTPTask(request, self, delegate: delegate)
        tasks[ObjectIdentifier(task)] = task
        task.start()
        return task
    }

    /// Ends what is under way, which fails, and lets go of all connections. From any thread.
    package func close() {
        loop.perform {
            for task in self.tasks.values { task.abort() }
            self.pool.closeIdle()
        }
    }

    func forget(_ task: HTTPTask) { tasks[ObjectIdentifier(task)] = nil }

    /// What a server has given to prove things with.
    func digest(for url: PeerURL) -> DigestAuthentication? { digests[HTTPConnectionPool.Key(url, isIdentified: false)]?.digest }

    /// The number of the next proof with that.
    func countProof(_ digest: DigestAuthentication, for url: PeerURL) -> Int {
        let key = HTTPConnectionPool.Key(url, isIdentified: false)
        if digests[key] == nil, digests.count >= HTTPClient.mostDigests { digests = [:] }
        let known = digests[key]
        let count = known?.digest == digest ? (known?.count ?? 0) + 1 : 1
        digests[key] = (digest, count)
        return count
    }
}

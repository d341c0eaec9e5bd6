import CBLBase

/// The body of a request, made by the thread that sends it.
package struct HTTPProduct {
    /// Nil if it is not known.
    package var length: Int?
    /// Puts what comes next there: so many bytes, 0 at the end.
    package var next: (UnsafeMutableRawBufferPointer) throws -> Int
    /// Begins anew; nil if that is not possible.
    package var restart: (() throws -> Void)?

    package init(length: Int?, restart: (() throws -> Void)? = nil, _ next: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.length = length
        self.next = next
        self.restart = restart
    }
}

/// An answer, read piece by piece on a thread that may wait. To be used by one thread at a time.
///
///     let answer = try client.send(HTTPClientRequest("GET", url))
///     while case let count = try answer.read(into: space), count > 0 { … }
package final class HTTPDownload {
    package let head: HTTPResponseHead
    /// Where it came from, behind all redirects.
    package let url: PeerURL
    private let exchange: WaitingExchange
    private let product: HTTPProduct?

    fileprivate init(_ head: HTTPResponseHead, _ exchange: WaitingExchange, _ product: HTTPProduct?, from url: PeerURL) {
        self.head = head
        self.url = url
        self.exchange = exchange
        self.product = product
    }

    deinit { cancel() }

    /// Puts what comes next there: so many bytes, 0 at the end.
    package func read(into space: UnsafeMutableRawBufferPointer) throws -> Int { try exchange.read(into: space, product) }

    /// All of it, if it is not more than that.
    package func readAll(most: Int = 1 << 26) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var space = [UInt8](repeating: 0, count: 65536)
        while case let count = try space.withUnsafeMutableBytes({ try read(into: $0) }), count > 0 {
            guard bytes.count + count <= most else {
                throw TransportError(.network(.unknown), "\(url.webDescription): the answer is longer than \(most) bytes")
            }
            bytes += space[..<count]
        }
        return bytes
    }

    /// What has not been read is of no interest.
    package func cancel() { exchange.cancel() }
}

extension HTTPClient {
    /// Sends a request, and waits for the head of the answer: not on the loop. The `product` is its body, and is asked for on this thread.
    package func send(_ request: HTTPClientRequest, _ product: HTTPProduct? = nil) throws -> HTTPDownload {
        precondition(!loop.isCurrent, "the loop would wait for itself")
        let exchange = WaitingExchange(canRestart: product?.restart != nil)
        var request = request
        if let product { request.body = .upload(exchange, length: product.length) }
        let complete = request
        loop.perform { exchange.begin(self.start(complete, delegate: exchange)) }
        do {
            let (head, url) = try exchange.head(product)
            return HTTPDownload(head, exchange, product, from: url)
        } catch {
            exchange.cancel()
            throw error
        }
    }
}

/// Where a waiting thread and the loop meet.
private final class WaitingExchange: HTTPTaskDelegate, HTTPUpload, @unchecked Sendable {
    // Sendable: everything that changes is touched under the lock alone, but for the task, which the loop's thread has.

    // The server is held back while more than this waits to be read, until there is less than that.
    private static let most = 262_144
    private static let few = 65536

    private let lock = WaitCondition()
    private let canRestart: Bool
    private var task: HTTPTask?
    private var isCancelled = false
    private var answer: (head: HTTPResponseHead, url: PeerURL)?
    private var received = ByteQueue()
    private var isPaused = false
    private var end: Result<Void, TransportError>?
    /// The loop waits for a piece of the body.
    private var wake: (@Sendable () -> Void)?
    private var piece: [UInt8] = []
    private var position = 0
    private var isProductAtEnd = false
    private var wantsRestart = false

    init(canRestart: Bool) { self.canRestart = canRestart }

    func begin(_ task: HTTPTask) {
        let isCancelled = lock.locked {
            self.task = task
            return self.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    func cancel() {
        let task = lock.locked {
            isCancelled = true
            defer { self.task = nil }
            return self.task
        }
        task?.cancelFromAnywhere()
    }

    // On the waiting thread.

    func head(_ product: HTTPProduct?) throws -> (HTTPResponseHead, PeerURL) {
        try wait(product) {
            if let answer { return answer }
            if case .failure(let error)? = end { throw error }
            return nil
        }
    }

    func read(into space: UnsafeMutableRawBufferPointer, _ product: HTTPProduct?) throws -> Int {
        try wait(product) {
            let count = min(space.count, received.count)
            guard count > 0 || space.isEmpty else {
                if count > 0 || end == nil { return nil }
                try end?.get()
                return 0
            }
            space.copyMemory(from: UnsafeRawBufferPointer(rebasing: received.bytes[..<count]))
            received.consume(count)
            if isPaused, received.count < WaitingExchange.few, let task {
                isPaused = false
                task.client.loop.perform { task.isReadingPaused = false }
            }
            return count
        }
    }

    // Until there is a result, and makes what the loop asks for meanwhile. The result is looked for under the lock.
    private func wait<Result>(_ product: HTTPProduct?, _ result: () throws -> Result?) throws -> Result {
        while true {
            let found: Result? = try lock.locked {
                while true {
                    if let found = try result() { return found }
                    if wake != nil, product != nil { return nil }
                    lock.wait()
                }
            }
            if let found { return found }
            if let product { try produce(product) }
        }
    }

    private func produce(_ product: HTTPProduct) throws {
        let restarts = lock.locked {
            defer { wantsRestart = false }
            return wantsRestart
        }
        if restarts { try product.restart?() }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = try bytes.withUnsafeMutableBytes { try product.next($0) }
        bytes.removeLast(bytes.count - min(max(count, 0), bytes.count))
        let wake = lock.locked {
            // Whoever wants it from the beginning meanwhile does not want this.
            if !wantsRestart { (piece, position, isProductAtEnd) = (bytes, 0, bytes.isEmpty) }
            defer { self.wake = nil }
            return self.wake
        }
        wake?()
    }

    // On the loop.

    func read(into space: UnsafeMutableRawBufferPointer, wake: @escaping @Sendable () -> Void) throws(TransportError) -> Int? {
        let count: Int? = lock.locked {
            let count = min(space.count, piece.count - position)
            guard count == 0 else {
                piece.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
                position += count
                return count
            }
            if isProductAtEnd { return 0 }
            self.wake = wake
            return nil
        }
        if count == nil { lock.signal() }
        return count
    }

    func rewind() -> Bool {
        lock.locked {
            guard canRestart else { return false }
            (piece, position, isProductAtEnd, wantsRestart) = ([], 0, false, true)
            return true
        }
    }

    func httpTask(_ task: HTTPTask, received head: HTTPResponseHead) {
        lock.locked { answer = (head, task.url) }
        lock.signal()
    }

    func httpTask(_ task: HTTPTask, received bytes: UnsafeRawBufferPointer) {
        let isFull = lock.locked {
            received.append(bytes)
            isPaused = received.count > WaitingExchange.most
            return isPaused
        }
        if isFull { task.isReadingPaused = true }
        lock.signal()
    }

    func httpTask(_ task: HTTPTask, endedWith error: TransportError?) {
        lock.locked {
            end = error.map { .failure($0) } ?? .success(())
            self.task = nil
        }
        lock.signal()
    }
}

import CBLTransport
import Synchronization

/// A request from within the process, with its answer collected.
///
///     let exchange = LocalExchange(HTTPRequest("GET", path: ["db", "doc"]))
///     service.respond(to: exchange)
///     print(exchange.answer.status)
package final class LocalExchange: HTTPExchange {
    package struct Answer: Sendable {
        /// 0 if nobody has answered.
        package var status = 0
        package var headers = HTTPHeaders()
        /// What was said of it; nil if nothing was.
        package var length: Int?
        package var body: [UInt8] = []
        package var hasEnded = false
        /// It has ended in its middle.
        package var isBroken = false
    }

    private struct State {
        var answer = Answer()
        var isGone = false
    }

    package let request: HTTPRequest
    private let source: @Sendable (UnsafeMutableRawBufferPointer) throws(HTTPInterruption) -> Int
    private let receive: (@Sendable (UnsafeRawBufferPointer) -> Void)?
    /// Told when the answer has begun, before any of its body is there.
    private let onBegin: (@Sendable (HTTPResponseHead) -> Void)?
    private let state = Mutex(State())

    /// `source` puts what comes next of the request's body there, and says how much; `receive` gets the body of the answer, which is not collected
    /// then.
    package init(
        _ request: HTTPRequest, onBegin: (@Sendable (HTTPResponseHead) -> Void)? = nil,
        receive: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil,
        source: @escaping @Sendable (UnsafeMutableRawBufferPointer) throws(HTTPInterruption) -> Int
    ) {
        self.request = request
        self.source = source
        self.receive = receive
        self.onBegin = onBegin
    }

    package convenience init(
        _ request: HTTPRequest, body: [UInt8] = [], onBegin: (@Sendable (HTTPResponseHead) -> Void)? = nil,
        receive: (@Sendable (UnsafeRawBufferPointer) -> Void)? = nil
    ) {
        let position = Atomic<Int>(0)
        self.init(request, onBegin: onBegin, receive: receive) { space in
            let start = position.load(ordering: .relaxed)
            let count = min(space.count, body.count - start)
            body.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
            position.store(start + count, ordering: .relaxed)
            return count
        }
    }

    package var answer: Answer { state.withLock { $0.answer } }

    /// As if the client had left.
    package func leave() { state.withLock { $0.isGone = true } }

    package func read(into space: UnsafeMutableRawBufferPointer) throws(HTTPInterruption) -> Int {
        try check()
        return try source(space)
    }

    package func begin(_ head: HTTPResponseHead, length: Int?) throws(HTTPInterruption) {
        try check()
        state.withLock { state in
            state.answer.status = head.status
            state.answer.headers = head.headers
            state.answer.length = length
        }
        onBegin?(head)
    }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPInterruption) {
        try check()
        if let receive { return receive(bytes) }
        state.withLock { $0.answer.body += bytes }
    }

    package func flush() throws(HTTPInterruption) { try check() }

    package func end() { state.withLock { $0.answer.hasEnded = true } }

    package func breakOff() {
        state.withLock { state in
            guard !state.answer.hasEnded else { return }
            state.answer.hasEnded = true
            state.answer.isBroken = true
        }
    }

    private func check() throws(HTTPInterruption) { if state.withLock({ $0.isGone }) { throw .gone } }
}

/// A request and its answer, as whoever answers sees them: the body comes in pieces, and so goes the answer. Both may wait for the client,
/// so they happen on a thread that may; on one at a time.
package protocol HTTPExchange: AnyObject, Sendable {
    var request: HTTPRequest { get }

    /// Puts what comes next of the body there: so many bytes, 0 at its end.
    func read(into space: UnsafeMutableRawBufferPointer) throws(HTTPInterruption) -> Int

    /// Says what the answer is, once. If its length is not known, it ends with `end`.
    func begin(_ head: HTTPResponseHead, length: Int?) throws(HTTPInterruption)

    /// Goes on with the body of the answer. Small pieces are collected.
    func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPInterruption)

    /// Has what was collected sent. What is written before the exchange ends or waits need not be told of.
    func flush() throws(HTTPInterruption)

    /// The answer is complete. One that has not begun is an empty one; one that is shorter than it was said to be ends the connection.
    func end()

    /// The answer cannot be completed. The client finds that out by the end of the connection: no answer that has begun ends as if it were whole.
    func breakOff()
}

/// Why an exchange cannot go on.
package enum HTTPInterruption: Error {
    /// The client is gone, or has not moved for too long. There is nobody to tell anything.
    case gone
    /// The body cannot be read: it is not what it says it is, or too much.
    case refused(HTTPAnswer)
}

/// Answers requests, on a thread that may wait.
package protocol HTTPResponder: Sendable {
    /// Answers, and ends the exchange; or returns a feed, which will.
    func respond(to exchange: any HTTPExchange) -> (any HTTPFeed)?
}

/// An answer that goes on as something happens. No thread waits for that.
package protocol HTTPFeed: AnyObject, Sendable {
    /// Before the first `proceed`. `wake` may be called from any thread, as often as one likes.
    func start(wake: @escaping @Sendable () -> Void)

    /// Says what there is to say, after the start, whenever it was woken since, and when the time that it asked for has passed.
    func proceed(_ exchange: any HTTPExchange) throws(HTTPInterruption) -> HTTPFeedState

    /// It was complete, or the client is gone. Nothing is called afterwards.
    func stop()
}

package enum HTTPFeedState: Sendable {
    case complete
    /// Until it is woken, or for so long.
    case waiting(Duration?)
}

/// What became of an attempt to read or to write.
enum StreamResult {
    /// So many bytes, at least one.
    case bytes(Int)
    /// Nothing now; its owner is told when it is worth another attempt.
    case blocked
    /// The peer sends no more.
    case end
    case failed(TransportError)
}

/// One end of a connection on an event loop: a socket, TLS over something, or a pipe in memory. All of it happens on the loop.
///
/// Readiness is told when it lasts or comes again; bytes that a layer holds back already are not told of, so that whoever begins to read
/// reads once without being told.
protocol ByteStream: AnyObject {
    var onReady: ((FileWatch.Readiness) -> Void)? { get set }

    /// Whether the other end is on this machine.
    var isLocal: Bool { get }

    /// A socket that has been read to the end of what came acknowledges it soon.
    func read(into space: UnsafeMutableRawBufferPointer) -> StreamResult

    /// How much has come that was not read, as far as it is known.
    var unreadBytes: Int { get }

    /// Writes as much as there is room for. What was not written is to come first in the next attempt, and unchanged.
    func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult

    /// Whether readiness is told again and again for as long as there is something to be read. Where it is not, one reads until nothing is left.
    var tellsAgain: Bool { get }

    func want(_ interest: FileWatch.Readiness)

    /// Says that no more will be written.
    func endWriting()

    /// Ends it, at once. Nothing is told afterwards.
    func close()
}

extension ByteStream {
    var tellsAgain: Bool { false }
}

import Synchronization

/// One end of a pipe in memory, for two peers in one process. The ends may be on different loops.
final class PipeStream: ByteStream, @unchecked Sendable {
    // Sendable: the halves are guarded by their mutexes, the rest is only touched on the end's own loop.

    // Bytes in one direction. Holding back so much and no more, it makes a fast writer wait for a slow reader.
    private final class Half: Sendable {
        struct State {
            var bytes: [UInt8] = []
            var isEnded = false
            var writerWaits = false
            var readerWaits = false
        }

        static let capacity = 65536
        let state = Mutex(State())
    }

    private let incoming: Half
    private let outgoing: Half
    private let loop: EventLoop
    private weak var other: PipeStream?
    private var interest: FileWatch.Readiness = []
    private var isClosed = false
    var onReady: ((FileWatch.Readiness) -> Void)?
    var isLocal: Bool { true }

    private init(_ loop: EventLoop, _ incoming: Half, _ outgoing: Half) {
        self.loop = loop
        self.incoming = incoming
        self.outgoing = outgoing
    }

    static func pair(_ first: EventLoop, _ second: EventLoop) -> (PipeStream, PipeStream) {
        let there = Half()
        let back = Half()
        let one = PipeStream(first, back, there)
        let two = PipeStream(second, there, back)
        (one.other, two.other) = (two, one)
        return (one, two)
    }

    func read(into space: UnsafeMutableRawBufferPointer) -> StreamResult {
        guard !isClosed else { return .end }
        let (result, wakesWriter): (StreamResult, Bool) = incoming.state.withLock { state in
            let count = min(space.count, state.bytes.count)
            guard count > 0 else {
                state.readerWaits = true
                return (state.isEnded ? .end : .blocked, false)
            }
            state.bytes.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
            state.bytes.removeFirst(count)
            defer { state.writerWaits = false }
            return (.bytes(count), state.writerWaits)
        }
        if wakesWriter { other?.wake() }
        return result
    }

    var unreadBytes: Int { incoming.state.withLock { $0.bytes.count } }

    func write(_ bytes: UnsafeRawBufferPointer) -> StreamResult {
        guard !isClosed, bytes.count > 0 else { return .blocked }
        let (result, wakesReader): (StreamResult, Bool) = outgoing.state.withLock { state in
            if state.isEnded { return (.failed(.closed(.abnormal, reason: "", by: "the peer")), false) }
            let count = min(bytes.count, Half.capacity - state.bytes.count)
            guard count > 0 else {
                state.writerWaits = true
                return (.blocked, false)
            }
            state.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            defer { state.readerWaits = false }
            return (.bytes(count), state.readerWaits)
        }
        if wakesReader { other?.wake() }
        return result
    }

    func want(_ interest: FileWatch.Readiness) {
        let added = interest.subtracting(self.interest)
        self.interest = interest
        // What is there already will not be told by the other end.
        if !added.isEmpty { wake() }
    }

    private func wake() { loop.perform { self.tell() } }

    private func tell() {
        guard !isClosed else { return }
        var ready: FileWatch.Readiness = []
        if interest.contains(.reading), incoming.state.withLock({ !$0.bytes.isEmpty || $0.isEnded }) { ready.insert(.reading) }
        if interest.contains(.writing), outgoing.state.withLock({ $0.bytes.count < Half.capacity || $0.isEnded }) { ready.insert(.writing) }
        if !ready.isEmpty { onReady?(ready) }
    }

    func endWriting() {
        outgoing.state.withLock { $0.isEnded = true }
        other?.wake()
    }

    func close() {
        guard !isClosed else { return }
        isClosed = true
        onReady = nil
        endWriting()
        incoming.state.withLock { state in
            state.isEnded = true
            state.bytes = []
        }
        other?.wake()
    }
}

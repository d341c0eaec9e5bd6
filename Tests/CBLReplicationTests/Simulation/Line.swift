import CBLTestSupport

@testable import CBLBLIP
@testable import CBLReplication

/// Which end of a connection.
enum Side: Int {
    case client, server
    var other: Side { self == .client ? .server : .client }
}

/// Something on its way over a connection.
enum Packet {
    /// The number is missing if no answer is wanted.
    case request(WireRequest, number: UInt64?)
    case reply(WireReply, number: UInt64)
}

/// What lies between two ends: messages on their way or, in the other mode, the frames that two `BLIPConnection`s make of them. Nothing moves by
/// itself.
final class Line {
    private let blips: [BLIPConnection]
    /// On their way to each side.
    private var packets: [[Packet]] = [[], []]
    private var frames: [[[UInt8]]] = [[], []]
    private var lastNumber: [UInt64] = [0, 0]
    private var sent: [[SentMessage: UInt64]] = [[:], [:]]
    private var received: [[UInt64: ReceivedRequest]] = [[:], [:]]
    private var buffer = [UInt8](repeating: 0, count: FrameSize.maximum)

    init(asBytes: Bool) { blips = asBytes ? [BLIPConnection(), BLIPConnection()] : [] }

    var isOfBytes: Bool { !blips.isEmpty }

    /// Gives the number by which the answer will be known.
    func send(_ request: WireRequest, from side: Side) throws -> UInt64 {
        lastNumber[side.rawValue] += 1
        let number = lastNumber[side.rawValue]
        if isOfBytes {
            sent[side.rawValue][try blips[side.rawValue].send(request.message)] = number
        } else {
            packets[side.other.rawValue].append(.request(request, number: request.isNoReply ? nil : number))
        }
        return number
    }

    func send(_ reply: WireReply, to number: UInt64, from side: Side) throws {
        guard isOfBytes else { return packets[side.other.rawValue].append(.reply(reply, number: number)) }
        guard let request = received[side.rawValue].removeValue(forKey: number) else { return }
        if reply.isError {
            try blips[side.rawValue].respond(to: request, error: reply.error)
        } else {
            try blips[side.rawValue].respond(to: request, reply.message)
        }
    }

    /// Whether something is on its way to a side.
    func canMove(to side: Side) -> Bool {
        isOfBytes
            ? !frames[side.rawValue].isEmpty || blips[side.other.rawValue].hasFrames : !packets[side.rawValue].isEmpty
    }

    /// Brings something nearer to a side, and gives what arrives there. Answers overtake.
    func move(to side: Side, _ random: inout SeededRandom) throws -> Packet? {
        let place = side.rawValue
        guard isOfBytes else {
            let first = random.below(min(3, packets[place].count))
            if case .reply = packets[place][first] { return packets[place].remove(at: first) }
            return packets[place].removeFirst()
        }
        let sender = blips[side.other.rawValue]
        if sender.hasFrames, frames[place].isEmpty || random.below(2) == 0 {
            let frame = try buffer.withUnsafeMutableBytes { try sender.nextFrame(into: $0) }
            if let frame { frames[place].append(Array(buffer[..<frame.count])) }
            return nil
        }
        guard !frames[place].isEmpty else { return nil }
        let frame = frames[place].removeFirst()
        guard case .received(let message)? = try frame.withUnsafeBytes({ try blips[place].receive($0) }) else { return nil }
        switch message.origin {
        case .request(let request):
            if request.wantsResponse { received[place][request.number] = request }
            return .request(WireRequest(message, request), number: request.wantsResponse ? request.number : nil)
        case .response(to: let question):
            guard let number = sent[place].removeValue(forKey: question) else { return nil }
            return .reply(WireReply(message), number: number)
        }
    }

    /// Damages a frame that is on its way: a bit, its end, or its place. False if there is none.
    func corrupt(_ random: inout SeededRandom) -> Bool {
        let place = random.below(2)
        guard let last = frames[place].indices.last else { return false }
        let index = random.below(last + 1)
        switch random.below(4) {
        case 0 where !frames[place][index].isEmpty: frames[place][index].removeLast(1 + random.below(frames[place][index].count))
        case 1: frames[place].insert(frames[place][index], at: index)
        case 2 where last > index: frames[place].swapAt(index, last)
        default:
            guard !frames[place][index].isEmpty else { return false }
            frames[place][index][random.below(frames[place][index].count)] ^= 1 << UInt8(random.below(8))
        }
        return true
    }
}

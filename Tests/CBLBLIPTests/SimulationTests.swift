import CBLBase
import CBLTestSupport
import Testing

@testable import CBLBLIP

/// Two connections, random messages in both directions, frames and acknowledgements on their way for a random time. What is checked is what goes
/// over the wire, and that everybody gets what was meant for them, once.
struct SimulationTests {
    @Test(arguments: 0..<12 as Range<UInt64>) func everythingArrivesOnceAndAsItWas(_ seed: UInt64) throws {
        var simulation = Simulation(seed: seed)
        try simulation.run(messages: 60)
        simulation.checkThatAllIsDone()
    }

    enum Damage: CaseIterable { case flip, cut, extend, duplicate, drop, swap }

    /// A damaged frame is noticed, or harmless; never is a message delivered that nobody sent.
    @Test(arguments: Damage.allCases) func damageIsNoticed(_ damage: Damage) throws {
        var noticed = 0
        var done = 0
        for seed in 0..<60 as Range<UInt64> {
            var simulation = Simulation(seed: 1000 + seed, maximumSize: 60_000)
            simulation.damage = damage
            do {
                try simulation.run(messages: 30)
                done += simulation.isDamaged ? 1 : 0
            } catch is BLIPError {
                noticed += 1
                done += 1
                let failed = simulation.ends.first { $0.connection.failure != nil }
                #expect(failed?.connection.failure?.closeCode == 1002)
            }
        }
        // The last frame may get lost without anybody's notice; the WebSocket sees to that.
        #expect(noticed == done || damage == .drop)
        #expect(noticed > (damage == .swap ? 10 : 40), "\(noticed) of \(done)")
    }
}

private struct Simulation {
    /// What a message says about itself, so that the receiver knows what to expect.
    struct Ticket {
        let size: Int
        let flags: (isUrgent: Bool, isCompressed: Bool, isNoReply: Bool)
    }

    /// A message's way as seen on the wire.
    struct Flow {
        var sent = 0
        var acknowledged = 0
    }

    final class End {
        let connection = BLIPConnection()
        var requests: [SentMessage: Int] = [:]
        var toAnswer: [(ReceivedRequest, Int)] = []
        var streams: [IncomingMessage.Origin: [UInt8]] = [:]
        var heads: [IncomingMessage.Origin: IncomingMessage] = [:]
        /// Frames on their way to the other end.
        var wire: [[UInt8]] = []
        var flows: [Int: Flow] = [:]
        var lastNumber: UInt64 = 0
        var urgentWaited = 0
    }

    let ends = [End(), End()]
    var random: SeededRandom
    let maximumSize: Int
    var tickets: [Ticket] = []
    var arrivedRequests: Set<Int> = []
    var arrivedResponses: Set<Int> = []
    var damage: SimulationTests.Damage?
    var isDamaged = false

    init(seed: UInt64, maximumSize: Int = 1 << 20) {
        random = SeededRandom(seed)
        self.maximumSize = maximumSize
    }

    mutating func run(messages: Int) throws {
        while tickets.count < messages || ends.contains(where: { $0.connection.hasFrames || !$0.wire.isEmpty || !$0.toAnswer.isEmpty }) {
            let side = random.below(2)
            switch random.below(10) {
            case 0 where tickets.count < messages: try ask(side)
            case 1, 2: try answer(side)
            case 3...5: try write(side)
            default: try deliver(side)
            }
        }
    }

    /// Small ones mostly.
    private mutating func ticket() -> Ticket {
        let limits = [20, 500, 5000, 40_000, maximumSize]
        let flags = (random.below(3) == 0, random.below(2) == 0, random.below(4) == 0)
        return Ticket(size: random.below(limits[random.below(limits.count)] + 1), flags: flags)
    }

    private static let noise: [UInt8] = {
        var random = SeededRandom(0)
        return randomBytes(2 << 20, &random)
    }()
    private static let text = repeated(#"{"type":"airport","icao":null,"elevation":17} "#, count: 2 << 20)

    /// Some can be compressed and some cannot; each number's begins elsewhere.
    private static func body(_ number: Int, _ size: Int) -> [UInt8] {
        let start = number * 101 % 65_536
        return Array((number % 3 == 0 ? noise : text)[start..<start + size])
    }

    private func message(_ number: Int, _ kind: String) -> OutgoingMessage {
        let ticket = tickets[number]
        let isRequest = kind == "request"
        return OutgoingMessage(
            properties: [kind: "\(number)", "pad": String(repeating: "p", count: number * 37 % 900)],
            body: .bytes(Simulation.body(number, isRequest ? ticket.size : ticket.size / 3)), isUrgent: ticket.flags.isUrgent,
            isCompressed: ticket.flags.isCompressed, isNoReply: ticket.flags.isNoReply && isRequest)
    }

    private mutating func ask(_ side: Int) throws {
        tickets.append(ticket())
        let id = try ends[side].connection.send(message(tickets.count - 1, "request"))
        ends[side].requests[id] = tickets.count - 1
    }

    private mutating func answer(_ side: Int) throws {
        let end = ends[side]
        guard !end.toAnswer.isEmpty else { return }
        let (request, number) = end.toAnswer.remove(at: random.below(end.toAnswer.count))
        if number % 5 == 0 {
            #expect(try end.connection.respond(to: request, error: .http(400 + number, "no")) != nil)
        } else {
            #expect(try end.connection.respond(to: request, message(number, "response")) != nil)
        }
    }

    private mutating func write(_ side: Int) throws {
        let end = ends[side]
        let urgentWaits = end.connection.outbox.hasUrgent
        guard let frame = try end.connection.nextFrame() else { return }
        check(frame, of: end, urgentWaits: urgentWaits)
        end.wire.append(frame)
        if damage != nil, !isDamaged, random.below(12) == 0 { isDamaged = spoil(&end.wire) }
    }

    /// The rules that hold for every frame.
    private func check(_ frame: [UInt8], of end: End, urgentWaits: Bool) {
        guard let header = frame.withUnsafeBytes({ FrameHeader($0) }), let type = header.flags.type else {
            Issue.record("a frame has no header")
            return
        }
        #expect(frame.count <= FrameSize.maximum)
        guard type != .requestAcknowledgement, type != .responseAcknowledgement else { return }
        let isUrgent = header.flags.contains(.urgent)
        if type == .request, header.number > end.lastNumber {
            #expect(header.number == end.lastNumber + 1)
            end.lastNumber = header.number
        }
        // An urgent message waits for one frame of another, and that is a short one.
        end.urgentWaited = urgentWaits && !isUrgent ? end.urgentWaited + 1 : 0
        #expect(end.urgentWaited <= 1)
        if urgentWaits, !isUrgent { #expect(frame.count <= FrameSize.besideUrgent) }
        let key = Int(header.number) * 2 + (type == .request ? 0 : 1)
        let flow = end.flows[key, default: Flow()]
        #expect(flow.sent - flow.acknowledged < 128_000, "it should have waited")
        end.flows[key, default: Flow()].sent += frame.count - header.length
    }

    private mutating func deliver(_ side: Int) throws {
        let (sender, receiver) = (ends[side], ends[1 - side])
        guard !sender.wire.isEmpty else { return }
        let frame = sender.wire.removeFirst()
        if let header = frame.withUnsafeBytes({ FrameHeader($0) }), [4, 5].contains(header.flags.rawValue & 7), !isDamaged {
            guard case .value(let count, _) = frame.withUnsafeBytes({ Varint.read($0, at: header.length) }) else { return }
            receiver.flows[Int(header.number) * 2 + Int(header.flags.rawValue & 1)]?.acknowledged = Int(count)
        }
        switch try receiver.connection.receive(frame) {
        case .received(let message)?: accept(message, Array(message.body), at: receiver)
        case .began(let message)?:
            // Some are streamed.
            guard random.below(2) == 0, let start = receiver.connection.streamBody(of: message) else { return }
            receiver.heads[message.origin] = message
            receiver.streams[message.origin] = start
        case .body(let origin, let bytes, let isLast)?:
            receiver.streams[origin]?.append(contentsOf: bytes)
            guard isLast, let body = receiver.streams.removeValue(forKey: origin), let head = receiver.heads.removeValue(forKey: origin)
            else { return }
            accept(head, body, at: receiver)
        case .acknowledged?, nil: break
        }
    }

    private mutating func accept(_ message: IncomingMessage, _ body: [UInt8], at end: End) {
        let number: Int
        var size: Int
        switch message.origin {
        case .request(let request):
            number = message.integer("request") ?? -1
            guard tickets.indices.contains(number) else {
                Issue.record("nobody asked that")
                return
            }
            size = tickets[number].size
            #expect(arrivedRequests.insert(number).inserted)
            // A damaged header is not noticed, as no checksum is of it; and flags are in it.
            if !isDamaged {
                #expect(request.wantsResponse == !tickets[number].flags.isNoReply && request.isUrgent == tickets[number].flags.isUrgent)
            }
            if request.wantsResponse { end.toAnswer.append((request, number)) }
        case .response(let id):
            number = end.requests[id] ?? -1
            #expect(arrivedResponses.insert(number).inserted && tickets.indices.contains(number))
            if number % 5 == 0, !isDamaged {
                #expect(message.error == .http(400 + number, "no"))
                return
            }
            if !message.isError || !isDamaged { #expect(isDamaged || message.integer("response") == number) }
            size = tickets[number].size / 3
        }
        if !isDamaged { #expect(body == Simulation.body(number, size), "message \(number)") }
    }

    func checkThatAllIsDone() {
        #expect(arrivedRequests.count == tickets.count)
        #expect(arrivedResponses.count == tickets.filter { !$0.flags.isNoReply }.count)
        for end in ends {
            #expect(end.connection.awaitedResponses == 0 && end.connection.unansweredRequests == 0)
            #expect(end.connection.incompleteBytes == 0 && end.connection.arriving.isEmpty)
            #expect(end.connection.unfinishedRequests.isEmpty && end.connection.unfinishedResponses.isEmpty)
            #expect(end.streams.isEmpty && end.connection.close().isEmpty)
        }
    }

    /// Damages the last frame on the wire, if it is one whose damage must be noticed. (Acknowledgements have no checksum.)
    private mutating func spoil(_ wire: inout [[UInt8]]) -> Bool {
        guard let frame = wire.last, let header = frame.withUnsafeBytes({ FrameHeader($0) }), header.flags.rawValue & 4 == 0 else {
            return false
        }
        let last = wire.count - 1
        switch damage {
        case .flip: wire[last][header.length + random.below(frame.count - header.length)] ^= 1 << UInt8(random.below(8))
        case .cut: wire[last].removeLast(1 + random.below(frame.count))
        case .extend: wire[last].append(UInt8(random.below(256)))
        case .duplicate: wire.append(frame)
        case .drop: wire.removeLast()
        case .swap:
            guard wire.count > 1, let other = wire[last - 1].withUnsafeBytes({ FrameHeader($0) }), other.flags.rawValue & 4 == 0 else {
                return false
            }
            wire.swapAt(last, last - 1)
        case nil: return false
        }
        return true
    }
}

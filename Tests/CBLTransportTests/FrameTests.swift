import CBLTestSupport
import Testing

@testable import CBLTransport

@Suite struct FrameTests {
    // The examples of RFC 6455, section 5.7.
    @Test func framesOfTheStandardAreRead() {
        let hello = bytes("Hello")
        #expect(read([0x81, 0x05] + hello, as: .client) == [.text("Hello")])
        #expect(read([0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], as: .server) == [.text("Hello")])
        #expect(read([0x01, 0x03] + bytes("Hel") + [0x80, 0x02] + bytes("lo"), as: .client) == [.text("Hello")])
        #expect(read([0x89, 0x05] + hello, as: .client) == [.ping(hello)])
        #expect(read([0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], as: .server) == [.pong(hello)])
        let long = [UInt8](repeating: 9, count: 256)
        #expect(read([0x82, 0x7e, 0x01, 0x00] + long, as: .client) == [.binary(long)])
        let longer = [UInt8](repeating: 9, count: 65536)
        #expect(read([0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + longer, as: .client) == [.binary(longer)])
    }

    @Test(arguments: [WebSocketRole.client, .server], [0, 1, 7, 8, 9, 125, 126, 127, 1000, 65535, 65536, 70001])
    func whatIsWrittenIsReadByTheOtherSide(role: WebSocketRole, size: Int) {
        var random = SeededRandom(UInt64(size))
        let payload = (0..<size).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        let other: WebSocketRole = role == .client ? .server : .client
        let written = frame(.binary, payload, from: role, seed: UInt64(size) &+ 1)
        for piece in [1, 2, 5, 4096, Int.max] where size < 2000 || piece > 5 {
            #expect(read(written + frame(.ping, [1], from: role), as: other, piece: piece) == [.binary(payload), .ping([1])])
        }
        // Nothing that a client sends stands in the wire as it is.
        if role == .client, size > 8 { #expect(!written.suffix(size).elementsEqual(payload)) }
    }

    @Test func maskingWorksForEveryLengthAndTwiceIsNothing() {
        let key: UInt32 = 0x4433_2211
        let keyBytes = withUnsafeBytes(of: key) { Array($0) }
        for count in 0...40 {
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
            var masked = payload
            masked.withUnsafeMutableBytes { FrameMask.apply(key, to: $0) }
            #expect(masked == payload.enumerated().map { $1 ^ keyBytes[$0 % 4] })
            masked.withUnsafeMutableBytes { FrameMask.apply(key, to: $0) }
            #expect(masked == payload)
        }
    }

    @Test func controlFramesMayStandBetweenThePiecesOfAMessage() {
        let stream =
            frame(.text, bytes("one, "), isFinal: false) + frame(.ping, [1, 2]) + frame(.continuation, bytes("two, "), isFinal: false)
            + frame(.pong, []) + frame(.continuation, bytes("three")) + frame(.binary, [3])
        for piece in [1, 3, Int.max] {
            #expect(read(stream, as: .server, piece: piece) == [.ping([1, 2]), .pong([]), .text("one, two, three"), .binary([3])])
        }
    }

    @Test func nothingIsReadBehindTheCloseFrame() {
        let close = frame(.close, [0x0F, 0xA1] + bytes("später"))
        #expect(read(close + frame(.binary, [1]), as: .server) == [.close(4001, "später")])
        #expect(read(frame(.close, []), as: .server) == [.close(1005, "")])
    }

    static let violations: [(String, [UInt8], UInt16)] = [
        ("reserved bit", [0xC2, 0x80, 0, 0, 0, 0], 1002), ("unknown type", [0x83, 0x80, 0, 0, 0, 0], 1002),
        ("unknown control type", [0x8B, 0x80, 0, 0, 0, 0], 1002), ("unmasked", [0x82, 0x00], 1002),
        ("fragmented ping", [0x09, 0x80, 0, 0, 0, 0], 1002), ("long ping", [0x89, 0xFE, 0, 126, 0, 0, 0, 0], 1002),
        ("long form of a short length", [0x82, 0xFE, 0, 125, 0, 0, 0, 0], 1002),
        ("longest form of a short length", [0x82, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0, 0, 0, 0], 1002),
        ("negative length", [0x82, 0xFF, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1002),
        ("continuation of nothing", frame(.continuation, [1]), 1002),
        ("message in a message", frame(.text, [], isFinal: false) + frame(.text, []), 1002),
        ("too big", [0x82, 0xFF, 0, 0, 0, 0, 0, 0x10, 0, 1, 0, 0, 0, 0], 1009),
        ("half a close code", frame(.close, [3]), 1002), ("close code that is never sent", frame(.close, [0x03, 0xED]), 1002),
        ("close code 0", frame(.close, [0, 0]), 1002), ("close code 5000", frame(.close, [0x13, 0x88]), 1002),
        ("reason that is not UTF-8", frame(.close, [0x03, 0xE8, 0xFF]), 1007), ("text that is not UTF-8", frame(.text, [0xC3]), 1007),
        ("surrogate", frame(.text, [0xED, 0xA0, 0x80]), 1007),
    ]

    @Test(arguments: violations)
    func whatTheProtocolForbidsIsRefused(name: String, stream: [UInt8], code: UInt16) {
        #expect(read(stream, as: .server) == [.violation(code)], "\(name)")
    }

    @Test func theServerMayNotMask() {
        #expect(read(frame(.binary, [1]), as: .client) == [.violation(1002)])
    }

    @Test func aMessageInPiecesMayNotGrowBeyondTheLimit() {
        let piece = frame(.binary, [UInt8](repeating: 1, count: 60), isFinal: false)
        let more = frame(.continuation, [UInt8](repeating: 1, count: 60), isFinal: false)
        #expect(read(piece + more, as: .server, limit: 100) == [.violation(1009)])
        let exactly =
            frame(.binary, [UInt8](repeating: 1, count: 60), isFinal: false) + frame(.continuation, [UInt8](repeating: 1, count: 40))
        #expect(read(exactly, as: .server, limit: 100) == [.binary([UInt8](repeating: 1, count: 100))])
        #expect(read(frame(.binary, [UInt8](repeating: 1, count: 101)), as: .server, limit: 100) == [.violation(1009)])
    }

    @Test func aCloseReasonIsCutBetweenCharacters() throws {
        var writer = FrameWriter(role: .server)
        var queue = ByteQueue()
        writer.appendClose(.goingAway, reason: String(repeating: "ü", count: 100), to: &queue)
        #expect(read(queue.array, as: .client) == [.close(1001, String(repeating: "ü", count: 61))])
        queue.removeAll()
        writer.appendClose(.abnormal, reason: "never sent", to: &queue)
        #expect(read(queue.array, as: .client) == [.close(1005, "")])
    }

    @Test func aQueueKeepsItsBytesInOrderWhereverTheyLie() {
        var random = SeededRandom(3)
        var queue = ByteQueue(capacity: 64)
        var model: [UInt8] = []
        for round in 0..<20_000 {
            if random.below(2) == 0 {
                let added = (0..<random.below(90)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                queue.append(added)
                model += added
            } else {
                let count = random.below(model.count + 1)
                queue.consume(count)
                model.removeFirst(count)
            }
            if round % 97 == 0 { queue.shrink(to: 64) }
            if queue.count != model.count || queue.array != model { Issue.record("differs in round \(round)") }
        }
        queue.removeAll()
        queue.shrink(to: 64)
        #expect(queue.capacity == 64)
    }

    @Test func hostileFramesNeverCrashTheReader() {
        var random = SeededRandom(11)
        let valid =
            frame(.text, bytes("Grüße"), isFinal: false) + frame(.ping, [1]) + frame(.continuation, bytes("!"))
            + frame(.binary, [UInt8](repeating: 5, count: 300)) + frame(.close, [0x03, 0xE8] + bytes("bye"))
        for end in 0...valid.count { _ = read(Array(valid[..<end]), as: .server) }
        for bit in 0..<valid.count * 8 {
            var flipped = valid
            flipped[bit / 8] ^= 1 << (bit % 8)
            // The events do not depend on how the bytes were cut.
            #expect(read(flipped, as: .server) == read(flipped, as: .server, piece: 3))
        }
        repeatWithin(seconds: 0.5) {
            let noise = (0..<random.below(200)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let role: WebSocketRole = random.below(2) == 0 ? .client : .server
            #expect(read(noise, as: role, limit: 50) == read(noise, as: role, limit: 50, piece: 1 + random.below(9)))
        }
    }
}

@Suite struct HeartbeatTests {
    private func at(_ seconds: Double) -> LoopTime { LoopTime(nanoseconds: UInt64(seconds * 1e9)) }

    @Test func aSilentPeerIsAskedAndThenGivenUp() {
        var heartbeat = Heartbeat(interval: .seconds(300), now: at(0))
        #expect(heartbeat.action(at(0)) == .wait(until: at(300)))
        heartbeat.heard(at(100))
        #expect(heartbeat.action(at(300)) == .wait(until: at(400)))
        #expect(heartbeat.action(at(400)) == .ping)
        #expect(heartbeat.action(at(400)) == .wait(until: at(420)))
        #expect(heartbeat.action(at(420)) == .giveUp)
        heartbeat.heard(at(419))
        #expect(heartbeat.action(at(420)) == .wait(until: at(719)))
    }

    @Test func aShortIntervalLeavesLessTimeForTheAnswer() {
        var heartbeat = Heartbeat(interval: .seconds(10), now: at(0))
        #expect(heartbeat.action(at(10)) == .ping)
        #expect(heartbeat.action(at(10)) == .wait(until: at(19)))
    }
}

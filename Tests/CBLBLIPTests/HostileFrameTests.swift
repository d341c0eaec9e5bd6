import CBLTestSupport
import Testing

@testable import CBLBLIP

/// Frames that no honest peer sends: each is read, or refused; nothing crashes, hangs, or keeps more memory than the limits allow.
/// `CBLITE_FUZZ_SECONDS` runs the random ones for that long.
struct HostileFrameTests {
    /// A connection in the middle of something: a request paused, one unanswered, one half answered, one of the peer's incomplete.
    final class Victim {
        static let limits = {
            var limits = Limits()
            limits.message = 100_000
            limits.incompleteMessages = 200_000
            limits.inflatedFrame = 50_000
            limits.openRequests = 20
            return limits
        }()

        private(set) var connection = BLIPConnection()
        var forge = Forge()
        private(set) var begun = 0
        private(set) var accepted = 0
        private(set) var refused = 0

        init() throws { try begin() }

        func begin() throws {
            begun += 1
            connection = BLIPConnection(limits: Victim.limits)
            forge = Forge()
            for size in [10, 200_000, 30_000] {
                try connection.send(
                    OutgoingMessage(profile: "question", body: .bytes([UInt8](repeating: 1, count: size)), isCompressed: size == 10))
            }
            _ = try connection.frames()
            for frame in [
                forge.frame(1, 0x40, encoded([("Profile", "rev")])), forge.frame(2, 0x00, encoded([], body: [1])),
                forge.frame(1, 0x49, encoded([("a", "b")], body: [1, 2, 3])),
            ] { _ = try connection.receive(frame) }
        }

        /// Has it read a frame, and begins anew after an error.
        func suffer(_ frame: [UInt8]) throws {
            do throws(BLIPError) {
                // Memory of its own, so that the address sanitizer sees a read just past the end.
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: frame.count, alignment: 1)
                defer { copy.deallocate() }
                copy.copyBytes(from: frame)
                switch try connection.receive(UnsafeRawBufferPointer(copy)) {
                case .received(let message)?: use(message)
                case .began(let message)?:
                    use(message)
                    if accepted % 3 == 0 { _ = connection.streamBody(of: message) }
                default: break
                }
                accepted += 1
                check()
                while try connection.nextFrame() != nil {}
            } catch {
                refused += 1
                #expect(!error.description.isEmpty && [1002, 1009].contains(error.closeCode))
                #expect(connection.close().count <= 3)
                try begin()
            }
        }

        private func use(_ message: IncomingMessage) {
            _ = message.profile
            _ = message.error
            _ = message.bool("a")
            _ = message.allProperties
            if let request = message.request, request.number % 2 == 0 { _ = try? connection.respond(to: request, error: .blip(.notFound)) }
        }

        private func check() {
            #expect(connection.incompleteBytes <= Victim.limits.incompleteMessages)
            #expect(connection.arriving.count <= 20 && connection.unansweredRequests <= 20)
            let kept = connection.arriving.values.map(\.payload.count) + connection.awaiting.values.map { $0.assembly?.payload.count ?? 0 }
            #expect(kept.reduce(0, +) == connection.incompleteBytes)
            if let inflater = connection.inflater { #expect(inflater.footprint <= 64 << 10) }
        }
    }

    @Test func randomBytesAreHarmless() throws {
        let victim = try Victim()
        var random = SeededRandom(3)
        try repeatWithin(seconds: 0.5) {
            for _ in 0..<200 { try victim.suffer(randomBytes(random.below(40), &random)) }
        }
        #expect(victim.refused > 100)
    }

    /// With checksums that are right, so that what lies behind them is reached.
    @Test func framesWithRightChecksumsAreHarmless() throws {
        let victim = try Victim()
        var random = SeededRandom(4)
        let numbers: [UInt64] = [0, 1, 1, 1, 2, 3, 3, 3, 4, 5, 6, 127, 128, 1 << 32, .max - 1, .max]
        try repeatWithin(seconds: 1.5) {
            for _ in 0..<100 {
                let next = victim.connection.lastReceivedNumber &+ 1
                let number = random.below(2) == 0 ? next : random.element(of: numbers)
                let flags = UInt8(random.below(128)) & (random.below(2) == 0 ? 0x78 : 0x7F)
                switch random.below(12) {
                case 0: try victim.suffer(victim.forge.frame(number, flags, randomBytes(random.below(60), &random)))
                case 1: try victim.suffer(victim.forge.frame(number, flags, varint(random.next() >> UInt64(random.below(64)))))
                case 2:
                    try victim.suffer(victim.forge.frame(number, flags, [UInt8](repeating: 0, count: random.below(60_000))))
                case 3:
                    let data = randomBytes(random.below(60), &random)
                    try victim.suffer(victim.forge.frame(number, flags | 0x08, deflated: data, of: []))
                case 4: try victim.suffer(acknowledgement(number, 0x34 | UInt8(random.below(2)), random.next() >> UInt64(random.below(64))))
                case 5: try victim.suffer([UInt8](randomBytes(random.below(12), &random)))
                default:
                    let pairs = (0..<random.below(5)).map { ("k\($0)", String(repeating: "v", count: random.below(20))) }
                    try victim.suffer(victim.forge.frame(number, flags, encoded(pairs, body: randomBytes(random.below(300), &random))))
                }
            }
        }
        #expect(victim.accepted > 300 && victim.refused > 300, "\(victim.accepted) \(victim.refused)")
    }

    @Test func everyTruncationAndBitFlipIsHarmless() throws {
        let victim = try Victim()
        var model = victim.forge
        let samples: [(inout Forge) -> [UInt8]] = [
            { $0.frame(3, 0, encoded([("Profile", "rev"), ("id", "doc")], body: [1, 2, 3])) },
            { $0.frame(3, 0x08, encoded([("Profile", "rev"), ("id", "doc")], body: Array("[[1,2],[1,2],[1,2]]".utf8))) },
            { $0.frame(1, 0x01, [4, 5, 6]) },
            { $0.frame(1, 0x40, [4, 5, 6]) },
        ]
        for sample in samples {
            try victim.begin()
            model = victim.forge
            let frame = sample(&model)
            // Deflate contexts go with the connection: an untouched one for each.
            func suffer(_ damaged: [UInt8]) throws {
                try victim.begin()
                _ = sample(&victim.forge)
                try victim.suffer(damaged)
            }
            for count in 0..<frame.count { try suffer(Array(frame[..<count])) }
            for bit in 0..<frame.count * 8 {
                var damaged = frame
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                try suffer(damaged)
            }
        }
        #expect(victim.refused > 500)
    }

    @Test(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence)))
    func mutatedConversationsAreHarmless() throws {
        let conversations = try RecordedConversation.all().map { $0.frames.map(\.bytes) }.filter { !$0.isEmpty }
        let all = conversations.flatMap { $0 }
        var random = SeededRandom(5)
        var refused = 0
        try repeatWithin(seconds: 1.5) {
            // Both directions into one, as it answers nothing: whatever comes must be bearable.
            let connection = BLIPConnection(limits: Victim.limits)
            for index in 0..<12 { try connection.send(OutgoingMessage(profile: "q\(index)")) }
            _ = try connection.frames()
            var frames = random.element(of: conversations)
            for _ in 0..<1 + random.below(3) {
                let place = random.below(frames.count)
                switch random.below(6) {
                case 0: frames[place] = random.element(of: all)
                case 1: frames.insert(frames[random.below(frames.count)], at: place)
                case 2: frames[place] = Array(frames[place].prefix(random.below(frames[place].count + 1)))
                case 3: frames[place].insert(contentsOf: randomBytes(1 + random.below(9), &random), at: random.below(frames[place].count))
                default: frames[place][random.below(frames[place].count)] ^= 1 << UInt8(random.below(8))
                }
                if frames[place].isEmpty { break }
            }
            for frame in frames where connection.failure == nil {
                if connection.refusal(of: frame) != nil { refused += 1 }
            }
        }
        #expect(refused > 20)
    }

    /// A peer that says giant things in few bytes gets no memory for them.
    @Test func giantNumbersReserveNothing() throws {
        for length in [102_400, 102_401, 1 << 31, 1 << 62, .max] as [UInt64] {
            let victim = try Victim()
            try victim.suffer(victim.forge.frame(3, 0x40, varint(length)))
            #expect(victim.connection.incompleteBytes < 100)
            #expect((victim.refused == 1) == (length > 102_400))
        }
    }

    /// A message in frames of one byte each costs no more than its bytes.
    @Test func crumbsAreHarmless() throws {
        let victim = try Victim()
        for _ in 0..<90_000 { try victim.suffer(victim.forge.frame(1, 0x40, [0])) }
        #expect(victim.refused == 0)
        for _ in 0..<20_000 where victim.refused == 0 { try victim.suffer(victim.forge.frame(1, 0x40, [0])) }
        #expect(victim.refused == 1)
    }
}

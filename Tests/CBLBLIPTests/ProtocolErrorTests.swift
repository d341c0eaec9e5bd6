import CBLTestSupport
import Testing

@testable import CBLBLIP

/// What a peer does wrong ends the connection, and says why.
struct ProtocolErrorTests {
    /// A connection that sent request 1 and awaits its answer.
    func connection(_ limits: Limits = Limits()) throws -> BLIPConnection {
        let connection = BLIPConnection(limits: limits)
        try connection.send(OutgoingMessage(profile: "question"))
        _ = try connection.frames()
        return connection
    }

    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

    @Test func headersAndFramesAreChecked() throws {
        for frame in [[], [1], [0x80], [1, 0x80], bytes(11).map { _ in 0xFF } + [0], [0] + bytes(11).map { _ in 0xFF }] as [[UInt8]] {
            #expect(try connection().refusal(of: frame) == .unreadableHeader)
        }
        for count in 0..<4 { #expect(try connection().refusal(of: [1, 0] + bytes(count)) == .frameTooShort(message: 1)) }
        #expect(try connection().refusal(of: [1, 0] + bytes(1 << 20)) == .frameTooLarge(bytes: 2 + (1 << 20)))
    }

    @Test func numbersAreChecked() throws {
        for number in [0, 2, 3, 1 << 32, .max] as [UInt64] {
            var forge = Forge()
            #expect(try connection().refusal(of: forge.frame(number, 0, encoded())) == .unexpectedRequest(message: number, expected: 1))
        }
        var forge = Forge()
        let other = try connection()
        _ = try other.receive(forge.frame(1, 0, encoded()))
        #expect(other.refusal(of: forge.frame(1, 0, encoded())) == .unexpectedRequest(message: 1, expected: 2))
    }

    @Test func responsesNobodyAskedForAreErrors() throws {
        for type in [1, 2] as [UInt8] {
            for number in [0, 2, .max] as [UInt64] {
                var forge = Forge()
                #expect(try connection().refusal(of: forge.frame(number, type, encoded())) == .unexpectedResponse(message: number))
            }
            var forge = Forge()
            let other = try connection()
            #expect(try other.receive(forge.frame(1, type, encoded()))?.message?.isError == (type == 2))
            #expect(other.refusal(of: forge.frame(1, type, encoded())) == .unexpectedResponse(message: 1))

            forge = Forge()
            let silent = BLIPConnection()
            try silent.send(OutgoingMessage(profile: "norev", isNoReply: true))
            _ = try silent.frames()
            #expect(silent.refusal(of: forge.frame(1, type, encoded())) == .unexpectedResponse(message: 1))
        }
    }

    @Test func checksumsCoverEverythingBefore() throws {
        var forge = Forge()
        let first = forge.frame(1, 0, encoded(body: [1]))
        let second = forge.frame(2, 0, encoded(body: [2]))
        for index in 2..<first.count {
            var damaged = first
            damaged[index] ^= 1
            #expect(try connection().refusal(of: damaged) == .wrongChecksum(message: 1))
        }
        let other = try connection()
        _ = try other.receive(first)
        #expect(other.refusal(of: [2] + first[1...]) == .wrongChecksum(message: 2))
        #expect(try connection().refusal(of: second) == .wrongChecksum(message: 2), "one is missing")
    }

    @Test func compressedDataIsChecked() throws {
        var forge = Forge()
        let payload = encoded(body: Array("some text, some text".utf8))
        let data = forge.deflated(payload)
        // A final block: the stream would be over. And data that is no deflate at all.
        for data in [[data[0] | 1] + data[1...], [0xFF, 0xFF], [0x07], data + [0x07, 0xFF]] as [[UInt8]] {
            let frame = forge.frame(1, 0x08, deflated: data, of: payload)
            let error = try connection().refusal(of: frame)
            #expect(error == .badCompression(message: 1) || error == .wrongChecksum(message: 1))
        }
        #expect(try connection().refusal(of: forge.frame(1, 0x08, deflated: [0x03, 0x00], of: [])) == .badCompression(message: 1))
    }

    static let malformed: [[UInt8]] = [
        // Shorter than they say, one string, no NUL at the end, no length, half a length.
        [1], [2, 0], [2, 97, 0], [3, 97, 0, 98], [4, 97, 0, 98, 0, 99, 0][..<4] + [99], [], [0x80],
        // Too long, giant, more than 64 bits.
        varint(102_401) + [UInt8](repeating: 0, count: 102_401), varint(1 << 63), varint(.max), [UInt8](repeating: 0xFF, count: 11),
    ]

    @Test(arguments: malformed) func propertiesAreChecked(_ message: [UInt8]) throws {
        for isSplit in [false, true] {
            var forge = Forge()
            let other = try connection()
            // What is only incomplete is an error when the message ends.
            let error =
                isSplit
                ? other.refusal(of: forge.frame(1, 0x40, message)) ?? other.refusal(of: forge.frame(1, 0, []))
                : other.refusal(of: forge.frame(1, 0, message))
            guard case .badProperties(1, _)? = error else {
                Issue.record("\(hex(message.prefix(20))): \(String(describing: error))")
                return
            }
        }
    }

    @Test func deflateBombsAreRefused() throws {
        // One flat megabyte after another; honest frames hold less than 17 of them.
        var forge = Forge(level: 9)
        let payload = encoded(body: bytes(20 << 20))
        let frame = forge.frame(1, 0x08, payload)
        #expect(frame.count < 25_000)
        let other = try connection()
        #expect(other.refusal(of: frame) == .inflatesTooFar(message: 1))
        #expect(try #require(other.inflater).footprint <= Limits().inflatedFrame + 1)
        #expect(BLIPError.inflatesTooFar(message: 1).closeCode == 1009)

        // Just as much as is allowed is read.
        var limits = Limits()
        limits.inflatedFrame = 1 << 20
        for (size, isAllowed) in [(1 << 20, true), ((1 << 20) + 1, false)] {
            var forge = Forge()
            let frame = forge.frame(1, 0x08, encoded(body: bytes(size - 1)))
            #expect(try connection(limits).refusal(of: frame) == (isAllowed ? nil : .inflatesTooFar(message: 1)))
        }
    }

    @Test func memoryIsLimited() throws {
        var limits = Limits()
        limits.message = 10_000
        limits.incompleteMessages = 25_000
        limits.openRequests = 5

        var forge = Forge()
        var other = try connection(limits)
        _ = try other.receive(forge.frame(1, 0x40, encoded(body: bytes(6000))))
        #expect(other.refusal(of: forge.frame(1, 0, bytes(6000))) == .messageTooLarge(message: 1))

        // What is streamed is not kept, so it may be longer.
        forge = Forge()
        other = try connection(limits)
        guard case .began(let message)? = try other.receive(forge.frame(1, 0x40, encoded(body: bytes(6000)))) else {
            Issue.record("it did not begin")
            return
        }
        #expect(other.streamBody(of: message)?.count == 6000)
        for _ in 0..<10 { _ = try other.receive(forge.frame(1, 0x40, bytes(6000))) }

        forge = Forge()
        other = try connection(limits)
        for number in 1...3 { _ = try other.receive(forge.frame(UInt64(number), 0x40, encoded(body: bytes(8000)))) }
        #expect(other.refusal(of: forge.frame(4, 0x40, encoded(body: bytes(8000)))) == .tooMuchIncomplete)

        for flags in [0x00, 0x40, 0x60] as [UInt8] {
            forge = Forge()
            other = try connection(limits)
            for number in 1...5 { _ = try other.receive(forge.frame(UInt64(number), flags, encoded())) }
            #expect(other.refusal(of: forge.frame(6, flags, encoded())) == .tooManyOpenRequests)
        }
        // Requests that are complete and want no answer are nobody's burden.
        forge = Forge()
        other = try connection(limits)
        for number in 1...100 { _ = try other.receive(forge.frame(UInt64(number), 0x20, encoded())) }
    }

    @Test func afterAnErrorNothingWorks() throws {
        let other = try connection()
        let queued = try other.send(OutgoingMessage(profile: "queued"))
        try other.send(OutgoingMessage(profile: "silent", isNoReply: true))
        var forge = Forge()
        let request = try #require(try other.receive(forge.frame(1, 0, encoded()))?.request)
        let error = try #require(other.refusal(of: [1, 0, 0]))
        #expect(error.closeCode == 1002)
        #expect(other.failure == error && !other.hasFrames)
        #expect(other.refusal(of: forge.frame(2, 0, encoded())) == error)
        #expect(throws: error) { try other.nextFrame() }
        #expect(throws: error) { try other.send(OutgoingMessage(profile: "late")) }
        #expect(try other.respond(to: request) == nil)
        let lost = other.close()
        #expect(lost.count == 2 && lost.last == queued)
        #expect(other.close().isEmpty)
        #expect(other.failure == error, "the first reason stays")
    }

    @Test func closingLosesWhatIsNotAnswered() throws {
        let one = BLIPConnection()
        let other = BLIPConnection()
        let answered = try one.send(OutgoingMessage(profile: "a"))
        let partly = try one.send(OutgoingMessage(profile: "b", body: .bytes(bytes(50_000))))
        let paused = try one.send(OutgoingMessage(profile: "c", body: .bytes(bytes(500_000))))
        let request = try #require(try other.receiveNext(of: one)?.request)
        try other.respond(to: request)
        #expect(try one.receiveNext(of: other)?.message?.answered == answered)
        for _ in 0..<18 { _ = try one.nextFrame() }
        let unsent = try one.send(OutgoingMessage(profile: "d"))
        #expect(one.close() == [partly, paused, unsent])
        #expect(throws: BLIPError.closed) { try one.send(OutgoingMessage(profile: "e")) }
        #expect(BLIPError.closed.closeCode == 1000)
    }

    @Test func errorsSayWhatHappened() {
        #expect("\(BLIPError.unexpectedRequest(message: 7, expected: 5))" == "the peer sent request 7 when 5 was next")
        #expect("\(MessageError.http(404, "missing"))" == "missing (HTTP error 404)")
        #expect(MessageError.blip(.notFound).isNotSupported && !MessageError.http(404).isNotSupported)
    }
}

import CBLTestSupport
import Testing

@testable import CBLBLIP

/// How messages are cut into frames and put together again.
struct FramingTests {
    static let properties = [("Profile", "rev"), ("id", "doc"), ("empty", ""), ("emoji", "🐟")]

    /// A message may be cut anywhere, even inside its properties' length, and into any number of pieces; any of them compressed.
    @Test(arguments: [UInt8(0), 0x08]) func everyCutIsPutTogether(_ compressed: UInt8) throws {
        let body: [UInt8] = Array("{\"a\":1}".utf8)
        let long = [("Profile", String(repeating: "p", count: 150))]
        for message in [encoded(Self.properties, body: body), encoded(long, body: body), encoded(), encoded([], body: body)] {
            for first in 0...message.count {
                for second in Set([first, (first + message.count) / 2, message.count]) {
                    var forge = Forge()
                    let receiver = BLIPConnection()
                    let pieces = [Array(message[..<first]), Array(message[first..<second]), Array(message[second...])]
                    var received: [IncomingMessage] = []
                    for (index, piece) in pieces.enumerated() {
                        // The piece in the middle is not compressed, and must not disturb those that are.
                        let flags = (index == 2 ? 0 : 0x40) | (index == 1 ? 0 : compressed)
                        if let message = try receiver.receive(forge.frame(1, flags, piece))?.message { received.append(message) }
                    }
                    let whole = try #require(received.first)
                    #expect(received.count == 1 && whole.payload == message)
                    if message.count > 40 { #expect(whole.withBody { Array($0) } == body) }
                }
            }
        }
    }

    @Test func propertiesAreReadInPlace() throws {
        var forge = Forge()
        let receiver = BLIPConnection()
        let list =
            Self.properties + [
                ("id", "second"), ("n", "-12"), ("yes", "YES"), ("true", "tRue"), ("one", "1"), ("zero", "0"), ("no", "NO"),
                ("", "nameless"),
            ]
        let message = try #require(try receiver.receive(forge.frame(1, 0, encoded(list)))?.message)
        #expect(message.profile == "rev")
        #expect(message.string("id") == "doc", "the first one counts")
        #expect(message.string("empty") == "" && message.string("emoji") == "🐟" && message.string("") == "nameless")
        #expect(message.string("i") == nil && message.string("doc") == nil && message.string("idd") == nil)
        #expect(message.integer("n") == -12 && message.integer("id") == nil)
        #expect(message.bool("yes") && message.bool("true") && message.bool("one"))
        #expect(!message.bool("zero") && !message.bool("no") && !message.bool("id") && !message.bool("absent"))
        #expect(message.allProperties.map(\.name) == list.map(\.0))
    }

    @Test func textThatIsNotUTF8IsNoText() throws {
        var forge = Forge()
        let area = Array("id".utf8) + [0, 0xFF, 0xFE, 0]
        let message = try #require(try BLIPConnection().receive(forge.frame(1, 0, varint(UInt64(area.count)) + area))?.message)
        #expect(message.string("id") == nil)
        #expect(message.withProperty("id") { $0.map { Array($0) } } == [0xFF, 0xFE])
    }

    @Test func bodiesOfAllSizesArriveAsTheyWere() throws {
        var random = SeededRandom(1)
        // Around the sizes at which a message needs one more frame, plain and compressed.
        var sizes = Array(0...40) + [4090, 14_000, 16_374, 16_375, 32_000, 100_000, 1 << 20]
        for edge in [16_384 - 6, Deflater.inputLimit(room: 16_384 - 6)] { sizes += Array(edge - 12...edge + 4) }
        for isCompressed in [false, true] {
            for isRandom in [false, true] {
                let one = BLIPConnection()
                let other = BLIPConnection()
                for size in sizes {
                    let body = isRandom ? randomBytes(size, &random) : repeated("{\"a\":12} ", count: size)
                    try one.send(OutgoingMessage(profile: "p", body: .bytes(body), isCompressed: isCompressed, isNoReply: true))
                    var messages: [IncomingMessage] = []
                    while let frame = try one.nextFrame() {
                        #expect(frame.count <= FrameSize.maximum)
                        if let message = try other.receive(frame)?.message { messages.append(message) }
                        while let frame = try other.nextFrame() { _ = try one.receive(frame) }
                    }
                    #expect(messages.count == 1 && messages[0].withBody { Array($0) == body }, "\(size)")
                }
            }
        }
    }

    @Test func aFrameIsNoLongerThanNecessary() throws {
        let one = BLIPConnection()
        // Exactly one full frame: number, flags, length of properties, checksum.
        try one.send(OutgoingMessage(body: .bytes([UInt8](repeating: 7, count: 16_384 - 7)), isNoReply: true))
        #expect(try one.frames().map(\.count) == [16_384])
        try one.send(OutgoingMessage(body: .bytes([UInt8](repeating: 7, count: 16_384 - 6)), isNoReply: true))
        #expect(try one.frames().map(\.count) == [16_384, 7])
    }

    @Test func moreThanAFrameMayComeOutOfOne() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        let body = [UInt8](repeating: 0x20, count: 3_000_000)
        let frame = forge.frame(1, 0x08, encoded([], body: body))
        #expect(frame.count < 4000)
        #expect(try receiver.receive(frame)?.message?.body.count == body.count)
        // The memory for it is not kept.
        #expect(try #require(receiver.inflater).footprint < 100_000)
    }

    @Test func flushesInsideAFrameAreRead() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        let parts: [[UInt8]] = [[0], Array("one ".utf8), Array("two".utf8)]
        let data = parts.map(forge.deflated).joined(separator: Deflater.flushTail)
        let message = try receiver.receive(forge.frame(1, 0x08, deflated: Array(data), of: Array(parts.joined())))?.message
        #expect(message?.body.elementsEqual("one two".utf8) == true)
    }

    @Test func emptyFramesAreRead() throws {
        let receiver = BLIPConnection()
        var forge = Forge()
        _ = try receiver.receive(forge.frame(1, 0x40, encoded([], body: [1, 2])))
        #expect(try receiver.receive(forge.frame(1, 0x00, []))?.message?.body == [1, 2])
        _ = try receiver.receive(forge.frame(2, 0x48, encoded([], body: [3, 4])))
        let empty = forge.frame(2, 0x08, [])
        #expect(empty.count == 6)
        #expect(try receiver.receive(empty)?.message?.body == [3, 4])
        #expect(try receiver.receive(forge.frame(3, 0x08, encoded([], body: [5])))?.message?.body == [5])
    }

    @Test func levelZeroNeverCompresses() throws {
        let one = BLIPConnection(compressionLevel: 0)
        try one.send(OutgoingMessage(profile: "p", isCompressed: true))
        #expect(try one.nextFrame()?[1] == 0)
    }

    @Test func unknownKindsOfFramesAreIgnored() throws {
        let receiver = BLIPConnection()
        for type in [3, 6, 7] as [UInt8] { #expect(try receiver.receive([9, type, 1, 2, 3]) == nil) }
        var forge = Forge()
        #expect(try receiver.receive(forge.frame(1, 0, encoded()))?.message != nil)
        // So are flags above the seventh bit.
        let frame = forge.frame(2, 0, encoded())
        #expect(try receiver.receive([2, 0x80, 0x7E] + frame[2...])?.message?.request?.number == 2)
    }

    @Test func whatCannotBeSentIsRefusedAtOnce() throws {
        let one = BLIPConnection()
        #expect(throws: BLIPError.invalidProperty("a\0b")) { try one.send(OutgoingMessage(properties: ["a\0b": "c"])) }
        #expect(throws: BLIPError.invalidProperty("a")) { try one.send(OutgoingMessage(properties: ["a": "b\0c"])) }
        let fits = String(repeating: "x", count: 102_400 - 3)
        #expect(throws: BLIPError.propertiesTooLarge(bytes: 102_401)) { try one.send(OutgoingMessage(properties: ["a": fits + "y"])) }
        let request = try one.send(OutgoingMessage(properties: ["a": fits]))
        let other = BLIPConnection()
        #expect(try converse(one, other).other.last?.message?.string("a") == fits)
        #expect(one.close() == [request])
    }
}

import CBLBase
import CBLTestSupport
import Testing

@testable import CBLBLIP

/// The bytes that hexadecimal digits spell; blanks are for the reader.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

func varint(_ value: UInt64) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Varint.maximumLength)
    let count = bytes.withUnsafeMutableBytes { Varint.write(value, to: $0) }
    return Array(bytes[..<count])
}

/// The bytes of a message.
func encoded(_ properties: [(String, String)] = [], body: [UInt8] = []) -> [UInt8] {
    let area: [UInt8] = properties.flatMap { name, value -> [UInt8] in Array(name.utf8) + [0] + Array(value.utf8) + [0] }
    return varint(UInt64(area.count)) + area + body
}

/// Makes frames by hand, also such as no honest peer would send. It has a checksum of its own, so that ours is not compared with itself.
struct Forge {
    private var checksum: UInt32 = 0
    private let deflater: Deflater?

    init(level: Int32 = 6) { deflater = try? Deflater(level: level) }

    mutating func frame(_ number: UInt64, _ flags: UInt8, _ payload: [UInt8]) -> [UInt8] {
        update(payload)
        let data = flags & 0x08 != 0 && !payload.isEmpty ? deflated(payload) : payload
        return seal(number, flags, data)
    }

    /// A frame whose compressed data is given, and what it inflates to.
    mutating func frame(_ number: UInt64, _ flags: UInt8, deflated data: [UInt8], of payload: [UInt8]) -> [UInt8] {
        update(payload)
        return seal(number, flags, data)
    }

    func deflated(_ payload: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: payload.count * 9 / 8 + 100)
        let count = output.withUnsafeMutableBytes { output in
            payload.withUnsafeBytes { (try? deflater?.deflate($0, into: output)) ?? 0 }
        }
        return Array(output[..<count])
    }

    private func seal(_ number: UInt64, _ flags: UInt8, _ data: [UInt8]) -> [UInt8] {
        varint(number) + [flags] + data + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: checksum >> $0) }
    }

    private static let table: [UInt32] = (0..<256).map { (index: UInt32) in
        (0..<8).reduce(index) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private mutating func update(_ bytes: [UInt8]) {
        var value = ~checksum
        Forge.table.withUnsafeBufferPointer { table in
            bytes.withUnsafeBufferPointer { bytes in
                for byte in bytes { value = table[Int((value ^ UInt32(byte)) & 0xFF)] ^ (value >> 8) }
            }
        }
        checksum = ~value
    }
}

/// An acknowledgement by hand.
func acknowledgement(_ number: UInt64, _ flags: UInt8, _ count: UInt64) -> [UInt8] { varint(number) + [flags] + varint(count) }

extension BLIPConnection {
    /// All frames that it can send now.
    func frames() throws -> [[UInt8]] {
        var list: [[UInt8]] = []
        while let frame = try nextFrame() { list.append(frame) }
        return list
    }

    /// Reads frames, and gives what they brought.
    @discardableResult
    func receive(all frames: [[UInt8]]) throws -> [Event] { try frames.compactMap { try receive($0) } }

    /// Reads the next frame of another one, which must have one.
    func receiveNext(of other: BLIPConnection) throws -> Event? {
        let frame = try #require(try other.nextFrame())
        return try receive(frame)
    }

    /// The error with which it refuses a frame.
    func refusal(of frame: [UInt8]) -> BLIPError? {
        do throws(BLIPError) {
            _ = try receive(frame)
            return nil
        } catch {
            return error
        }
    }
}

extension BLIPConnection.Event {
    var message: IncomingMessage? { if case .received(let message) = self { message } else { nil } }
    var request: ReceivedRequest? { message?.request }
}

extension IncomingMessage {
    var request: ReceivedRequest? { if case .request(let request) = origin { request } else { nil } }
    var answered: SentMessage? { if case .response(let message) = origin { message } else { nil } }
}

/// Hands frames over, in turn, until nobody has any; gives what each of the two received.
func converse(_ one: BLIPConnection, _ other: BLIPConnection) throws -> (one: [BLIPConnection.Event], other: [BLIPConnection.Event]) {
    var events: (one: [BLIPConnection.Event], other: [BLIPConnection.Event]) = ([], [])
    while one.hasFrames || other.hasFrames {
        if let frame = try one.nextFrame(), let event = try other.receive(frame) { events.other.append(event) }
        if let frame = try other.nextFrame(), let event = try one.receive(frame) { events.one.append(event) }
    }
    return events
}

func randomBytes(_ count: Int, _ random: inout SeededRandom) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count + 7) { buffer, length in
        let memory = UnsafeMutableRawBufferPointer(buffer)
        for place in stride(from: 0, to: count, by: 8) { memory.storeBytes(of: random.next(), toByteOffset: place, as: UInt64.self) }
        length = count
    }
}

/// Text again and again, up to a length.
func repeated(_ text: String, count: Int) -> [UInt8] {
    let words = Array(text.utf8)
    return Array(repeatElement(words, count: count / words.count + 1).joined().prefix(count))
}

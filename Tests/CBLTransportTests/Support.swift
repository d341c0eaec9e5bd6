import CBLTestSupport

@testable import CBLTransport

extension ByteQueue {
    init(_ bytes: [UInt8]) {
        self.init(capacity: bytes.count)
        append(bytes)
    }

    var array: [UInt8] { Array(bytes) }
}

/// What a reader made of some bytes: events with copies of their payloads.
enum Seen: Equatable {
    case binary([UInt8])
    case text(String)
    case ping([UInt8])
    case pong([UInt8])
    case close(UInt16, String)
    case violation(UInt16)

    init(_ event: FrameReader.Event) {
        self =
            switch event {
            case .binary(let bytes): .binary(Array(bytes))
            case .text(let bytes): .text(String(decoding: bytes, as: UTF8.self))
            case .ping(let bytes): .ping(Array(bytes))
            case .pong(let bytes): .pong(Array(bytes))
            case .close(let code, let reason): .close(code.rawValue, reason)
            }
    }
}

/// Reads everything that is in the bytes, fed in pieces of that size.
func read(_ bytes: [UInt8], as role: WebSocketRole, limit: Int = 1 << 20, piece: Int = .max) -> [Seen] {
    var reader = FrameReader(role: role, maximumMessageSize: limit)
    var queue = ByteQueue()
    var seen: [Seen] = []
    var rest = bytes[...]
    repeat {
        let next = Array(rest.prefix(piece))
        rest = rest.dropFirst(piece)
        queue.append(next)
        do {
            while let event = try reader.next(in: &queue) { seen.append(Seen(event)) }
        } catch {
            return seen + [.violation(error.code.rawValue)]
        }
    } while !rest.isEmpty
    return seen
}

func frame(
    _ opcode: FrameHeader.Opcode, _ payload: [UInt8], isFinal: Bool = true, from role: WebSocketRole = .client, seed: UInt64 = 7
) -> [UInt8] {
    var writer = FrameWriter(role: role, random: SeededRandom(seed))
    var queue = ByteQueue()
    payload.withUnsafeBytes { writer.append(opcode, $0, isFinal: isFinal, to: &queue) }
    return queue.array
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A head as it stands in the wire, from its lines.
func head(_ lines: String...) -> [UInt8] { bytes(lines.joined(separator: "\r\n") + "\r\n\r\n") }

func response(_ lines: String...) throws -> HTTPResponseHead {
    try bytes(lines.joined(separator: "\r\n") + "\r\n\r\n").withUnsafeBytes { try HTTPResponseHead($0) }
}

func request(_ lines: String...) throws -> HTTPRequestHead {
    try bytes(lines.joined(separator: "\r\n") + "\r\n\r\n").withUnsafeBytes { try HTTPRequestHead($0) }
}

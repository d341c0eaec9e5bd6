import Testing

/// Reads the binary form, by its description alone.
struct LogReader {
    struct Message: Equatable {
        let microseconds: UInt64
        let level: UInt8
        let domain: String
        let text: String
    }

    private(set) var startSeconds: UInt64 = 0
    private(set) var messages: [Message] = []
    /// The texts that are stored once.
    private(set) var tokens: [String] = []

    private let bytes: [UInt8]
    private var position = 6

    init(_ bytes: [UInt8]) throws {
        self.bytes = bytes
        try #require(Array(bytes.prefix(6)) == [0xCF, 0xB2, 0xAB, 0x1B, 1, 8])
        startSeconds = try number()
        var time = startSeconds * 1_000_000
        while position < bytes.count {
            time += try number()
            let level = try byte()
            let domain = try token()
            try #require(try number() == 0)
            let format = try token()
            let parts = format.split(separator: "%s", omittingEmptySubsequences: false)
            let text = parts.count > 1 ? try string() : ""
            messages.append(Message(microseconds: time, level: level, domain: domain, text: parts.joined(separator: text)))
        }
    }

    private mutating func byte() throws -> UInt8 {
        try #require(position < bytes.count)
        position += 1
        return bytes[position - 1]
    }

    private mutating func number() throws -> UInt64 {
        var (result, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = try byte()
            result |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return result }
            shift += 7
        }
    }

    private mutating func string() throws -> String {
        let count = Int(try number())
        try #require(count <= bytes.count - position)
        defer { position += count }
        return String(decoding: bytes[position..<position + count], as: UTF8.self)
    }

    private mutating func token() throws -> String {
        let number = Int(try number())
        if number < tokens.count { return tokens[number] }
        try #require(number == tokens.count)
        let end = try #require(bytes[position...].firstIndex(of: 0))
        tokens.append(String(decoding: bytes[position..<end], as: UTF8.self))
        position = end + 1
        return tokens[number]
    }
}

/// The binary form of a log. What is written of a message depends on those before: texts that come again are numbers, and a time is the
/// microseconds since the last one.
package struct LogEncoder {
    /// The bytes that such a file begins with, and the version of the form.
    package static let magic: [UInt8] = [0xCF, 0xB2, 0xAB, 0x1B]
    private static let version: UInt8 = 1

    private var lastMicroseconds: UInt64
    private var tokens: [String: UInt64] = [:]
    private var objects: [String: UInt64] = [:]

    /// The first bytes of a file.
    package let header: [UInt8]

    package init(at time: LogTime) {
        let seconds = time.nanoseconds / 1_000_000_000
        // The header knows whole seconds; the first message has the rest.
        lastMicroseconds = seconds * 1_000_000
        var header = LogEncoder.magic + [LogEncoder.version, UInt8(MemoryLayout<UInt>.size)]
        LogEncoder.append(seconds, to: &header)
        self.header = header
    }

    /// A message about an object such as `/Repl#1/`, or about none. The format has a `%s` for the text, or nothing if there is no text.
    package mutating func message(
        _ format: String, _ text: String?, _ level: MessageLevel, domain: String, object: String = "", at time: LogTime
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(16 + (text?.utf8.count ?? 0))
        let microseconds = time.nanoseconds / 1000
        // Somebody may have set the clock back.
        LogEncoder.append(microseconds > lastMicroseconds ? microseconds - lastMicroseconds : 0, to: &bytes)
        lastMicroseconds = microseconds
        bytes.append(level.rawValue)
        append(token: domain, to: &bytes)
        append(object: object, to: &bytes)
        append(token: format, to: &bytes)
        if let text {
            LogEncoder.append(UInt64(text.utf8.count), to: &bytes)
            bytes += text.utf8
        }
        return bytes
    }

    /// Its number, and its name the first time.
    private mutating func append(object: String, to bytes: inout [UInt8]) {
        guard !object.isEmpty else { return bytes.append(0) }
        if let number = objects[object] { return LogEncoder.append(number, to: &bytes) }
        let number = UInt64(objects.count + 1)
        objects[object] = number
        LogEncoder.append(number, to: &bytes)
        bytes += object.utf8.map { $0 == 0 ? UInt8(ascii: "?") : $0 }
        bytes.append(0)
    }

    private mutating func append(token: String, to bytes: inout [UInt8]) {
        if let number = tokens[token] { return LogEncoder.append(number, to: &bytes) }
        let number = UInt64(tokens.count)
        tokens[token] = number
        LogEncoder.append(number, to: &bytes)
        bytes += token.utf8
        bytes.append(0)
    }

    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        withUnsafeTemporaryAllocation(byteCount: Varint.maximumLength, alignment: 1) { room in
            let length = Varint.write(number, to: room)
            bytes += room[..<length]
        }
    }
}

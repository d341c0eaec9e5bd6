import Glibc

/// Reads the binary form of a log, as far as there is any: what a program is still writing comes piece by piece.
///
///     var decoder = LogDecoder()
///     decoder.append(bytes)
///     while let record = try decoder.next() { … }
///
/// Everything in it is a stranger's. Whatever the bytes are, it ends, and takes no more memory than some times their number.
package struct LogDecoder {
    private var bytes: [UInt8] = []
    /// Of the next message in `bytes`, and where `bytes` begins in the file.
    private var position = 0
    private var dropped = 0
    private var hasHeader = false
    private var pointerSize = 8
    private var microseconds: UInt64 = 0
    private var tokens: [String] = []
    private var objects: [UInt64: String] = [:]

    /// A message that has not ended after so many bytes never will.
    private static let longestMessage = 1 << 26

    package init() {}

    package mutating func append(_ more: UnsafeRawBufferPointer) {
        if position > 1 << 16 {
            bytes.removeFirst(position)
            dropped += position
            position = 0
        }
        bytes.append(contentsOf: more)
    }

    /// Whether there are bytes of a message that has not come to its end.
    package var isInside: Bool { position < bytes.count }

    package var offset: Int { dropped + position }

    /// The next message; nil if it is not all there yet.
    package mutating func next() throws(LogDamage) -> LogRecord? {
        let (tokenCount, start) = (tokens.count, position)
        do {
            if !hasHeader { try readHeader() }
            guard position < bytes.count else { return nil }
            let begin = position
            do { return try readMessage() } catch Incomplete.moreNeeded {
                position = begin
                tokens.removeLast(tokens.count - tokenCount)
            }
        } catch Incomplete.moreNeeded {
            position = start
        } catch let damage as LogDamage {
            throw damage
        } catch {
            throw .nonsense("\(error)", offset: offset)
        }
        if bytes.count - position > LogDecoder.longestMessage { throw .nonsense("a message without an end", offset: offset) }
        return nil
    }

    private enum Incomplete: Error { case moreNeeded }

    private mutating func readHeader() throws {
        guard bytes.count >= LogEncoder.magic.count else {
            guard LogEncoder.magic.starts(with: bytes) else { throw LogDamage.notALog }
            throw Incomplete.moreNeeded
        }
        guard bytes.starts(with: LogEncoder.magic) else { throw LogDamage.notALog }
        position = LogEncoder.magic.count
        let version = try byte()
        guard version == 1 else { throw LogDamage.version(version) }
        let size = try byte()
        guard size == 4 || size == 8 else { throw LogDamage.pointerSize(size) }
        pointerSize = Int(size)
        let (start, overflows) = try varint().multipliedReportingOverflow(by: 1_000_000)
        guard !overflows else { throw LogDamage.nonsense("a time that cannot be", offset: offset) }
        microseconds = start
        hasHeader = true
    }

    private mutating func readMessage() throws -> LogRecord {
        let (time, overflows) = try microseconds.addingReportingOverflow(varint())
        guard !overflows else { throw LogDamage.nonsense("a time that cannot be", offset: offset) }
        let level = try byte()
        let domain = try token()
        let number = try varint()
        var object = ""
        var isNewObject = false
        if number != 0 {
            if let known = objects[number] {
                object = known
            } else {
                object = try terminatedText()
                isNewObject = true
            }
        }
        let message = try formatted(try token())
        microseconds = time
        if isNewObject { objects[number] = object }
        return LogRecord(
            microseconds: time, level: MessageLevel(rawValue: level), levelNumber: level, domain: domain, object: object, message: message)
    }

    /// Puts the arguments that follow into a format. Width and precision are not heeded, as the vendor's tools do not.
    private mutating func formatted(_ format: String) throws -> String {
        var result: [UInt8] = []
        var rest = Array(format.utf8)[...]
        while let character = rest.popFirst() {
            guard character == UInt8(ascii: "%") else {
                result.append(character)
                continue
            }
            var isToken = false
            var hasStar = false
            while let flag = rest.first, "-#0+ '.*123456789hljtzq".utf8.contains(flag) {
                if flag == UInt8(ascii: "-") { isToken = true }
                if flag == UInt8(ascii: "*") { hasStar = true }
                rest.removeFirst()
            }
            guard let conversion = rest.popFirst() else { throw LogDamage.nonsense("a format without an end", offset: offset) }
            switch conversion {
            case UInt8(ascii: "%"): result.append(conversion)
            case UInt8(ascii: "d"), UInt8(ascii: "i"): result += try signed().utf8
            case UInt8(ascii: "c"):
                let isNegative = try byte() != 0
                let value = try varint()
                if !isNegative, value < 0x80 { result.append(UInt8(value)) } else { result.append(UInt8(ascii: "?")) }
            case UInt8(ascii: "u"): result += try String(varint()).utf8
            case UInt8(ascii: "x"), UInt8(ascii: "X"): result += try String(varint(), radix: 16).utf8
            case UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "g"), UInt8(ascii: "G"),
                UInt8(ascii: "a"), UInt8(ascii: "A"):
                result += try LogDecoder.text(of: Double(bitPattern: word(8))).utf8
            case UInt8(ascii: "s") where isToken && !hasStar: result += try token().utf8
            case UInt8(ascii: "s") where isToken: result += try taken(length()).withUnsafeBytes { Hex.text(of: $0) }.utf8
            case UInt8(ascii: "s"), UInt8(ascii: "@"): result += try taken(length())
            case UInt8(ascii: "p"): result += try ("0x" + String(word(pointerSize), radix: 16)).utf8
            default: throw LogDamage.nonsense("a format that is none", offset: offset)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private mutating func signed() throws -> String {
        let isNegative = try byte() != 0
        let value = try varint()
        return isNegative && value != 0 ? "-\(value)" : "\(value)"
    }

    /// With six digits that count.
    private static func text(of value: Double) -> String {
        guard value.isFinite, value != 0 else { return value == 0 ? "0" : "\(value)" }
        var text = [CChar](repeating: 0, count: 64)
        let count = withVaList([value]) { vsnprintf(&text, text.count, "%g", $0) }
        return String(decoding: text.prefix(Int(max(0, count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    // MARK: Bytes

    private mutating func byte() throws -> UInt8 {
        guard position < bytes.count else { throw Incomplete.moreNeeded }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func varint() throws -> UInt64 {
        var (value, shift): (UInt64, UInt64) = (0, 0)
        while true {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw LogDamage.nonsense("a number that is too long", offset: offset) }
            value |= UInt64(byte & 0x7F) << shift
            if byte & 0x80 == 0 { return value }
            shift += 7
        }
    }

    private mutating func length() throws -> Int {
        let length = try varint()
        guard length <= UInt64(LogDecoder.longestMessage) else { throw LogDamage.nonsense("a text that is too long", offset: offset) }
        return Int(length)
    }

    private mutating func taken(_ count: Int) throws -> [UInt8] {
        guard bytes.count - position >= count else { throw Incomplete.moreNeeded }
        defer { position += count }
        return Array(bytes[position..<position + count])
    }

    private mutating func word(_ size: Int) throws -> UInt64 {
        try taken(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func terminatedText() throws -> String {
        guard let end = bytes[position...].firstIndex(of: 0) else { throw Incomplete.moreNeeded }
        defer { position = end + 1 }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    private mutating func token() throws -> String {
        let number = try varint()
        guard number <= UInt64(tokens.count) else { throw LogDamage.nonsense("a text that was never given", offset: offset) }
        if number < UInt64(tokens.count) { return tokens[Int(number)] }
        let text = try terminatedText()
        tokens.append(text)
        return text
    }
}

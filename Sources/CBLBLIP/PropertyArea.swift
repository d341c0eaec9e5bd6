import CBLBase
import Glibc

/// A received message's properties, read where they lie: `name NUL value NUL`, and so on.
struct PropertyArea {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    enum Search {
        /// Where the properties lie in the message.
        case found(Range<Int>)
        /// The message goes on before they end.
        case incomplete
        case malformed(String)
    }

    /// Finds and checks the properties with which a message begins.
    static func find(in message: UnsafeRawBufferPointer) -> Search {
        switch Varint.read(message) {
        case .incomplete: return .incomplete
        case .tooLarge: return .malformed("their length has more than 64 bits")
        case .value(let count, let start):
            guard count <= UInt64(maximumProperties) else { return .malformed("\(count) bytes are more than \(maximumProperties)") }
            let range = start..<start + Int(count)
            guard range.upperBound <= message.count else { return .incomplete }
            guard PropertyArea(UnsafeRawBufferPointer(rebasing: message[range])).isWellFormed else {
                return .malformed("they are not pairs of strings that end in NUL")
            }
            return .found(range)
        }
    }

    private var isWellFormed: Bool {
        guard let last = bytes.last else { return true }
        guard last == 0 else { return false }
        var strings = 0
        for byte in bytes where byte == 0 { strings += 1 }
        return strings % 2 == 0
    }

    /// The value of a property; of the first one, if a peer sends several.
    subscript(name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        var position = 0
        while let key = string(at: &position), let value = string(at: &position) {
            if key.count == name.count, key.isEmpty || memcmp(key.baseAddress!, name.baseAddress!, key.count) == 0 { return value }
        }
        return nil
    }

    /// All of them, in the order in which they were sent.
    var all: [(name: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] {
        var list: [(UnsafeRawBufferPointer, UnsafeRawBufferPointer)] = []
        var position = 0
        while let key = string(at: &position), let value = string(at: &position) { list.append((key, value)) }
        return list
    }

    private func string(at position: inout Int) -> UnsafeRawBufferPointer? {
        guard position < bytes.count, let base = bytes.baseAddress,
            let end = memchr(base + position, 0, bytes.count - position)
        else { return nil }
        let count = UnsafeRawPointer(end) - (base + position)
        defer { position += count + 1 }
        return UnsafeRawBufferPointer(start: base + position, count: count)
    }
}

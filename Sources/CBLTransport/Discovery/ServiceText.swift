import CBLBase

/// The entries of a TXT record (RFC 6763, section 6): what a service says of itself.
///
/// Anybody on the network can have written them, so there are limits, and a value is text only if it is UTF-8.
package struct ServiceText: Hashable, Sendable {
    /// Each is `key=value`.
    package private(set) var entries: [[UInt8]] = []
    private var byteCount = 0

    static let longestEntry = 255
    /// With this much an answer still fits into a packet of Ethernet.
    static let mostBytes = 1300

    package init() {}

    /// What others have written. Further entries than there is room for are left out.
    package init(_ entries: some Sequence<[UInt8]>) {
        for entry in entries { guard append(entry) else { break } }
    }

    /// False, and nothing is added, if there is no room for it.
    @discardableResult
    package mutating func add(_ key: String, _ value: String) -> Bool { append(Array("\(key)=\(value)".utf8)) }

    private mutating func append(_ entry: [UInt8]) -> Bool {
        guard entry.count <= ServiceText.longestEntry, byteCount + entry.count + 1 <= ServiceText.mostBytes else { return false }
        entries.append(entry)
        byteCount += entry.count + 1
        return true
    }

    /// The value of the first entry with that key, whose case does not count. Nil if there is none, or it is no text.
    package subscript(key: String) -> String? {
        let wanted = Array(lowerCased(key).utf8)
        for entry in entries {
            let end = entry.firstIndex(of: UInt8(ascii: "=")) ?? entry.count
            guard end == wanted.count, entry[..<end].elementsEqual(wanted, by: { lowerCase($0) == $1 }) else { continue }
            let value = entry[min(end + 1, entry.count)...]
            guard value.withUnsafeBytes({ isUTF8($0) }) else { return nil }
            return String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}

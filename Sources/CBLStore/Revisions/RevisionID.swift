import CBLBase

/// The name of a revision: a tree ID (`2-dc8ae8ff…`, a generation and a digest) or a version (`18e9d1d110b40000@*`).
///
/// It keeps its binary form in place, at most 42 bytes as everywhere, so making, copying and comparing one allocates nothing.
package struct RevisionID: Hashable, Sendable, CustomStringConvertible {
    /// The longest binary form.
    package static let maximumLength = 42

    // The binary form, zeros behind it, and its length in the last byte.
    private var words: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
    private static let lengthOffset = 47

    private init(_ bytes: UnsafeRawBufferPointer) {
        withUnsafeMutableBytes(of: &words) {
            $0.copyMemory(from: bytes)
            $0[RevisionID.lengthOffset] = UInt8(bytes.count)
        }
    }

    /// A tree ID or a lone version in binary.
    package init(binary bytes: UnsafeRawBufferPointer) throws(RevisionError) {
        guard bytes.count <= RevisionID.maximumLength else { throw RevisionID.bad(bytes, "it is longer than 42 bytes") }
        guard let first = bytes.first else { throw RevisionID.bad(bytes, "it is empty") }
        if first == 0 {
            var position = 1
            guard let (version, _) = Version.read(bytes, at: &position, after: nil), position == bytes.count else {
                throw RevisionID.bad(bytes, "it is not a version")
            }
            self.init(version)
        } else {
            guard RevisionID.isTreeID(bytes) else { throw RevisionID.bad(bytes, "it is not a generation and a digest") }
            self.init(bytes)
        }
    }

    /// What the `version` column of a record stands for: a tree ID, or the current version of a vector.
    package init(column bytes: UnsafeRawBufferPointer) throws(RevisionError) {
        guard bytes.first == 0 else {
            try self.init(binary: bytes)
            return
        }
        var position = 1
        guard let (version, _) = Version.read(bytes, at: &position, after: nil) else {
            throw RevisionID.bad(bytes, "it is not a version vector")
        }
        self.init(version)
    }

    package init(_ version: Version) {
        withUnsafeMutableBytes(of: &words) { storage in
            guard let start = storage.baseAddress else { return }
            let length = version.write(to: start + 1, after: nil, isMarked: false)
            storage[RevisionID.lengthOffset] = UInt8(1 + length)
        }
    }

    /// A tree ID; nil for generation 0, and for an empty digest or one that is too long.
    package init?(generation: UInt32, digest: UnsafeRawBufferPointer) {
        let length = Varint.length(of: UInt64(generation)) + digest.count
        guard generation > 0, !digest.isEmpty, length <= RevisionID.maximumLength else { return nil }
        withUnsafeMutableBytes(of: &words) { storage in
            guard let start = storage.baseAddress else { return }
            let position = Varint.write(UInt64(generation), to: start)
            UnsafeMutableRawBufferPointer(rebasing: storage[position...]).copyMemory(from: digest)
            storage[RevisionID.lengthOffset] = UInt8(length)
        }
    }

    package var isVersion: Bool { withUnsafeBytes(of: words) { $0[0] == 0 } }

    /// A tree ID's generation; 0 for a version.
    package var generation: UInt32 {
        withBinary { bytes in
            var position = 0
            return UInt32(truncatingIfNeeded: Varint.read(bytes, at: &position) ?? 0)
        }
    }

    /// The version that it is; nil for a tree ID.
    package var version: Version? {
        withBinary { bytes in
            guard bytes.first == 0 else { return nil }
            var position = 1
            return Version.read(bytes, at: &position, after: nil)?.version
        }
    }

    package func withBinary<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: words) {
            try body(UnsafeRawBufferPointer(rebasing: $0[..<Int($0[RevisionID.lengthOffset])]))
        }
    }

    package var binary: [UInt8] { withBinary { Array($0) } }

    /// The bytes behind the generation of a tree ID; empty for a version.
    package func withDigest<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withBinary { bytes in
            var position = 0
            guard bytes.first != 0, Varint.read(bytes, at: &position) != nil else {
                return try body(UnsafeRawBufferPointer(start: nil, count: 0))
            }
            return try body(UnsafeRawBufferPointer(rebasing: bytes[position...]))
        }
    }

    /// Whether bytes that do not begin with 0 are the shortest form of a generation, with a digest behind it.
    static func isTreeID(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var position = 0
        guard let generation = Varint.read(bytes, at: &position) else { return false }
        return (1...UInt64(UInt32.max)).contains(generation) && Varint.length(of: generation) == position && position < bytes.count
    }

    private static func bad(_ bytes: UnsafeRawBufferPointer, _ reason: String) -> RevisionError {
        .badID(Hex.text(of: UnsafeRawBufferPointer(rebasing: bytes.prefix(maximumLength))), reason: reason)
    }

    package static func == (a: RevisionID, b: RevisionID) -> Bool { a.words == b.words }

    package func hash(into hasher: inout Hasher) {
        withUnsafeBytes(of: words) { hasher.combine(bytes: $0) }
    }
}

/// The order of tree IDs: by generation, then by the bytes of the digest. (Versions of different documents have no order that means anything:
/// they stand before tree IDs, by time.)
extension RevisionID: Comparable {
    package static func < (a: RevisionID, b: RevisionID) -> Bool {
        if let x = a.version, let y = b.version { return (x.time, x.source) < (y.time, y.source) }
        let (x, y) = (a.generation, b.generation)
        guard x == y else { return x < y }
        return a.withDigest { left in b.withDigest { right in left.lexicographicallyPrecedes(right) } }
    }
}

import CBLSystemNettle

/// A SHA-1 digest in the making: revision IDs and the names of blobs are SHA-1.
///
///     var sha1 = SHA1()
///     sha1.update(bytes)
///     let digest = sha1.finish()
@usableFromInline package struct SHA1 {
    private var context = sha1_ctx()

    package init() { nettle_sha1_init(&context) }

    @usableFromInline package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        nettle_sha1_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
    }

    @inlinable package mutating func update(_ bytes: some Sequence<UInt8>) {
        let isContiguous: Void? = bytes.withContiguousStorageIfAvailable { update(UnsafeRawBufferPointer($0)) }
        if isContiguous == nil { for byte in bytes { update(byte) } }
    }

    @usableFromInline package mutating func update(_ byte: UInt8) {
        withUnsafeBytes(of: byte) { update($0) }
    }

    /// The digest of everything so far. The next `update` begins a new one.
    package mutating func finish() -> Digest {
        var digest = Digest()
        withUnsafeMutableBytes(of: &digest.words) {
            guard let start = $0.baseAddress else { return }
            nettle_sha1_digest(&context, Digest.count, start.assumingMemoryBound(to: UInt8.self))
        }
        return digest
    }

    package static func digest(of bytes: UnsafeRawBufferPointer) -> Digest {
        var sha1 = SHA1()
        sha1.update(bytes)
        return sha1.finish()
    }

    /// Twenty bytes, kept in place.
    @usableFromInline package struct Digest: Hashable, Sendable {
        package static let count = 20
        @usableFromInline var words: (UInt32, UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0, 0)

        fileprivate init() {}

        /// A digest that was read from somewhere; nil unless there are 20 bytes.
        package init?(_ bytes: UnsafeRawBufferPointer) {
            guard bytes.count == Digest.count else { return nil }
            withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        }

        @inlinable package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try withUnsafeBytes(of: words, body)
        }

        package var hex: String { withBytes { Hex.text(of: $0) } }
        package var base64: String { withBytes { Base64.text(of: $0) } }

        @inlinable package static func == (a: Digest, b: Digest) -> Bool { a.words == b.words }

        @usableFromInline package func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }
    }
}

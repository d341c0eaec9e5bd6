import CBLSystemZlib

/// What stands around bytes that deflate has compressed (RFC 1951).
package enum CompressedFormat: Sendable {
    /// A header and a checksum, and perhaps several of it in a row (RFC 1952).
    case gzip
    /// Two bytes and a checksum (RFC 1950).
    case zlib
    /// Nothing.
    case raw

    // The largest window; which format it is, zlib is told by the same number.
    var windowBits: Int32 {
        switch self {
        case .gzip: 15 + 16
        case .zlib: 15
        case .raw: -15
        }
    }

    /// Which of the two that are called "deflate" begins so. Without a header, a byte with these bits would begin a block that is not compressed,
    /// with rubbish where its header is filled up; nobody writes that.
    static func deflate(beginningWith byte: UInt8) -> CompressedFormat { byte & 0x0F == 8 ? .zlib : .raw }
}

/// How far a step of compressing or decompressing got.
package struct CompressionProgress: Hashable, Sendable {
    /// So many bytes of the input were taken.
    package var consumed = 0
    /// So many bytes were put into the output. If that is full, there may be more to come without any input.
    package var produced = 0
}

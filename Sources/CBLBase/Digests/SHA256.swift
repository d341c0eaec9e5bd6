import CBLSystemNettle

/// A SHA-256 digest: the checkpoints of named collections are called by it.
package enum SHA256 {
    package static let count = 32

    package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var context = sha256_ctx()
        nettle_sha256_init(&context)
        if let start = bytes.baseAddress { nettle_sha256_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self)) }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            nettle_sha256_digest(&context, count, buffer.baseAddress)
            written = count
        }
    }
}

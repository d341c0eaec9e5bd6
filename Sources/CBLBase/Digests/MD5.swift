import CBLSystemNettle

/// An MD5 digest in the making. It proves nothing any more; CouchDB names attachments by it, and old servers ask for passwords with it.
package struct MD5 {
    package static let count = 16
    private var context = md5_ctx()

    package init() { nettle_md5_init(&context) }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        nettle_md5_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
    }

    /// The digest of everything so far. The next `update` begins a new one.
    package mutating func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: MD5.count) { buffer, written in
            nettle_md5_digest(&context, MD5.count, buffer.baseAddress)
            written = MD5.count
        }
    }

    package static func digest(of bytes: UnsafeRawBufferPointer) -> [UInt8] {
        var md5 = MD5()
        md5.update(bytes)
        return md5.finish()
    }
}

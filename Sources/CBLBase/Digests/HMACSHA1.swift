import CBLSystemNettle

/// What proves that bytes come from who knows a key (RFC 2104), with SHA-1.
///
///     let keyed = HMACSHA1(key: key)
///     var code = keyed
///     code.update(bytes)
///     if code.isFinished(as: expected) { … }
package struct HMACSHA1 {
    package static let count = 20
    private var context = hmac_sha1_ctx()

    package init(key: UnsafeRawBufferPointer) {
        nettle_hmac_sha1_set_key(&context, key.count, key.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        nettle_hmac_sha1_update(&context, bytes.count, start.assumingMemoryBound(to: UInt8.self))
    }

    /// The code of everything so far.
    package mutating func finish() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: HMACSHA1.count) { code, count in
            nettle_hmac_sha1_digest(&context, HMACSHA1.count, code.baseAddress)
            count = HMACSHA1.count
        }
    }

    /// Whether the code of everything so far is the one given, in a time that does not tell where it differs.
    package mutating func isFinished(as expected: UnsafeRawBufferPointer) -> Bool {
        var code = (UInt64(0), UInt64(0), UInt32(0))
        return withUnsafeMutableBytes(of: &code) { code in
            guard expected.count == HMACSHA1.count, let expected = expected.baseAddress, let start = code.baseAddress else { return false }
            nettle_hmac_sha1_digest(&context, HMACSHA1.count, start.assumingMemoryBound(to: UInt8.self))
            return nettle_memeql_sec(start, expected, HMACSHA1.count) != 0
        }
    }
}

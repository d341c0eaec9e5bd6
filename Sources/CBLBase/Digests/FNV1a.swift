/// The hash of Fowler, Noll and Vo, variant 1a, of 32 bits: quick for short texts, and nothing that anybody should trust.
package enum FNV1a {
    @inlinable
    package static func hash(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for byte in bytes { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
        return hash
    }
}

import CBLSystemNettle

/// AES with a key of 32 bytes, in chains of blocks (CBC), for reading.
package final class AES256: Sendable {
    package static let blockSize = 16
    package static let keySize = 32

    // Sendable: nothing writes to it between `init` and `deinit`.
    private nonisolated(unsafe) let context: UnsafeMutablePointer<aes256_ctx>

    /// Nil unless the key has as many bytes as there must be.
    package init?(key: UnsafeRawBufferPointer) {
        guard key.count == AES256.keySize, let start = key.baseAddress else { return nil }
        context = .allocate(capacity: 1)
        context.initialize(to: aes256_ctx())
        nettle_aes256_set_decrypt_key(context, start.assumingMemoryBound(to: UInt8.self))
    }

    deinit {
        SecretBytes.wipe(UnsafeMutableRawBufferPointer(start: context, count: MemoryLayout<aes256_ctx>.size))
        context.deallocate()
    }

    /// Decrypts whole blocks in their place. `chain` is the encrypted block before them. False, and nothing is done, unless the sizes fit.
    package func decrypt(_ bytes: UnsafeMutableRawBufferPointer, chain: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count.isMultiple(of: AES256.blockSize), chain.count == AES256.blockSize else { return false }
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var chain = chain.loadUnaligned(as: SIMD16<UInt8>.self)
        withUnsafeMutableBytes(of: &chain) {
            guard let chain = $0.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            cblite_aes256_cbc_decrypt(context, chain, bytes.count, start, start)
        }
        return true
    }
}

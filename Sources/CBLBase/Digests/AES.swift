import CBLCipherKernels
import CBLSystemNettle

/// AES with a key of 16 or 32 bytes, in the three ways in which files are encrypted with it.
///
///     let aes = AES(key: key)
///     aes.decrypt(blocks, chain: blockBefore)
package final class AES: Sendable {
    package static let blockSize = 16
    package static let keySizes = [16, 32]
    package typealias Block = SIMD16<UInt8>

    /// So many streams are made at once: with more the processor has nothing to gain.
    package static let mostStreams = Int(cblcipher_lanes)
    private static let pieceSize = Int(cblcipher_piece)

    private let memory = SecretMemory(count: MemoryLayout<cblite_aes>.size)
    // Sendable: nothing writes to it between `init` and `deinit`.
    private nonisolated(unsafe) let context: UnsafeMutablePointer<cblite_aes>
    /// Whether chains are made by our own loop, for processors that are twice as quick with it.
    let usesKernel: Bool

    /// Nil unless the key has as many bytes as there must be.
    package convenience init?(key: UnsafeRawBufferPointer) { self.init(key: key, mayUseKernel: true) }

    init?(key: UnsafeRawBufferPointer, mayUseKernel: Bool) {
        guard AES.keySizes.contains(key.count), let start = key.baseAddress else { return nil }
        guard let place = memory.bytes.baseAddress else { return nil }
        context = place.bindMemory(to: cblite_aes.self, capacity: 1)
        cblite_aes_set_key(context, key.count == 32 ? 1 : 0, start.assumingMemoryBound(to: UInt8.self))
        usesKernel = mayUseKernel && AES.kernelAgrees(with: context)
    }

    /// Whether it can be used, and gives what the library gives: how that keeps a key is its own affair.
    private static func kernelAgrees(with context: UnsafeMutablePointer<cblite_aes>) -> Bool {
        guard cblcipher_is_possible() != 0 else { return false }
        let size = mostStreams * blockSize
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3 * size) { bytes in
            guard let blocks = bytes.baseAddress else { return false }
            let (expected, stream) = (blocks + size, blocks + 2 * size)
            for index in 0..<size { bytes[index] = UInt8(truncatingIfNeeded: index) }
            cblite_aes_encrypt(context, size, expected, blocks)
            cblcipher_chain(cblite_aes_round_keys(context), cblite_aes_rounds(context), blocks, 1, stream)
            let agrees = (0..<size).allSatisfy { stream[$0] == expected[$0] && blocks[$0] == expected[$0] }
            for index in bytes.indices { bytes[index] = 0 }
            return agrees
        }
    }

    deinit { memory.free() }

    /// Decrypts a chain of whole blocks (CBC) in their place. `chain` is the encrypted block before them. False, and nothing is done, unless the
    /// sizes fit.
    package func decrypt(_ bytes: UnsafeMutableRawBufferPointer, chain: UnsafeRawBufferPointer) -> Bool {
        chaining(bytes, chain) { cblite_aes_cbc_decrypt(context, $0, $1, $2, $2) }
    }

    /// Encrypts a chain of whole blocks (CBC) in their place, in the same way.
    package func encrypt(_ bytes: UnsafeMutableRawBufferPointer, chain: UnsafeRawBufferPointer) -> Bool {
        chaining(bytes, chain) { cblite_aes_cbc_encrypt(context, $0, $1, $2, $2) }
    }

    private func chaining(
        _ bytes: UnsafeMutableRawBufferPointer, _ chain: UnsafeRawBufferPointer,
        _ work: (UnsafeMutablePointer<UInt8>, Int, UnsafeMutablePointer<UInt8>) -> Void
    ) -> Bool {
        guard bytes.count.isMultiple(of: AES.blockSize), chain.count == AES.blockSize else { return false }
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return true }
        var chain = chain.loadUnaligned(as: Block.self)
        withUnsafeMutableBytes(of: &chain) {
            guard let chain = $0.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            work(chain, bytes.count, start)
        }
        return true
    }

    /// Adds to the bytes a stream of blocks that each is the encrypted one before it (OFB), from `first` on: encrypts and decrypts alike.
    package func applyChainedStream(_ bytes: UnsafeMutableRawBufferPointer, from first: Block) {
        guard let start = bytes.baseAddress else { return }
        let size = (bytes.count + AES.blockSize - 1) & ~(AES.blockSize - 1)
        // A chain of zeros is the stream itself, and the library keeps what it needs for the next block in the processor.
        withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { stream in
            stream.initializeMemory(as: UInt8.self, repeating: 0)
            guard let streamStart = stream.baseAddress else { return }
            withUnsafeBytes(of: first) { _ = encrypt(stream, chain: $0) }
            AES.add(streamStart, to: start, count: bytes.count)
        }
    }

    /// The same with several pieces of one length at once, which costs each a fraction of the time. They begin `stride` bytes from each other.
    package func applyChainedStreams(
        _ start: UnsafeMutableRawPointer, stride: Int, count: Int, from first: UnsafeMutableBufferPointer<Block>
    ) {
        guard first.count > 1, let blocks = UnsafeMutableRawPointer(first.baseAddress) else {
            if first.count == 1 { applyChainedStream(UnsafeMutableRawBufferPointer(start: start, count: count), from: first[0]) }
            return
        }
        if usesKernel {
            // All lanes take the time of one.
            withUnsafeTemporaryAllocation(byteCount: AES.mostStreams * AES.blockSize, alignment: 64) { all in
                guard let allStart = all.baseAddress else { return }
                all.initializeMemory(as: UInt8.self, repeating: 0)
                allStart.copyMemory(from: blocks, byteCount: first.count * AES.blockSize)
                let bytes = allStart.assumingMemoryBound(to: UInt8.self)
                let (keys, rounds) = (cblite_aes_round_keys(context), cblite_aes_rounds(context))
                let pieces = count / AES.pieceSize
                cblcipher_add_chains(
                    keys, rounds, bytes, start.assumingMemoryBound(to: UInt8.self), stride, Int32(first.count), pieces)
                let (rest, restCount) = (start + pieces * AES.pieceSize, count - pieces * AES.pieceSize)
                applyStreams(rest, stride: stride, count: restCount, of: first.count, lanes: AES.mostStreams) { stream, steps in
                    cblcipher_chain(keys, rounds, bytes, steps, stream)
                }
            }
        } else {
            let size = first.count * AES.blockSize
            let chain = blocks.assumingMemoryBound(to: UInt8.self)
            applyStreams(start, stride: stride, count: count, of: first.count, lanes: first.count) { stream, steps in
                for step in 0..<steps {
                    cblite_aes_encrypt(context, size, stream + step * size, step == 0 ? chain : stream + (step - 1) * size)
                }
                chain.update(from: stream + (steps - 1) * size, count: size)
            }
        }
    }

    /// A few blocks of each stream, and then a piece of each text: where pages lie one behind the other, the processor's cache has room for only some of
    /// their lines at once. `next` makes so many blocks more of each lane.
    @inline(__always)
    private func applyStreams(
        _ start: UnsafeMutableRawPointer, stride: Int, count: Int, of texts: Int, lanes: Int,
        next: (_ stream: UnsafeMutablePointer<UInt8>, _ steps: Int) -> Void
    ) {
        let size = lanes * AES.blockSize
        withUnsafeTemporaryAllocation(byteCount: lanes * AES.pieceSize, alignment: 64) { stream in
            guard let streamStart = stream.baseAddress else { return }
            var place = 0
            while place < count {
                let length = min(AES.pieceSize, count - place)
                next(streamStart.assumingMemoryBound(to: UInt8.self), (length + AES.blockSize - 1) / AES.blockSize)
                for lane in 0..<texts {
                    AES.add(streamStart + lane * AES.blockSize, step: size, to: start + lane * stride + place, count: length)
                }
                place += length
            }
        }
    }

    /// Adds to the bytes a stream of encrypted numbers (CTR) that belongs to a place in a file: encrypts and decrypts alike. `name` tells files that
    /// have the same key from each other.
    package func applyCountedStream(_ bytes: UnsafeMutableRawBufferPointer, at offset: Int, of name: UInt64) {
        guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
        var counter = SIMD2<UInt64>(name.bigEndian, UInt64(offset / AES.blockSize).bigEndian)
        let skipped = offset % AES.blockSize
        withUnsafeMutableBytes(of: &counter) { counter in
            guard let counter = counter.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
            var done = 0
            if skipped > 0 {
                var block = Block()
                withUnsafeMutableBytes(of: &block) { block in
                    guard let whole = block.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return }
                    done = min(AES.blockSize - skipped, bytes.count)
                    cblite_aes_ctr(context, counter, AES.blockSize, whole, whole)
                    AES.add(whole + skipped, to: start, count: done)
                }
            }
            cblite_aes_ctr(context, counter, bytes.count - done, start + done, start + done)
        }
    }

    @inline(__always)
    private static func add(_ stream: UnsafeRawPointer, step: Int = blockSize, to target: UnsafeMutableRawPointer, count: Int) {
        var (place, block) = (0, stream)
        while place + blockSize <= count {
            let sum = target.loadUnaligned(fromByteOffset: place, as: Block.self) ^ block.loadUnaligned(as: Block.self)
            target.storeBytes(of: sum, toByteOffset: place, as: Block.self)
            place += blockSize
            block += step
        }
        while place < count {
            let sum = target.load(fromByteOffset: place, as: UInt8.self) ^ block.load(as: UInt8.self)
            target.storeBytes(of: sum, toByteOffset: place, as: UInt8.self)
            place += 1
            block += 1
        }
    }
}

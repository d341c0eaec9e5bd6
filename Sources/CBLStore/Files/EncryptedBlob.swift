import CBLBase

/// An attachment as an encrypted database keeps it, read at any position. The last block is filled with 1 to 16 bytes that each say how many they are.
struct EncryptedBlob: Sendable {
    /// The file that says, in the folder of attachments of 1.x, that they are encrypted.
    static let markerName = "_encryption"

    /// How the content is cut into chains of blocks: each block needs the one before it.
    enum Layout: Sendable {
        /// 1.x: one chain, with what it begins with in the first 16 bytes of the file.
        case oneChain
        /// 2.0 and later: chains of 4096 bytes that begin with their numbers, and 32 random bytes at the end of the file.
        case numberedChains
    }

    static let chainSize = 4096
    /// Of numbered chains.
    static let tailSize = 32
    private static let pieceSize = 1 << 16

    /// Of the content.
    let length: Int
    private let file: RegularFile
    private let aes: AES
    private let layout: Layout

    init(_ file: RegularFile, _ key: EncryptionKey, _ layout: Layout) throws(StoreError) {
        let block = AES.blockSize
        let (head, tail) = layout == .oneChain ? (block, 0) : (0, EncryptedBlob.tailSize)
        let size = file.status.size - head - tail
        guard size >= block, size.isMultiple(of: block) else {
            throw StoreError(.corrupt, "\(file.path) is damaged: no encrypted attachment has \(file.status.size) bytes")
        }
        // Files with the short key may have attachments with the long one.
        for key in [key.whole, key].compactMap({ $0 }) {
            guard let aes = key.withBytes({ AES(key: $0) }) else { continue }
            let last = try EncryptedBlob.decrypt(file, aes, layout, blocks: (size / block - 1)..<(size / block))
            guard let count = last.last.map(Int.init), (1...block).contains(count), last.suffix(count).allSatisfy({ $0 == count }) else {
                continue
            }
            (self.aes, self.file, self.layout, length) = (aes, file, layout, size - count)
            return
        }
        throw StoreError(.corrupt, "\(file.path) is damaged, or was encrypted with another key")
    }

    /// Reads from a position on into the beginning of the buffer, and says how many bytes; 0 at the end.
    func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        let end = min(length, position.addingClamped(buffer.count))
        guard position >= 0, position < end else { return 0 }
        var done = position
        while done < end {
            let first = done / AES.blockSize
            let stop = min((end + AES.blockSize - 1) / AES.blockSize, first + EncryptedBlob.pieceSize / AES.blockSize)
            let piece = try EncryptedBlob.decrypt(file, aes, layout, blocks: first..<stop)
            let skipped = done - first * AES.blockSize
            let count = min(piece.count - skipped, end - done)
            piece.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[(done - position)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[skipped..<skipped + count]))
            }
            done += count
        }
        return end - position
    }

    /// Blocks of the content, counted from 0.
    private static func decrypt(_ file: RegularFile, _ aes: AES, _ layout: Layout, blocks: Range<Int>) throws(StoreError) -> [UInt8] {
        let block = AES.blockSize
        // Before the first one stands the one that its chain goes on from, unless it begins a chain of a number.
        let hasBefore = layout == .oneChain || !(blocks.lowerBound * block).isMultiple(of: chainSize)
        let before = hasBefore ? block : 0
        let start = blocks.lowerBound * block - before + (layout == .oneChain ? block : 0)
        var bytes = [UInt8](repeating: 0, count: blocks.count * block + before)
        guard try file.read(at: start, into: &bytes) == bytes.count else {
            throw StoreError(.corrupt, "\(file.path) became shorter while it was being read")
        }
        var chain = Array(bytes[..<before])
        bytes.removeFirst(before)
        var done = 0
        while done < bytes.count {
            let position = blocks.lowerBound * block + done
            if layout == .numberedChains, position.isMultiple(of: chainSize) { chain = self.chain(position / chainSize) }
            let rest = layout == .oneChain ? bytes.count : chainSize - position % chainSize
            let part = done..<min(bytes.count, done + rest)
            let isDone = bytes.withUnsafeMutableBytes { bytes in
                chain.withUnsafeBytes { aes.decrypt(UnsafeMutableRawBufferPointer(rebasing: bytes[part]), chain: $0) }
            }
            guard isDone else { throw StoreError(.corrupt, "\(file.path) cannot be decrypted") }
            done = part.upperBound
        }
        return bytes
    }

    /// What a chain begins with: its number, in sixteen bytes.
    fileprivate static func chain(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0, count: 8) + withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
    }
}

/// The content of an attachment on its way into a file in numbered chains.
struct BlobEncryption {
    private let aes: AES
    private var chains = 0
    /// What is not a whole chain yet.
    private var rest: [UInt8] = []

    init(_ aes: AES) { self.aes = aes }

    /// How many bytes the file of some content has.
    static func fileSize(_ length: Int) -> Int { (length / AES.blockSize + 1) * AES.blockSize + EncryptedBlob.tailSize }

    /// Gives `write` all that can be encrypted so far.
    mutating func append(_ bytes: UnsafeRawBufferPointer, _ write: (UnsafeRawBufferPointer) throws(StoreError) -> Void) throws(StoreError) {
        rest.append(contentsOf: bytes)
        let whole = rest.count / EncryptedBlob.chainSize * EncryptedBlob.chainSize
        guard whole > 0 else { return }
        encrypt(..<whole)
        let result = rest.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try write(UnsafeRawBufferPointer(rebasing: bytes[..<whole])) }
        }
        try result.get()
        rest.removeFirst(whole)
    }

    /// Gives what is left, and the end.
    mutating func finish() -> [UInt8] {
        let count = AES.blockSize - rest.count % AES.blockSize
        rest += [UInt8](repeating: UInt8(count), count: count)
        encrypt(..<rest.count)
        var tail = [UInt8](repeating: 0, count: EncryptedBlob.tailSize)
        tail.withUnsafeMutableBytes { RandomBytes.ask($0) }
        return rest + tail
    }

    private mutating func encrypt(_ range: PartialRangeUpTo<Int>) {
        for start in stride(from: 0, to: range.upperBound, by: EncryptedBlob.chainSize) {
            let part = start..<min(range.upperBound, start + EncryptedBlob.chainSize)
            let chain = EncryptedBlob.chain(chains)
            rest.withUnsafeMutableBytes { bytes in
                _ = chain.withUnsafeBytes { aes.encrypt(UnsafeMutableRawBufferPointer(rebasing: bytes[part]), chain: $0) }
            }
            chains += 1
        }
    }
}

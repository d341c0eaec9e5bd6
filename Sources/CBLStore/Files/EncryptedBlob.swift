import CBLBase

/// An attachment as an encrypted 1.x database keeps it: 16 bytes that the chain of blocks begins with, and the content with 1 to 16 bytes behind it
/// that each say how many they are. It is read at any position, for each block needs only the one before it.
struct EncryptedBlob: Sendable {
    /// The file that says, in the folder of attachments, that they are encrypted.
    static let markerName = "_encryption"
    private static let pieceSize = 1 << 16

    /// Of the content.
    let length: Int
    private let file: RegularFile
    private let aes: AES256

    init(_ file: RegularFile, _ key: EncryptionKey) throws(StoreError) {
        let block = AES256.blockSize
        guard let aes = key.withBytes({ AES256(key: $0) }) else {
            throw StoreError(.wrongKey, "the key is too short for the attachments")
        }
        let size = file.status.size
        guard size >= 2 * block, size.isMultiple(of: block) else {
            throw StoreError(.corrupt, "\(file.path) is damaged: no encrypted attachment has \(size) bytes")
        }
        self.aes = aes
        self.file = file
        let last = try EncryptedBlob.decrypt(file, aes, blocks: (size / block - 2)..<(size / block - 1))
        guard let count = last.last.map(Int.init), (1...block).contains(count), last.suffix(count).allSatisfy({ $0 == count }) else {
            throw StoreError(.corrupt, "\(file.path) is damaged, or was encrypted with another key")
        }
        length = size - block - count
    }

    /// Reads from a position on into the beginning of the buffer, and says how many bytes; 0 at the end.
    func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        let end = min(length, position.addingClamped(buffer.count))
        guard position >= 0, position < end else { return 0 }
        var done = position
        while done < end {
            let first = done / AES256.blockSize
            let stop = min((end + AES256.blockSize - 1) / AES256.blockSize, first + EncryptedBlob.pieceSize / AES256.blockSize)
            let piece = try EncryptedBlob.decrypt(file, aes, blocks: first..<stop)
            let skipped = done - first * AES256.blockSize
            let count = min(piece.count - skipped, end - done)
            piece.withUnsafeBytes { bytes in
                UnsafeMutableRawBufferPointer(rebasing: buffer[(done - position)...])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[skipped..<skipped + count]))
            }
            done += count
        }
        return end - position
    }

    /// Blocks of the content, counted from 0. Before each stands the one that its chain goes on from.
    private static func decrypt(_ file: RegularFile, _ aes: AES256, blocks: Range<Int>) throws(StoreError) -> [UInt8] {
        let block = AES256.blockSize
        var bytes = [UInt8](repeating: 0, count: (blocks.count + 1) * block)
        guard try file.read(at: blocks.lowerBound * block, into: &bytes) == bytes.count else {
            throw StoreError(.corrupt, "\(file.path) became shorter while it was being read")
        }
        var content = Array(bytes[block...])
        let isDone = bytes.withUnsafeBytes { bytes in
            content.withUnsafeMutableBytes { aes.decrypt($0, chain: UnsafeRawBufferPointer(rebasing: bytes[..<block])) }
        }
        guard isDone else { throw StoreError(.corrupt, "\(file.path) cannot be decrypted") }
        return content
    }
}

import CBLBLIP
import CBLStore

/// A blob as the body of a message: read when a frame has room for it. It tells when nobody needs it any more.
final class BlobBody: BodySource {
    private let reader: BlobReader
    private let onEnd: @Sendable () -> Void

    init(_ reader: BlobReader, onEnd: @escaping @Sendable () -> Void) {
        self.reader = reader
        self.onEnd = onEnd
    }

    deinit { onEnd() }

    var count: UInt64 { UInt64(reader.length) }

    func read(at position: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = try reader.read(at: Int(position), into: buffer)
        guard count > 0 else { throw SyncError.http(500, "the blob became shorter while it was being sent") }
        return count
    }
}

/// A proof in the making that a blob is here.
final class BlobProof: @unchecked Sendable {
    // Sendable: one thread after the other has it.
    private static let piece = 1 << 20

    private let reader: BlobReader
    private var proof: PossessionProof
    private var position = 0

    init(_ reader: BlobReader, nonce: [UInt8]) {
        self.reader = reader
        proof = PossessionProof(nonce: nonce)
    }

    /// Nil as long as there is more to be read.
    func readPiece() -> Result<String, SyncError>? {
        do throws(StoreError) {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: BlobProof.piece, alignment: 16)
            defer { buffer.deallocate() }
            let count = try reader.read(at: position, into: buffer)
            guard count > 0 else { return .success(proof.finish()) }
            proof.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += count
            return nil
        } catch {
            return .failure(ReplicatedDatabase.translate(error))
        }
    }
}

/// A blob on its way into the store. It exists on the thread that writes blobs.
final class ArrivingBlob: @unchecked Sendable {
    // Sendable: all but the constants is touched by that thread alone.
    let digest: BlobDigest
    private let length: UInt64?
    private let store: BlobFolder
    private var writer: BlobWriter?
    private var error: SyncError?

    init(_ digest: BlobDigest, length: UInt64?, in store: BlobFolder) {
        self.digest = digest
        self.length = length
        self.store = store.untilCommit
    }

    func append(_ bytes: [UInt8]) {
        guard error == nil else { return }
        do {
            let writer = try openWriter()
            // The document says how long it is: what comes beyond that is not even kept for the digest to find out.
            if let length, UInt64(writer.length + bytes.count) > length {
                return fail(SyncError.http(400, "the peer sends more of blob \(digest) than the \(length) bytes that it has"))
            }
            try bytes.withUnsafeBytes { try writer.append($0) }
        } catch {
            fail(ReplicatedDatabase.translate(error))
        }
    }

    private func openWriter() throws(StoreError) -> BlobWriter {
        if let writer { return writer }
        let opened = try BlobWriter(store)
        writer = opened
        return opened
    }

    private func fail(_ error: SyncError) {
        self.error = error
        writer = nil
    }

    /// Puts the blob into its place; says what kept it from that.
    func finish() -> SyncError? {
        if let error { return error }
        do throws(StoreError) {
            let writer = try openWriter()
            self.writer = nil
            _ = try writer.finish(expecting: digest)
            return nil
        } catch {
            if error.code == .corrupt { return SyncError.http(400, "the peer sent something else as blob \(digest)") }
            return ReplicatedDatabase.translate(error)
        }
    }
}

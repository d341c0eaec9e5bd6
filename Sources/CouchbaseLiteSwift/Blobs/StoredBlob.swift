internal import CBLStore
import Foundation

/// A blob's content in the database, as it is found there: to compare all of it with its digest takes longer than to read it.
struct StoredBlob: Sendable {
    let reader: BlobReader

    init(_ digest: BlobDigest, in database: CBLStore.Database) throws {
        reader = try UncheckedBlob(database.blobs, digest).unchecked()
    }

    func data() throws -> Data {
        guard reader.length > 0 else { return Data() }
        // `Data` would fill its memory with zeros before there is something to read into it.
        guard let memory = malloc(reader.length) else { throw StoreError(.inputOutput, "there is no memory for \(reader.length) bytes") }
        do {
            try fill(UnsafeMutableRawBufferPointer(start: memory, count: reader.length))
        } catch {
            free(memory)
            throw error
        }
        return Data(bytesNoCopy: memory, count: reader.length, deallocator: .free)
    }

    private func fill(_ memory: UnsafeMutableRawBufferPointer) throws {
        var position = 0
        while position < memory.count {
            let count = try reader.read(at: position, into: UnsafeMutableRawBufferPointer(rebasing: memory[position...]))
            guard count > 0 else { throw StoreError(.corrupt, "a blob became shorter while it was being read") }
            position += count
        }
    }
}

/// A blob's content as a stream.
final class BlobStream: InputStream {
    private let blob: StoredBlob
    private var position = 0
    private var status = Status.notOpen
    private var failure: (any Error)?

    init(_ blob: StoredBlob) {
        self.blob = blob
        super.init(data: Data())
    }

    override func open() { if status == .notOpen { status = .open } }
    override func close() { status = .closed }
    override var streamStatus: Status { status }
    override var streamError: (any Error)? { failure }
    override var hasBytesAvailable: Bool { status == .open && position < blob.reader.length }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard status == .open else { return status == .atEnd ? 0 : -1 }
        do {
            let count = try blob.reader.read(at: position, into: UnsafeMutableRawBufferPointer(start: buffer, count: maxLength))
            position += count
            if count == 0, maxLength > 0 { status = .atEnd }
            return count
        } catch {
            failure = translated(error)
            status = .error
            return -1
        }
    }
}

/// What has the content of blobs.
extension FileAccess {
    /// Opens a blob's file for reading; nil if there is none.
    func openBlob(_ name: String, in folder: Folder) throws(StoreError) -> BlobFile? {
        try checkCipher()
        return try folder.openFile(name).map { BlobFile($0) }
    }

    /// Makes a file for a blob that is to come, of another name until it is complete.
    func makeBlob(_ name: String, in folder: Folder) throws(StoreError) -> UnfinishedBlobFile {
        try checkCipher()
        return UnfinishedBlobFile(try folder.makeFile(name), durability ?? .normal)
    }

    /// Puts a blob into the folder of a copy: it has the same key, and so the file has the same bytes.
    func copy(_ blob: BlobFile, into folder: Folder, as name: String, progress: () throws -> Void = {}) throws {
        try FileCopy.copy(blob.file, into: folder, as: name, permissions: 0o400, progress: progress)
    }
}

/// The content of a blob, to be read at any position.
struct BlobFile: Sendable {
    fileprivate let file: RegularFile

    fileprivate init(_ file: RegularFile) { self.file = file }

    /// For messages.
    var path: String { file.path }
    /// Of the content.
    var length: Int { file.status.size }

    /// Reads from a position on into the beginning of the buffer, and says how many bytes; 0 at the end.
    func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        try file.read(at: position, into: buffer)
    }

    /// The same into an array, as far as it goes.
    func read(at position: Int, into bytes: inout [UInt8]) throws(StoreError) -> Int { try file.read(at: position, into: &bytes) }
}

/// The content of a blob on its way into a file.
final class UnfinishedBlobFile {
    private let file: RegularFile
    private let durability: Database.Options.Durability
    /// Of the file, so far.
    private(set) var size = 0

    fileprivate init(_ file: RegularFile, _ durability: Database.Options.Durability) {
        self.file = file
        self.durability = durability
    }

    var path: String { file.path }

    func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try file.write(bytes)
        size += bytes.count
    }

    /// Makes what was written last through a power cut, as commits do: at once, or before long. For its owner to read.
    func finish() -> Bool { file.finish(waits: durability == .full) }
}

/// What has the content of blobs.
extension FileAccess {
    /// Opens a blob's file for reading, which perhaps was found just now; nil if there is none.
    func openBlob(_ name: String, _ found: FileStatus? = nil, in folder: Folder) throws(StoreError) -> BlobFile? {
        try checkCipher()
        return try folder.openFile(name, found).map { BlobFile($0) }
    }

    /// Makes a file for a blob that is to come, without its name until it is complete.
    func makeBlob(in folder: Folder) throws(StoreError) -> UnfinishedBlobFile {
        try checkCipher()
        return UnfinishedBlobFile(try folder.makeFile(temporarily: UnfinishedBlobFile.temporaryName), in: folder, durability ?? .normal)
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

/// The content of a blob on its way into a file. Without a name at the end, it leaves nothing.
final class UnfinishedBlobFile {
    private let unnamed: Folder.UnnamedFile
    private let folder: Folder
    private let durability: Database.Options.Durability
    private var hasName = false
    /// Of the file, so far.
    private(set) var size = 0

    fileprivate init(_ unnamed: Folder.UnnamedFile, in folder: Folder, _ durability: Database.Options.Durability) {
        self.unnamed = unnamed
        self.folder = folder
        self.durability = durability
    }

    deinit { if !hasName, let name = unnamed.temporary { folder.remove(name) } }

    fileprivate static func temporaryName() -> String {
        BlobFolder.unfinishedPrefix + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    var path: String { unnamed.file.path }

    func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        try unnamed.file.write(bytes)
        size += bytes.count
    }

    /// Gives it its name, in place of what has it. With full durability the content is on disk before the name says that it is, and before a
    /// document that refers to it is committed.
    func finish(_ name: String) throws(StoreError) {
        if durability == .full, !unnamed.file.synchronize() { throw FileCopy.failure("cannot write", path) }
        hasName = folder.place(unnamed, as: name, temporarily: UnfinishedBlobFile.temporaryName)
        guard hasName else { throw FileCopy.failure("cannot write", path) }
    }
}

extension Folder {
    /// Names a file, in place of what has the name. Where it cannot get one, a copy gets it. `isLinkable` is for tests.
    func place(_ unnamed: UnnamedFile, as name: String, temporarily temporary: () -> String, isLinkable: Bool = true) -> Bool {
        if let present = unnamed.temporary { return rename(present, to: name) }
        if isLinkable && link(unnamed, as: name) { return true }
        // What is in the way goes when there is something to take its place.
        let present = temporary()
        if isLinkable && link(unnamed, as: present) || copy(unnamed.file, as: present), rename(present, to: name) { return true }
        remove(present)
        return false
    }

    private func copy(_ file: RegularFile, as name: String) -> Bool {
        (try? FileCopy.copy(file, into: self, as: name, permissions: 0o400)) != nil
    }
}

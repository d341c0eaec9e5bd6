import CBLBase

/// What has the content of blobs.
extension FileAccess {
    /// Opens a blob's file for reading, which perhaps was found just now; nil if there is none.
    func openBlob(_ name: String, _ found: FileStatus? = nil, in folder: Folder) throws(StoreError) -> BlobFile? {
        guard let file = try folder.openFile(name, found) else { return nil }
        guard key != nil else { return BlobFile(file, nil) }
        guard let (cipher, key) = secret.found else { throw StoreError(.wrongKey, "the key is not known to fit", path: bundle.path) }
        if cipher is CouchbaseCipher { return BlobFile(file, try EncryptedBlob(file, key, .numberedChains)) }
        guard folder.status(EncryptedBlob.markerName) != nil else { return BlobFile(file, nil) }
        return BlobFile(file, try EncryptedBlob(file, key, .oneChain))
    }

    /// How long the content is that a file has; nil where it is not a file.
    func blobLength(_ name: String, _ found: FileStatus, in folder: Folder) -> Int? {
        guard found.kind == .file else { return nil }
        // Of one that cannot be decrypted the length is asked, too: it is there.
        return key == nil ? found.size : (try? openBlob(name, found, in: folder))?.length ?? found.size
    }

    /// Makes a file for a blob that is to come, without its name until it is complete.
    func makeBlob(in folder: Folder) throws(StoreError) -> UnfinishedBlobFile {
        let unnamed = try folder.makeFile(temporarily: UnfinishedBlobFile.temporaryName)
        return UnfinishedBlobFile(unnamed, in: folder, waits: durability != nil, try blobEncryption())
    }

    private func blobEncryption() throws(StoreError) -> BlobEncryption? {
        guard key != nil else { return nil }
        guard let key = secret.found?.key, let aes = (key.whole ?? key).withBytes({ AES(key: $0) }) else {
            throw StoreError(.wrongKey, "the key is not known to fit", path: bundle.path)
        }
        return BlobEncryption(aes)
    }

    /// How many bytes the file of a blob has.
    func blobFileSize(_ length: Int) -> Int { key == nil ? length : BlobEncryption.fileSize(length) }

    /// Puts a blob into the folder of a copy that has the same key: so the file has the same bytes.
    func copy(_ blob: BlobFile, into folder: Folder, as name: String, progress: () throws -> Void = {}) throws {
        try FileCopy.copy(blob.file, into: folder, as: name, permissions: 0o400, progress: progress)
    }

    /// Puts what a blob holds into the folder of other files, with their key or none.
    func copyContent(of blob: BlobFile, to target: FileAccess, _ folder: Folder, as name: String, progress: () throws -> Void = {}) throws {
        if !blob.isEncrypted, target.key == nil { return try copy(blob, into: folder, as: name, progress: progress) }
        try target.writeContent(of: blob, folder, as: name, progress: progress)
    }

    /// The same byte by byte: nothing of the disk is shared with the original.
    func writeContent(of blob: BlobFile, _ folder: Folder, as name: String, progress: () throws -> Void = {}) throws {
        let copy = try makeBlob(in: folder)
        var piece = [UInt8](repeating: 0, count: BlobFolder.pieceSize)
        var position = 0
        while position < blob.length {
            try progress()
            let count = try blob.read(at: position, into: &piece)
            guard count > 0 else { throw StoreError(.corrupt, "\(blob.path) became shorter while it was being read") }
            try piece.withUnsafeBytes { try copy.append(UnsafeRawBufferPointer(rebasing: $0.prefix(count))) }
            position += count
        }
        try copy.finish(name)
    }
}

/// The content of a blob, to be read at any position.
struct BlobFile: Sendable {
    fileprivate let file: RegularFile
    private let encrypted: EncryptedBlob?

    fileprivate init(_ file: RegularFile, _ encrypted: EncryptedBlob?) {
        self.file = file
        self.encrypted = encrypted
    }

    fileprivate var isEncrypted: Bool { encrypted != nil }

    /// For messages.
    var path: String { file.path }
    /// Of the content.
    var length: Int { encrypted?.length ?? file.status.size }

    /// Reads from a position on into the beginning of the buffer, and says how many bytes; 0 at the end.
    func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        guard let encrypted else { return try file.read(at: position, into: buffer) }
        return try encrypted.read(at: position, into: buffer)
    }

    /// The same into an array, as far as it goes.
    func read(at position: Int, into bytes: inout [UInt8]) throws(StoreError) -> Int {
        guard encrypted != nil else { return try file.read(at: position, into: &bytes) }
        let result = bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(StoreError) in try read(at: position, into: buffer) }
        }
        return try result.get()
    }
}

/// The content of a blob on its way into a file. Without a name at the end, it leaves nothing.
final class UnfinishedBlobFile {
    private let unnamed: Folder.UnnamedFile
    private let folder: Folder
    private let waits: Bool
    private var hasName = false
    private var encryption: BlobEncryption?

    fileprivate init(_ unnamed: Folder.UnnamedFile, in folder: Folder, waits: Bool, _ encryption: BlobEncryption?) {
        self.waits = waits
        self.encryption = encryption
        self.unnamed = unnamed
        self.folder = folder
    }

    deinit { if !hasName, let name = unnamed.temporary { folder.remove(name) } }

    fileprivate static func temporaryName() -> String {
        BlobFolder.unfinishedPrefix + String(UInt64.random(in: .min ... .max), radix: 36)
    }

    var path: String { unnamed.file.path }

    func append(_ bytes: UnsafeRawBufferPointer) throws(StoreError) {
        guard encryption != nil else { return try unnamed.file.write(bytes) }
        try encryption?.append(bytes) { (bytes) throws(StoreError) in try unnamed.file.write(bytes) }
    }

    /// Gives it its name, in place of what has it. The content is on the disk before: whoever finds the name later, even after a loss of power, takes it
    /// for the blob. When the disk has the name is another question: see `UnsyncedBlobs`.
    func finish(_ name: String) throws(StoreError) {
        try finishContent()
        if waits, !unnamed.file.synchronize() { throw FileCopy.failure("cannot write", path) }
        hasName = folder.place(unnamed, as: name, temporarily: UnfinishedBlobFile.temporaryName)
        guard hasName else { throw FileCopy.failure("cannot write", path) }
    }

    /// Gives it a name under which nobody takes it for the blob, and says which: whoever gives it its own later waits for the disk first. Nil where nobody
    /// waits for the disk, or where it cannot get such a name.
    func finishForLater() throws(StoreError) -> String? {
        guard waits else { return nil }
        try finishContent()
        let temporary = unnamed.temporary ?? UnfinishedBlobFile.temporaryName()
        hasName = unnamed.temporary != nil || folder.link(unnamed, as: temporary)
        return hasName ? temporary : nil
    }

    private func finishContent() throws(StoreError) {
        guard let end = encryption?.finish() else { return }
        let result = end.withUnsafeBytes { bytes in
            Result { () throws(StoreError) in try unnamed.file.write(bytes) }
        }
        try result.get()
        encryption = nil
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
        guard (try? FileCopy.copy(file, into: self, as: name, permissions: 0o400)) != nil else { return false }
        // The copy takes the place of what the disk has.
        return (try? openFile(name))??.synchronize() ?? false
    }
}

import CBLBase
import CBLStore
import Glibc

/// The blobs of documents that are exported into a directory: files in a folder of their own, named as databases name them.
package enum BlobExchange {
    /// No collection and no document has such a name.
    package static let folderName = "_blobs"

    /// The folder of a directory that ends in a slash.
    package static func folder(in directory: String) -> String { directory + folderName + "/" }

    /// Stores a blob's content if the folder has it. A file that holds something else is an error.
    static func store(_ digest: BlobDigest, from folder: String, in blobs: BlobFolder, _ check: () throws -> Void) throws -> Bool {
        let path = folder + digest.fileName
        // A link may lead anywhere.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return false }
        let writer = try BlobWriter(blobs.untilCommit)
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            try check()
            let count = SystemCall.retrying { read(descriptor, buffer.baseAddress, buffer.count) }
            guard count >= 0 else { throw FileError("\(path): \(SystemCall.message(errno))") }
            if count == 0 { break }
            try writer.append(UnsafeRawBufferPointer(rebasing: buffer.prefix(count)))
        }
        do throws(StoreError) { _ = try writer.finish(expecting: digest) } catch {
            throw error.code == .corrupt ? StoreError(.corrupt, "\(path): \(error.message)") : error
        }
        return true
    }
}

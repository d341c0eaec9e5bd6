import Glibc

/// A blob that is open to be read at any position, on any thread. Its content is not checked: that is for whoever has all of it.
public final class BlobReader: Sendable {
    public let length: Int
    private let descriptor: Int32
    private let path: String

    public init(_ store: BlobStore, _ digest: BlobDigest) throws(StoreError) {
        path = store.path(digest)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            let error =
                errno == ENOENT
                ? StoreError(.notFound, "no blob \(digest)", path: store.bundle.path) : FileCopy.failure("cannot open", path)
            if descriptor >= 0 { close(descriptor) }
            throw error
        }
        self.descriptor = descriptor
        length = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Reads from a position on into the beginning of the buffer, and says how many bytes; 0 at the end.
    public func read(at position: Int, into buffer: UnsafeMutableRawBufferPointer) throws(StoreError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(position))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw FileCopy.failure("cannot read", path) }
            return count
        }
    }
}

import CBLBase
import CBLSystemFiles
import Glibc

/// Copies of whole files, made by the kernel.
enum FileCopy {
    /// Makes a file with the content of another. Holes stay holes: a file that only claims to be large takes no more room here than there.
    /// `progress` is called for each piece, and may throw to stop the work.
    static func copy(
        _ source: RegularFile, into folder: Folder, as name: String, permissions: mode_t = 0o600, progress: () throws -> Void = {}
    ) throws {
        try folder.makeFile(name).takeContents(of: source, permissions, progress)
    }

    static func failure(_ what: String, _ path: String, _ code: Int32 = errno) -> StoreError {
        let kind: StoreError.Code = code == ENOSPC || code == EDQUOT ? .diskFull : code == ENOENT ? .notFound : .inputOutput
        return StoreError(kind, "\(what) \(path): \(FileStatus.reason(code))")
    }
}

extension RegularFile {
    private static let piece = 1 << 24

    fileprivate func takeContents(of source: RegularFile, _ permissions: mode_t, _ progress: () throws -> Void) throws {
        let (input, output) = (source.descriptor, descriptor)
        let end = off_t(FileStatus(descriptor: input)?.size ?? 0)
        var position: off_t = 0
        while position < end {
            let data = lseek(input, position, cblite_seek_data)
            // Nothing but a hole is left.
            if data < 0 && errno == ENXIO { break }
            // Where the file system does not tell, all of it is data.
            let hole = data >= 0 ? lseek(input, data, cblite_seek_hole) : -1
            position = max(position, data)
            let stop = hole > position ? min(hole, end) : end
            guard lseek(output, position, SEEK_SET) == position else { throw FileCopy.failure("cannot write", path) }
            while position < stop {
                try progress()
                let count = SystemCall.retrying { sendfile(output, input, &position, Int(min(stop - position, off_t(RegularFile.piece)))) }
                guard count >= 0 else { throw FileCopy.failure("cannot write", path) }
                // Somebody made it shorter: what there is has been copied.
                if count == 0 { return }
            }
        }
        guard ftruncate(output, end) == 0, fchmod(output, permissions) == 0 else { throw FileCopy.failure("cannot write", path) }
    }
}

import Glibc

/// Folders by their paths: what lies in them, whoever's they are, and those of our own. No link is followed but those of the path.
package enum FolderTree {
    package struct Failure: Error, CustomStringConvertible {
        package let path: String
        package let errno: Int32

        package var description: String { "\(path): \(SystemCall.message(errno))" }
    }

    /// The names in a folder, in no particular order.
    package static func names(in path: String) throws(Failure) -> [String] {
        guard let listing = FolderListing(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else { throw Failure(path: path, errno: errno) }
        return Array(listing)
    }

    /// Makes a folder, and those it lies in, unless they are there.
    package static func make(_ path: String) throws(Failure) {
        if mkdir(path, 0o777) == 0 { return }
        if errno == ENOENT {
            let parent = PathText.split(path.hasSuffix("/") ? String(path.dropLast()) : path).directory
            guard !parent.isEmpty, parent != path else { throw Failure(path: path, errno: ENOENT) }
            try make(parent)
            if mkdir(path, 0o777) == 0 { return }
        }
        let code = errno
        guard code == EEXIST, isFolder(path) else { throw Failure(path: path, errno: code) }
    }

    /// Whether a path leads to a folder, or is one itself and no link.
    package static func isFolder(_ path: String, itself: Bool = false) -> Bool {
        var facts = stat()
        return fstatat(AT_FDCWD, path, &facts, itself ? AT_SYMLINK_NOFOLLOW : 0) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    /// Removes a file, or a folder with all that is in it, as far as that can be.
    package static func remove(_ path: String) { remove(path, in: AT_FDCWD) }

    private static func remove(_ name: String, in directory: Int32) {
        if unlinkat(directory, name, 0) == 0 { return }
        let folder = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard let listing = FolderListing(folder) else { return }
        for name in listing { remove(name, in: folder) }
        unlinkat(directory, name, AT_REMOVEDIR)
    }
}

/// The names in a folder, one after another.
package final class FolderListing: Sequence, IteratorProtocol {
    private let directory: OpaquePointer
    /// The number of the file whose name came last.
    package private(set) var number: UInt64 = 0

    /// Takes over a descriptor of a folder; nil, with `errno`, for one that is none.
    package init?(_ descriptor: Int32) {
        guard descriptor >= 0 else { return nil }
        guard let directory = fdopendir(descriptor) else {
            let code = errno
            close(descriptor)
            errno = code
            return nil
        }
        self.directory = directory
    }

    deinit { closedir(directory) }

    package func next() -> String? {
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
            if name == "." || name == ".." { continue }
            number = UInt64(entry.pointee.d_ino)
            return name
        }
        return nil
    }
}

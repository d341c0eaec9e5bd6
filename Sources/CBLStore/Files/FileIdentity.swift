import Glibc

/// What tells one file from all others, whatever its path.
package struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }

    /// As text, to be kept. Where files are copied or replaced it is another one; one that was deleted may have left its own to a later file.
    package var text: String { "\(device)-\(inode)" }

    /// That of a bundle's main file; nil if there is none.
    package init?(bundle path: String) {
        guard let status = DatabaseBundle(path: path).status(.main) else { return nil }
        self = status.identity
    }
}

extension Database {
    /// The permissions of a file beside the database that tells what is in it: no more than the database itself has.
    package var permissions: mode_t { DatabaseBundle(path: path).permissions }
}

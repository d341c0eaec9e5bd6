import CBLSystemFiles

/// What the file system that something is on can do.
enum FileSystem {
    /// Those that other machines or programs change without the kernel's knowledge: NFS, SMB in three generations, FUSE, 9P, AFS, Ceph, Coda.
    private static let remote: Set<UInt32> = [
        0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F, 0x00C3_6400, 0x7375_7245,
    ]

    static func isLocal(_ path: String) -> Bool {
        let kind = cblite_file_system(path)
        return kind != 0 && !remote.contains(kind)
    }
}

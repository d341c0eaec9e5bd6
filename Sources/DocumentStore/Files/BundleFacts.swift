/// What can be told of a bundle's files without opening the database.
public struct BundleFacts: Sendable {
    /// The bytes of the main file and its log.
    public let database: Int
    public let log: Int
    /// When one of them was changed last, in milliseconds since 1970.
    public let modified: Int64
    private let bundle: Bundle

    public init(_ path: String) {
        bundle = Bundle(path: path)
        let files = [bundle.status(.main), bundle.status(.log)].map { $0?.kind == .file ? $0 : nil }
        let logSize = files[1]?.size ?? 0
        log = logSize
        database = FileStatus.total(files.map { $0?.size ?? 0 })
        let counted = files.compactMap { $0 }.filter { $0 == files[0] || logSize > 0 }
        modified = counted.map { $0.modified &* 1000 &+ $0.modifiedNanoseconds / 1_000_000 }.max() ?? 0
    }

    /// The sum of sizes, of which a file with holes may claim any.
    public static func total(_ sizes: some Sequence<Int>) -> Int { FileStatus.total(sizes) }

    /// Folders that only work in progress has.
    public var leftovers: [String] {
        Leftover.all(of: bundle).map { leftover in
            leftover.isInside ? leftover.name : leftover.path
        }
    }
}

/// What tells one database from all others, whatever its path.
public struct BundleIdentity: Hashable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// That of a bundle's main file; nil if there is none.
    public init?(_ path: String) {
        guard let status = Bundle(path: path).status(.main) else { return nil }
        (device, inode) = (status.device, status.inode)
    }
}

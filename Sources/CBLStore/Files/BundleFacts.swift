/// What can be told of a bundle's files without opening the database.
package struct BundleFacts: Sendable {
    /// The bytes of the main file and its log.
    package let database: Int
    package let log: Int
    /// When one of them was changed last, in milliseconds since 1970.
    package let modified: Int64
    private let bundle: DatabaseBundle

    package init(_ path: String) {
        bundle = DatabaseBundle(path: path)
        let files = [bundle.status(.main), bundle.status(.log)].map { $0?.kind == .file ? $0 : nil }
        let logSize = files[1]?.size ?? 0
        log = logSize
        database = FileStatus.total(files.map { $0?.size ?? 0 })
        let counted = files.compactMap { $0 }.filter { $0 == files[0] || logSize > 0 }
        modified = counted.map { $0.modified &* 1000 &+ $0.modifiedNanoseconds / 1_000_000 }.max() ?? 0
    }

    /// Folders that only work in progress has.
    package var leftovers: [String] {
        Leftover.all(of: bundle).map { leftover in
            leftover.isInside ? leftover.name : leftover.path
        }
    }
}

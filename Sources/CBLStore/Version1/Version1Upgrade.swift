extension Database {
    /// Converts the 1.x database at a path in its place; an encrypted one keeps its key. The old one stays beside it under the name given, or goes if there is none. Gives what could
    /// not be carried over; nil if it is no database of 1.x, which is then left alone.
    package static func upgradeVersion1(
        at path: String, key: EncryptionKey? = nil, keepingOldAt kept: String?, to version: Database.Options.Upgrade = .newest,
        progress: @escaping (_ done: Int, _ total: Int) throws -> Void = { _, _ in }
    ) throws -> [StoreError]? {
        var options = Database.Options.readOnly
        options.key = key
        let source = try Database(path: path, options: options)
        defer { source.close() }
        guard try source.isVersion1 else { return nil }
        guard !source.bundle.isLoneFile else {
            throw StoreError(.version1, "a database of 1.0 is a file, and its successors' are folders: copy it to a new one", path: path)
        }
        do {
            return try NewBundle.replace(at: source.path, keepingOldAt: kept) { unfinished in
                let target = source.files.rewritten(to: unfinished, key: key)
                let omitted = try Version1Conversion(of: source, to: target, keepsIdentity: true, progress: progress).run()
                // Before it takes the old one's place: there is nothing in between.
                if version == .versionVectors {
                    var options = Database.Options(access: .readWrite, upgrade: .versionVectors)
                    options.key = key
                    try Database(path: unfinished.path, options: options).close()
                }
                return omitted
            }
        } catch {
            throw StoreError.translating(error, path: source.path)
        }
    }
}

extension Database {
    /// Copies the database as it is, damage and identity included, to a bundle that must not exist. Blobs, which never change, are linked
    /// where the file system can. What is no file is not a part of it.
    package func backUp(to path: String) throws {
        try checkNoTransaction("a database cannot be copied")
        do {
            try NewBundle.make(at: path) { target in
                try readers.read { source in
                    try Database.backUp(source.connection, to: files.copied(to: target, durability: .full).connect())
                }
                let digests = try blobs.list()
                guard !digests.isEmpty, let folder = try blobs.folder() else { return }
                let copies = try target.folder().makeFolder(DatabaseBundle.attachmentsName)
                for digest in digests {
                    let name = digest.fileName
                    if folder.link(name, into: copies) { continue }
                    if let blob = try files.openBlob(name, in: folder) { try files.copy(blob, into: copies, as: name) }
                }
            }
        } catch {
            throw StoreError.translating(error, path: self.path)
        }
    }
}

extension Database {
    /// Closes the database and deletes its files. Refused as `busy` while another `Database` of this process is open on them.
    package func delete() throws {
        guard isOpen else { throw StoreError.closed(path) }
        try checkNoTransaction("a database cannot be deleted")
        try Database.checkNotOpen(bundle, butFor: 1)
        close()
        try bundle.remove()
    }

    /// Deletes a database that this process does not have open.
    package static func delete(at path: String) throws(StoreError) {
        let bundle = DatabaseBundle(path: path)
        try bundle.checkExistence()
        try checkNotOpen(bundle)
        try bundle.remove()
    }

    private static func checkNotOpen(_ bundle: DatabaseBundle, butFor own: Int = 0) throws(StoreError) {
        guard SharedFile.openCount(of: bundle) > own else { return }
        throw StoreError(.busy, "the database is open elsewhere in this program, and cannot be deleted", path: bundle.path)
    }
}

extension DatabaseBundle {
    /// Removes what a bundle has, and the folder if there is nothing else in it. Links go, not what they lead to.
    func remove() throws(StoreError) {
        guard let aside = NewBundle.moveAside(self) else {
            try removeInPlace()
            return try synchronizeName()
        }
        do { try synchronizeName() } catch {
            NewBundle.moveBack(aside, self)
            throw error
        }
        // What cannot be removed goes as a leftover, some other time.
        if Leftover(path: aside)?.remove() != true { _ = Leftover(path: aside)?.remove() }
    }

    /// The same part by part: who stops in the middle leaves a part of it.
    func removeInPlace() throws(StoreError) {
        let folder = try folder()
        for inner in [DatabaseBundle.attachmentsName, Leftover.replacedBlobs] + DatabaseBundle.version1FolderNames {
            if folder.status(inner)?.kind != .folder { folder.remove(inner) }
            guard let blobs = try folder.folder(inner) else { continue }
            for name in try blobs.names() { blobs.remove(name) }
            folder.removeEmptyFolder(inner)
        }
        // The main file last: without it the rest is no database any more, and with it alone it is one.
        for part in Part.allCases where part != .main { folder.remove(part.rawValue) }
        folder.remove(Part.main.rawValue)
        guard let (place, name) = place, try Folder(following: place.isEmpty ? "." : place).removeEmptyFolder(name) else {
            let left = try folder.names().sorted().joined(separator: ", ")
            throw StoreError(
                .inputOutput, "the folder cannot be deleted: \(left.isEmpty ? FileStatus.reason() : "it has \(left) in it")", path: path)
        }
    }
}

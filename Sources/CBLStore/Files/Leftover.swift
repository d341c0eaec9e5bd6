import Glibc

/// What interrupted work left behind: a folder that has nothing in it but what a bundle has, or its blobs.
struct Leftover {
    /// Where the vendor's library has blobs while it encrypts or decrypts them.
    static let replacedBlobs = "Attachments_temp"

    let path: String
    let status: FileStatus
    let name: String
    /// Whether it is in the bundle, and not beside it.
    var isInside: Bool { name == Leftover.replacedBlobs }
    private let parent: Folder

    /// The unfinished folder at a path; nil if there is something else, a link for example, or anything in it that is nobody's leftover.
    init?(path: String) {
        guard let (place, name) = DatabaseBundle(path: path).place, let parent = try? Folder(following: place.isEmpty ? "." : place) else {
            return nil
        }
        self.init(name, in: parent, path: path)
    }

    private init?(_ name: String, in parent: Folder, path: String) {
        guard let status = parent.status(name), status.kind == .folder, let folder = try? parent.folder(name) else { return nil }
        guard let names = try? folder.names() else { return nil }
        let isOurs = names.allSatisfy { name in
            if Leftover.folderNames.contains(name) { return Leftover.hasOnlyBlobs((try? folder.folder(name)) ?? nil) }
            return (DatabaseBundle.Part(rawValue: name) != nil || Leftover.isBlob(name)) && folder.status(name)?.kind == .file
        }
        guard isOurs else { return nil }
        (self.name, self.parent, self.path, self.status) = (name, parent, path, status)
    }

    private static let folderNames = [DatabaseBundle.attachmentsName] + DatabaseBundle.version1FolderNames

    private static func hasOnlyBlobs(_ folder: Folder?) -> Bool {
        guard let folder, let names = try? folder.names() else { return false }
        return names.allSatisfy { isBlob($0) && folder.status($0)?.kind == .file }
    }

    /// All of a bundle: those of the vendor's library and of this program, in it and beside it.
    static func all(of bundle: DatabaseBundle) -> [Leftover] {
        var found: [Leftover] = []
        if let inside = try? bundle.folder(), let folder = Leftover(replacedBlobs, in: inside, path: "\(bundle.path)/\(replacedBlobs)") {
            found.append(folder)
        }
        guard let (place, name) = bundle.place, let parent = try? Folder(following: place.isEmpty ? "." : place) else { return found }
        let names = ((try? parent.names()) ?? []).filter { isUnfinished($0, of: name) }.sorted()
        return found + names.compactMap { Leftover($0, in: parent, path: place + $0) }
    }

    private static func isUnfinished(_ name: String, of bundle: String) -> Bool {
        if name == bundle + "_TEMP" { return true }
        let start = bundle + NewBundle.suffix
        guard name.utf8.starts(with: start.utf8) else { return false }
        let end = name.utf8.dropFirst(start.utf8.count)
        return end.count == 6
            && end.allSatisfy { $0 < 0x80 && (Character(UnicodeScalar($0)).isLetter || Character(UnicodeScalar($0)).isNumber) }
    }

    private static func isBlob(_ name: String) -> Bool {
        BlobDigest(fileName: name) != nil || BlobDigest(version1FileName: name) != nil || name.hasPrefix(BlobFolder.unfinishedPrefix)
    }

    /// Whether it is known that nobody works on it any more: this program locks what it makes.
    var isAbandoned: Bool { !isInside && !name.hasSuffix("_TEMP") && (try? parent.folder(name))??.lock() != nil }

    /// Removes it; false if not all of it went.
    func remove() -> Bool {
        guard let folder = try? parent.folder(name) else { return false }
        for inner in Leftover.folderNames {
            guard let blobs = (try? folder.folder(inner)) ?? nil else { continue }
            for name in (try? blobs.names()) ?? [] { blobs.remove(name) }
            folder.removeEmptyFolder(inner)
        }
        for name in (try? folder.names()) ?? [] { folder.remove(name) }
        return parent.removeEmptyFolder(name)
    }
}

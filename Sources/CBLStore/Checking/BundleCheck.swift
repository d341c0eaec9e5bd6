/// What stands in the bundle's folders and belongs to no database: links and special files, which no release makes and which a stranger may have
/// put there, and what nobody knows.
struct BundleCheck {
    private let bundle: DatabaseBundle
    private let isVersion1: Bool

    init(_ bundle: DatabaseBundle, isVersion1: Bool = false) {
        self.bundle = bundle
        self.isVersion1 = isVersion1
    }

    func run(_ report: (Finding) throws -> Void) throws {
        for stranger in try strangers() {
            let isPart = DatabaseBundle.Part(rawValue: stranger.path) != nil || stranger.path == DatabaseBundle.attachmentsName
            let kind = stranger.kind.rawValue
            if stranger.isForeign {
                let message = "it is \(kind), which no release makes, and is left alone"
                try report(Finding(.warning, .bundle, message, subject: stranger.path, repair: .automatic))
            } else if isPart {
                let message = "it is \(kind), where \(stranger.kind == .file ? "a folder" : "a file") belongs"
                try report(Finding(.error, .bundle, message, subject: stranger.path))
            } else {
                try report(Finding(.note, .bundle, "it is \(kind) that no release makes, and is left alone", subject: stranger.path))
            }
        }
    }

    /// Removes links and special files, and never what a link leads to. Gives the names of those that went.
    func removeForeign() throws(StoreError) -> [String] {
        try strangers().filter { $0.isForeign && $0.folder.remove($0.name) }.map(\.path)
    }

    private struct Stranger {
        let folder: Folder
        let name: String
        /// In the bundle.
        let path: String
        let kind: FileStatus.Kind
        var isForeign: Bool { kind != .file && kind != .folder }
    }

    private func strangers() throws(StoreError) -> [Stranger] {
        // What stands beside a file is somebody else's.
        guard !bundle.isLoneFile else { return [] }
        let folder = try bundle.folder()
        var found: [Stranger] = []
        for name in try folder.names().sorted() {
            guard let kind = folder.status(name)?.kind else { continue }
            let isFile = DatabaseBundle.Part(rawValue: name) != nil
            let isFolder =
                name == DatabaseBundle.attachmentsName || name == Leftover.replacedBlobs
                || isVersion1 && DatabaseBundle.version1FolderNames.contains(name)
            if isFile && kind == .file || isFolder && kind == .folder { continue }
            found.append(Stranger(folder: folder, name: name, path: name, kind: kind))
        }
        guard let attachments = (try? bundle.attachments()) ?? nil else { return found }
        var strangers: [Stranger] = []
        for name in try attachments.listing() {
            guard let kind = attachments.status(name)?.kind else { continue }
            if kind == .file && (BlobDigest(fileName: name) != nil || name.hasPrefix(BlobFolder.unfinishedPrefix)) { continue }
            strangers.append(Stranger(folder: attachments, name: name, path: "\(DatabaseBundle.attachmentsName)/\(name)", kind: kind))
        }
        return found + strangers.sorted { $0.path < $1.path }
    }
}

extension Database {
    /// Removes the links and special files in a bundle, which may be what keeps the database from being opened for changes. No release makes any.
    /// Gives their names.
    package static func removeForeignFiles(at path: String) throws(StoreError) -> [String] {
        try BundleCheck(DatabaseBundle(path: path)).removeForeign()
    }
}

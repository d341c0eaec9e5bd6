import Glibc

/// Where the parts of a `.cblite2` directory are, and what stands there. `FileAccess` opens them. A `.cblite` file of 1.0 has them beside itself.
///
/// The path may lead to the bundle by links, as people make them. What is inside may be none: a bundle can come from a stranger. The files that
/// SQLite opens itself are looked at by `check` before it does, and all others are reached through a `Folder`.
struct DatabaseBundle: Sendable {
    /// The files that SQLite opens by their names.
    enum Part: String, CaseIterable, Sendable {
        case main = "db.sqlite3"
        case log = "db.sqlite3-wal"
        case sharedMemory = "db.sqlite3-shm"
        case rollbackJournal = "db.sqlite3-journal"
    }

    static let attachmentsName = "Attachments"
    /// What folders a bundle of 1.x may have: one for attachments, and one for those that are being downloaded.
    static let version1FolderNames = ["attachments", "temp_attachments"]

    let path: String
    /// Of 1.0: the main file, where links lead to; its journals and the folder of its attachments stand beside it.
    private let loneFile: String?

    static let fileSuffix = ".cblite"

    init(path: String) {
        var path = path
        while path.utf8.count > 1 && path.utf8.last == UInt8(ascii: "/") { path = String(decoding: path.utf8.dropLast(), as: UTF8.self) }
        self.path = path
        let isFile = path.hasSuffix(DatabaseBundle.fileSuffix) && FileStatus(following: path)?.kind == .file
        loneFile = isFile ? DatabaseBundle.resolved(path) : nil
    }

    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether it is a `.cblite` file.
    var isLoneFile: Bool { loneFile != nil }

    /// The folder that the bundle is in, and its name there; nil for what is no name, as `..`.
    var place: (parent: String, name: String)? {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(decoding: path.utf8[path.utf8.index(after: $0)...], as: UTF8.self) } ?? path
        guard !["", ".", ".."].contains(name) else { return nil }
        return (slash.map { String(decoding: path.utf8[...$0], as: UTF8.self) } ?? "", name)
    }

    func path(of part: Part) -> String {
        guard let loneFile else { return "\(path)/\(part.rawValue)" }
        return loneFile + part.rawValue.dropFirst(Part.main.rawValue.utf8.count)
    }

    /// For SQLite.
    var databaseFile: String { path(of: .main) }

    /// The same without links, for who compares paths.
    var resolvedDatabaseFile: String { "\(DatabaseBundle.resolved(path))/\(Part.main.rawValue)" }

    /// The bundle itself.
    func folder() throws(StoreError) -> Folder { try Folder(following: path) }

    /// The folder of the blobs; nil if there is none.
    func attachments() throws(StoreError) -> Folder? { try Folder(attachmentsPath) }

    var attachmentsPath: String { "\(path)/\(DatabaseBundle.attachmentsName)" }

    /// The same of 1.x.
    var version1AttachmentsPath: String {
        guard let loneFile else { return "\(path)/\(DatabaseBundle.version1FolderNames[0])" }
        return loneFile.dropLast(DatabaseBundle.fileSuffix.utf8.count) + " attachments"
    }

    /// Waits until the disk has all of it but its own name. Nobody has it open; `fileSystem` was there before anything in it.
    func synchronize(by fileSystem: FileSystemSync?) throws(StoreError) {
        let folder = try folder()
        if let blobs = try attachments() { try blobs.synchronizeAll(by: fileSystem) }
        try folder.synchronize([Part.main, .log, .rollbackJournal].map(\.rawValue))
    }

    /// Waits until the disk has its name.
    func synchronizeName() throws(StoreError) {
        guard let (place, _) = place else { return }
        try Folder(following: place.isEmpty ? "." : place).synchronize()
    }

    func status(_ part: Part) -> FileStatus? { FileStatus(path(of: part)) }

    /// Who may read and write what is in the bundle: who may do so with its main file, and enter its folder. Its owner alone if that cannot be told.
    var permissions: mode_t {
        var (file, folder) = (stat(), stat())
        guard lstat(databaseFile, &file) == 0 else { return S_IRUSR | S_IWUSR }
        var permissions = file.st_mode & 0o666
        guard !isLoneFile, stat(path, &folder) == 0 else { return permissions }
        if folder.st_mode & S_IXGRP == 0 { permissions &= ~S_IRWXG }
        if folder.st_mode & S_IXOTH == 0 { permissions &= ~S_IRWXO }
        return permissions
    }

    /// The size of a part; 0 if it is not there, or no file.
    func size(_ part: Part) -> Int {
        guard let status = status(part), status.kind == .file else { return 0 }
        return status.size
    }

    /// Refuses what is not a bundle, with a word on what it is instead.
    func checkExistence() throws(StoreError) {
        guard let directory = FileStatus(following: path) else {
            throw StoreError(.notFound, errno == ENOENT ? "no such database" : FileStatus.reason(), path: path.isEmpty ? "\"\"" : path)
        }
        guard directory.kind == .folder || isLoneFile else { throw DatabaseBundle.isFile(path) }
        guard let file = status(.main), file.kind != .folder else {
            if errno == EACCES { throw StoreError(.inputOutput, FileStatus.reason(), path: path) }
            throw holdsForestDB
                ? DatabaseBundle.isForestDB(path)
                : StoreError(.notADatabase, "not a database: the directory holds no file db.sqlite3", path: path)
        }
        try check([.main])
    }

    /// Refuses parts that are there and no files, before SQLite opens them: it would follow a link, and wait at a pipe.
    func check(_ parts: [Part] = Part.allCases) throws(StoreError) {
        for part in parts {
            guard let status = status(part), status.kind != .file else { continue }
            throw foreign(part.rawValue, status.kind)
        }
    }

    /// The same for everything that a writer uses.
    func checkForWriting() throws(StoreError) {
        try check()
        if let status = FileStatus("\(path)/\(DatabaseBundle.attachmentsName)"), status.kind != .folder {
            throw foreign(DatabaseBundle.attachmentsName, status.kind)
        }
    }

    private func foreign(_ name: String, _ kind: FileStatus.Kind) -> StoreError {
        let belongs = name == DatabaseBundle.attachmentsName ? "a folder belongs" : "a file belongs"
        let remedy = name == Part.main.rawValue || kind == .file || kind == .folder ? "" : "; check --repair removes it"
        return StoreError(
            name == Part.main.rawValue ? .notADatabase : .corrupt, "\(name) is \(kind.rawValue), where \(belongs)\(remedy)", path: path)
    }

    /// What stands in places of the bundle where no release puts such a thing; reading goes on without it.
    var foreignParts: [String] {
        let names = Part.allCases.map { ($0.rawValue, FileStatus.Kind.file) } + [(DatabaseBundle.attachmentsName, .folder)]
        return names.compactMap { name, kind in
            guard let status = FileStatus("\(path)/\(name)"), status.kind != kind else { return nil }
            return "\(name) is \(status.kind.rawValue)"
        }
    }

    /// The error for a file where a directory belongs. People drop the file from within it, too.
    static func isFile(_ path: String) -> StoreError {
        let reason = path.hasSuffix("/db.sqlite3") ? "the directory that this file is in" : "a directory, and this is a file"
        return StoreError(.notADatabase, "not a database: a .cblite2 database is \(reason)", path: path)
    }

    /// 1.2 to 1.4 could keep their data in ForestDB instead of SQLite.
    private var holdsForestDB: Bool {
        ((try? Folder(following: path).names()) ?? []).contains { $0 == "db.forest" || $0.hasPrefix("db.forest.") }
    }

    private static func isForestDB(_ path: String) -> StoreError {
        StoreError(
            .unsupported,
            "a Couchbase Lite 1.x database in ForestDB's storage, which no successor reads. Its app can convert it to SQLite's: open it "
                + "with 1.4 and the storage type SQLite; or replicate it to a server", path: path)
    }

    /// The error for a database of 1.x, by its `user_version`.
    static func isVersion1(_ version: Int, path: String?) -> StoreError {
        let release = SchemaGeneration(rawValue: version).releases
        return StoreError(
            .version1,
            "a Couchbase Lite 1.x database (format \(version), made by \(release)) can only be read; an upgrade makes it one that can be changed",
            path: path)
    }
}

extension Database {
    /// Whether a directory is a database, rather than one that has some in it.
    package static func isBundle(_ path: String) -> Bool {
        path.hasSuffix(".cblite2") || FileStatus(following: path + "/" + DatabaseBundle.Part.main.rawValue)?.kind == .file
    }
}

extension Database {
    /// What the file is called in every bundle that makes it a database.
    package static let mainFileName = DatabaseBundle.Part.main.rawValue

    /// The path of the bundle whose main file a path names; nil for other paths.
    package static func bundlePath(ofMainFile path: String) -> String? {
        let name = "/" + DatabaseBundle.Part.main.rawValue
        return path.hasSuffix(".cblite2" + name) ? String(path.dropLast(name.count)) : nil
    }
}

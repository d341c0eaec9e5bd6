import CBLSystemFiles
import Glibc

/// A bundle that appears under its name when it is complete, or not at all.
enum NewBundle {
    /// What the names of unfinished bundles have behind that of the bundle; six letters or digits follow.
    static let suffix = "_TEMP-"

    /// Has `work` fill a folder beside the target, for its owner alone and of a name that nobody can know before, and gives it its name.
    /// Nothing that is there already is replaced, written to or removed, not even if it came while the work went on.
    static func make<Result>(at path: String, _ work: (_ unfinished: DatabaseBundle) throws -> Result) throws -> Result {
        let target = DatabaseBundle(path: path)
        // A link that leads nowhere is something, too.
        guard FileStatus(target.path) == nil else { throw exists(target) }
        for leftover in Leftover.all(of: target) where leftover.isAbandoned { _ = leftover.remove() }
        let (unfinished, lock, fileSystem) = try makeFolder(beside: target)
        defer { withExtendedLifetime(lock) {} }
        do {
            let result = try work(unfinished)
            try unfinished.synchronize(by: fileSystem)
            guard rename(unfinished.path, toFree: target.path) else {
                throw errno == EEXIST ? exists(target) : FileCopy.failure("cannot create", target.path)
            }
            do { try target.synchronizeName() } catch {
                // Nobody can rely on it: it goes with what is unfinished.
                _ = rename(target.path, toFree: unfinished.path)
                throw error
            }
            return result
        } catch {
            _ = Leftover(path: unfinished.path)?.remove()
            if let error = error as? StoreError, error.path == unfinished.path {
                throw StoreError(error.code, error.message, path: target.path, cause: error.cause)
            }
            throw error
        }
    }

    /// Has `work` fill a folder beside a bundle, which then takes the bundle's place. The bundle goes, or gets another name if one is given. Until
    /// everything is there nothing has changed, and a program that is killed leaves both or the old one.
    static func replace<Result>(
        at path: String, keepingOldAt kept: String?, _ work: (_ unfinished: DatabaseBundle) throws -> Result
    ) throws -> Result {
        let target = DatabaseBundle(path: path)
        for leftover in Leftover.all(of: target) where leftover.isAbandoned { _ = leftover.remove() }
        let (unfinished, lock, fileSystem) = try makeFolder(beside: target)
        defer { withExtendedLifetime(lock) {} }
        var name = unfinished.path
        do {
            let result = try work(unfinished)
            try unfinished.synchronize(by: fileSystem)
            if let kept {
                guard rename(name, toFree: kept) else {
                    throw errno == EEXIST ? exists(DatabaseBundle(path: kept)) : FileCopy.failure("cannot create", kept)
                }
                name = kept
            }
            guard exchange(name, target.path) else { throw FileCopy.failure("cannot replace", target.path) }
            // The old one must not go before the disk knows that the new one has its place.
            do { try target.synchronizeName() } catch {
                _ = exchange(name, target.path)
                throw error
            }
            // It is done. What cannot be removed now goes as a leftover, some other time.
            if kept == nil, (try? DatabaseBundle(path: name).removeInPlace()) == nil { _ = Leftover(path: name)?.remove() }
            return result
        } catch {
            if FileStatus(target.path) != nil { _ = Leftover(path: name)?.remove() }
            throw error
        }
    }

    private static func exchange(_ new: String, _ old: String) -> Bool {
        if cblite_exchange(new, old) == 0 { return true }
        guard errno == EINVAL || errno == ENOSYS else { return false }
        // Where the file system cannot do it in one step, in three.
        let between = old + suffix + "swap00"
        return rename(old, toFree: between) && rename(new, toFree: old) && rename(between, toFree: new)
    }

    /// Gives a bundle that is to go the name of a leftover, so that it goes whole, whatever happens meanwhile. Nil if it has more in it than a
    /// leftover may have, or cannot be renamed.
    static func moveAside(_ bundle: DatabaseBundle) -> String? {
        guard !bundle.isLoneFile, Leftover(path: bundle.path) != nil else { return nil }
        let letters = String(UInt64.random(in: .min ... .max), radix: 36).suffix(6)
        let aside = bundle.path + suffix + String(repeating: "0", count: 6 - letters.count) + letters
        return rename(bundle.path, toFree: aside) ? aside : nil
    }

    static func moveBack(_ aside: String, _ bundle: DatabaseBundle) { _ = rename(aside, toFree: bundle.path) }

    /// The lock tells others of the same intention that this is no leftover. Nothing is in the folder yet.
    private static func makeFolder(beside target: DatabaseBundle) throws -> (DatabaseBundle, FolderLock?, FileSystemSync?) {
        while true {
            var template = Array((target.path + suffix + "XXXXXX").utf8CString)
            guard template.withUnsafeMutableBufferPointer({ $0.baseAddress.map { mkdtemp($0) } ?? nil }) != nil else {
                throw cannotMakeDirectory(target.path)
            }
            let unfinished = DatabaseBundle(path: String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
            // Somebody may have cleared it away before the lock was there.
            let folder = try Folder(unfinished.path)
            let lock = folder?.lock(waits: true)
            if FileStatus(unfinished.path) != nil { return (unfinished, lock, folder.flatMap { FileSystemSync(of: $0) }) }
        }
    }

    /// The error for a directory that could not be made, for the reason in `errno`.
    static func cannotMakeDirectory(_ path: String) -> StoreError {
        let code: StoreError.Code = errno == ENOENT ? .notFound : errno == ENOSPC ? .diskFull : .inputOutput
        return StoreError(code, "cannot create the directory: \(FileStatus.reason())", path: path)
    }

    private static func exists(_ target: DatabaseBundle) -> StoreError {
        StoreError(.exists, "there is something of that name already", path: target.path)
    }

    /// `errno` is `EEXIST` if there is something of that name.
    private static func rename(_ path: String, toFree target: String) -> Bool {
        if cblite_rename_to_free(path, target) == 0 { return true }
        // Not every file system can do it in one step.
        guard errno == EINVAL || errno == ENOSYS else { return false }
        guard FileStatus(target) == nil else {
            errno = EEXIST
            return false
        }
        return Glibc.rename(path, target) == 0
    }
}

extension Database {
    /// Has `work` make a database under another name, which then gets its own: it appears when it is complete, or not at all.
    package static func appearing<Result>(at path: String, _ work: (_ unfinished: String) throws -> Result) throws -> Result {
        try NewBundle.make(at: path) { try work($0.path) }
    }
}

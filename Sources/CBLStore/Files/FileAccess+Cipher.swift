import CBLSQLite
import Synchronization

/// The key of some files, and the cipher that was found to fit: a password can stand for several keys, and there are several ciphers.
final class FileSecret: Sendable {
    private struct State {
        var given: EncryptionKey?
        var found: (cipher: any PageCipher, key: EncryptionKey)?
    }

    private let state: Mutex<State>

    init(_ key: EncryptionKey?) { state = Mutex(State(given: key, found: nil)) }

    /// As somebody gave it; nil for files without encryption.
    var given: EncryptionKey? { state.withLock { $0.given } }
    /// What the first connection found out.
    var found: (cipher: any PageCipher, key: EncryptionKey)? { state.withLock { $0.found } }
    func find(_ cipher: any PageCipher, _ key: EncryptionKey) { state.withLock { $0.found = (cipher, key) } }

    /// When the files were written anew.
    func replace(with key: EncryptionKey?) { state.withLock { $0 = State(given: key, found: nil) } }

    /// 1.x had another cipher, which can only be read.
    var isOfVersion1: Bool { found.map { !($0.cipher is any WritablePageCipher) } ?? false }

    /// For people; nil without encryption.
    var cipherName: String? {
        switch found?.cipher {
        case let cipher as CouchbaseCipher: CouchbaseCipher.name(cipher.strength)
        case is SQLCipher: SQLCipher.name
        default: nil
        }
    }
}

/// What makes sense of an encrypted main file.
extension FileAccess {
    /// What was found out about a main file with a key.
    private enum Lock {
        case open(any PageCipher)
        case refused(StoreError)
    }

    /// The cipher of the main file, of which `read` gives bytes as they are.
    private func lock(_ key: EncryptionKey, _ read: (_ count: Int, _ offset: Int) -> [UInt8]?) -> Lock {
        var isReadable = true
        func reading(_ count: Int, _ offset: Int) -> [UInt8]? {
            let bytes = read(count, offset)
            if bytes == nil, offset + count <= bundle.size(.main) { isReadable = false }
            return bytes
        }
        // The disk fails: nothing is wrong with the key.
        let isUnreadable = StoreError(.inputOutput, "the file db.sqlite3 cannot be read", path: bundle.path)
        guard let bytes = reading(DatabaseHeader.count, 0) else {
            guard isReadable else { return .refused(isUnreadable) }
            return .refused(StoreError(.notADatabase, "not a database: the file db.sqlite3 is too short for one", path: bundle.path))
        }
        let header = DatabaseHeader(bytes: bytes, fileSize: bundle.size(.main))
        if header.isPlain { return .refused(isNotEncrypted) }
        var found: (cipher: any PageCipher, key: EncryptionKey)? =
            header.isEncrypted ? CouchbaseCipher.fitting(key, pageSize: header.pageSize, reading) : SQLCipher.fitting(key, reading)
        if found == nil, header.isEncrypted, let page = firstPageInLog(header.pageSize) ?? firstPageInJournal(header.pageSize) {
            found = CouchbaseCipher.fitting(key, pageSize: header.pageSize) { count, offset in
                offset == 0 && count <= page.count ? Array(page.prefix(count)) : nil
            }
        }
        guard let (cipher, key) = found else {
            guard isReadable else { return .refused(isUnreadable) }
            guard header.isEncrypted || header.looksEncrypted else { return .refused(isNoDatabase) }
            return .refused(StoreError(.wrongKey, "that is not the key or password of this database", path: bundle.path))
        }
        secret.find(cipher, key)
        return .open(cipher)
    }

    /// The first page as it is in the log: if the power went while it was written back, the main file has only a part of it.
    private func firstPageInLog(_ pageSize: Int) -> [UInt8]? {
        guard bundle.size(.log) > 0, let log = try? open(.log) else { return nil }
        func read(_ count: Int, _ offset: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            return (try? log.read(at: offset, into: &bytes)) == count ? bytes : nil
        }
        guard let salts = read(8, 16) else { return nil }
        var (found, offset): ([UInt8]?, Int) = (nil, 32)
        while let header = read(24, offset), header[8..<16].elementsEqual(salts) {
            if header[..<4].elementsEqual([0, 0, 0, 1]) { found = read(pageSize, offset + header.count) ?? found }
            offset += header.count + pageSize
        }
        return found
    }

    /// The same in the rollback journal.
    private func firstPageInJournal(_ pageSize: Int) -> [UInt8]? {
        guard bundle.size(.rollbackJournal) > 0, let journal = try? open(.rollbackJournal) else { return nil }
        return RollbackJournal.page(1, pageSize, in: journal)
    }

    /// Has a connection that was just made see the file in clear.
    func unlock(_ connection: Connection, _ key: EncryptionKey) throws {
        if mode == .unfinished || mode == .readWrite, bundle.size(.main) == 0 { return try begin(connection, key) }
        func firstPage() throws -> [UInt8]? { try connection.readMainFile(count: 1024, at: 0) }
        for _ in 0..<20 {
            let before = try firstPage()
            switch lock(key, { try? connection.readMainFile(count: $0, at: $1) }) {
            case .open(let cipher): return try connection.use(cipher)
            // Whoever writes may have been in the middle of the first page.
            case .refused(let error): if try firstPage() == before { throw error }
            }
        }
        throw StoreError(.busy, "another program keeps changing the database", path: bundle.path)
    }

    /// Of a file that this process has open already nobody has looked at the first bytes.
    func checkIsPlain(_ connection: Connection) throws {
        guard let bytes = try connection.readMainFile(count: DatabaseHeader.count, at: 0) else { return }
        let header = DatabaseHeader(bytes: bytes, fileSize: bundle.size(.main))
        guard !header.isPlain, header.isEncrypted || header.looksEncrypted else { return }
        throw header.isEncrypted ? needsKey : needsKeyOfVersion1
    }

    /// Has an empty file encrypted from its first page on.
    private func begin(_ connection: Connection, _ key: EncryptionKey) throws {
        guard let cipher = CouchbaseCipher(key) else { throw StoreError(.wrongKey, "no cipher takes such a key", path: bundle.path) }
        secret.find(cipher, key)
        try connection.use(cipher, isNew: true)
    }

    /// Whether an encrypted file is one of the usual kind whose only readable bytes are damaged: its pages tell that the key is the right one.
    var hasMendableHeader: Bool {
        guard let key, let file = try? open(.main), let (cipher, fitting) = CouchbaseCipher.fitting(key, FileAccess.reading(file)) else {
            return false
        }
        secret.find(cipher, fitting)
        return true
    }

    /// Whether what follows the header in the first page is the list of tables of a database without encryption, whatever the header is like.
    var isPlainBehindHeader: Bool {
        guard let file = try? open(.main), let page = FileAccess.reading(file)(4096, 0) else { return false }
        let start = DatabaseHeader.count
        func number(_ place: Int, _ count: Int) -> Int { page[(start + place)..<(start + place + count)].reduce(0) { $0 << 8 | Int($1) } }
        // How a page of a table begins: how many cells it has, and how many bytes are lost between them.
        let cells = number(3, 2)
        guard cells <= 2000, number(7, 1) <= 60 else { return false }
        switch page[start] {
        case 5: return (2...file.status.size / 512).contains(number(8, 4))
        case 13: return cells > 0 && page.firstRange(of: Array("CREATE ".utf8)) != nil
        default: return false
        }
    }

    /// What each page of a plain file leaves at its end, by what the pages are like: some releases have room for what encryption would need.
    var likelyReservedSize: UInt8 {
        let (size, room) = (DatabaseHeader.usualPageSize, 12)
        guard let file = try? open(.main) else { return 0 }
        var (count, free) = (0, 0)
        for number in 1..<64 {
            guard let page = FileAccess.reading(file)(size, number * size) else { break }
            // Pages of trees; what is stored first in one of them stands at its end.
            guard [2, 5, 10, 13].contains(page[0]) else { continue }
            count += 1
            if page.suffix(room).allSatisfy({ $0 == 0 }) { free += 1 }
        }
        return free * 10 > count * 9 ? UInt8(room) : 0
    }

    private static func reading(_ file: RegularFile) -> (Int, Int) -> [UInt8]? {
        { count, offset in
            var bytes = [UInt8](repeating: 0, count: count)
            return (try? file.read(at: offset, into: &bytes)) == count ? bytes : nil
        }
    }

    /// The header in clear; nil if it is damaged though the key is right.
    func header(_ key: EncryptionKey) throws(StoreError) -> DatabaseHeader? {
        guard let file = try open(.main) else { throw StoreError(.notFound, "the file db.sqlite3 is gone", path: bundle.path) }
        switch lock(key, FileAccess.reading(file)) {
        case .refused(let error): throw error
        case .open(let cipher):
            var page = [UInt8](repeating: 0, count: cipher.pageSize)
            let count = try file.read(at: 0, into: &page)
            guard count == page.count, page.withUnsafeMutableBytes({ cipher.decrypt($0, number: 1) }) else { return nil }
            return DatabaseHeader(bytes: Array(page.prefix(DatabaseHeader.count)), fileSize: file.status.size)
        }
    }

    /// Refuses an encrypted file whose log nobody could read: what was committed last is in it, and SQLite would take it for empty. Only where nobody has
    /// the file open.
    func checkLog() throws(StoreError) {
        guard hasForeignLog else { return }
        throw StoreError(
            .corrupt,
            "its write-ahead log has commits that cannot be read: it was written with another key, or in another way; "
                + "check --salvage gets what is in the database without it", path: bundle.path)
    }

    var hasForeignLog: Bool {
        guard key != nil, let cipher = secret.found?.cipher as? CouchbaseCipher, let log = try? open(.log) else { return false }
        return LeftLog.isForeign(pageSize: cipher.pageSize, size: log.status.size, FileAccess.reading(log), isPage: cipher.isPage)
    }

    var isNotEncrypted: StoreError {
        StoreError(.wrongKey, "the database is not encrypted: open it without a key", path: bundle.path)
    }

    var isNoDatabase: StoreError {
        StoreError(.notADatabase, "the file db.sqlite3 is not an SQLite database, or its header is damaged", path: bundle.path)
    }

    var needsKey: StoreError {
        StoreError(.needsKey, "the database is encrypted, and needs its key or password", path: bundle.path)
    }

    /// Nothing in such a file tells what it is.
    var needsKeyOfVersion1: StoreError {
        StoreError(
            .needsKey,
            "the database is encrypted, as Couchbase Lite 1.x did it, and needs its key or password; or it is no database, or its first page is damaged",
            path: bundle.path)
    }

    /// What 1.x has encrypted, by its `user_version`, for who wants to write.
    func isEncryptedVersion1(_ header: DatabaseHeader?) -> StoreError {
        if let version = header?.userVersion, Version1Schema.userVersions.contains(version) {
            return DatabaseBundle.isVersion1(version, path: bundle.path)
        }
        return StoreError(
            .version1, "what Couchbase Lite 1.x encrypted can only be read; an upgrade makes a database that can be changed",
            path: bundle.path)
    }
}

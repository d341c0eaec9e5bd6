import CBLSQLite
import Synchronization

/// Of the keys that a password can stand for, the one that fits. All that reads the same files shares it.
final class FittingKey: Sendable {
    private let known = Mutex<EncryptionKey?>(nil)
    var key: EncryptionKey? { known.withLock { $0 } }
    func set(_ key: EncryptionKey) { known.withLock { $0 = key } }
}

/// What makes sense of an encrypted main file.
extension FileAccess {
    /// What was found out about a main file with a key.
    private enum Lock {
        case open(SQLCipher)
        case refused(StoreError)
    }

    /// The cipher of the main file, of which `read` gives bytes as they are.
    private func lock(_ key: EncryptionKey, _ read: (_ count: Int, _ offset: Int) -> [UInt8]?) -> Lock {
        guard let bytes = read(DatabaseHeader.count, 0) else {
            return .refused(StoreError(.notADatabase, "not a database: the file db.sqlite3 is too short for one", path: bundle.path))
        }
        let header = DatabaseHeader(bytes: bytes, fileSize: bundle.size(.main))
        if header.isPlain { return .refused(isNotEncrypted) }
        if header.isEncrypted { return .refused(FileAccess.noCipher(bundle.path)) }
        guard let (cipher, key) = SQLCipher.fitting(key, read) else {
            guard header.looksEncrypted else { return .refused(isNoDatabase) }
            return .refused(StoreError(.wrongKey, "that is not the key or password of this database", path: bundle.path))
        }
        fitting?.set(key)
        return .open(cipher)
    }

    /// Has a connection that was just made see the file in clear.
    func unlock(_ connection: Connection, _ key: EncryptionKey) throws {
        func firstPage() -> [UInt8]? { connection.readMainFile(count: 1024, at: 0) }
        for _ in 0..<20 {
            let before = firstPage()
            switch lock(key, { connection.readMainFile(count: $0, at: $1) }) {
            case .open(let cipher): return try connection.decrypt(with: cipher)
            // Whoever writes may have been in the middle of the first page.
            case .refused(let error): if firstPage() == before { throw error }
            }
        }
        throw StoreError(.busy, "another program keeps changing the database", path: bundle.path)
    }

    /// The header in clear; nil if it is damaged though the key is right.
    func header(_ key: EncryptionKey) throws(StoreError) -> DatabaseHeader? {
        guard let file = try open(.main) else { throw StoreError(.notFound, "the file db.sqlite3 is gone", path: bundle.path) }
        func read(_ count: Int, _ offset: Int) -> [UInt8]? {
            var bytes = [UInt8](repeating: 0, count: count)
            return (try? file.read(at: offset, into: &bytes)) == count ? bytes : nil
        }
        switch lock(key, read) {
        case .refused(let error): throw error
        case .open(let cipher):
            guard var page = read(cipher.pageSize, 0), page.withUnsafeMutableBytes({ cipher.decrypt($0, number: 1) }) else { return nil }
            return DatabaseHeader(bytes: Array(page.prefix(DatabaseHeader.count)), fileSize: file.status.size)
        }
    }

    /// Ciphers are read with. A key that was given is not passed over by who writes, wherever it came from.
    func checkNoCipher() throws(StoreError) {
        if key != nil { throw StoreError(.encrypted, "this version cannot write encrypted databases yet", path: bundle.path) }
    }

    static func noCipher(_ path: String) -> StoreError {
        StoreError(.encrypted, "the database is encrypted, and this version cannot decrypt it yet", path: path)
    }

    var isNotEncrypted: StoreError {
        StoreError(.wrongKey, "the database is not encrypted: open it without a key", path: bundle.path)
    }

    var isNoDatabase: StoreError {
        StoreError(.notADatabase, "the file db.sqlite3 is not an SQLite database, or its header is damaged", path: bundle.path)
    }

    /// Nothing in such a file tells what it is.
    var needsKey: StoreError {
        StoreError(
            .needsKey, "the database is encrypted, as Couchbase Lite 1.x did it, and needs its key or password; or it is no database",
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

import CBLBase
import CBLSQLite

/// What the table `kv_info` says about the database itself.
struct StoredInfo {
    var versioning: Versioning?
    var publicUUID: UniqueID?
    var privateUUID: UniqueID?
    /// Whether rows of `kv_default` can still be tombstones although there is a table for those.
    var tombstonesMayBeInDefault = true
    /// The table of shared keys, as stored.
    var sharedKeys: [UInt8] = []

    enum Key {
        static let publicUUID = "publicUUID"
        static let privateUUID = "privateUUID"
        static let previousPrivateUUID = "previousPrivateUUID"
        static let sharedKeys = "SharedKeys"
        static let versioning = "versioning"
        static let maxRevTreeDepth = "maxRevTreeDepth"
        static let maxRowidWithDeleted = "maxRowidWithDeletedInDefault"
        static let remotes = "remotes"
        static let cookies = "org.couchbase.cookies"
    }

    init(reading connection: Connection) throws {
        // One after another: a list of keys takes SQLite twice as long.
        try connection.withStatement(InfoTable.select) { row in
            func read<Result>(_ key: String, _ take: (UnsafeRawBufferPointer) -> Result?) throws -> Result? {
                defer { row.reset() }
                try row.bind(key, 1)
                return try row.step() ? row.blob(0).flatMap(take) : nil
            }
            publicUUID = try read(Key.publicUUID) { UniqueID($0) }
            privateUUID = try read(Key.privateUUID) { UniqueID($0) }
            versioning = try read(Key.versioning) { $0.bigEndian.flatMap { Versioning(rawValue: Int(truncatingIfNeeded: $0)) } }
            tombstonesMayBeInDefault = try read(Key.maxRowidWithDeleted) { $0.bigEndian != 0 } ?? true
            sharedKeys = try read(Key.sharedKeys) { Array($0) } ?? []
        }
    }
}

/// Reading and writing single values of `kv_info`.
struct InfoTable {
    fileprivate static let select = "SELECT body FROM kv_info WHERE key=?"
    let connection: Connection
    let generation: SchemaGeneration

    func get(_ key: String) throws -> [UInt8]? {
        try connection.withStatement(InfoTable.select) { row in
            try row.bind(key, 1)
            return try row.step() ? row.blob(0).map(Array.init) : nil
        }
    }

    func set(_ key: String, _ body: [UInt8]) throws {
        try body.withUnsafeBytes { try set(key, $0) }
    }

    func set(_ key: String, _ body: UnsafeRawBufferPointer) throws {
        // 2.x numbers the rows of this table too.
        let isNumbered = !generation.separatesBodies
        if isNumbered {
            try connection.execute(
                "INSERT INTO kvmeta (name, lastSeq) VALUES ('info', 1) ON CONFLICT (name) DO UPDATE SET lastSeq = lastSeq + 1")
        }
        let sql =
            isNumbered
            ? "INSERT OR REPLACE INTO kv_info (key, version, body, sequence) VALUES (?, ?, ?, (SELECT lastSeq FROM kvmeta WHERE name='info'))"
            : "INSERT OR REPLACE INTO kv_info (key, version, body) VALUES (?, ?, ?)"
        try connection.withStatement(sql) { statement in
            try statement.bind(key, 1)
            try statement.bindNull(2)
            try statement.bind(blob: body, 3)
            try statement.run()
        }
    }

    func set(_ key: String, integer: UInt64) throws {
        try set(key, (0..<8).map { UInt8(truncatingIfNeeded: integer >> (56 - 8 * $0)) })
    }

    func set(_ key: String, _ uuid: UniqueID) throws {
        try uuid.withBytes { try set(key, $0) }
    }

    func remove(_ key: String) throws {
        try connection.withStatement("DELETE FROM kv_info WHERE key=?") { statement in
            try statement.bind(key, 1)
            try statement.run()
        }
    }
}

extension UnsafeRawBufferPointer {
    /// An eight-byte big-endian integer, the form of numbers in `kv_info`.
    var bigEndian: UInt64? {
        guard count == 8 else { return nil }
        return reduce(0) { $0 << 8 | UInt64($1) }
    }
}

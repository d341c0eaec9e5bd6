import CBLSQLite
import FoundationEssentials

/// What the table `kv_info` says about the database itself.
struct StoredInfo {
    var versioning: Versioning?
    var publicUUID: UUID?
    var privateUUID: UUID?
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
        try connection.withStatement(
            "SELECT key, body FROM kv_info WHERE key IN ('publicUUID','privateUUID','versioning','maxRowidWithDeletedInDefault','SharedKeys')"
        ) { row in
            while try row.step() {
                guard let body = row.blob(1) else { continue }
                switch row.string(0) {
                case Key.publicUUID: publicUUID = UUID(bytes: body)
                case Key.privateUUID: privateUUID = UUID(bytes: body)
                case Key.versioning: versioning = body.bigEndian.flatMap { Versioning(rawValue: Int(truncatingIfNeeded: $0)) }
                case Key.maxRowidWithDeleted: tombstonesMayBeInDefault = body.bigEndian != 0
                case Key.sharedKeys: sharedKeys = Array(body)
                default: break
                }
            }
        }
    }
}

/// Reading and writing single values of `kv_info`.
struct InfoTable {
    let connection: Connection
    let generation: SchemaGeneration

    func get(_ key: String) throws -> [UInt8]? {
        try connection.withStatement("SELECT body FROM kv_info WHERE key=?") { row in
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

    func set(_ key: String, _ uuid: UUID) throws {
        try withUnsafeBytes(of: uuid.uuid) { try set(key, $0) }
    }

    func remove(_ key: String) throws {
        try connection.withStatement("DELETE FROM kv_info WHERE key=?") { statement in
            try statement.bind(key, 1)
            try statement.run()
        }
    }
}

extension UUID {
    init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &uuid) { $0.copyMemory(from: bytes) }
        self.init(uuid: uuid)
    }

    /// The sixteen bytes as lower-case hex digits, the form in which protocols and `info` show it.
    package var hexadecimal: String {
        String(uuidString.lowercased().filter { $0 != "-" })
    }
}

extension UnsafeRawBufferPointer {
    /// An eight-byte big-endian integer, the form of numbers in `kv_info`.
    var bigEndian: UInt64? {
        guard count == 8 else { return nil }
        return reduce(0) { $0 << 8 | UInt64($1) }
    }
}

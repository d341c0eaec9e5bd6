import CBLSQLite
import Synchronization

/// What a file says of its schema, byte by byte as SQLite gives it.
struct SchemaImage: Equatable, Sendable {
    private var bytes: [UInt8] = []
    let userVersion: Int64

    init(reading connection: Connection) throws {
        userVersion = try connection.integer("PRAGMA user_version") ?? 0
        bytes.reserveCapacity(4096)
        let rows = try connection.prepare("SELECT rowid, rootpage, type, name, tbl_name, sql FROM sqlite_master")
        while try rows.step() {
            for column in 0..<2 as Range<Int32> { append(rows.int64(column)) }
            for column in 2..<6 as Range<Int32> {
                let text = rows.text(column)
                append(text.map { Int64($0.count) } ?? -1)
                if let text { bytes.append(contentsOf: text) }
            }
        }
    }

    private mutating func append(_ number: Int64) { withUnsafeBytes(of: number) { bytes.append(contentsOf: $0) } }

    var byteCount: Int { bytes.count }

    var entries: [SchemaEntry] {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            func number() -> Int64 {
                defer { rest = rest.dropFirst(8) }
                return UnsafeRawBufferPointer(rebasing: rest).loadUnaligned(as: Int64.self)
            }
            func text() -> String? {
                let count = Int(number())
                guard count >= 0 else { return nil }
                defer { rest = rest.dropFirst(count) }
                return String(decoding: rest.prefix(count), as: UTF8.self)
            }
            var entries: [SchemaEntry] = []
            while !rest.isEmpty {
                let (rowid, rootPage) = (number(), number())
                entries.append(
                    SchemaEntry(
                        rowid: rowid, type: text() ?? "", name: text() ?? "", table: text() ?? "", rootPage: rootPage, sql: text()))
            }
            return entries
        }
    }
}

/// A schema that has been understood. Those that were met last are kept: an app opens the same databases again and again, and each has several
/// connections.
final class KnownSchema: Sendable {
    let catalog: Catalog
    /// Of a 1.x file.
    let version1: Version1Schema?
    private let image: SchemaImage
    /// Whether releases of Couchbase Lite make all of it.
    private let isTrusted = Atomic<Bool>(false)

    private static let known = Mutex<[KnownSchema]>([])
    private static let most = 8
    private static let longestImage = 1 << 16

    private init(_ image: SchemaImage) throws {
        self.image = image
        version1 = Version1Schema.userVersions.contains(Int(image.userVersion)) ? try Version1Schema(image.entries) : nil
        catalog = try version1.map { Catalog($0, userVersion: image.userVersion) } ?? Catalog(image.entries, userVersion: image.userVersion)
    }

    /// The one that a file has now.
    static func of(_ connection: Connection) throws -> KnownSchema {
        let image = try SchemaImage(reading: connection)
        if let schema = known.withLock({ known in known.first { $0.image == image } }) { return schema }
        let schema = try KnownSchema(image)
        guard image.byteCount <= longestImage else { return schema }
        known.withLock { known in
            if known.count == most { known.removeFirst() }
            known.append(schema)
        }
        return schema
    }

    /// Has SQLite trust the schema that it is about to run; throws if it is not one that releases of Couchbase Lite make.
    func trust(on connection: Connection) throws {
        if isTrusted.load(ordering: .relaxed) { return try connection.trustSchema() }
        try SchemaInspection(image.entries).trust(on: connection)
        isTrusted.store(true, ordering: .relaxed)
    }
}

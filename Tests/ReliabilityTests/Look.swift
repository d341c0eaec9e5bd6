import CBLFleece
import CBLStore
import CBLTestSupport
import FoundationEssentials

/// What there is in a database, to be compared with what there should be.
struct Look: Hashable, CustomStringConvertible {
    /// Documents by collection and name, and indexes.
    private(set) var lines: [String] = []

    var description: String {
        lines.isEmpty ? "nothing" : "\(lines.count) lines: " + lines.map { $0.prefix(40) }.prefix(60).joined(separator: ", ")
    }

    /// Opens a database as an app does that is started again, and looks whether all of it is as it should be. Nothing is what has no database, too.
    /// `goesOn` writes to it as well.
    static func at(_ path: String, keys: [EncryptionKey?], goesOn: Bool = false) throws -> Look {
        guard FileManager.default.fileExists(atPath: path) else { return Look() }
        // Who only reads has to see the same, and before somebody has tidied up.
        let read = goesOn ? Result { try Look.reading(path, keys) } : nil
        let database = try Look.open(path, keys)
        defer { database.close() }
        let found = try Look(database)
        guard goesOn else { return found }
        // Of a database of which nothing is there yet he may be told that it is none.
        if !found.lines.isEmpty, let read = try read?.get() ?? nil, read != found {
            throw Wrong(what: "who reads sees something else: \(read)")
        }
        let bytes = Array("it goes on".utf8)
        try database.write { transaction in
            let blob = try bytes.withUnsafeBytes { try database.blobs.write($0).digest }
            let json = #"{"file": {"@type": "blob", "digest": "\#(blob)", "length": \#(bytes.count)}}"#
            try transaction.save(Look.goingOn(path), body: transaction.encode(json: json))
        }
        var after = try Look(database)
        after.lines.removeAll { $0.hasPrefix("_default \(Look.goingOn(path)) ") }
        guard after == found else { throw Wrong(what: "a save changes other documents") }
        return found
    }

    private static func goingOn(_ path: String) -> String { "goes on in \(URL(filePath: path).lastPathComponent)" }

    /// Nil for what is a database of 1.x still.
    private static func reading(_ path: String, _ keys: [EncryptionKey?]) throws -> Look? {
        let database = try open(path, keys, .readOnly)
        defer { database.close() }
        return try database.isVersion1 ? nil : Look(database)
    }

    private init() {}

    init(_ database: Database) throws {
        var found: [String] = []
        lines = try database.read { snapshot in
            _ = try Checker(snapshot) {
                if $0.severity != .note { found.append("\($0.subject ?? "") \($0.document ?? ""): \($0.message)") }
            }.run()
            var lines = try snapshot.indexes().map { "index \($0.name)" }
            for name in snapshot.collections() {
                if name != .default { lines.append("collection \(name)") }
                var options = ScanOptions(content: .everything)
                options.includesDeleted = true
                let cursor = try snapshot.scan(name, options)
                while let line = try cursor.next(reading: { document in
                    "\(name) \(document.id) \(document.isDeleted) "
                        + document.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
                }) { lines.append(line) }
            }
            return lines.sorted()
        }
        guard found.isEmpty else { throw Wrong(what: found.prefix(5).joined(separator: "; ")) }
    }

    /// One of 1.x is upgraded again.
    private static func open(_ path: String, _ keys: [EncryptionKey?]) throws -> Database {
        do { return try open(path, keys, .create) } catch let error as StoreError where error.code == .version1 {
            _ = try Database.upgradeVersion1(at: path, keepingOldAt: nil)
            return try open(path, keys, .create)
        }
    }

    private static func open(_ path: String, _ keys: [EncryptionKey?], _ given: Database.Options) throws -> Database {
        var options = given
        for key in keys.dropLast() {
            options.key = key
            do { return try Database(path: path, options: options) } catch {
                guard error.code == .wrongKey || error.code == .needsKey else { throw error }
            }
        }
        options.key = keys.last ?? nil
        return try Database(path: path, options: options)
    }
}

struct Wrong: Error { let what: String }

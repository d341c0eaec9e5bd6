import CBLBase
import CBLFleece
import CBLFunctions
import CBLSQLite
import CBLSystemSQLite

/// What the views of `Version1Schema` call, and the collation that 1.x orders revisions by.
///
/// The functions of one connection; SQLite keeps it, and calls it on one thread at a time.
final class Version1Functions {
    private let body = Version1Body()
    private var text = ByteBuffer()
    /// The body that was made last. A query names it once for each property that it reads, and a revision's body does not change.
    private var last: (sequence: Int64, bytes: [UInt8])?

    private typealias Function = @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    static func register(on connection: Connection) throws {
        let functions = Version1Functions()
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        func check(_ code: Int32) throws { if code != SQLITE_OK { throw connection.error(code) } }
        func register(_ name: String, _ arity: Int32, _ function: @escaping Function) throws {
            let pointer = Unmanaged.passRetained(functions).toOpaque()
            try check(sqlite3_create_function_v2(connection.handle, name, arity, flags, pointer, function, nil, nil, release))
        }
        try register("cblite1_version", 1) { Version1Functions.setVersion(Call($0, $1, $2)) }
        try register("cblite1_body", 3) { Version1Functions.of($0).setBody(Call($0, $1, $2)) }
        try register("cblite1_uuid", 1) { Version1Functions.setUUID(Call($0, $1, $2)) }
        try register("cblite1_number", 1) { Version1Functions.setNumber(Call($0, $1, $2)) }
        try check(
            sqlite3_create_function_v2(
                connection.handle, "cblite1_tree", 9, flags, Unmanaged.passRetained(functions).toOpaque(), nil,
                { Version1Functions.of($0).addRevision(Call($0, $1, $2)) }, { Version1Functions.setTree(Call($0, 0, nil)) }, release))
        try check(
            sqlite3_create_function_v2(
                connection.handle, "cblite1_attachments", 7, flags, Unmanaged.passRetained(functions).toOpaque(), nil,
                { Version1Functions.addAttachment(Call($0, $1, $2)) }, { Version1Functions.setAttachments(Call($0, 0, nil)) }, release))
        try check(sqlite3_create_collation_v2(connection.handle, "REVID", SQLITE_UTF8, nil, compareRevisions, nil))
        // Of the keys of its views: whoever checks the file needs them.
        for collation in JSONCollation.allCases {
            let order = Unmanaged.passRetained(KeyOrder(collation)).toOpaque()
            try check(
                sqlite3_create_collation_v2(connection.handle, collation.sqlName, SQLITE_UTF8, order, compareKeys) { pointer in
                    if let pointer { Unmanaged<KeyOrder>.fromOpaque(pointer).release() }
                })
        }
    }

    private static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { pointer in
        if let pointer { Unmanaged<Version1Functions>.fromOpaque(pointer).release() }
    }

    private static func of(_ context: OpaquePointer?) -> Version1Functions {
        // Every function is registered with one.
        Unmanaged<Version1Functions>.fromOpaque(sqlite3_user_data(context).unsafelyUnwrapped).takeUnretainedValue()
    }

    private static let compareRevisions:
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
        ) -> Int32 = { _, firstCount, first, secondCount, second in
            let order = Version1RevisionText.compare(
                UnsafeRawBufferPointer(start: first, count: Int(firstCount)), UnsafeRawBufferPointer(start: second, count: Int(secondCount))
            )
            return Int32(clamping: order)
        }

    private final class KeyOrder {
        private let collation: JSONCollation
        private lazy var order = JSONTextOrder(collation)

        init(_ collation: JSONCollation) { self.collation = collation }

        func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int { order.compare(a, b) }
    }

    private static let compareKeys:
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, UnsafeRawPointer?, Int32, UnsafeRawPointer?
        ) -> Int32 = { order, firstCount, first, secondCount, second in
            guard let order else { return 0 }
            let result = Unmanaged<KeyOrder>.fromOpaque(order).takeUnretainedValue().compare(
                UnsafeRawBufferPointer(start: first, count: Int(firstCount)), UnsafeRawBufferPointer(start: second, count: Int(secondCount))
            )
            return Int32(clamping: result)
        }

    private static func setVersion(_ call: Call) {
        guard let text = call[0].bytes else { return }
        RevisionID(version1: text).withBinary { call.set(unlessEmpty: $0) }
    }

    private func setBody(_ call: Call) {
        let sequence = call[0].integer ?? 0
        if let last, last.sequence == sequence { return last.bytes.withUnsafeBytes { call.set(unlessEmpty: $0) } }
        do {
            try body.encode(call[1].bytes, attachments: call[2].bytes) { bytes in
                last = (sequence, Array(bytes))
                call.set(unlessEmpty: bytes)
            }
        } catch {
            call.failOutOfMemory()
        }
    }

    /// The sixteen bytes of a UUID, which platforms wrote in two ways: as such, and as Base64 for URLs behind a hyphen.
    private static func setUUID(_ call: Call) {
        guard let text = call[0].bytes else { return }
        var bytes: [UInt8]?
        if text.count == 23, text[0] == UInt8(ascii: "-") {
            bytes = Base64.bytes(
                ofUnchecked: text.dropFirst().map {
                    $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
                })
        } else {
            bytes = Hex.bytes(of: String(decoding: text.filter { $0 != UInt8(ascii: "-") }, as: UTF8.self).lowercased())
        }
        if let bytes, bytes.count == 16 { bytes.withUnsafeBytes { call.set(unlessEmpty: $0) } }
    }

    private static func setNumber(_ call: Call) {
        guard let number = call[0].integer else { return }
        withUnsafeBytes(of: UInt64(clamping: number).bigEndian) { call.set(unlessEmpty: $0) }
    }
}

// Aggregates
extension Version1Functions {
    /// What one document's rows have come to. SQLite keeps the reference from row to row.
    private final class Rows {
        var tree = Version1Tree()
        var winner: Int64 = 0
    }

    private final class Members {
        var text = ByteBuffer()
    }

    /// `sequence, parent, revid, current, deleted, has attachments, json, attachments, winner`.
    private func addRevision(_ call: Call) {
        guard let rows = call.state(or: { Rows() }), let id = call[2].bytes else { return }
        let sequence = call[0].integer ?? 0
        let winner = call[8].integer ?? 0
        var flags: RevisionTree.Flags = []
        if (call[4].integer ?? 0) != 0 { flags.insert(.deleted) }
        if (call[5].integer ?? 0) != 0 { flags.insert(.hasAttachments) }
        rows.winner = winner
        var body: FleeceData?
        // That of the winner has a column of its own.
        if sequence != winner, let json = call[6].bytes {
            do { body = try self.body.encode(json, attachments: call[7].bytes) { $0.isEmpty ? nil : FleeceData(copying: $0) } } catch {
                return call.failOutOfMemory()
            }
        }
        rows.tree.add(
            Version1Tree.Row(
                sequence: sequence, parent: call[1].integer, id: RevisionID(version1: id), isCurrent: (call[3].integer ?? 0) != 0,
                flags: flags, body: body))
    }

    private static func setTree(_ call: Call) {
        guard let rows = call.takeState(Rows.self), let tree = rows.tree.tree(winner: rows.winner) else { return }
        tree.encoded().withUnsafeBytes { call.set(unlessEmpty: $0) }
    }

    /// `filename, key, type, length, revpos, encoding, encoded_length`.
    private static func addAttachment(_ call: Call) {
        guard let members = call.state(or: { Members() }), let name = call[0].bytes else { return }
        members.text.append(members.text.count == 0 ? "{" : ",")
        JSONWriter.write(string: name, to: &members.text)
        members.text.append(":{")
        if let type = call[2].bytes {
            members.text.append("\"content_type\":")
            JSONWriter.write(string: type, to: &members.text)
            members.text.append(",")
        }
        if let key = call[1].bytes {
            members.text.append("\"digest\":\"sha1-")
            members.text.append(Base64.text(of: key))
            members.text.append("\",")
        }
        members.text.append("\"length\":")
        members.text.append(decimal: call[3].integer ?? 0)
        members.text.append(",\"revpos\":")
        members.text.append(decimal: call[4].integer ?? 0)
        if call[5].integer == 1 {
            members.text.append(",\"encoding\":\"gzip\",\"encoded_length\":")
            members.text.append(decimal: call[6].integer ?? 0)
        }
        members.text.append(",\"stub\":true}")
    }

    private static func setAttachments(_ call: Call) {
        guard let members = call.takeState(Members.self), members.text.count > 0 else { return }
        members.text.append("}")
        call.set(text: members.text.bytes)
    }
}

extension Argument {
    /// Nil for NULL.
    fileprivate var integer: Int64? { isMissing ? nil : int64 }

    /// The bytes of a text or blob; nil for everything else.
    fileprivate var bytes: UnsafeRawBufferPointer? { text ?? blob }
}

extension Call {
    /// No bytes are NULL.
    fileprivate func set(unlessEmpty bytes: UnsafeRawBufferPointer) { bytes.isEmpty ? setMissing() : set(blob: bytes) }
}

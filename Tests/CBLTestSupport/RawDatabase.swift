import CBLSystemSQLite
import Glibc

/// An SQLite file as a stranger works on it: what protects the schema is off, triggers do not run, and the functions that indexes name are
/// there and give nothing. Only for making hostile files: what is read in it is not what the program reads.
package final class RawDatabase {
    package enum Value: Sendable {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case bytes([UInt8])
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let handle: OpaquePointer

    package init(_ path: String) throws {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Failure(description: "\(path): \(String(cString: sqlite3_errstr(code)))")
        }
        self.handle = handle
        _ = cblite_sqlite_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 0)
        _ = cblite_sqlite_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
        for name in RawDatabase.functions {
            sqlite3_create_function_v2(
                handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nil, { context, _, _ in sqlite3_result_null(context) }, nil, nil, nil)
        }
        sqlite3_create_collation(handle, "REVID", SQLITE_UTF8, nil) { _, count, left, otherCount, right in
            let texts = [(left, count), (right, otherCount)].map {
                String(decoding: UnsafeRawBufferPointer(start: $0.0, count: Int($0.1)), as: UTF8.self)
            }
            let generations = texts.map { Int($0.prefix { $0 != "-" }) ?? 0 }
            if generations[0] != generations[1] { return generations[0] < generations[1] ? -1 : 1 }
            return texts[0] == texts[1] ? 0 : texts[0] < texts[1] ? -1 : 1
        }
        sqlite3_collation_needed(handle, nil) { _, handle, encoding, name in
            sqlite3_create_collation(handle, name, encoding, nil) { _, count, left, otherCount, right in
                guard let left, let right else { return count - otherCount }
                let order = memcmp(left, right, Int(min(count, otherCount)))
                return order != 0 ? order : count - otherCount
            }
        }
        // With it, a schema that makes no sense can be opened.
        try execute("PRAGMA writable_schema=ON")
    }

    deinit { sqlite3_close_v2(handle) }

    private static let functions = [
        "fl_value", "fl_root", "fl_version", "fl_fts_value", "fl_unnested_value", "fl_bool", "fl_null", "fl_count", "fl_exists", "fl_blob",
        "fl_nested_value", "fl_contains", "fl_like", "concat", "array_of", "dict_of", "isvalued", "N1QL_lower", "N1QL_upper", "N1QL_length",
    ]

    /// Runs statements, and forgets their rows.
    package func execute(_ sql: String) throws {
        var message: UnsafeMutablePointer<CChar>?
        let code = sqlite3_exec(handle, sql, nil, nil, &message)
        defer { sqlite3_free(message) }
        if code != SQLITE_OK { throw Failure(description: "\(message.map { String(cString: $0) } ?? "\(code)") in \(sql.prefix(300))") }
    }

    /// Runs one statement with values for its parameters, and gives the rows, every column as text.
    @discardableResult
    package func rows(_ sql: String, _ values: [Value] = []) throws -> [[String?]] {
        var statement: OpaquePointer?
        guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure(sql) }
        defer { sqlite3_finalize(statement) }
        for (index, value) in values.enumerated() { bind(value, Int32(index + 1), statement) }
        var rows: [[String?]] = []
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_DONE: return rows
            case SQLITE_ROW:
                rows.append(
                    (0..<sqlite3_column_count(statement)).map { column in sqlite3_column_text(statement, column).map { String(cString: $0) }
                    })
            default: throw failure(sql)
            }
        }
    }

    private func failure(_ sql: String) -> Failure {
        Failure(description: "\(String(cString: sqlite3_errmsg(handle))) in \(sql.prefix(300))")
    }

    private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer) {
        let transient = cblite_sqlite_transient()
        switch value {
        case .null: sqlite3_bind_null(statement, index)
        case .integer(let number): sqlite3_bind_int64(statement, index, number)
        case .real(let number): sqlite3_bind_double(statement, index, number)
        case .text(let text):
            // With its length: a text may have NUL in it.
            let bytes = Array(text.utf8)
            bytes.withUnsafeBytes { raw in
                _ = sqlite3_bind_text64(
                    statement, index, raw.baseAddress?.assumingMemoryBound(to: CChar.self), UInt64(raw.count), transient, UInt8(SQLITE_UTF8)
                )
            }
        case .bytes(let bytes):
            _ = bytes.withUnsafeBytes { sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), transient) }
        }
    }
}

extension RawDatabase {
    /// Adds an entry to the schema as it stands there, without SQLite's looking at it.
    package func addEntry(_ type: String, _ name: String, table: String, rootPage: Int = 0, sql: String?) throws {
        try rows(
            "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, ?, ?, ?)",
            [.text(type), .text(name), .text(table), .integer(Int64(rootPage)), sql.map(Value.text) ?? .null])
    }

    /// Puts another text in the place of an entry's own.
    package func setText(of name: String, to sql: String?) throws {
        try rows("UPDATE sqlite_master SET sql=? WHERE name=?", [sql.map(Value.text) ?? .null, .text(name)])
    }

    package func text(of name: String) throws -> String? {
        try rows("SELECT sql FROM sqlite_master WHERE name=?", [.text(name)]).first?.first ?? nil
    }

    package func rootPage(of name: String) throws -> Int {
        let row = try rows("SELECT rootpage FROM sqlite_master WHERE name=?", [.text(name)]).first
        guard let page = row?.first??.description, let number = Int(page) else { throw Failure(description: "no root page of \(name)") }
        return number
    }

    package func has(_ name: String) throws -> Bool { try !rows("SELECT 1 FROM sqlite_master WHERE name=?", [.text(name)]).isEmpty }

    /// Tables with rows of their own, in the order of their names.
    package func tables() throws -> [String] {
        try rows("SELECT name FROM sqlite_master WHERE type='table' AND rootpage > 1 ORDER BY name").compactMap { $0.first ?? nil }
    }

    package func columns(of table: String) throws -> [String] {
        try rows("SELECT name FROM pragma_table_info(?)", [.text(table)]).compactMap { $0.first ?? nil }
    }
}

/// A name as SQL text, in double quotes.
package func sqlName(_ name: String) -> String { "\"" + name.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\"" }

/// A text as SQL text, in single quotes.
package func sqlText(_ text: String) -> String { "'" + text.unicodeScalars.map { $0 == "'" ? "''" : String($0) }.joined() + "'" }

import CBLBase
import CBLFleece
import CBLQuery
import CBLSQLite
import CBLStore

/// A row of SQL as JSON. Fleece in blobs is shown as what it stands for.
enum SQLRow {
    /// An object if the columns are named, else an array.
    static func append(_ row: Statement, names: [String]?, _ keys: SharedKeys, to buffer: inout ByteBuffer) {
        guard let names else { return append(row, columns: 0..<row.columnCount, keys, to: &buffer) }
        buffer.append("{")
        for column in 0..<row.columnCount {
            if column > 0 { buffer.append(",") }
            JSONWriter.write(string: names[Int(column)], to: &buffer)
            buffer.append(":")
            append(row, column, keys, to: &buffer)
        }
        buffer.append("}")
    }

    /// Some columns as an array.
    static func append(_ row: Statement, columns: Range<Int32>, _ keys: SharedKeys, to buffer: inout ByteBuffer) {
        buffer.append("[")
        for column in columns {
            if column > columns.lowerBound { buffer.append(",") }
            append(row, column, keys, to: &buffer)
        }
        buffer.append("]")
    }

    /// Some columns of an index as an array. There an empty blob stands for null, and NULL, written as `missing`, for what is not there.
    static func append(
        _ row: Statement, indexed columns: Range<Int32>, missing: StaticString, _ keys: SharedKeys, to buffer: inout ByteBuffer
    ) {
        buffer.append("[")
        for column in columns {
            if column > columns.lowerBound { buffer.append(",") }
            switch row.kind(column) {
            case .null: buffer.append(missing)
            case .blob where row.byteCount(column) == 0: buffer.append("null")
            default: append(row, column, keys, to: &buffer)
            }
        }
        buffer.append("]")
    }

    static func append(_ row: Statement, _ column: Int32, _ keys: SharedKeys, to buffer: inout ByteBuffer) {
        switch row.kind(column) {
        case .null: buffer.append("null")
        case .integer: buffer.append(decimal: row.int64(column))
        case .real: appendReal(row.double(column), to: &buffer)
        case .text: JSONWriter.write(string: row.text(column) ?? UnsafeRawBufferPointer(start: nil, count: 0), to: &buffer)
        case .blob: appendBlob(row.blob(column) ?? UnsafeRawBufferPointer(start: nil, count: 0), keys, to: &buffer)
        }
    }

    /// Lends the row's columns as those of a query. What is no Fleece in a blob is text.
    static func withCells(_ row: Statement, _ keys: SharedKeys, _ body: (ResultRow) throws -> Void) rethrows {
        var text = ByteBuffer()
        var ends: [Int] = []
        let columns = 0..<row.columnCount
        for column in columns {
            if row.kind(column) == .blob, let bytes = row.blob(column), fleece(bytes, keys) == nil {
                text.append("x'")
                text.append(Hex.text(of: bytes))
                text.append("'")
            }
            ends.append(text.count)
        }
        let cells = columns.map { column -> QueryValue in
            switch row.kind(column) {
            case .null: return .null
            case .integer: return .integer(row.int64(column))
            case .real: return .double(row.double(column))
            case .text: return .text(row.text(column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
            case .blob:
                if let value = row.blob(column).flatMap({ fleece($0, keys) }) { return .collection(value) }
                let start = column == 0 ? 0 : ends[Int(column) - 1]
                return .text(UnsafeRawBufferPointer(rebasing: text.bytes[start..<ends[Int(column)]]))
            }
        }
        try body(ResultRow(cells, keys: keys))
    }

    private static func appendReal(_ number: Double, to buffer: inout ByteBuffer) {
        // Infinity has no JSON form; a number that is too large for anybody stands for it, as in SQLite's own JSON.
        guard number.isFinite else { return buffer.append(number > 0 ? "9e999" : "-9e999") }
        let encoder = FleeceEncoder()
        encoder.write(number)
        if let data = try? encoder.finish() { data.withRoot { _ = JSONWriter.write($0, keys: nil, to: &buffer) } }
    }

    private static func appendBlob(_ bytes: UnsafeRawBufferPointer, _ keys: SharedKeys, to buffer: inout ByteBuffer) {
        if let value = fleece(bytes, keys) {
            JSONWriter.write(value, keys: keys, style: .canonical, to: &buffer)
        } else {
            buffer.append("\"x'")
            buffer.append(Hex.text(of: bytes))
            buffer.append("'\"")
        }
    }

    /// Documents and collections: a dictionary or an array that is sound. Other kinds are too easily met by chance.
    private static func fleece(_ bytes: UnsafeRawBufferPointer, _ keys: SharedKeys) -> Value? {
        guard let value = Value(root: bytes), value.kind == .dictionary || value.kind == .array else { return nil }
        return (try? Validator.validate(bytes, keyCount: keys.count)) == nil ? nil : value
    }
}

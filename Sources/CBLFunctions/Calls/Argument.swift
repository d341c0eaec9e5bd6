import CBLFleece
import CBLSystemSQLite

/// One argument of an SQL function. What it points to is valid until the function returns.
package struct Argument {
    let value: OpaquePointer

    @inline(__always)
    var type: Int32 { sqlite3_value_type(value) }

    @inline(__always)
    var subtype: UInt32 { sqlite3_value_subtype(value) }

    /// SQL NULL that is not the envelope of a pointer.
    package var isMissing: Bool { type == SQLITE_NULL && pointer == nil }

    /// JSON null. Its subtype may have been lost on the way, but no encoding is empty.
    var isNull: Bool { type == SQLITE_BLOB && sqlite3_value_bytes(value) == 0 && subtype != Subtype.data }

    /// An integer or a float; a boolean is an integer.
    var isNumber: Bool { type == SQLITE_INTEGER || type == SQLITE_FLOAT }
    var isBoolean: Bool { type == SQLITE_INTEGER && subtype == Subtype.boolean }
    var isText: Bool { type == SQLITE_TEXT }
    var isBlob: Bool { type == SQLITE_BLOB }

    package var int64: Int64 { sqlite3_value_int64(value) }

    /// The number as a double, an unsigned one as what it stands for.
    var double: Double {
        if type == SQLITE_INTEGER && subtype == Subtype.unsigned { return Double(UInt64(bitPattern: int64)) }
        return sqlite3_value_double(value)
    }

    /// The text in place; nil for all that is no text.
    @inline(__always)
    package var text: UnsafeRawBufferPointer? {
        guard type == SQLITE_TEXT, let start = sqlite3_value_text(value) else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }

    /// The blob in place; nil for all that is none.
    @inline(__always)
    package var blob: UnsafeRawBufferPointer? {
        guard type == SQLITE_BLOB else { return nil }
        guard let start = sqlite3_value_blob(value) else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    /// The value that a row of `fl_each` lends, unencoded.
    var pointer: Value? {
        guard let pointer = sqlite3_value_pointer(value, Argument.pointerType) else { return nil }
        return pointer.assumingMemoryBound(to: Value.self).pointee
    }

    /// The name that SQLite compares pointers' types by.
    nonisolated(unsafe) static let pointerType: UnsafePointer<CChar> = UnsafeRawPointer(("FleeceValue\0" as StaticString).utf8Start)
        .assumingMemoryBound(to: CChar.self)

    /// The array, dictionary or data that a blob encodes, or a lent value; nil for all else, and for damaged bytes.
    var encodedValue: Value? {
        if let bytes = blob { return subtype == Subtype.data ? nil : Value(root: bytes) }
        return type == SQLITE_NULL ? pointer : nil
    }
}

import CBLFleece
import CBLSQLite
import CBLSystemSQLite

/// What stands in a column of a row. Nothing is copied: text, data and collections lie in SQLite's memory and are valid until the next row.
package enum QueryValue: @unchecked Sendable {
    // Sendable as `Value` is: who lends the bytes sees to it that they stay.

    /// The property is not there.
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    /// Beyond `Int64.max`.
    case unsigned(UInt64)
    case double(Double)
    /// UTF-8.
    case text(UnsafeRawBufferPointer)
    case data(UnsafeRawBufferPointer)
    /// An array or a dictionary; its keys may be the database's shared ones. `.undefined` for bytes that are damaged.
    case collection(Value)
}

extension QueryValue {
    /// What an encoding says.
    @inline(__always)
    package init(_ value: Value) {
        switch value.kind {
        case .null: self = .null
        case .boolean: self = .boolean(value.boolean == true)
        case .integer:
            if let integer = value.integer {
                self = .integer(integer)
            } else if let unsigned = value.unsigned {
                self = .unsigned(unsigned)
            } else {
                self = .collection(.undefined)
            }
        case .double: self = value.double.map(QueryValue.double) ?? .collection(.undefined)
        case .string: self = value.stringBytes.map(QueryValue.text) ?? .collection(.undefined)
        case .data: self = value.dataBytes.map(QueryValue.data) ?? .collection(.undefined)
        case .array, .dictionary, .undefined: self = .collection(value)
        }
    }

    /// What stands in a column of a statement's current row.
    @inline(__always)
    init(column: Int32, of statement: CBLSQLite.Statement) {
        switch statement.type(column) {
        case SQLITE_INTEGER: self = .integer(statement.int64(column))
        case SQLITE_FLOAT: self = .double(statement.double(column))
        case SQLITE_TEXT: self = .text(statement.text(column) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        case SQLITE_BLOB:
            // The functions give an empty blob for JSON's null.
            guard let bytes = statement.blob(column), !bytes.isEmpty else {
                self = .null
                return
            }
            self.init(Value(root: bytes) ?? .undefined)
        default: self = .missing
        }
    }

    package var isMissing: Bool { if case .missing = self { true } else { false } }

    /// A copy of a text; nil for everything else.
    package var string: String? {
        guard case .text(let bytes) = self else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Writes the value into an encoding. MISSING is written as undefined, which no document can hold.
    package func write(to encoder: FleeceEncoder, keys: SharedKeys?) {
        switch self {
        case .missing: encoder.writeUndefined()
        case .null: encoder.writeNull()
        case .boolean(let boolean): encoder.write(boolean)
        case .integer(let integer): encoder.write(integer)
        case .unsigned(let integer): encoder.write(integer)
        case .double(let double): encoder.write(double)
        case .text(let bytes): encoder.writeString(bytes)
        case .data(let bytes): encoder.writeData(bytes)
        case .collection(let value): encoder.write(value, keys: keys)
        }
    }

    /// Appends the value as JSON. There is no word for MISSING in JSON; whoever does not leave it out says which one to write.
    package func append(
        to buffer: inout ByteBuffer, keys: SharedKeys?, style: JSONStyle = .compact, missing: StaticString = "null"
    ) {
        switch self {
        case .missing: buffer.append(missing)
        case .null: buffer.append("null")
        case .boolean(let boolean): buffer.append(boolean ? "true" : "false")
        case .integer(let integer): buffer.append(decimal: integer)
        case .unsigned(let integer): buffer.append(decimal: integer)
        case .double(let double): JSONWriter.write(double: double, to: &buffer)
        case .text(let bytes): JSONWriter.write(string: bytes, to: &buffer)
        case .data(let bytes): JSONWriter.write(data: bytes, to: &buffer)
        case .collection(let value): JSONWriter.write(value, keys: keys, style: style, to: &buffer)
        }
    }
}

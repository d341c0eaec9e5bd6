import Fleece

/// One column of a row of a query, as the renderers see it. Its bytes lie in somebody else's memory and are valid until the next row.
enum ResultCell {
    /// The column has no value in this row.
    case missing
    case null
    case boolean(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case double(Double)
    case text(UnsafeRawBufferPointer)
    /// An array, an object, data, or a number as it is stored.
    case value(Value)

    /// A column that came as Fleece, which may hold a scalar too.
    init(_ value: Value) {
        switch value.kind {
        case .undefined: self = .missing
        case .null: self = .null
        case .boolean: self = .boolean(value.boolean ?? false)
        case .integer:
            if let number = value.integer { self = .integer(number) } else { self = .unsigned(value.unsigned ?? 0) }
        case .string: self = value.stringBytes.map { .text($0) } ?? .missing
        // Doubles too: how many digits one has depends on how it is stored.
        case .double, .data, .array, .dictionary: self = .value(value)
        }
    }

    var isMissing: Bool { if case .missing = self { true } else { false } }

    /// Numbers stand on the right of a column.
    var isNumber: Bool {
        switch self {
        case .integer, .unsigned, .double: true
        case .value(let value): value.isNumber
        case .missing, .null, .boolean, .text: false
        }
    }

    /// Appends the cell as JSON; what is missing has none, and is nothing. Hot: the benchmarks `star` and `sort`.
    @inline(__always)
    func appendJSON(_ keys: SharedKeys?, _ style: JSONStyle, to buffer: inout ByteBuffer) {
        switch self {
        case .missing: break
        case .null: buffer.append("null")
        case .boolean(let value): buffer.append(value ? "true" : "false")
        case .integer(let number): buffer.append(decimal: number)
        case .unsigned(let number): buffer.append(decimal: number)
        case .double(let number): JSONWriter.write(double: number, to: &buffer)
        case .text(let bytes): JSONWriter.write(string: bytes, to: &buffer)
        case .value(let value): JSONWriter.write(value, keys: keys, style: style, to: &buffer)
        }
    }

    /// Appends the cell for a person: text as it is, everything else as JSON.
    @inline(__always)
    func appendPlain(_ keys: SharedKeys?, _ style: JSONStyle, to buffer: inout ByteBuffer) {
        if case .text(let bytes) = self { buffer.append(bytes) } else { appendJSON(keys, style, to: &buffer) }
    }
}

/// A row of a query: what the renderers are given, and must not keep.
struct ResultRow {
    let cells: [ResultCell]
    /// The table of shared keys of the values in the cells.
    let keys: SharedKeys?
}

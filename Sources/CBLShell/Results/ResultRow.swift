import CBLFleece
import CBLQuery

/// A row of a query, as the renderers see it. There is one for all rows of a result; what its cells point to is valid until the next row.
final class ResultRow {
    @exclusivity(unchecked) var cells: [QueryValue]
    /// The table of shared keys of the values in the cells.
    let keys: SharedKeys?

    init(_ cells: [QueryValue], keys: SharedKeys?) {
        self.cells = cells
        self.keys = keys
    }

    convenience init(count: Int, keys: SharedKeys?) {
        self.init(Array(repeating: .missing, count: count), keys: keys)
    }
}

extension QueryValue {
    /// Numbers stand on the right of a column.
    var isNumber: Bool {
        switch self {
        case .integer, .unsigned, .double: true
        case .missing, .null, .boolean, .text, .data, .collection: false
        }
    }

    /// Appends the value for a person: text as it is, nothing for what is missing, `null` as it is wanted, everything else as JSON.
    @inline(__always)
    func appendPlain(_ keys: SharedKeys?, _ style: JSONStyle, null: [UInt8], to buffer: inout ByteBuffer) {
        switch self {
        case .text(let bytes): buffer.append(bytes)
        case .null: null.withUnsafeBytes { buffer.append($0) }
        default: append(to: &buffer, keys: keys, style: style, missing: "")
        }
    }
}

import CBLFleece
import CBLSQLite

/// Something that an index has at a place: many of them are one behind the other in a row of a table, see `PackedTable`.
///
///     count of the place, count of the content          seven bits a byte from the lowest
///     the place                                         what they are in the order of
///     the content
struct PackedEntry {
    let place: UnsafeRawBufferPointer
    let content: UnsafeRawBufferPointer

    @inline(__always)
    static func write(_ place: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append(count: place.count)
        buffer.append(count: content.count)
        buffer.append(place)
        buffer.append(content)
    }
}

/// Counts, and bytes between them, out of bytes that may be damaged: nothing behind their end is read.
struct PackedReader {
    private let data: UnsafeRawBufferPointer
    private(set) var position: Int

    @inline(__always)
    init(_ data: UnsafeRawBufferPointer, at position: Int = 0) {
        self.data = data
        self.position = min(max(0, position), data.count)
    }

    var isAtEnd: Bool { position == data.count }

    @inline(__always)
    mutating func count() -> Int? {
        guard position < data.count else { return nil }
        let byte = data[position]
        position &+= 1
        return byte < 0x80 ? Int(byte) : longCount(byte)
    }

    @inline(never)
    private mutating func longCount(_ first: UInt8) -> Int? {
        var (value, shift) = (Int(first & 0x7F), 7)
        while position < data.count, shift < 63 {
            let byte = data[position]
            position &+= 1
            value |= Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    @inline(__always)
    mutating func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, count <= data.count &- position else { return nil }
        defer { position &+= count }
        return UnsafeRawBufferPointer(start: data.baseAddress.map { $0 + position }, count: count)
    }

    @inline(__always)
    mutating func rest() -> UnsafeRawBufferPointer { bytes(data.count &- position) ?? UnsafeRawBufferPointer(start: nil, count: 0) }

    /// The next entry; nil at the end.
    @inline(__always)
    mutating func entry() throws(SQLiteError) -> PackedEntry? {
        guard position < data.count else { return nil }
        guard let placeCount = count(), let contentCount = count(), let place = bytes(placeCount), let content = bytes(contentCount) else {
            throw PackedReader.damage
        }
        return PackedEntry(place: place, content: content)
    }

    static let damage = SQLiteError(extendedCode: 11, message: "rows of a view are damaged")
}

extension ByteBuffer {
    /// Seven bits a byte from the lowest.
    @inline(__always)
    mutating func append(count: Int) {
        var rest = UInt(bitPattern: count)
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}

/// Where a row of a view stands: the count of its key, the key, the row's number among those of its document, and the document's ID.
struct RowPosition {
    let key: UnsafeRawBufferPointer
    let number: Int
    let id: UnsafeRawBufferPointer

    /// Any bytes are some place: those of a damaged file may be that of nothing.
    @inline(__always)
    init(_ place: UnsafeRawBufferPointer) {
        var reader = PackedReader(place)
        if let count = reader.count(), let key = reader.bytes(count), let number = reader.count() {
            self.key = key
            self.number = number
            id = reader.rest()
        } else {
            (key, number, id) = (UnsafeRawBufferPointer(start: nil, count: 0), 0, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    @inline(__always)
    static func write(key: UnsafeRawBufferPointer, number: Int, id: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append(count: key.count)
        buffer.append(key)
        buffer.append(count: number)
        buffer.append(id)
    }
}

/// What the index has of a row besides: the document's sequence, and 0 for no value, 1 for the document itself, or 2 and an encoding.
struct RowContent {
    let sequence: UInt64
    let kind: MappedRows.ValueKind
    let value: UnsafeRawBufferPointer

    @inline(__always)
    init(_ content: UnsafeRawBufferPointer) throws(SQLiteError) {
        var reader = PackedReader(content)
        guard let sequence = reader.count(), let code = reader.count(), code < 3 else { throw PackedReader.damage }
        self.sequence = UInt64(sequence)
        kind = code == 0 ? .none : code == 1 ? .document : .encoded
        value = reader.rest()
    }

    @inline(__always)
    static func write(sequence: UInt64, _ kind: MappedRows.ValueKind, _ value: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append(count: Int(clamping: sequence))
        switch kind {
        case .none: buffer.append(0)
        case .document: buffer.append(1)
        case .encoded:
            buffer.append(2)
            buffer.append(value)
        }
    }
}

/// What the entries of a table are in the order of.
enum PlaceOrder {
    /// The places are IDs of documents.
    case bytes
    /// They are rows: by key, document and number.
    case rows(ValueOrder)

    @inline(__always)
    func compare(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        switch self {
        case .bytes: MappedRows.compare(first, second)
        case .rows(let order): order.comparePlaces(first, second)
        }
    }
}

extension ValueOrder {
    @inline(__always)
    func comparePlaces(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        let (x, y) = (RowPosition(first), RowPosition(second))
        var order = compareKeys(x.key, y.key)
        if order == 0 { order = MappedRows.compare(x.id, y.id) }
        return order != 0 ? order : x.number < y.number ? -1 : x.number > y.number ? 1 : 0
    }
}

import CBLFleece

/// Rows that were kept, one behind the other in one memory: a value of its own, which any thread may have, and which can be compared with that of a
/// later query.
package struct ViewRowList: Sendable {
    private struct Place: Sendable {
        var start: Int
        var keyCount: Int32
        var valueCount: Int32
        var idCount: Int32
        var sequence: UInt64
        var hasValue: Bool
    }

    private var bytes: [UInt8] = []
    private var places: [Place] = []

    package init() {}

    package var count: Int { places.count }
    package var isEmpty: Bool { places.isEmpty }

    package mutating func append(_ row: ViewRow) throws {
        let start = bytes.count
        bytes.append(contentsOf: row.keyBytes)
        let keyCount = bytes.count - start
        let hasValue = try row.withValueBytes { value in
            if let value { bytes.append(contentsOf: value) }
            return value != nil
        }
        let valueCount = bytes.count - start - keyCount
        bytes.append(contentsOf: row.idBytes)
        places.append(
            Place(
                start: start, keyCount: Int32(keyCount), valueCount: Int32(valueCount), idCount: Int32(row.idBytes.count),
                sequence: row.sequence, hasValue: hasValue))
    }

    /// Lends key and value, which is undefined if there is none.
    package func withRow<Result>(_ row: Int, _ body: (_ key: Value, _ value: Value) throws -> Result) rethrows -> Result {
        let place = places[row]
        return try bytes.withUnsafeBytes { bytes in
            let value = place.start + Int(place.keyCount)
            let end = value + Int(place.valueCount)
            let keyBytes = UnsafeRawBufferPointer(rebasing: bytes[place.start..<value])
            let valueBytes = UnsafeRawBufferPointer(rebasing: bytes[value..<end])
            return try body(
                Value(root: keyBytes) ?? .undefined, place.hasValue ? Value(root: valueBytes) ?? .undefined : .undefined)
        }
    }

    func withID<Result>(_ row: Int, _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let place = places[row]
        let start = place.start + Int(place.keyCount) + Int(place.valueCount)
        return try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[start..<start + Int(place.idCount)])) }
    }

    /// The document that emitted the row; empty for a group.
    package func documentID(_ row: Int) -> String { withID(row) { String(decoding: $0, as: UTF8.self) } }
    package func sequence(_ row: Int) -> UInt64 { places[row].sequence }

    /// Whether a row is the same as one of another list.
    package func isSame(_ row: Int, as other: Int, of list: ViewRowList) -> Bool {
        let (a, b) = (places[row], list.places[other])
        guard a.keyCount == b.keyCount, a.valueCount == b.valueCount, a.idCount == b.idCount, a.hasValue == b.hasValue else { return false }
        let count = Int(a.keyCount) + Int(a.valueCount) + Int(a.idCount)
        return bytes[a.start..<a.start + count].elementsEqual(list.bytes[b.start..<b.start + count])
    }

    /// What makes a row the same as another: its bytes and its document.
    struct Identity: Hashable {
        let bytes: ArraySlice<UInt8>
        let keyCount: Int32
        let valueCount: Int32
    }

    func identity(_ row: Int) -> Identity {
        let place = places[row]
        let count = Int(place.keyCount) + Int(place.valueCount) + Int(place.idCount)
        return Identity(bytes: bytes[place.start..<place.start + count], keyCount: place.keyCount, valueCount: place.valueCount)
    }

    /// Key and value of a row as JSON.
    package func json(_ row: Int) -> String {
        withRow(row) { key, value in key.json() + (value.isUndefined ? "" : " " + value.json()) }
    }

    fileprivate func copy(_ row: Int, to memory: inout ByteBuffer) -> (keyCount: Int, valueCount: Int, idCount: Int, hasValue: Bool) {
        let place = places[row]
        let (keyCount, valueCount, idCount) = (Int(place.keyCount), Int(place.valueCount), Int(place.idCount))
        bytes.withUnsafeBytes {
            memory.append(UnsafeRawBufferPointer(rebasing: $0[place.start..<place.start + keyCount + valueCount + idCount]))
        }
        return (keyCount, valueCount, idCount, place.hasValue)
    }

    // Order

    private struct Column {
        enum Part { case key, value, id }
        let part: Part
        let path: KeyPath?
        let descending: Bool
    }

    /// Puts the rows in another order, by parts of them; rows that are equal in these stay as they are.
    mutating func sort(by sort: [ViewSort]) throws {
        let columns = try sort.map { try ViewRowList.column($0) }
        let order = ValueOrder(.unicode)
        let list = self
        let sorted = places.indices.sorted { a, b in
            for column in columns {
                let result = list.compare(a, b, column, order)
                if result != 0 { return column.descending ? result > 0 : result < 0 }
            }
            return a < b
        }
        places = sorted.map { list.places[$0] }
    }

    private static func column(_ sort: ViewSort) throws -> Column {
        for (name, part) in [("key", Column.Part.key), ("value", .value), ("id", .id)] where sort.path.hasPrefix(name) {
            let rest = sort.path.dropFirst(name.count)
            guard rest.isEmpty || rest.first == "." || rest.first == "[" else { continue }
            let path = rest.isEmpty ? nil : try? KeyPath(String(rest.first == "." ? rest.dropFirst() : rest))
            guard rest.isEmpty || path != nil else { break }
            return Column(part: part, path: path, descending: sort.descending)
        }
        throw ViewError.badRequest("rows can be sorted by key, value and id, or parts of them, not by \"\(sort.path)\"")
    }

    private func compare(_ a: Int, _ b: Int, _ column: Column, _ order: ValueOrder) -> Int {
        if column.part == .id { return withID(a) { first in withID(b) { MappedRows.compare(first, $0) } } }
        return withRow(a) { key, value in
            withRow(b) { otherKey, otherValue in
                var (first, second) = column.part == .key ? (key, otherKey) : (value, otherValue)
                if let path = column.path {
                    first = path.evaluate(in: first, keys: nil) ?? .undefined
                    second = path.evaluate(in: second, keys: nil) ?? .undefined
                }
                return order.compare(first, second)
            }
        }
    }
}

/// Lists are equal if their rows say the same, whenever their documents were saved.
extension ViewRowList: Equatable {
    package static func == (one: ViewRowList, other: ViewRowList) -> Bool {
        one.count == other.count && one.places.indices.allSatisfy { one.isSame($0, as: $0, of: other) }
    }
}

/// Rows that were kept, as a feed. It copies what it lends, as a list's memory may move.
final class ListFeed: RowFeed {
    private let list: ViewRowList
    private var place = 0
    private var memory = ByteBuffer()

    init(_ list: ViewRowList) { self.list = list }

    override func next() throws -> Bool {
        guard place < list.count else { return false }
        memory.truncate(to: 0)
        let (keyCount, valueCount, idCount, hasValue) = list.copy(place, to: &memory)
        let bytes = memory.bytes
        key = UnsafeRawBufferPointer(rebasing: bytes[..<keyCount])
        value = UnsafeRawBufferPointer(rebasing: bytes[keyCount..<keyCount + valueCount])
        id = UnsafeRawBufferPointer(rebasing: bytes[(keyCount + valueCount)..<(keyCount + valueCount + idCount)])
        kind = hasValue ? .encoded : .none
        sequence = list.sequence(place)
        place += 1
        return true
    }
}

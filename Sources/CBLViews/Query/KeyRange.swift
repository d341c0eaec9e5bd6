import CBLFleece
import CBLFunctions

/// Between which keys the rows of a query stand.
struct KeyRange {
    struct Bound {
        /// A key as the index has it.
        let key: [UInt8]
        /// A document of the rows with that key, if it ends among these.
        var id: [UInt8]?
        let isIncluded: Bool
    }

    private(set) var least: Bound?
    private(set) var greatest: Bound?

    init(_ query: ViewQuery, _ collation: JSONCollation) throws {
        var (least, greatest) = (query.startKey, query.endKey)
        var (leastID, greatestID) = (query.startKeyDocumentID, query.endKeyDocumentID)
        var (includesLeast, includesGreatest) = (query.inclusiveStart, query.inclusiveEnd)
        if query.descending {
            swap(&least, &greatest)
            swap(&leastID, &greatestID)
            swap(&includesLeast, &includesGreatest)
        }
        if let least { self.least = Bound(try KeyRange.bytes(least, collation), leastID, includesLeast) }
        if let greatest {
            let key = try KeyRange.upperBound(greatest, level: query.prefixMatchLevel, collation)
            self.greatest = Bound(key, greatestID, includesGreatest)
        }
    }

    /// The rows with one key.
    init(_ key: QueryKey, _ collation: JSONCollation) throws {
        least = Bound(try KeyRange.bytes(key, collation), nil, true)
        greatest = least
    }

    init() {}

    /// A key as the index has it.
    static func bytes(_ key: QueryKey, _ collation: JSONCollation) throws -> [UInt8] {
        key.data.withRoot { bytes($0, key.data.bytes, collation) }
    }

    private static func bytes(_ value: Value, _ encoding: UnsafeRawBufferPointer, _ collation: JSONCollation) -> [UInt8] {
        var ordered = ByteBuffer()
        let isComplete = OrderedBytes(collation).append(value, to: &ordered)
        var key = ByteBuffer()
        ViewKey.write(ordered: ordered.bytes, isComplete: isComplete, to: &key)
        key.append(encoding)
        return Array(key.bytes)
    }

    /// The same for the upper end of a range, which may be behind all that begins so.
    private static func upperBound(_ key: QueryKey, level: Int, _ collation: JSONCollation) throws -> [UInt8] {
        guard level > 0 else { return try bytes(key, collation) }
        if collation != .unicode, let bound = key.data.withRoot({ signedBound($0, level: level, collation) }) { return bound }
        let encoder = FleeceEncoder()
        key.data.withRoot { write($0, level: level, to: encoder) }
        let data = try encoder.finish()
        return data.withRoot { bytes($0, data.bytes, collation) }
    }

    private static func write(_ value: Value, level: Int, to encoder: FleeceEncoder) {
        if let string = value.string { return encoder.write(string + "\u{FFFF}ffff") }
        guard let array = value.array else { return encoder.write(value, keys: nil) }
        encoder.beginArray()
        for (number, item) in array.enumerated() {
            if level > 1, number == array.count - 1 { write(item, level: level - 1, to: encoder) } else { encoder.write(item, keys: nil) }
        }
        if level == 1 {
            encoder.beginDictionary()
            encoder.endDictionary()
        }
        encoder.endArray()
    }

    /// Where characters have a sign, those that 1.x appends stand before all others, and in the raw order dictionaries before arrays and strings, so
    /// 1.x finds nothing: here the end is what is behind all that begins so. Nil if the key is, or leads to, something else.
    private static func signedBound(_ value: Value, level: Int, _ collation: JSONCollation) -> [UInt8]? {
        let order = OrderedBytes(collation)
        var ordered = ByteBuffer()
        var (value, level) = (value, level)
        while let array = value.array {
            order.append(.array, to: &ordered)
            for item in level > 1 ? array.dropLast() : array[...] { guard order.append(item, to: &ordered) else { return nil } }
            guard level > 1, array.count > 0 else {
                ordered.append(0xFF)
                return key(ordered)
            }
            value = array[array.count - 1]
            level -= 1
        }
        guard let string = value.stringBytes else { return nil }
        order.append(endOfPrefix: string, to: &ordered)
        return key(ordered)
    }

    private static func key(_ ordered: borrowing ByteBuffer) -> [UInt8] {
        var key = ByteBuffer()
        ViewKey.write(ordered: ordered.bytes, isComplete: true, to: &key)
        return Array(key.bytes)
    }
}

extension KeyRange.Bound {
    fileprivate init(_ key: [UInt8], _ id: String?, _ isIncluded: Bool) {
        // Without the bound itself, no row with its key is left.
        self.init(key: key, id: isIncluded ? id.map { Array($0.utf8) } : nil, isIncluded: isIncluded)
    }

    /// A place before or behind all rows that are equal to the bound.
    func place(behind: Bool) -> [UInt8] {
        var place = ByteBuffer()
        key.withUnsafeBytes { key in
            // No ID has such a byte.
            let id = id ?? (behind ? [0xFF] : [])
            id.withUnsafeBytes { RowPosition.write(key: key, number: behind ? .max : 0, id: $0, to: &place) }
        }
        return Array(place.bytes)
    }
}

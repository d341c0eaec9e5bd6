import CBLFleece
import CBLFunctions

/// The conditions of a query on keys, in SQL, with what is bound to it.
struct KeyRange {
    private(set) var conditions: [String] = []
    private(set) var parameters: [(number: Int32, bytes: [UInt8])] = []
    private let collation: JSONCollation

    /// Keys are parameters 1 and 2, documents 3 and 4.
    init(_ query: ViewQuery, _ collation: JSONCollation) throws {
        self.collation = collation
        var (least, greatest) = (query.startKey, query.endKey)
        var (leastID, greatestID) = (query.startKeyDocumentID, query.endKeyDocumentID)
        var (includesLeast, includesGreatest) = (query.inclusiveStart, query.inclusiveEnd)
        if query.descending {
            swap(&least, &greatest)
            swap(&leastID, &greatestID)
            swap(&includesLeast, &includesGreatest)
        }
        if let least {
            parameters.append((1, try KeyRange.bytes(least, collation)))
            if let leastID, includesLeast {
                conditions.append("(key, id) >= (?1, ?3)")
                parameters.append((3, Array(leastID.utf8)))
            } else {
                conditions.append(includesLeast ? "key >= ?1" : "key > ?1")
            }
        }
        if let greatest {
            parameters.append((2, try KeyRange.upperBound(greatest, level: query.prefixMatchLevel, collation)))
            if let greatestID, includesGreatest {
                conditions.append("(key, id) <= (?2, ?4)")
                parameters.append((4, Array(greatestID.utf8)))
            } else {
                conditions.append(includesGreatest ? "key <= ?2" : "key < ?2")
            }
        }
    }

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

import CBLFleece

// Bodies of messages: JSON from outside, read by way of Fleece, and lists written straight to bytes.
enum MessageJSON {
    /// The parsed body. An empty one counts as null, and null as an empty list.
    static func parse(_ body: [UInt8], _ what: String) throws(MalformedMessage) -> FleeceData {
        guard !body.isEmpty else { return .emptyArray }
        let encoder = FleeceEncoder()
        do {
            try body.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
            return try encoder.finish()
        } catch {
            throw MalformedMessage("the body of \(what) is not JSON: \(error)")
        }
    }

    /// Reads a list, item by item.
    static func list<Item>(
        _ body: [UInt8], _ what: String, _ read: (Value) throws(MalformedMessage) -> Item
    ) throws(MalformedMessage) -> [Item] {
        let parsed = try parse(body, what)
        return try parsed.withRoot { root throws(MalformedMessage) in
            guard !root.isNull else { return [] }
            guard let array = root.array else { throw MalformedMessage("the body of \(what) is not a list") }
            var items: [Item] = []
            items.reserveCapacity(array.count)
            for value in array { items.append(try read(value)) }
            return items
        }
    }

    static func write<Item>(_ list: [Item], _ write: (Item, inout ByteBuffer) -> Void) -> [UInt8] {
        var json = ByteBuffer(capacity: 64 + list.count * 64)
        json.append("[")
        for (place, item) in list.enumerated() {
            if place > 0 { json.append(",") }
            write(item, &json)
        }
        json.append("]")
        return json.withBytes { Array($0) }
    }

    static func write(strings: [String], to json: inout ByteBuffer) {
        json.append("[")
        for (place, string) in strings.enumerated() {
            if place > 0 { json.append(",") }
            JSONWriter.write(string: string, to: &json)
        }
        json.append("]")
    }
}

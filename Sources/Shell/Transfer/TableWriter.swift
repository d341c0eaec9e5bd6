import DocumentStore
import Fleece

/// Writes documents as a CSV or TSV table: a column for each top-level property that any of them has, in the order in which they are met.
/// Arrays and objects are written as JSON. What `TableSource` reads.
struct TableWriter {
    let exporter: Exporter
    let delimiter: UInt8
    let output: Output

    func write(_ snapshot: Snapshot, _ collection: CollectionName) throws -> Int {
        let keys = snapshot.sharedKeys
        let columns = try propertyNames(snapshot, collection)
        try writeHeading(columns)
        var row = ByteBuffer(capacity: 1024)
        return try exporter.forEach(snapshot, collection) { cursor in
            row.removeAll()
            if !exporter.idKey.isEmpty { appendText(cursor.idBytes, isKey: true, to: &row) }
            let body = cursor.body.dictionary
            for (index, column) in columns.enumerated() {
                if index > 0 || !exporter.idKey.isEmpty { row.append(delimiter) }
                if let value = body?.value(forKey: column, keys) { append(value, keys, to: &row) }
            }
            row.append(UInt8(ascii: "\n"))
            try output.write(row.bytes)
        }
    }

    /// A first walk through the collection, for the heading.
    private func propertyNames(_ snapshot: Snapshot, _ collection: CollectionName) throws -> [String] {
        let keys = snapshot.sharedKeys
        var known: Set<String> = []
        var names: [String] = []
        _ = try exporter.forEach(snapshot, collection) { cursor in
            guard let body = cursor.body.dictionary else { return }
            for (key, _) in body {
                guard let bytes = key.keyBytes(keys) else { continue }
                let name = String(decoding: bytes, as: UTF8.self)
                if known.insert(name).inserted { names.append(name) }
            }
        }
        return names
    }

    private func writeHeading(_ columns: [String]) throws {
        var row = ByteBuffer()
        for (index, name) in ((exporter.idKey.isEmpty ? [] : [exporter.idKey]) + columns).enumerated() {
            if index > 0 { row.append(delimiter) }
            var name = name
            name.withUTF8 { appendText(UnsafeRawBufferPointer($0), isKey: true, to: &row) }
        }
        row.append(UInt8(ascii: "\n"))
        try output.write(row.bytes)
    }

    private func append(_ value: Value, _ keys: SharedKeys, to row: inout ByteBuffer) {
        if let text = value.stringBytes { return appendText(text, isKey: false, to: &row) }
        var json = ByteBuffer(capacity: 64)
        JSONWriter.write(value, keys: keys, style: .compact, to: &json)
        switch value.kind {
        case .array, .dictionary, .data: appendQuoted(json.bytes, to: &row)
        default: row.append(json.bytes)
        }
    }

    /// Text stands in quotes if it would be read as something else without them.
    private func appendText(_ text: UnsafeRawBufferPointer, isKey: Bool, to row: inout ByteBuffer) {
        let first = text.first ?? 0
        let looksLikeValue =
            text.isEmpty || first == UInt8(ascii: "-") || (0x30...0x39).contains(first)
            || [4, 5].contains(text.count) && ["true", "false", "null"].contains(String(decoding: text, as: UTF8.self).lowercased())
        let needsQuotes =
            (looksLikeValue && !isKey) || first == 0x20 || text.last == 0x20
            || text.contains { $0 == delimiter || $0 == UInt8(ascii: "\"") || $0 == 0x0A || $0 == 0x0D }
        if needsQuotes { appendQuoted(text, to: &row) } else { row.append(text) }
    }

    private func appendQuoted(_ text: UnsafeRawBufferPointer, to row: inout ByteBuffer) {
        row.append(UInt8(ascii: "\""))
        for byte in text {
            if byte == UInt8(ascii: "\"") { row.append(byte) }
            row.append(byte)
        }
        row.append(UInt8(ascii: "\""))
    }
}

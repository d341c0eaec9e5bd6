import CBLFleece
import CBLStore

// CSV and TSV: a column for each top-level property that any document has, in the order in which they are met. What `TableSource` reads.
extension Exporter {
    package func writeTable(
        _ snapshot: Snapshot, _ collection: CollectionName, _ cells: DelimitedText, to sink: any TextSink
    ) throws -> Int {
        let keys = snapshot.sharedKeys
        let columns = try propertyNames(snapshot, collection)
        try sink.write(separator: cells.delimiter.onlyByte) { cells.append(titles: (idKey.isEmpty ? [] : [idKey]) + columns, to: &$0) }
        return try forEach(snapshot, collection) { cursor in
            try sink.write(separator: cells.delimiter.onlyByte) { row in
                if !idKey.isEmpty { cells.append(text: cursor.idBytes, isTitle: true, to: &row) }
                let body = cursor.body.dictionary
                var isWhole = true
                for (index, column) in columns.enumerated() {
                    if index > 0 || !idKey.isEmpty { cells.delimiter.append(to: &row) }
                    if let value = body?.value(forKey: column, keys), !cells.append(value, keys, to: &row) { isWhole = false }
                }
                if !isWhole { damaged(DamagedDocument(endless: cursor.id, in: collection)) }
                row.append(UInt8(ascii: "\n"))
            }
        }
    }

    /// A first walk through the collection, for the heading.
    private func propertyNames(_ snapshot: Snapshot, _ collection: CollectionName) throws -> [String] {
        let keys = snapshot.sharedKeys
        // Byte by byte: two spellings of one word are two names.
        var known: Set<[UInt8]> = []
        var names: [String] = []
        _ = try forEach(snapshot, collection) { cursor in
            guard let body = cursor.body.dictionary else { return }
            for (key, _) in body {
                guard let bytes = key.keyBytes(keys) else { continue }
                if known.insert(Array(bytes)).inserted { names.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
        return names
    }
}

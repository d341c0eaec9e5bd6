import CBLFleece
import CBLStore
import CBLWorkbench

/// Writes documents as a CSV or TSV table: a column for each top-level property that any of them has, in the order in which they are met.
/// What `TableSource` reads.
struct TableWriter {
    let exporter: Exporter
    let cells: DelimitedText
    let output: Output

    func write(_ snapshot: Snapshot, _ collection: CollectionName) throws -> Int {
        let keys = snapshot.sharedKeys
        let columns = try propertyNames(snapshot, collection)
        try writeHeading(columns)
        var row = ByteBuffer(capacity: 1024)
        return try exporter.forEach(snapshot, collection) { cursor in
            row.removeAll()
            if !exporter.idKey.isEmpty { cells.append(text: cursor.idBytes, isTitle: true, to: &row) }
            let body = cursor.body.dictionary
            var isWhole = true
            for (index, column) in columns.enumerated() {
                if index > 0 || !exporter.idKey.isEmpty { row.append(cells.delimiter) }
                if let value = body?.value(forKey: column, keys), !cells.append(value, keys, to: &row) { isWhole = false }
            }
            if !isWhole { exporter.session.report(endless: cursor.id, in: collection) }
            row.append(UInt8(ascii: "\n"))
            try output.write(lines: row.bytes, separator: cells.delimiter)
        }
    }

    /// A first walk through the collection, for the heading.
    private func propertyNames(_ snapshot: Snapshot, _ collection: CollectionName) throws -> [String] {
        let keys = snapshot.sharedKeys
        // Byte by byte: two spellings of one word are two names.
        var known: Set<[UInt8]> = []
        var names: [String] = []
        _ = try exporter.forEach(snapshot, collection) { cursor in
            guard let body = cursor.body.dictionary else { return }
            for (key, _) in body {
                guard let bytes = key.keyBytes(keys) else { continue }
                if known.insert(Array(bytes)).inserted { names.append(String(decoding: bytes, as: UTF8.self)) }
            }
        }
        return names
    }

    private func writeHeading(_ columns: [String]) throws {
        var row = ByteBuffer()
        cells.append(titles: (exporter.idKey.isEmpty ? [] : [exporter.idKey]) + columns, to: &row)
        try output.write(lines: row.bytes, separator: cells.delimiter)
    }
}

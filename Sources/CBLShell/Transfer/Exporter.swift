import CBLFleece
import CBLStore
import CBLWorkbench

/// Writes the documents of a collection as text. A file appears under its name when it is complete.
struct Exporter {
    let session: Session
    /// The property that holds the ID; empty for none.
    var idKey = "_id"
    var limit: Int?
    var idPattern: String?
    /// No cell of a table is a formula to a spreadsheet.
    var guardsFormulas = false
    /// Only these documents, if it is not nil.
    var chosen: Set<String>?

    /// Writes to a file, standard output, or a directory; gives the number of documents.
    func run(_ snapshot: Snapshot, _ collection: CollectionName, to target: Endpoint) throws -> Int {
        switch target {
        case .json(let path, let layout):
            return try TargetFile.write(path, session) { try writeJSON(snapshot, collection, layout, to: $0) }
        case .table(let path, let delimiter):
            return try TargetFile.write(path, session) {
                try TableWriter(exporter: self, cells: DelimitedText(delimiter: delimiter, guardsFormulas: guardsFormulas), output: $0)
                    .write(snapshot, collection)
            }
        case .directory(let path): return try writeFiles(snapshot, collection, to: path)
        case .database, .remote: preconditionFailure("not a form of text")
        }
    }

    var options: ScanOptions {
        var options = ScanOptions(order: .id, content: .body)
        options.limit = chosen == nil ? limit : nil
        options.idPattern = idPattern
        return options
    }

    /// Calls `write` with each document, counting and showing how far it is.
    func forEach(_ snapshot: Snapshot, _ collection: CollectionName, _ write: (DocumentCursor) throws -> Void) throws -> Int {
        let progress = session.progress("Exporting", total: chosen?.count ?? (try? snapshot.counts(of: collection).live), unit: "documents")
        defer { progress.finish() }
        let cursor = try snapshot.scan(collection, options)
        session.reportDamage(met: cursor)
        var count = 0
        var passed = 0
        while try cursor.next() {
            passed += 1
            if passed & 0x3F == 0 { try Interruption.check() }
            if let chosen {
                guard chosen.contains(cursor.id) else { continue }
                if count == limit { break }
            }
            count += 1
            try write(cursor)
            progress.advance()
        }
        return count
    }

    private func writeJSON(
        _ snapshot: Snapshot, _ collection: CollectionName, _ layout: Endpoint.JSONLayout, to output: Output
    ) throws -> Int {
        let keys = snapshot.sharedKeys
        let prefix = Exporter.prefix(idKey)
        var isFirst = true
        let count = try forEach(snapshot, collection) { cursor in
            if layout == .array { try output.write(isFirst ? "[" : ",\n ") }
            isFirst = false
            try output.write { append(cursor, prefix, keys, to: &$0) }
            if layout == .lines { try output.write("\n") }
        }
        if layout == .array { try output.write(isFirst ? "[]\n" : "]\n") }
        return count
    }

    private func writeFiles(_ snapshot: Snapshot, _ collection: CollectionName, to directory: String) throws -> Int {
        try TargetFile.makeDirectory(directory)
        let folder = PathText.hasEnding("/", directory) ? directory : directory + "/"
        let keys = snapshot.sharedKeys
        let prefix = Exporter.prefix(idKey)
        return try forEach(snapshot, collection) { cursor in
            guard let file = FileName.file(ofDocument: cursor.idBytes) else {
                throw CommandError.failed("the ID of document \"\(cursor.id)\" is too long for the name of a file")
            }
            try TargetFile.replace(folder + file) { output in
                try output.write { append(cursor, prefix, keys, to: &$0) }
                try output.write("\n")
            }
        }
    }

    /// What a document's text begins with: `{"_id":`, or a brace if its ID is to be left out.
    private static func prefix(_ key: String) -> [UInt8] {
        guard !key.isEmpty else { return Array("{".utf8) }
        var buffer = ByteBuffer()
        buffer.append("{")
        JSONWriter.write(string: key, to: &buffer)
        buffer.append(":")
        return Array(buffer.bytes)
    }

    /// What has no end is left out of the text, and reported.
    @inline(__always)
    private func append(_ cursor: DocumentCursor, _ prefix: [UInt8], _ keys: SharedKeys, to buffer: inout ByteBuffer) {
        prefix.withUnsafeBytes { buffer.append($0) }
        if prefix.count > 1 { JSONWriter.write(string: cursor.idBytes, to: &buffer) }
        let isWhole = JSONWriter.writeMembers(
            of: cursor.body, keys: keys, style: .compact, startingWithComma: prefix.count > 1, to: &buffer)
        if !isWhole { session.report(endless: cursor.id, in: cursor.collection) }
        buffer.append("}")
    }
}

import CBLFleece
import CBLStore

/// Where the text of an export goes.
package protocol TextSink: AnyObject {
    /// Has `render` append lines, or pieces of lines. `separator` is what stands between the cells of a table.
    func write(separator: UInt8?, lines render: (inout ByteBuffer) throws -> Void) throws
}

/// Writes the documents of a collection as text. What has no end is left out of it, and told. Hot: benchmark `export`.
package struct Exporter {
    /// The property that holds the ID; empty for none.
    package var idKey = "_id"
    package var limit: Int?
    package var idPattern: String?
    /// Only these documents, if it is not nil.
    package var chosen: DocumentIDs?
    /// Called before each walk through the collection, with how many documents there are; a table takes two walks.
    package var begin: (_ total: Int?) -> Void = { _ in }
    /// Called for each document.
    package var progress: () -> Void = {}
    /// Called now and then. What it throws ends the export.
    package var check: () throws -> Void = {}
    /// Told of the digests of blobs that the documents refer to.
    package var blob: ((_ digest: String) -> Void)?
    /// Told of documents that cannot be read.
    package var damaged: (DamagedDocument) -> Void = { _ in }

    package init() {}

    /// One document per line, or one array. Gives the number of documents.
    package func writeJSON(_ snapshot: Snapshot, _ collection: CollectionName, isArray: Bool = false, to sink: any TextSink) throws -> Int {
        let keys = snapshot.sharedKeys
        let prefix = Exporter.prefix(idKey)
        var isFirst = true
        let count = try forEach(snapshot, collection) { cursor in
            try sink.write(separator: nil) { buffer in
                if isArray { buffer.append(isFirst ? "[" : ",\n ") }
                append(cursor, prefix, keys, to: &buffer)
                if !isArray { buffer.append("\n") }
            }
            isFirst = false
        }
        if isArray { try sink.write(separator: nil) { $0.append(isFirst ? "[]\n" : "]\n") } }
        return count
    }

    /// A file for each document: `write` is given its name and what renders it.
    package func writeFiles(
        _ snapshot: Snapshot, _ collection: CollectionName,
        _ write: (_ name: String, _ render: (inout ByteBuffer) throws -> Void) throws -> Void
    ) throws -> Int {
        let keys = snapshot.sharedKeys
        let prefix = Exporter.prefix(idKey)
        return try forEach(snapshot, collection) { cursor in
            guard let file = FileName.file(ofDocument: cursor.idBytes) else {
                throw FileError("the ID of document \"\(cursor.id)\" is too long for the name of a file")
            }
            try write(file) { buffer in
                append(cursor, prefix, keys, to: &buffer)
                buffer.append("\n")
            }
        }
    }

    /// Calls `write` with each document, counting and telling how far it is.
    func forEach(_ snapshot: Snapshot, _ collection: CollectionName, _ write: (DocumentCursor) throws -> Void) throws -> Int {
        begin(chosen?.count ?? (try? snapshot.counts(of: collection).live))
        var options = ScanOptions(order: .id, content: .body)
        options.limit = chosen == nil ? limit : nil
        options.idPattern = idPattern
        let cursor = try snapshot.scan(collection, options)
        cursor.onDamage = damaged
        var count = 0
        var passed = 0
        while try cursor.next() {
            passed += 1
            if passed & 0x3F == 0 { try check() }
            if let chosen {
                guard chosen.contains(cursor.idBytes) else { continue }
                if count == limit { break }
            }
            count += 1
            if let blob, cursor.flags.contains(.hasAttachments) {
                BlobReferences.forEach(in: cursor.body, snapshot.sharedKeys) { digest, _ in blob(digest) }
            }
            try write(cursor)
            progress()
        }
        return count
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

    @inline(__always)
    private func append(_ cursor: DocumentCursor, _ prefix: [UInt8], _ keys: SharedKeys, to buffer: inout ByteBuffer) {
        prefix.withUnsafeBytes { buffer.append($0) }
        if prefix.count > 1 { JSONWriter.write(string: cursor.idBytes, to: &buffer) }
        let isWhole = JSONWriter.writeMembers(
            of: cursor.body, keys: keys, style: .compact, startingWithComma: prefix.count > 1, to: &buffer)
        if !isWhole { damaged(DamagedDocument(endless: cursor.id, in: cursor.collection)) }
        buffer.append("}")
    }
}

extension DamagedDocument {
    /// A document whose body turned out, when it was to be written, to have no end.
    package init(endless id: String, in collection: CollectionName) {
        self.init(collection: collection, id: id, reason: "its body is damaged: \(FleeceError.endless)")
    }
}

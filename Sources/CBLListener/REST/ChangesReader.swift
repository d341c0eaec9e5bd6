import CBLFleece
import CBLReplication
import CBLStore

/// Reads the changes of a collection, a page at a time: one line for each document, with its last sequence.
struct ChangesReader {
    let keyspace: Keyspace
    let query: ChangesQuery
    /// All up to here were read.
    private(set) var last: UInt64
    private var left: Int
    /// Where reading backwards goes on.
    private var before: UInt64?

    init(_ keyspace: Keyspace, _ query: ChangesQuery, since: UInt64) {
        self.keyspace = keyspace
        self.query = query
        last = since
        left = query.limit
    }

    var isAtLimit: Bool { left == 0 }

    /// A page of changes, which are given to `take` one by one, as JSON with their sequences. False if it was the last one for now.
    mutating func readPage(_ take: (_ sequence: UInt64, _ row: UnsafeRawBufferPointer) -> Void) throws -> Bool {
        guard left > 0 else { return false }
        var row = ByteBuffer(capacity: 1024)
        return try keyspace.database.read { snapshot in
            var options = ScanOptions(order: .sequence, content: needsBodies ? .everything : .metadata)
            options.includesDeleted = true
            options.isDescending = query.isDescending
            options.since = query.isDescending ? query.since ?? 0 : last
            options.upTo = before
            let writer = DocumentWriter(query.options, snapshot, keyspace.database.blobs)
            var page = Page()
            var designs = try DesignChanges(keyspace, snapshot, options)
            let cursor = try snapshot.scan(keyspace.collection, options)
            // What is damaged is in no feed: a client can do nothing with it.
            cursor.onDamage = { _ in }
            while left > 0, !page.isFull, try cursor.next() {
                try write(&designs, upTo: cursor.sequence, &page, take)
                guard left > 0, !page.isFull else { break }
                advance(to: cursor.sequence)
                page.rows += 1
                if query.omitsDeleted, cursor.isDeleted { continue }
                guard try query.filter?.admits(cursor, snapshot.sharedKeys) ?? true else { continue }
                row.removeAll()
                guard try write(cursor, writer, to: &row) else { continue }
                left -= 1
                page.bytes += row.count
                take(cursor.sequence, row.bytes)
            }
            if !page.isFull { try write(&designs, upTo: nil, &page, take) }
            return page.isFull && left > 0
        }
    }

    /// Gives the design documents that come before a sequence; nil for the rest of them.
    private mutating func write(
        _ designs: inout DesignChanges, upTo sequence: UInt64?, _ page: inout Page,
        _ take: (_ sequence: UInt64, _ row: UnsafeRawBufferPointer) -> Void
    ) throws {
        var row = ByteBuffer(capacity: 1024)
        while left > 0, !page.isFull, let (design, place) = designs.next(upTo: sequence) {
            advance(to: place)
            page.rows += 1
            if query.omitsDeleted, design.isDeleted { continue }
            guard try query.filter?.admits(design) ?? true else { continue }
            row.removeAll()
            try DesignChanges.write(design, place, query, to: &row)
            left -= 1
            page.bytes += row.count
            take(place, row.bytes)
        }
    }

    private var needsBodies: Bool { query.showsAllLeaves || query.includesDocuments || query.filter?.needsBodies ?? false }

    /// How many changes there are behind those that were read, if the limit has kept them out.
    func countPending() throws -> Int {
        guard isAtLimit, !query.isDescending else { return 0 }
        return try keyspace.database.read { snapshot in
            var options = ScanOptions(order: .stored, content: .id)
            options.includesDeleted = true
            options.since = last
            let cursor = try snapshot.scan(keyspace.collection, options)
            var count = 0
            while try cursor.next() { count += 1 }
            return try count + (keyspace.hasDesignDocuments ? snapshot.designChanges(after: last).count : 0)
        }
    }

    /// Little enough to be held, and to be read without others waiting.
    private struct Page {
        var rows = 0
        var bytes = 0
        var isFull: Bool { rows >= 1000 || bytes >= 1 << 16 }
    }

    private mutating func advance(to sequence: UInt64) {
        last = sequence
        if query.isDescending { before = sequence > 0 ? sequence - 1 : 0 }
    }

    /// False if nothing can be said of it.
    private func write(_ cursor: DocumentCursor, _ writer: DocumentWriter, to text: inout ByteBuffer) throws -> Bool {
        guard let revision = try? cursor.revision() else { return false }
        text.append("{\"seq\":")
        text.append(decimal: cursor.sequence)
        text.append(",\"id\":")
        JSONWriter.write(string: cursor.idBytes, to: &text)
        text.append(",\"changes\":[{\"rev\":\"")
        text.append(revision.name)
        text.append("\"}")
        if query.showsAllLeaves, let known = try? KnownRevisions(cursor.document()) {
            for leaf in known.leaves where leaf.id != revision {
                text.append(",{\"rev\":\"")
                text.append(leaf.id.name)
                text.append("\"}")
            }
        }
        text.append("]")
        if cursor.isDeleted { text.append(",\"deleted\":true") }
        if query.includesDocuments {
            text.append(",\"doc\":")
            let start = text.count
            do { try writer.write(cursor.document(), to: &text) } catch {
                guard RESTError(error).status == 500 else { throw error }
                text.truncate(to: start)
                text.append("null")
            }
        }
        text.append("}")
        return true
    }
}

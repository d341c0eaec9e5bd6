import CBLBase
import CBLFleece
import CBLStore
import CBLWorkbench

/// What a change did to a document, told in a line while it is seen:
///
///     14:03:27  hotel_003  rating: 4.1 → 4.5, +pool: true, -note
///
/// What documents were is kept in memory: no state of a file can be kept that is opened for reading only, while others write to it.
final class ChangeDifference {
    private struct Known {
        var sequence: UInt64
        /// Nil for a deleted one.
        var body: FleeceData?
    }

    private var known: [CollectionName: [String: Known]] = [:]
    private var byteCount = 0
    private let invocation: Invocation

    private static let longestValue = 60
    /// With less room nothing of a value is shown.
    private static let leastValue = 12
    // Of larger databases, some are told of without what they were.
    private static let mostBytes = 256 << 20

    /// Looks at all documents of these collections; nil for all.
    init(_ database: Database, _ collections: [CollectionName]?, _ invocation: Invocation) throws {
        self.invocation = invocation
        try database.read { snapshot in
            for name in collections ?? snapshot.collections() where byteCount < ChangeDifference.mostBytes {
                var options = ScanOptions(order: .stored, content: .body)
                options.includesDeleted = true
                let cursor = try snapshot.scan(name, options)
                invocation.session.reportDamage(met: cursor)
                while byteCount < ChangeDifference.mostBytes, try cursor.next() {
                    try Interruption.check()
                    keep(cursor)
                }
            }
        }
        if byteCount >= ChangeDifference.mostBytes {
            invocation.session.notice("The database is too large to be kept in mind: of some documents it is only said that they changed.")
        }
    }

    private func keep(_ cursor: DocumentCursor) {
        let before = known[cursor.collection]?[cursor.id]
        byteCount -= before?.body?.bytes.count ?? 0
        let size = cursor.isDeleted ? 0 : cursor.bodyBytes.count
        guard byteCount + size < ChangeDifference.mostBytes else {
            known[cursor.collection]?[cursor.id] = nil
            byteCount = ChangeDifference.mostBytes
            return
        }
        byteCount += size
        // An empty document has no bytes.
        let body: FleeceData? = cursor.isDeleted ? nil : size == 0 ? .emptyDictionary : FleeceData(copying: cursor.bodyBytes)
        known[cursor.collection, default: [:]][cursor.id] = Known(sequence: cursor.sequence, body: body)
    }

    /// `collection` is named in the line if it is one of several.
    func write(_ cursor: DocumentCursor, in collection: CollectionName?, _ snapshot: Snapshot) throws {
        let old = known[cursor.collection]?[cursor.id]
        guard !cursor.body.isEndless, old?.body?.withRoot({ !$0.isEndless }) ?? true else {
            return invocation.session.report(endless: cursor.id, in: cursor.collection)
        }
        defer { keep(cursor) }
        let keys = snapshot.sharedKeys
        if invocation.wantsJSON {
            return try invocation.session.writeFacts { line in
                line.add("time", TimeText.iso8601(Transaction.now))
                line.add(documentOf: cursor)
                guard let old, old.sequence != cursor.sequence, !cursor.isDeleted else { return }
                old.body?.withRoot { line.add(JSONDifference($0, keys, cursor.body, keys), keys, keys) }
            }
        }
        let session = invocation.session
        // The time of day.
        try session.write(String(LogTime.now.local.dropFirst(11).prefix(8)), .dim)
        try session.output.write("  ")
        if let collection {
            try session.output.write(report: "\(collection)")
            try session.output.write("  ")
        }
        try session.write(cursor.id, .id)
        var used = 10 + DisplayWidth.of(cursor.id) + (collection.map { DisplayWidth.of($0.description) + 2 } ?? 0)
        let width = session.terminal.outputIsTerminal ? max(used + 20, Terminal.width()) : 4000
        let parts = parts(old, cursor, keys)
        for (index, part) in parts.enumerated() {
            let separator = index == 0 ? "  " : ", "
            let text = TerminalText.escaped(part.text)
            // There is always room to say that there is more.
            let room = width - used - separator.utf8.count - 1 - (index == parts.count - 1 ? 0 : 3)
            if index > 0, DisplayWidth.of(text) > room, room < ChangeDifference.leastValue {
                try session.output.write(", …")
                break
            }
            let shown = DisplayWidth.cut(text, to: room)
            try session.output.write(separator)
            try session.write(shown, part.style)
            used += separator.utf8.count + DisplayWidth.of(shown)
        }
        try session.output.write("\n")
    }

    private func parts(_ old: Known?, _ cursor: DocumentCursor, _ keys: SharedKeys) -> [(text: String, style: Style)] {
        // It was there when one began to look.
        if let old, old.sequence == cursor.sequence { return [] }
        if cursor.isDeleted { return [("deleted", .removed)] }
        guard let body = old?.body else {
            let isNew = old == nil && byteCount < ChangeDifference.mostBytes
            let word = isNew ? "created" : old == nil ? "changed" : "undeleted"
            return [(word, .added), (ChangeDifference.text(cursor.body, keys, 400), .dim)]
        }
        return body.withRoot { before in
            let changes = JSONDifference(before, keys, cursor.body, keys).changes
            if changes.isEmpty { return [("(the same properties)", .dim)] }
            return changes.map { change in
                let (before, after) = (
                    change.before.map { ChangeDifference.text($0, keys) }, change.after.map { ChangeDifference.text($0, keys) }
                )
                switch (before, after) {
                case (let before?, let after?): return ("\(change.path): \(before) → \(after)", .warning)
                case (nil, let after): return ("+\(change.path): \(after ?? "")", .added)
                default: return ("-\(change.path)", .removed)
                }
            }
        }
    }

    private static func text(_ value: Value, _ keys: SharedKeys, _ longest: Int = longestValue) -> String {
        var budget = WalkBudget(byteCount: 16 * longest)
        var text = ByteBuffer()
        JSONWriter.write(value, keys: keys, style: .canonical, within: &budget, to: &text)
        return DisplayWidth.cut(text.string, to: longest)
    }
}

import CBLBase
import CBLFleece
import CBLStore
import CBLWorkbench
import FoundationEssentials

/// What a change did to a document, told in a line while it is seen:
///
///     14:03:27  hotel_003  rating: 4.1 → 4.5, +pool: true, -note
///
/// A state of the database is kept from one look to the next, for it knows what a document was.
final class ChangeDifference {
    private var before: OpenSnapshot
    private let invocation: Invocation

    private static let longestValue = 60

    init(_ database: Database, _ invocation: Invocation) throws {
        before = try OpenSnapshot(of: database)
        self.invocation = invocation
    }

    /// Does `work` with the newest state, which is kept then.
    func look(at database: Database, _ work: (Snapshot) throws -> Void) throws {
        let now = try OpenSnapshot(of: database)
        try now.use(work)
        before.end()
        before = now
    }

    /// `collection` is named in the line if it is one of several.
    func write(_ cursor: DocumentCursor, in collection: CollectionName?, _ snapshot: Snapshot) throws {
        let old = try before.use { try $0.hasCollection(cursor.collection) ? $0.document(cursor.id, in: cursor.collection) : nil }
        guard !cursor.body.isEndless, old?.body.withRoot({ !$0.isEndless }) ?? true else {
            return invocation.session.report(endless: cursor.id, in: cursor.collection)
        }
        let keys = snapshot.sharedKeys
        let now = Date()
        if invocation.wantsJSON {
            return try invocation.session.writeFacts { line in
                line.add("time", now.ISO8601Format(.iso8601(timeZone: .gmt, includingFractionalSeconds: true)))
                line.add(documentOf: cursor)
                guard let old, old.sequence != cursor.sequence else { return }
                old.body.withRoot { before in
                    let difference = JSONDifference(before, keys, cursor.body, keys)
                    line.add("properties", objects: difference.changes) { change, line in
                        line.add("path", change.path)
                        if let value = change.before { line.add("before", value, keys) }
                        if let value = change.after { line.add("after", value, keys) }
                    }
                }
            }
        }
        let session = invocation.session
        try session.write(ChangeDifference.clock(now), .dim)
        try session.output.write("  ")
        if let collection {
            try session.output.write(report: "\(collection)")
            try session.output.write("  ")
        }
        try session.write(cursor.id, .id)
        var used = 10 + DisplayWidth.of(cursor.id) + (collection.map { DisplayWidth.of($0.description) + 2 } ?? 0)
        let width = session.terminal.outputIsTerminal ? max(used + 20, Terminal.width()) : 4000
        for (index, part) in parts(old, cursor, keys).enumerated() {
            let separator = index == 0 ? "  " : ", "
            let room = width - used - separator.utf8.count - 1
            let shown = ChangeDifference.cut(TerminalText.escaped(part.text), to: room)
            try session.output.write(separator)
            try session.write(shown, part.style)
            used += separator.utf8.count + DisplayWidth.of(shown)
            if shown.hasSuffix("…"), used >= width - 2 { break }
        }
        try session.output.write("\n")
    }

    private func parts(_ old: Document?, _ cursor: DocumentCursor, _ keys: SharedKeys) -> [(text: String, style: Style)] {
        // It was there when one began to look.
        if let old, old.sequence == cursor.sequence { return [] }
        if cursor.isDeleted { return [("deleted", .removed)] }
        guard let old, !old.isDeleted else {
            return [(old == nil ? "created" : "undeleted", .added), (ChangeDifference.text(cursor.body, keys, 400), .dim)]
        }
        return old.body.withRoot { before in
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
        return cut(text.string, to: longest)
    }

    /// At most so wide, with a mark where something is missing.
    private static func cut(_ text: String, to width: Int) -> String {
        guard DisplayWidth.of(text) > width else { return text }
        var (shown, left) = ("", width - 1)
        for character in text {
            left -= DisplayWidth.of(String(character))
            guard left >= 0 else { break }
            shown.append(character)
        }
        return shown + "…"
    }

    /// The time of day, here.
    private static func clock(_ date: Date) -> String {
        let parts = Calendar.current.dateComponents([.hour, .minute, .second], from: date)
        return [parts.hour, parts.minute, parts.second].map { part in
            let text = "\(part ?? 0)"
            return text.utf8.count < 2 ? "0" + text : text
        }.joined(separator: ":")
    }
}

import CBLFleece
import CBLStore
import Glibc

/// `cblite diff A.cblite2 B.cblite2`
enum DiffCommand {
    static let declaration = CommandDeclaration(
        "diff", group: .looking,
        summary: "Compare two databases",
        discussion: """
            Prints which documents were added (+), removed (-) or changed (~) from the first database to the second, collection by \
            collection. Documents are the same if their bodies are; revisions, sequences and deletions do not count unless --revs is given.

            Exit code 0 means that there is no difference, 1 that there are some, as with diff.
            """,
        flags: [
            Flag("body", "Show what changed in each document, property by property"),
            Flag("revs", "Compare revision IDs and deletions too"),
        ],
        arguments: [
            Argument("DATABASE", .database, .required, impliedByOpenDatabase: true, "The first .cblite2 bundle"),
            Argument("OTHER", .database, .required, "The second one"),
        ],
        examples: [
            .init("cblite diff before.cblite2 after.cblite2", "Which documents differ."),
            .init("cblite diff --body before.cblite2 after.cblite2", "And in which properties."),
            .init("cblite diff --json before.cblite2 after.cblite2", "The same for programs, one line for each document."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        let first = try invocation.argumentIfGiven("DATABASE").map { try session.open($0, writes: false) } ?? session.openDatabase
        guard let first else { throw invocation.usageError("no database is open") }
        let second = try session.open(invocation.argument("OTHER"), writes: false)
        return try first.read { before in
            try second.read { after in
                let comparison = DatabaseComparison(before, after, invocation)
                try comparison.run()
                session.notice(comparison.summary)
                return comparison.isEqual ? .success : .failure
            }
        }
    }
}

/// Goes through two databases side by side, by document ID, with one document of each in hand. Memory does not grow with their size.
private final class DatabaseComparison {
    private enum Change: String { case added, removed, changed }

    private let before: Snapshot
    private let after: Snapshot
    private let invocation: Invocation
    private let comparesRevisions: Bool
    private var counts: [Change: Int] = [:]
    private var headed: CollectionName?

    init(_ before: Snapshot, _ after: Snapshot, _ invocation: Invocation) {
        self.before = before
        self.after = after
        self.invocation = invocation
        comparesRevisions = invocation.flag("revs")
    }

    var isEqual: Bool { counts.isEmpty }

    var summary: String {
        if isEqual { return "(No differences)" }
        return "(\(counts[.added] ?? 0) added, \(counts[.removed] ?? 0) removed, \(counts[.changed] ?? 0) changed)"
    }

    func run() throws {
        var names = Set(before.collections()).union(after.collections())
        if invocation.session.options.collection != nil {
            let name = try invocation.collectionName()
            if !names.contains(name) { _ = try invocation.existing(name, in: before) }
            names = [name]
        }
        for name in names.sorted() { try compare(name) }
    }

    private func scan(_ name: CollectionName, _ snapshot: Snapshot) throws -> DocumentCursor? {
        guard snapshot.hasCollection(name) else { return nil }
        var options = ScanOptions(content: .body)
        options.includesDeleted = comparesRevisions
        return try snapshot.scan(name, options)
    }

    private func compare(_ name: CollectionName) throws {
        let (first, second) = (try scan(name, before), try scan(name, after))
        var hasFirst = try first?.next() ?? false
        var hasSecond = try second?.next() ?? false
        while hasFirst || hasSecond {
            try Interruption.check()
            let order = hasFirst && hasSecond ? DatabaseComparison.order(first, second) : hasFirst ? -1 : 1
            if order < 0 {
                if let first { try report(removed: first) }
                hasFirst = try first?.next() ?? false
            } else if order > 0 {
                if let second { try report(added: second) }
                hasSecond = try second?.next() ?? false
            } else {
                if let first, let second { try compare(first, second) }
                hasFirst = try first?.next() ?? false
                hasSecond = try second?.next() ?? false
            }
        }
    }

    private static func order(_ a: DocumentCursor?, _ b: DocumentCursor?) -> Int {
        guard let a = a?.idBytes, let b = b?.idBytes else { return 0 }
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, min(a.count, b.count))
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    // A deletion that only one side remembers is no document that the other lacks.
    private func report(removed cursor: DocumentCursor) throws {
        try report(cursor.isDeleted ? .changed : .removed, cursor, nil)
    }

    private func report(added cursor: DocumentCursor) throws {
        try report(cursor.isDeleted ? .changed : .added, nil, cursor)
    }

    private func compare(_ first: DocumentCursor, _ second: DocumentCursor) throws {
        if first.isDeleted != second.isDeleted { return try report(first.isDeleted ? .added : .removed, first, second) }
        let differs = comparesRevisions && !isSameRevision(first, second)
        if !differs, first.body.isEqual(to: second.body, before.sharedKeys, after.sharedKeys) { return }
        try report(.changed, first, second)
    }

    private func isSameRevision(_ first: DocumentCursor, _ second: DocumentCursor) -> Bool {
        if first.versionBytes.elementsEqual(second.versionBytes) { return true }
        // Each database calls itself `*` in its version vectors; a restored one names the source that it was made from.
        guard let one = try? VersionVector(binary: first.versionBytes), let other = try? VersionVector(binary: second.versionBytes) else {
            return false
        }
        return one.replacing(.local, by: before.sourceID) == other.replacing(.local, by: after.sourceID)
    }

    private func report(_ change: Change, _ first: DocumentCursor?, _ second: DocumentCursor?) throws {
        guard let cursor = second ?? first else { return }
        counts[change, default: 0] += 1
        var difference: JSONDifference?
        if invocation.flag("body"), change == .changed, let first, let second {
            // To look for what differs means to compare parts again and again.
            for cursor in [first, second] where cursor.body.isEndless {
                return invocation.session.report(endless: cursor.id, in: cursor.collection)
            }
            difference = JSONDifference(first.body, before.sharedKeys, second.body, after.sharedKeys)
        }
        if invocation.wantsJSON { return try writeFacts(change, cursor, first, second, difference) }
        let session = invocation.session
        if headed != cursor.collection, before.collections().count > 1 || after.collections().count > 1 {
            try session.write("\(cursor.collection):", .heading)
            try session.output.write("\n")
            headed = cursor.collection
        }
        let (mark, style): (String, Style) =
            switch change {
            case .added: ("+", .added)
            case .removed: ("-", .removed)
            case .changed: ("~", .warning)
            }
        try session.write("\(mark) \(cursor.id)", style)
        if comparesRevisions {
            let texts = [first, second].map { $0.map(DatabaseComparison.revision) ?? "none" }
            if texts[0] != texts[1] { try session.output.write("  \(texts[0]) -> \(texts[1])") }
        }
        try session.output.write("\n")
        // Together they say no more than the bodies do.
        var budget = WalkBudget(byteCount: (first?.bodyBytes.count ?? 0) + (second?.bodyBytes.count ?? 0))
        for change in difference?.changes ?? [] {
            try Interruption.check()
            try write(change, within: &budget)
            if budget.isExhausted { return session.report(endless: cursor.id, in: cursor.collection) }
        }
    }

    private static func revision(_ cursor: DocumentCursor) -> String {
        var buffer = ByteBuffer()
        buffer.append(revision: cursor.versionBytes)
        return buffer.string + (cursor.isDeleted ? " (deleted)" : "")
    }

    private func write(_ change: JSONDifference.Change, within budget: inout WalkBudget) throws {
        if let value = change.before { try write("-", change.path, value, before.sharedKeys, .removed, &budget) }
        if let value = change.after { try write("+", change.path, value, after.sharedKeys, .added, &budget) }
    }

    private func write(
        _ mark: String, _ path: String, _ value: Value, _ keys: SharedKeys, _ style: Style, _ budget: inout WalkBudget
    ) throws {
        var text = ByteBuffer()
        JSONWriter.write(value, keys: keys, style: .canonical, within: &budget, to: &text)
        let session = invocation.session
        try session.write("    \(mark) \(path): \(text.string)", style)
        try session.output.write("\n")
    }

    private func writeFacts(
        _ change: Change, _ cursor: DocumentCursor, _ first: DocumentCursor?, _ second: DocumentCursor?, _ difference: JSONDifference?
    ) throws {
        try invocation.session.writeFacts { line in
            line.add("change", change.rawValue)
            line.add("collection", cursor.collection.description)
            line.add("id", cursor.idBytes)
            if comparesRevisions {
                if let first { line.add("before", revision: first.versionBytes) }
                if let second { line.add("after", revision: second.versionBytes) }
            }
            guard let difference else { return }
            line.add("properties", objects: difference.changes) { change, line in
                line.add("path", change.path)
                if let value = change.before { line.add("before", value, before.sharedKeys) }
                if let value = change.after { line.add("after", value, after.sharedKeys) }
            }
        }
    }
}

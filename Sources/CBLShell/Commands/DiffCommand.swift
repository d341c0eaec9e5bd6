import CBLFleece
import CBLStore
import CBLWorkbench

/// `cblite diff A.cblite2 B.cblite2`
enum DiffCommand {
    static let declaration = CommandDeclaration(
        "diff", group: .looking,
        summary: "Compare two databases",
        discussion: """
            Prints which documents were added (+), removed (-) or changed (~) from the first database to the second, collection by \
            collection. Documents are the same if their bodies are; revisions, sequences and deletions do not count unless --revs is given.

            A collection that only one side has is one line, unless --all lists its documents. In the interactive shell, databases that are \
            open go by their names.

            The password or key that --password and --key give is that of both databases, if the second one is encrypted as well. If it has \
            another one, --other-password or --other-key gives that.

            Exit code 0 means that there is no difference, 1 that there are some, as with diff.
            """,
        flags: [
            Flag("stat", "Only how many documents differ, by collection"),
            Flag("where", value: "CONDITION", .expression, "Only documents for which this SQL++ condition is true, in either database"),
            Flag("all", "List the documents of a collection that only one side has, too"),
            Flag("body", "Show what changed in each document, property by property"),
            Flag("revs", "Compare revision IDs and deletions too"),
            Flag("other-password", optionalValue: ":@FILE", .text, "As --password, for the second database alone"),
            Flag("other-key", value: ":@FILE", .text, "As --key, for the second database alone"),
        ],
        arguments: [
            Argument("DATABASE", .database, .required, impliedByOpenDatabase: true, "The first .cblite2 bundle"),
            Argument("OTHER", .database, .required, "The second one"),
        ],
        examples: [
            .init("cblite diff before.cblite2 after.cblite2", "Which documents differ."),
            .init("cblite diff --stat before.cblite2 after.cblite2", "How many, in which collections."),
            .init("cblite diff --body before.cblite2 after.cblite2", "And in which properties."),
            .init("cblite diff --key=:@old.key --other-key=:@new.key old.cblite2 new.cblite2", "Two databases of 1.x with different keys."),
            .init("cblite diff --json before.cblite2 after.cblite2", "The same for programs, one line for each document."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        let first = try invocation.argumentIfGiven("DATABASE").map { try session.open($0, writes: false) } ?? session.openDatabase
        guard let first else { throw invocation.usageError("no database is open") }
        let keys = KeyFlags(
            prefix: "other-", password: invocation.string("other-password"), key: invocation.string("other-key"),
            isAskedFor: invocation.flag("other-password") && invocation.string("other-password") == nil)
        let second = try open(invocation.argument("OTHER"), keys, session)
        return try first.read { before in
            try second.read { after in
                var comparison = DatabaseComparison(before, after)
                comparison.comparesRevisions = invocation.flag("revs")
                comparison.check = { try Interruption.check() }
                let report = DifferenceReport(comparison, invocation)
                let names = try collections(of: comparison, invocation)
                comparison.chosen = try invocation.string("where").map {
                    try DocumentCondition.documentIDs($0, in: names, of: [before, after], session)
                }
                let counts = try comparison.run(names) { try report.write($0) }
                try report.finish()
                session.notice(summary(counts))
                return counts.isEqual ? .success : .failure
            }
        }
    }

    /// A database that is open, by its name, or another.
    private static func open(_ word: String, _ keys: KeyFlags, _ session: Session) throws -> Database {
        if let shell = session.shell, let index = shell.databases.index(of: word) { return shell.databases.entries[index].database }
        return try session.open(word, writes: false, ownKeys: keys)
    }

    private static func collections(of comparison: DatabaseComparison, _ invocation: Invocation) throws -> [CollectionName] {
        let names = comparison.collections
        guard invocation.session.options.collection != nil else { return names }
        let name = try invocation.collectionName()
        if !names.contains(name) { _ = try invocation.existing(name, in: comparison.before) }
        return [name]
    }

    private static func summary(_ counts: DatabaseComparison.Counts) -> String {
        if counts.isEqual { return "(No differences)" }
        return "(\(counts.added) added, \(counts.removed) removed, \(counts.changed) changed)"
    }
}

/// Prints what differs, document by document.
private final class DifferenceReport {
    private typealias Change = DatabaseComparison.Change

    private let before: Snapshot
    private let after: Snapshot
    private let invocation: Invocation
    private let comparesRevisions: Bool
    private var headed: CollectionName?
    /// By collection, for those that are not told document by document.
    private var sums: [CollectionName: DatabaseComparison.Counts] = [:]

    init(_ comparison: DatabaseComparison, _ invocation: Invocation) {
        before = comparison.before
        after = comparison.after
        comparesRevisions = comparison.comparesRevisions
        self.invocation = invocation
    }

    /// Tells what was only counted.
    func finish() throws {
        for (name, sum) in sums.sorted(by: { $0.key < $1.key }) {
            if invocation.wantsJSON {
                try invocation.session.writeFacts { line in
                    line.add("collection", name.description)
                    line.add("added", sum.added)
                    line.add("removed", sum.removed)
                    line.add("changed", sum.changed)
                }
                continue
            }
            let parts = [(sum.added, "added"), (sum.removed, "removed"), (sum.changed, "changed")].filter { $0.0 > 0 }
            let text = parts.map { "\(ProgressLine.grouped($0.0)) \($0.1)" }.joined(separator: ", ")
            let place = !before.hasCollection(name) ? " (only in the second)" : !after.hasCollection(name) ? " (only in the first)" : ""
            try invocation.session.write("\(name): ", .heading)
            try invocation.output.writeLine(text + place)
        }
    }

    func write(_ found: DatabaseComparison.Difference) throws {
        let collection = found.document.collection
        let isOneSided = !before.hasCollection(collection) || !after.hasCollection(collection)
        guard !invocation.flag("stat"), !isOneSided || invocation.flag("all") || invocation.wantsJSON else {
            return sums[collection, default: DatabaseComparison.Counts()].count(found.change)
        }
        let (change, first, second, cursor) = (found.change, found.before, found.after, found.document)
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
            let texts = [first, second].map { $0.map(DifferenceReport.revision) ?? "none" }
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
            if let difference { line.add(difference, before.sharedKeys, after.sharedKeys) }
        }
    }
}

extension JSONObjectWriter {
    /// What differs, property by property, each value with the keys of its database.
    mutating func add(_ difference: JSONDifference, _ keys: SharedKeys, _ otherKeys: SharedKeys) {
        add("properties", objects: difference.changes) { change, line in
            line.add("path", change.path)
            if let value = change.before { line.add("before", value, keys) }
            if let value = change.after { line.add("after", value, otherKeys) }
        }
    }
}

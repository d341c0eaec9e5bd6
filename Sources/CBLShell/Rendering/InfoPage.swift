import CBLBase
import CBLFleece
import CBLLanguage
import CBLReplication
import CBLStore
import CBLWorkbench
import Glibc

/// The page that `info` prints: what a database is, how large, what it holds, how far it is replicated, and what is wrong with it.
struct InfoPage {
    let path: String
    let facts: DatabaseFacts
    let level: Int

    /// `source` is where the database is, if it lies there packed. For a person, very many documents may be estimated.
    init(_ database: Database, level: Int, source: String? = nil, estimates: Bool = false) throws {
        path = source ?? InfoPage.fullPath(database.path)
        let depth: DatabaseFacts.Depth = level > 1 ? .withSizes : level > 0 ? .full : .quick
        facts = try DatabaseFacts(database, depth, estimates: estimates) { try Interruption.check() }
        self.level = level
    }

    static func fullPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    func write(to session: Session) throws {
        try session.writeFact("Database", path)
        try session.writeFact("Format", level == 0 ? "\(facts.generation), \(versioningText)" : facts.generation.description)
        if let cipher = facts.cipher { try session.writeFact("Encryption", cipher) }
        try session.writeFact("Size", sizeText)
        if level > 0 {
            try session.writeFact("Versioning", versioningText)
            try session.writeFact(
                "UUIDs", "public \(facts.publicUUID?.hexadecimal ?? "missing"), private \(facts.privateUUID?.hexadecimal ?? "missing")")
            try session.writeFact("Shared keys", "\(facts.sharedKeyCount)")
        }
        try session.writeFact("Changed", changeText)
        if let next = facts.nextExpiration { try session.writeFact("Expires", "next document: \(TimeText.iso8601(next))") }
        for (number, url) in facts.remotes.sorted(by: { $0.key < $1.key }) {
            try session.writeFact("Remote #\(number)", url)
            for state in facts.syncStates where state.remote == number { try session.writeFact("", syncText(state)) }
        }
        if !facts.indexes.isEmpty { try session.writeFact("Indexes", list: indexNames) }
        try session.output.write("\n")
        try (level == 0 ? overview(for: session) : table).write(to: session)
        if level > 1 { try writeDistribution(to: session) }
        if !facts.warnings.isEmpty { try session.output.write("\n") }
        for warning in facts.warnings {
            try session.write("Warning:", .warning)
            try session.writeTextLine("     \(warning.text)")
        }
        if level == 0 { session.notice("... use -v for more detail") }
    }

    private var sizeText: String {
        var parts: [String] = []
        if facts.logSize > 0 { parts.append("\(SizeText.text(facts.logSize)) in the log") }
        if facts.freeSize > 0 { parts.append("\(SizeText.text(facts.freeSize)) free") }
        let inside = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        return SizeText.text(facts.size) + inside + (facts.blobs.count == 0 ? "" : ", and \(blobText)")
    }

    private var blobText: String {
        let (count, size) = (ProgressLine.grouped(facts.blobs.count), SizeText.text(facts.blobs.bytes))
        guard facts.blobs.isComplete else { return "more than \(size) in more than \(count) blobs" }
        return "\(size) in \(count) \(facts.blobs.count == 1 ? "blob" : "blobs")"
    }

    private var versioningText: String {
        switch facts.versioning {
        case .treesInBody: return "revision trees, with the bodies in them (2.x)"
        case .trees: return "revision trees"
        case .vectors:
            let source = facts.publicUUID.map { $0.withBytes { Base64.text(of: $0, isPadded: false) } }
            return "version vectors (source ID \(source ?? "missing"))"
        }
    }

    private var changeText: String {
        guard let times = facts.changeTimes else { return "\(TimeText.iso8601(facts.modified / 1000 * 1000)) (the file)" }
        let (first, last) = (InfoPage.second(times.lowerBound), InfoPage.second(times.upperBound))
        return first == last ? last : "\(last), and first \(first)"
    }

    /// Nanoseconds since 1970, as a time.
    static func second(_ nanoseconds: UInt64) -> String { TimeText.iso8601(Int64(nanoseconds / 1_000_000_000) * 1000) }

    private func syncText(_ state: SyncState) -> String {
        let pending =
            switch (state.pending, state.isExact) {
            case (0, _): "nothing to push"
            case (let count, true): "\(ProgressLine.grouped(count)) to push"
            case (let count, false): "up to \(ProgressLine.grouped(count)) to push"
            }
        guard let checkpoint = state.checkpoint else { return "\(state.collection): \(pending), no checkpoint" }
        let time = state.time.map { ", checkpoint of \(TimeText.iso8601($0 * 1000))" } ?? ""
        return "\(state.collection): \(pending)\(time), pushed up to sequence \(checkpoint.local)"
            + (checkpoint.remote.map { ", pulled up to \($0)" } ?? "")
    }

    /// By collections, in their order.
    private var indexNames: [String] {
        let homeless = facts.indexes.filter { index in !facts.collections.contains { $0.name == index.collection } }
        let ordered = facts.collections.flatMap { collection in facts.indexes.filter { $0.collection == collection.name } } + homeless
        return ordered.map { "\($0.collection.map { "\($0)." } ?? "")\($0.name)\($0.kindMark)" }
    }

    // Tables

    /// Only what there is: columns of nothing but zeros are left out.
    private func overview(for session: Session) -> Table {
        enum Knowledge { case always, asDocuments, ifCounted }
        let extras: [(title: String, count: (DatabaseFacts.Collection) -> Int, isKnown: Knowledge)] = [
            ("Deleted", { $0.statistics.deleted }, .asDocuments), ("Conflicts", { $0.statistics.conflicted }, .ifCounted),
            ("Expiring", { $0.statistics.expiring }, .always), ("With blobs", { $0.statistics.withBlobs }, .ifCounted),
            ("Indexes", { collection in facts.indexes.count { $0.collection == collection.name } }, .always),
        ]
        func text(_ count: Int, _ isKnown: Knowledge, isCounted: Bool, isEstimated: Bool) -> String {
            if isKnown == .ifCounted, !isCounted { return "?" }
            return isEstimated && isKnown == .asDocuments ? "~" + ProgressLine.groupedEstimate(count) : ProgressLine.grouped(count)
        }
        let shown = extras.filter { extra in facts.collections.contains { extra.count($0) > 0 } }
        var rows = facts.collections.map { collection in
            let (isCounted, isEstimated) = (collection.isCounted, collection.isEstimated)
            return ["\(collection.name)", text(collection.statistics.live, .asDocuments, isCounted: isCounted, isEstimated: isEstimated)]
                + shown.map { text($0.count(collection), $0.isKnown, isCounted: isCounted, isEstimated: isEstimated) }
        }
        let titles = ["Collection", "Documents"] + shown.map(\.title)
        let used = titles.indices.reduce(0) { sum, column in
            sum + Table.gap + rows.reduce(titles[column].utf8.count) { max($0, DisplayWidth.of($1[column])) }
        }
        let bar = Bar(width: session.terminal.outputIsTerminal ? min(30, max(1, session.terminal.width - used)) : 20)
        let largest = Double(facts.collections.map(\.statistics.live).max() ?? 0)
        for (index, collection) in facts.collections.enumerated() {
            rows[index].append(bar.text(Double(collection.statistics.live), of: largest))
        }
        var table = Table([.left(titles[0])] + titles.dropFirst().map { .right($0) } + [.left("")])
        for row in rows { table.add(row) }
        if rows.count > 1 {
            let (isCounted, isEstimated) = (facts.collections.allSatisfy(\.isCounted), facts.collections.contains(where: \.isEstimated))
            let sums = shown.map { extra in
                text(facts.collections.reduce(0) { $0 + extra.count($1) }, extra.isKnown, isCounted: isCounted, isEstimated: isEstimated)
            }
            table.add(["(total)", text(facts.documents, .asDocuments, isCounted: isCounted, isEstimated: isEstimated)] + sums + [""])
        }
        return table
    }

    private var table: Table {
        var table = Table([
            .left("Collection"), .right("Docs"), .right("Deleted"), .right("Blobs"), .right("Conflicts"), .right("Expiring"),
            .right("Body bytes"), .right("Revision bytes"), .right("Last seq"),
        ])
        var total = CollectionStatistics()
        for collection in facts.collections {
            table.add(InfoPage.row("\(collection.name)", collection.statistics, "\(collection.lastSequence)"))
            total += collection.statistics
        }
        if facts.collections.count > 1 { table.add(InfoPage.row("(total)", total, "")) }
        return table
    }

    private static func row(_ name: String, _ facts: CollectionStatistics, _ lastSequence: String) -> [String] {
        [
            name, "\(facts.live)", "\(facts.deleted)", "\(facts.withBlobs)", "\(facts.conflicted)", "\(facts.expiring)",
            "\(facts.bodyBytes)", "\(facts.revisionBytes)", lastSequence,
        ]
    }

    private func writeDistribution(to session: Session) throws {
        try session.output.write("\nDocument sizes:\n")
        guard let largest = facts.distribution.values.max(), let first = facts.distribution.keys.min(),
            let last = facts.distribution.keys.max()
        else { return }
        let bar = Bar(width: 40)
        for exponent in first...last {
            let count = facts.distribution[exponent] ?? 0
            let limit = exponent < 10 ? "\(1 << exponent)" : exponent < 20 ? "\(1 << (exponent - 10))K" : "\(1 << (exponent - 20))M"
            let line = "  <= \(padded(limit, 5))  \(padded("\(count)", 9))  \(bar.text(Double(count), of: Double(largest)))"
            try session.output.writeLine(line)
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }
}

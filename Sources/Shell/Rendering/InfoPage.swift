import DocumentStore
import Fleece
import FoundationEssentials
import Glibc
import Platform
import SQLPlusPlus

/// What `info` tells of a database, gathered in one state of it.
struct InfoPage {
    private struct Collection {
        let name: CollectionName
        let statistics: CollectionStatistics
        let lastSequence: UInt64
    }

    private let path: String
    private let level: Int
    private let size: Int
    private let blobCount: Int
    private let blobSize: Int
    private let generation: SchemaGeneration
    private let versioning: Versioning
    private let publicUUID: UUID?
    private let privateUUID: UUID?
    private let sharedKeyCount: Int
    private let remotes: [UInt16: String]
    private let indexes: [StoredIndex]
    private let collections: [Collection]
    /// How many documents have a body of up to 2ⁿ bytes, by n. Only at level 2.
    private let distribution: [Int: Int]

    init(_ database: Database, level: Int) throws {
        self.level = level
        path = InfoPage.fullPath(database.path)
        size = BundleSize(database.path).database
        let blobs = try database.blobs.list()
        blobCount = blobs.count
        blobSize = blobs.reduce(0) { $0 + (database.blobs.size(of: $1) ?? 0) }
        let facts = try database.read { snapshot in
            let names = snapshot.collections()
            return (
                snapshot.generation, snapshot.versioning, snapshot.publicUUID, snapshot.privateUUID, snapshot.sharedKeys.count,
                try snapshot.remotes(), try snapshot.indexes(),
                try names.map { name in
                    try Interruption.check()
                    return Collection(
                        name: name, statistics: try InfoPage.statistics(of: name, snapshot, level: level),
                        lastSequence: try snapshot.lastSequence(of: name))
                },
                level > 1 ? try InfoPage.distribution(names, snapshot) : [:]
            )
        }
        (generation, versioning, publicUUID, privateUUID, sharedKeyCount, remotes, indexes, collections, distribution) = facts
    }

    // Counting is quicker than looking at every record.
    private static func statistics(of name: CollectionName, _ snapshot: Snapshot, level: Int) throws -> CollectionStatistics {
        try level > 0 ? snapshot.statistics(of: name) : CollectionStatistics(snapshot.counts(of: name))
    }

    private static func distribution(_ names: [CollectionName], _ snapshot: Snapshot) throws -> [Int: Int] {
        var result: [Int: Int] = [:]
        for name in names {
            var options = ScanOptions(order: .stored, content: .metadata)
            options.includesDeleted = true
            let cursor = try snapshot.scan(name, options)
            while try cursor.next() {
                let size = cursor.bodySize
                result[size < 2 ? 0 : Int.bitWidth - (size - 1).leadingZeroBitCount, default: 0] += 1
            }
            try Interruption.check()
        }
        return result
    }

    static func fullPath(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    // For people

    func write(to session: Session) throws {
        try session.writeFact("Database", path)
        if level > 0 { try session.writeFact("Format", generation.description) }
        let blobs = blobCount == 0 ? "" : ", and \(SizeText.text(blobSize)) in \(blobCount) \(blobCount == 1 ? "blob" : "blobs")"
        try session.writeFact("Size", SizeText.text(size) + blobs)
        if level == 0 {
            let total = collections.reduce(0) { $0 + $1.statistics.live }
            let list = collections.map { "\($0.name) (\($0.statistics.live))" }.joined(separator: ", ")
            try session.writeFact("Collections", collections.count == 1 ? list : "\(list) -- \(total) documents in all")
            session.notice("... use -v for more detail")
            return
        }
        try session.writeFact("Versioning", versioningText)
        try session.writeFact(
            "UUIDs", "public \(publicUUID?.hexadecimal ?? "missing"), private \(privateUUID?.hexadecimal ?? "missing")")
        try session.writeFact("Shared keys", "\(sharedKeyCount)")
        for (number, url) in remotes.sorted(by: { $0.key < $1.key }) { try session.writeFact("Remote #\(number)", url) }
        try session.output.write("\n")
        try table.write(to: session)
        if level > 1 { try writeDistribution(to: session) }
        if !indexes.isEmpty {
            try session.output.write("\n")
            try session.writeFact("Indexes", list: indexNames)
        }
    }

    /// By collections, in their order.
    private var indexNames: [String] {
        func name(_ index: StoredIndex) -> String { "\(index.collection.map { "\($0)." } ?? "")\(index.name)\(index.kindMark)" }
        let homeless = indexes.filter { index in !collections.contains { $0.name == index.collection } }
        return collections.flatMap { collection in indexes.filter { $0.collection == collection.name } }.map(name) + homeless.map(name)
    }

    private var versioningText: String {
        switch versioning {
        case .treesInBody: return "revision trees, with the bodies in them (2.x)"
        case .trees: return "revision trees"
        case .vectors:
            let source = publicUUID.map { withUnsafeBytes(of: $0.uuid) { Base64.text(of: $0, isPadded: false) } }
            return "version vectors (source ID \(source ?? "missing"))"
        }
    }

    private var table: Table {
        var table = Table([
            .left("Collection"), .right("Docs"), .right("Deleted"), .right("Blobs"), .right("Conflicts"), .right("Expiring"),
            .right("Body bytes"), .right("Revision bytes"), .right("Last seq"),
        ])
        var total = CollectionStatistics()
        for collection in collections {
            table.add(InfoPage.row("\(collection.name)", collection.statistics, "\(collection.lastSequence)"))
            total += collection.statistics
        }
        if collections.count > 1 { table.add(InfoPage.row("(total)", total, "")) }
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
        guard let largest = distribution.values.max(), let first = distribution.keys.min(), let last = distribution.keys.max() else {
            return
        }
        for exponent in first...last {
            let count = distribution[exponent] ?? 0
            let limit = exponent < 10 ? "\(1 << exponent)" : exponent < 20 ? "\(1 << (exponent - 10))K" : "\(1 << (exponent - 20))M"
            let bar = String(repeating: "#", count: (count * 40 + largest - 1) / largest)
            try session.output.writeLine("  <= \(padded(limit, 5))  \(padded("\(count)", 9))  \(bar)")
        }
    }

    private func padded(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.utf8.count)) + text
    }

    // For programs

    func writeFacts(to session: Session) throws {
        try session.writeFacts { line in
            line.add("path", path)
            line.add("openable", true)
            line.add("schema", generation.rawValue)
            line.add("releases", generation.releases)
            line.add("versioning", versioning == .vectors ? "vectors" : "trees")
            if let publicUUID { line.add("publicUUID", publicUUID.hexadecimal) }
            if let privateUUID { line.add("privateUUID", privateUUID.hexadecimal) }
            line.add("size", size)
            line.add("blobs", blobCount)
            line.add("blobSize", blobSize)
            line.add("sharedKeys", sharedKeyCount)
            line.add("remotes", objects: remotes.sorted { $0.key < $1.key }) { remote, line in
                line.add("number", Int(remote.key))
                line.add("url", remote.value)
            }
            line.add("collections", objects: collections) { collection, line in
                line.add("name", collection.name.description)
                line.add("documents", collection.statistics.live)
                line.add("deleted", collection.statistics.deleted)
                line.add("lastSequence", collection.lastSequence)
                guard level > 0 else { return }
                line.add("withBlobs", collection.statistics.withBlobs)
                line.add("conflicted", collection.statistics.conflicted)
                line.add("expiring", collection.statistics.expiring)
                line.add("bodyBytes", collection.statistics.bodyBytes)
                line.add("revisionBytes", collection.statistics.revisionBytes)
            }
            line.add("indexes", list: indexes.map { "\($0.collection.map { "\($0)." } ?? "")\($0.name)" })
            if level > 1 {
                line.add("sizes", objects: distribution.sorted { $0.key < $1.key }) { entry, line in
                    line.add("upTo", 1 << entry.key)
                    line.add("documents", entry.value)
                }
            }
        }
    }
}

extension Session {
    /// A line of a page of facts: `Size:        420 KB`.
    func writeFact(_ name: String, _ value: String) throws {
        try write("\(name):", .key)
        try output.write(repeating: UInt8(ascii: " "), count: max(1, 13 - name.utf8.count - 1))
        try output.writeText(value)
        try output.write("\n")
    }

    /// A line with a list, broken between its items where the screen ends.
    func writeFact(_ name: String, list: [String]) throws {
        let width = terminal.outputIsTerminal ? terminal.width : Int.max
        var lines = [""]
        for (index, item) in list.enumerated() {
            let text = index == list.count - 1 ? item : item + ","
            let isFull = 13 + DisplayWidth.of(lines[lines.count - 1]) + 1 + DisplayWidth.of(text) > width
            if lines[lines.count - 1].isEmpty {
                lines[lines.count - 1] = text
            } else if isFull {
                lines.append(text)
            } else {
                lines[lines.count - 1] += " " + text
            }
        }
        try writeFact(name, lines[0])
        for line in lines.dropFirst() {
            try output.write(repeating: UInt8(ascii: " "), count: 13)
            try output.writeText(line)
            try output.write("\n")
        }
    }
}

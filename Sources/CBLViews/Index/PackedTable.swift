import CBLFleece
import CBLSQLite

/// A table of entries in the order of their places, many to a row of SQLite: that takes a tenth of the time of a row for each.
///
///     first       a place that is not behind any of the row's entries, and behind all of the row before
///     entries     entries, see `PackedEntry`
///
/// Entries are added in their order, by a merge with those that are there, and likewise taken out; `finish` writes what is left of the last row.
/// Hot: once for each row of a view.
final class PackedTable {
    private let table: String
    private let order: PlaceOrder
    private let find: Statement
    private let findLeast: Statement
    private let findNext: Statement
    private let insertion: Statement
    private let change: Statement
    private let deletion: Statement

    /// How many bytes a row is made to have, and split to. A page has a dozen of them, so that few are read to find one.
    private static let usual = 1200
    private static let most = 2 * usual

    // The row that is being written: what was in it, and how much of that is taken over.
    @exclusivity(unchecked) private var isOpen = false
    @exclusivity(unchecked) private var old = ByteBuffer()
    @exclusivity(unchecked) private var oldPosition = 0
    /// The place at which the row behind begins, if there is one.
    @exclusivity(unchecked) private var end = ByteBuffer()
    @exclusivity(unchecked) private var hasEnd = false
    @exclusivity(unchecked) private var output = ByteBuffer(capacity: 2 * most)
    @exclusivity(unchecked) private var spare = ByteBuffer(capacity: 2 * most)
    /// Where `output` is split if it becomes too long; 0 as long as it is short.
    @exclusivity(unchecked) private var split = 0
    /// The content of the entry that was taken out last.
    @exclusivity(unchecked) private(set) var taken = ByteBuffer()

    init(_ index: IndexConnection, _ table: String, _ order: PlaceOrder) throws(SQLiteError) {
        self.table = table
        self.order = order
        let connection = index.connection
        find = try connection.prepare("SELECT first, entries FROM \(table) WHERE first <= ? ORDER BY first DESC LIMIT 1")
        findLeast = try connection.prepare("SELECT first, entries FROM \(table) ORDER BY first LIMIT 1")
        findNext = try connection.prepare("SELECT first FROM \(table) WHERE first > ? ORDER BY first LIMIT 1")
        insertion = try connection.prepare("INSERT INTO \(table) VALUES (?, ?)")
        change = try connection.prepare("UPDATE \(table) SET entries=?2 WHERE first=?1")
        deletion = try connection.prepare("DELETE FROM \(table) WHERE first=?")
    }

    // Adding

    /// Adds an entry that is behind those that were added since `finish`.
    @inline(__always)
    func add(_ place: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) throws {
        try go(to: place)
        if oldPosition < old.count { try takeOver { order.compare($0, place) <= 0 } }
        PackedEntry.write(place, content, to: &output)
        try splitIfNeeded()
    }

    /// Writes what was added, and leaves out what was taken.
    func finish() throws {
        guard isOpen else { return }
        try takeOver { _ in true }
        isOpen = false
        split = 0
        defer { output.truncate(to: 0) }
        if !output.isEmpty { try write(output.bytes) }
    }

    /// Has the row open in which an entry belongs.
    @inline(__always)
    private func go(to place: UnsafeRawBufferPointer) throws {
        if isOpen, hasEnd, order.compare(place, end.bytes) >= 0 { try finish() }
        if !isOpen { try open(place) }
    }

    private func open(_ place: UnsafeRawBufferPointer) throws {
        isOpen = true
        old.truncate(to: 0)
        oldPosition = 0
        hasEnd = false
        defer {
            find.reset()
            findLeast.reset()
            findNext.reset()
        }
        try find.bind(text: place, 1, staysInPlace: true)
        var row = find
        if try !row.step() {
            row = findLeast
            guard try row.step() else { return }
        }
        old.append(row.blob(1) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        end.truncate(to: 0)
        end.append(row.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0))
        row.reset()
        try deletion.bind(text: end.bytes, 1)
        try deletion.run()
        try findNext.bind(text: end.bytes, 1)
        guard try findNext.step() else { return }
        hasEnd = true
        end.truncate(to: 0)
        end.append(findNext.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }

    /// Takes over entries of the row, as long as their places are meant.
    @inline(__always)
    private func takeOver(while isMeant: (UnsafeRawBufferPointer) -> Bool) throws {
        while oldPosition < old.count {
            var reader = PackedReader(old.bytes, at: oldPosition)
            guard let entry = try reader.entry() else { return }
            guard isMeant(entry.place) else { return }
            output.append(UnsafeRawBufferPointer(rebasing: old.bytes[oldPosition..<reader.position]))
            oldPosition = reader.position
            try splitIfNeeded()
        }
    }

    @inline(__always)
    private func splitIfNeeded() throws {
        if split == 0, output.count >= PackedTable.usual { split = output.count }
        // Behind the last row, nothing will come to be added to this one soon.
        if output.count >= PackedTable.most || split > 0 && !hasEnd && oldPosition == old.count { try writeFirstPart() }
    }

    private func writeFirstPart() throws {
        try write(UnsafeRawBufferPointer(rebasing: output.bytes[..<split]))
        spare.truncate(to: 0)
        spare.append(UnsafeRawBufferPointer(rebasing: output.bytes[split...]))
        swap(&output, &spare)
        split = output.count >= PackedTable.usual ? output.count : 0
    }

    private func write(_ entries: UnsafeRawBufferPointer) throws {
        var reader = PackedReader(entries)
        guard let first = try reader.entry() else { return }
        try insertion.bind(text: first.place, 1, staysInPlace: true)
        try insertion.bind(blob: entries, 2, staysInPlace: true)
        try insertion.run()
    }

    // Taking out

    /// Takes out the entry at a place behind those that were taken out since `finish`; false if there is none.
    func take(_ place: UnsafeRawBufferPointer) throws -> Bool {
        try go(to: place)
        try takeOver { order.compare($0, place) < 0 }
        var reader = PackedReader(old.bytes, at: oldPosition)
        guard let entry = try reader.entry(), order.compare(entry.place, place) == 0 else { return false }
        taken.truncate(to: 0)
        taken.append(entry.content)
        oldPosition = reader.position
        return true
    }

    /// Takes out all entries that are meant, wherever they are, and gives their number. Nothing may be half added or taken.
    func takeAll(of connection: Connection, where isMeant: (PackedEntry) -> Bool) throws -> Int {
        var rows: [(first: [UInt8], entries: [UInt8])] = []
        var count = 0
        let all = try connection.prepare("SELECT first, entries FROM \(table)")
        while try all.step() {
            var reader = PackedReader(all.blob(1) ?? UnsafeRawBufferPointer(start: nil, count: 0))
            spare.truncate(to: 0)
            let before = count
            while let entry = try reader.entry() {
                if isMeant(entry) { count += 1 } else { PackedEntry.write(entry.place, entry.content, to: &spare) }
            }
            if count > before { rows.append((all.blob(0).map(Array.init) ?? [], Array(spare.bytes))) }
        }
        for row in rows {
            let statement = row.entries.isEmpty ? deletion : change
            try row.first.withUnsafeBytes { first in
                try row.entries.withUnsafeBytes { entries in
                    try statement.bind(text: first, 1, staysInPlace: true)
                    if !entries.isEmpty { try statement.bind(blob: entries, 2, staysInPlace: true) }
                    try statement.run()
                }
            }
        }
        return count
    }

    /// All entries in their order.
    static func read(_ table: String, of connection: Connection, _ body: (PackedEntry) throws -> Void) throws {
        let all = try connection.prepare("SELECT entries FROM \(table) ORDER BY first")
        while try all.step() {
            var reader = PackedReader(all.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0))
            while let entry = try reader.entry() { try body(entry) }
        }
    }
}

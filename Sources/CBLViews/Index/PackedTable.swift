import CBLFleece
import CBLSQLite

/// A table of entries in the order of their places, many to a row of SQLite: that takes a tenth of the time of a row for each.
///
///     first       a place that is not behind any of the row's entries, and behind all of the row before
///     entries     entries, see `PackedEntry`
///
/// Entries are added in their order, by a merge with those that are there, and are in the file after `finish`. Hot: once for each row of a view.
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
        if isOpen, hasEnd, order.compare(place, end.bytes) >= 0 { try finish() }
        if !isOpen { try open(place) }
        if oldPosition < old.count { try takeOver(before: place) }
        PackedEntry.write(place, content, to: &output)
        try splitIfNeeded()
    }

    /// Writes what was added.
    func finish() throws {
        guard isOpen else { return }
        try takeOver(before: nil)
        isOpen = false
        split = 0
        defer { output.truncate(to: 0) }
        if !output.isEmpty { try write(output.bytes) }
    }

    /// Takes out the row in which an entry belongs.
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

    /// Takes over what was in the row before a place, or all that is left of it.
    private func takeOver(before place: UnsafeRawBufferPointer?) throws {
        while oldPosition < old.count {
            var reader = PackedReader(old.bytes, at: oldPosition)
            guard let entry = try reader.entry() else { return }
            if let place, order.compare(entry.place, place) > 0 { return }
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

    /// The content of the entry that was taken out last.
    @exclusivity(unchecked) private(set) var taken = ByteBuffer()

    /// Takes out the entry at a place; false if there is none. Nothing may be half added.
    func take(_ place: UnsafeRawBufferPointer) throws -> Bool {
        try find.bind(text: place, 1, staysInPlace: true)
        defer { find.reset() }
        guard try find.step() else { return false }
        let entries = find.blob(1) ?? UnsafeRawBufferPointer(start: nil, count: 0)
        var reader = PackedReader(entries)
        var start = 0
        while let entry = try reader.entry() {
            if order.compare(entry.place, place) == 0 {
                taken.truncate(to: 0)
                taken.append(entry.content)
                spare.truncate(to: 0)
                spare.append(UnsafeRawBufferPointer(rebasing: entries[..<start]))
                spare.append(UnsafeRawBufferPointer(rebasing: entries[reader.position...]))
                end.truncate(to: 0)
                end.append(find.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0))
                find.reset()
                try replace()
                return true
            }
            start = reader.position
        }
        return false
    }

    /// Writes the entries that are left into the row that begins at `end`.
    private func replace() throws {
        let statement = spare.isEmpty ? deletion : change
        try statement.bind(text: end.bytes, 1, staysInPlace: true)
        if !spare.isEmpty { try statement.bind(blob: spare.bytes, 2, staysInPlace: true) }
        try statement.run()
    }

    /// Takes out all entries that are meant, wherever they are, and gives their number.
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
            end.truncate(to: 0)
            spare.truncate(to: 0)
            row.first.withUnsafeBytes { end.append($0) }
            row.entries.withUnsafeBytes { spare.append($0) }
            try replace()
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

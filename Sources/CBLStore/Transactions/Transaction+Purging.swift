import CBLBase
import CBLSQLite
import Glibc

// What goes without a trace, and when: purging, expiration, moves to other collections.
extension Transaction {
    /// Removes a document, live or deleted, as if it had never been. False if there was none.
    @discardableResult
    package func purge(_ id: String, in collection: CollectionName = .default) throws -> Bool {
        var key = id
        try journal(.purged, id, in: tables(collection))
        for table in try tables(collection).all {
            let isGone = try connection.withStatement(table.statements.purge) { statement in
                try key.withUTF8 { key in
                    try statement.bind(text: UnsafeRawBufferPointer(key), 1, staysInPlace: true)
                    try statement.run()
                }
                return connection.changes > 0
            }
            guard isGone else { continue }
            try countPurges(1, in: table.keyStore, areKnown: true)
            notePurged(id, from: collection)
            return true
        }
        return false
    }

    /// Removes all tombstones of a collection. Gives their number.
    @discardableResult
    package func purgeDeleted(in collection: CollectionName = .default) throws -> Int {
        let tables = try tables(collection)
        var count = 0
        for table in tables.all {
            let changes = try delete(from: table, where: "(flags & 1) != 0", notesPurges ? { self.notePurged($0, from: collection) } : nil)
            try countPurges(changes, in: table.keyStore, areKnown: true)
            count += changes
        }
        if count > 0 { journal?.giveUp() }
        return count
    }

    /// Says when a document will be gone, in milliseconds since 1970; nil for never. False if there is no such document.
    @discardableResult
    package func setExpiration(_ id: String, in collection: CollectionName = .default, _ time: Int64?) throws -> Bool {
        let tables = try tables(collection)
        try journal(.expiration, id, in: tables)
        for table in tables.all where !table.hasExpiration && time != nil {
            // Before 3.1, the column came with the first expiration.
            connection.releaseStatements()
            for sql in Schema.addExpiration(table.name) { try connection.execute(sql) }
            try file.reloadSchema()
        }
        var key = id
        for table in try self.tables(collection).all where table.hasExpiration {
            let hasChanged = try connection.withStatement(table.statements.expire) { statement in
                try statement.bind(time, 1)
                try key.withUTF8 { key in
                    try statement.bind(text: UnsafeRawBufferPointer(key), 2, staysInPlace: true)
                    try statement.run()
                }
                return connection.changes > 0
            }
            if hasChanged {
                if let time { noteExpiration(time) }
                return true
            }
        }
        return try time == nil && record(id, in: tables) != nil
    }

    /// Removes the documents whose time has come. Gives their number.
    @discardableResult
    package func purgeExpired(in collection: CollectionName = .default, now: Int64 = Transaction.now) throws -> Int {
        let wantsIDs = wantsRemovedIDs
        var count = 0
        for table in try tables(collection).all where table.hasExpiration {
            // Never a tombstone whose revision tree lies in this column: see `TombstoneRepair`.
            let condition = "expiration <= \(now) AND typeof(expiration) = 'integer'"
            let note = { (id: String?) in self.removals.noteExpired(id, from: collection) }
            let changes = try delete(from: table, where: condition, wantsIDs ? note : nil)
            if !wantsIDs { removals.countExpired(changes, from: collection) }
            count += changes
        }
        return count
    }

    /// Gives how many rows were deleted, and of each the ID if somebody wants that: it takes half as long again.
    private func delete(from table: KeyTable, where condition: String, _ note: ((String?) -> Void)?) throws -> Int {
        let sql = "DELETE FROM \(table.quotedName) WHERE \(condition)"
        guard let note else {
            try connection.execute(sql)
            return connection.changes
        }
        let statement = try connection.prepare(sql + " RETURNING key")
        var count = 0
        while try statement.step() {
            note(statement.string(0))
            count += 1
        }
        return count
    }

    /// Milliseconds since 1970.
    package static var now: Int64 { WallClock.milliseconds }

    /// Moves a document with its history and expiration to another collection, where it gets a new sequence, and perhaps a new ID.
    @discardableResult
    package func move(
        _ id: String, from source: CollectionName, to target: CollectionName, newID: String? = nil
    ) throws -> UInt64 {
        let newID = newID ?? id
        try DocumentRules.check(id: newID)
        let (from, to) = (try tables(source), try tables(target))
        guard var old = try record(id, in: from) else { throw Transaction.missing(id) }
        guard try record(newID, in: to) == nil else {
            throw StoreError(.conflict, "collection \"\(target)\" has a document \"\(newID)\" already")
        }
        var (id, key) = (id, newID)
        try id.withUTF8 { try delete(UnsafeRawBufferPointer($0), old.isInDeletedTable ? from.deleted ?? from.live : from.live, old) }
        notePurged(id, from: source)
        let before = old
        old.sequence = try nextSequence(to)
        old.subsequence = 0
        try key.withUTF8 { try insertMoved(UnsafeRawBufferPointer($0), to, old) }
        let kind = ChangeJournal.Change.Kind.moved(to: target, newID)
        journal?.append(ChangeJournal.Change(kind: kind, collection: source, id: id, old: before, sequence: old.sequence))
        return old.sequence
    }
}

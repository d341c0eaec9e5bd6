import CBLBase
import CBLSQLite

extension Snapshot {
    /// When the next document of a collection expires, in milliseconds since 1970; in the past if it has, and nobody has removed it yet.
    package func nextExpiration(of name: CollectionName) throws -> Int64? {
        try tables(name).all.filter(\.hasExpiration).compactMap { table in
            // Never a tombstone whose revision tree lies in this column: see `TombstoneRepair`.
            try connection.integer(
                "SELECT min(expiration) FROM \(table.quotedName) WHERE expiration NOT NULL AND typeof(expiration) = 'integer'")
        }.min()
    }

    /// When documents of a collection were changed first and last, in nanoseconds since 1970, as far as their revisions tell: version vectors
    /// do. Looks at each document.
    package func changeTimes(of name: CollectionName) throws -> ClosedRange<UInt64>? {
        guard versioning == .vectors else { return nil }
        var options = ScanOptions(order: .stored, content: .metadata)
        options.includesDeleted = true
        let cursor = try scan(name, options)
        cursor.onDamage = { _ in }
        var times: ClosedRange<UInt64>?
        while try cursor.next() {
            guard let time = (try? cursor.revision())?.version?.time, time >= HybridClock.earliest else { continue }
            times = min(times?.lowerBound ?? time, time)...max(times?.upperBound ?? time, time)
        }
        return times
    }

    /// The blobs that documents of a collection refer to and that are not there. Looks at each document that has blobs.
    package func missingBlobs(of name: CollectionName) throws -> Set<String> {
        var options = ScanOptions(order: .stored)
        options.onlyWithAttachments = true
        let cursor = try scan(name, options)
        cursor.onDamage = { _ in }
        var missing: Set<String> = []
        while try cursor.next() {
            BlobReferences.forEach(in: cursor.body, sharedKeys) { text, _ in
                guard let digest = BlobDigest(text), !database.blobs.exists(digest) else { return }
                missing.insert(text)
            }
        }
        return missing
    }

    /// Whether tombstones are still to be moved out of the default collection's table: an upgrade does that bit by bit, in the background.
    /// Only a table of up to so many documents is looked through.
    package func isUpgradeUnfinished(lookingAtMost limit: Int) throws -> Bool {
        let tables = try tables(.default)
        guard tables.deleted != nil, mayHoldTombstones(tables), try limit == Int.max || isSmall(.default, limit) else { return false }
        return try connection.integer("SELECT 1 FROM \(tables.live.quotedName) WHERE (flags & 1) != 0 LIMIT 1") != nil
    }

    /// Whether all documents of a collection can be looked at quickly: there are no more than so many.
    package func isSmall(_ name: CollectionName, _ limit: Int) throws -> Bool {
        try tables(name).all.allSatisfy { table in
            try connection.integer("SELECT 1 FROM \(table.quotedName) LIMIT 1 OFFSET \(limit)") == nil
        }
    }

    /// Whether documents that were changed last can be found without looking at all.
    package func hasSequenceIndex(of name: CollectionName) throws -> Bool {
        try tables(name).all.allSatisfy { catalog.indexNames.contains($0.name + "_seqs") }
    }

    /// The private UUID of the database that this one is a copy of: checkpoints may have been left under it.
    package var previousPrivateUUID: UniqueID? {
        get throws { try file.infoTable.get(StoredInfo.Key.previousPrivateUUID).flatMap { $0.withUnsafeBytes { UniqueID($0) } } }
    }

    package var freePages: Int { get throws { Int(try connection.integer("PRAGMA freelist_count") ?? 0) } }
    package var pageSize: Int { get throws { Int(try connection.integer("PRAGMA page_size") ?? 4096) } }
}

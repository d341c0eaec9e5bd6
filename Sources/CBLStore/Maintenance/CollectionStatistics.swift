import CBLSQLite

/// What a collection holds, and how much room it takes.
package struct CollectionStatistics: Hashable, Sendable {
    package var live = 0
    package var deleted = 0
    /// Documents with references to blobs, with conflicts, and with a time to expire.
    package var withBlobs = 0
    package var conflicted = 0
    package var expiring = 0
    /// In 2.x records a body includes all the other revisions.
    package var bodyBytes = 0
    /// Revision IDs, and the revisions besides the current ones.
    package var revisionBytes = 0

    package init() {}

    /// Of what counting alone can tell.
    package init(_ counts: Snapshot.Counts) {
        live = counts.live
        deleted = counts.deleted
    }

    package static func += (left: inout CollectionStatistics, right: CollectionStatistics) {
        left.live += right.live
        left.deleted += right.deleted
        left.withBlobs += right.withBlobs
        left.conflicted += right.conflicted
        left.expiring += right.expiring
        left.bodyBytes += right.bodyBytes
        left.revisionBytes += right.revisionBytes
    }
}

extension Snapshot {
    /// Goes through the records of a collection, live and deleted, without reading their bodies.
    package func statistics(of name: CollectionName) throws -> CollectionStatistics {
        let tables = try tables(name)
        var result = CollectionStatistics()
        for table in tables.all {
            let sql = """
                SELECT count(*), total(flags & 1), total((flags & 4) != 0), total((flags & 2) != 0), count(\(table.expiration)), \
                total(length(body)), total(length(version)) + total(length(\(table.extra))) FROM \(table.quotedName)
                """
            try connection.withStatement(sql) { row in
                guard try row.step() else { return }
                var facts = CollectionStatistics()
                facts.deleted = Int(row.double(1))
                facts.live = Int(row.int64(0)) - facts.deleted
                facts.withBlobs = Int(row.double(2))
                facts.conflicted = Int(row.double(3))
                facts.expiring = Int(row.int64(4))
                facts.bodyBytes = Int(row.double(5))
                facts.revisionBytes = Int(row.double(6))
                result += facts
            }
        }
        return result
    }
}

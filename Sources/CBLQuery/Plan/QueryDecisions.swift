import CBLStore
import Synchronization

/// What was found out about how to run a query, kept for its next run: that takes longer than running many a query. All of it holds for one
/// state of the schema.
final class QueryDecisions: Sendable {
    private struct Kept {
        /// The query translated anew, for a schema that is not the one it was made for.
        var renewed: Query?
        var counting: (mayHoldTombstones: Bool, sql: String?)?
        var scans: [String: ScanPlan.Decision?] = [:]
        var readsWholeTable: [String: Bool] = [:]
    }

    private let kept = Mutex(Kept())

    /// For how many texts it is known how the table is gone through.
    var scanCount: Int { kept.withLock { $0.scans.count } }

    func renewed(for schemaVersion: Int64, _ make: () throws -> Query) rethrows -> Query {
        if let query = kept.withLock({ $0.renewed }), query.schemaVersion == schemaVersion { return query }
        let query = try make()
        kept.withLock { $0.renewed = query }
        return query
    }

    /// What counts instead of the query, if anything does.
    func counting(for query: Query, on snapshot: Snapshot) -> String? {
        let mayHoldTombstones = snapshot.mayHoldTombstones(.default)
        if let known = kept.withLock({ $0.counting }), known.mayHoldTombstones == mayHoldTombstones { return known.sql }
        let sql = CountShortCut.sql(for: query, on: snapshot)
        kept.withLock { $0.counting = (mayHoldTombstones, sql) }
        return sql
    }

    /// Whether it is known that no whole table is gone through for it.
    func haveNoScan(running sql: String) -> Bool {
        kept.withLock { kept in
            if case .some(.none) = kept.scans[sql] { true } else { false }
        }
    }

    /// How a whole table is gone through for it, which `sql` would do otherwise; nil if it is not.
    func scan(running sql: String, _ decide: () throws -> ScanPlan.Decision?) rethrows -> ScanPlan.Decision? {
        if let known = kept.withLock({ $0.scans[sql] }) { return known }
        let decision = try decide()
        kept.withLock { $0.scans[sql] = decision }
        return decision
    }

    /// Whether SQLite goes through the whole table for it, in the order of its rows.
    func readsWholeTable(running sql: String, on snapshot: Snapshot) throws -> Bool {
        if let known = kept.withLock({ $0.readsWholeTable[sql] }) { return known }
        let answer = try ScanPlan.readsWholeTable(sql, snapshot)
        kept.withLock { $0.readsWholeTable[sql] = answer }
        return answer
    }
}

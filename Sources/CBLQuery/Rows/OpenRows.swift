import CBLStore
import Synchronization

/// The rows of a query that are read when they are asked for, from the state of the database in which it was run. Any thread may ask.
///
///     let rows = try OpenRows(query, on: database, parameters: parameters)
///     while let block = try rows.nextBlock() { … }
///
/// It keeps a connection busy until all rows are read, or `keepRest` has copied them.
package final class OpenRows: @unchecked Sendable {
    // Sendable: everything that changes is guarded by the lock.

    package let titles: [String]
    private let snapshot: OpenSnapshot
    private let lock = Mutex(())
    private var rows: QueryRows?
    private var first: RowBlock?
    /// Read ahead.
    private var kept: ArraySlice<RowBlock> = []
    private var blockLength = OpenRows.firstBlock * 4
    private var failure: (any Error)?

    /// Most results are short.
    private static let firstBlock = 32

    /// Runs it, and reads the first rows.
    package init(_ query: Query, on database: Database, parameters: QueryParameters, options: QueryOptions = QueryOptions()) throws {
        titles = query.titles
        snapshot = try OpenSnapshot(of: database)
        (rows, first) = try snapshot.begin { snapshot in
            let rows = try query.run(on: snapshot, parameters: parameters, options: options)
            let block = RowBlock(columnCount: rows.columnCount, keys: rows.sharedKeys)
            guard try block.fill(from: rows, rowLimit: OpenRows.firstBlock) else { return ((nil, block), nil) }
            // Whoever ends the snapshot, the statement is given up before.
            return ((rows, block), beforeEnd: { rows.finish() })
        }
        if rows == nil { snapshot.end() }
    }

    /// Whether it needs its connection no more.
    package var isRead: Bool { lock.withLock { _ in rows == nil } }

    /// The next rows; nil if there are none.
    package func nextBlock() throws -> RowBlock? {
        try lock.withLock { _ in
            if let block = first.take(), block.count > 0 { return block }
            if let block = kept.popFirst() { return block }
            if let failure {
                self.failure = nil
                throw failure
            }
            return try read()
        }
    }

    /// Copies what is left, and gives the connection back.
    package func keepRest() {
        lock.withLock { _ in
            do { while let block = try read() { kept.append(block) } } catch { failure = error }
        }
    }

    private func read() throws -> RowBlock? {
        guard let rows else { return nil }
        let block = RowBlock(columnCount: titles.count, keys: rows.sharedKeys)
        do {
            let isMore = try snapshot.use { _ in try block.fill(from: rows, rowLimit: blockLength) }
            if !isMore { end() }
        } catch {
            end()
            throw error
        }
        blockLength = min(blockLength * 4, RowBlock.mostRows)
        return block.count > 0 ? block : nil
    }

    private func end() {
        snapshot.end()
        rows = nil
    }
}

internal import CBLQuery
import Foundation
import Synchronization

/// The rows of a query, one after another, each once. They are those of the moment in which the query was run, and are read from the database as
/// they are asked for.
public final class ResultSet: Sequence, IteratorProtocol, @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    public typealias Element = Result

    private struct State {
        var open: OpenRows?
        var kept: ArraySlice<RowBlock> = []
        var block: RowBlock?
        var next = 0
        var error: (any Error)?
    }

    let shape: RowShape
    private let state: Mutex<State>

    init(_ rows: OpenRows, _ database: Database) {
        shape = RowShape(rows.titles, database)
        state = Mutex(State(open: rows))
    }

    /// Rows that are there already. Nobody else is told of how far they are read.
    init(_ rows: KeptRows, _ database: Database) {
        shape = RowShape(rows.titles, database)
        state = Mutex(State(kept: rows.blocks[...]))
    }

    /// The next row; nil if there is none.
    public func next() -> Result? {
        state.withLock { state in
            while true {
                if let block = state.block, state.next < block.count {
                    defer { state.next &+= 1 }
                    return Result(block, state.next, shape)
                }
                guard let block = nextBlock(&state) else { return nil }
                state.block = block
                state.next = 0
            }
        }
    }

    private func nextBlock(_ state: inout State) -> RowBlock? {
        state.block = nil
        if let block = state.kept.popFirst() { return block }
        guard let open = state.open else { return nil }
        do {
            if let block = try open.nextBlock() { return block }
        } catch {
            let error = translated(error)
            state.error = error
            log(.query, .error, "The rows of a query end before their time: \(error.localizedDescription)")
        }
        state.open = nil
        return nil
    }

    /// The rows that are left. If they end before their time, they are fewer, and `error` says why.
    public func allResults() -> [Result] {
        var results: [Result] = []
        while let result = next() { results.append(result) }
        return results
    }

    /// Why the rows ended before their time, if they did: the database was closed, or a function of the query failed.
    public var error: (any Error)? { state.withLock { $0.error } }
}

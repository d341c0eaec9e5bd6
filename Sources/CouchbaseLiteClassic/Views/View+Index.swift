internal import CBLStore
internal import CBLViews
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection

extension View {
    /// Brings the index up to date. Queries do so themselves, unless they are told not to. Gives how many documents were looked at.
    @discardableResult
    public func updateIndex() throws -> Int {
        let (store, definition) = try defined()
        return try translatingViewErrors { try store.index.update([definition], ViewStore.options()).documents }
    }

    /// Deletes the index. The next query makes a new one.
    public func deleteIndex() throws {
        _ = try collection.openCore()
        try translatingViewErrors { _ = try store.index.remove(name, in: collection.coreName) }
    }

    /// The sequence of the collection up to which documents are in the index; 0 without one.
    public var lastSequenceIndexed: UInt64 {
        get throws { try entry?.sequence ?? 0 }
    }

    /// How many rows the index has.
    public var totalRows: Int {
        get throws { try entry?.rows ?? 0 }
    }

    /// Whether the collection has changed since the index was brought up to date.
    public var isStale: Bool {
        get throws { try lastSequenceIndexed < collection.read { try $0.lastSequence(of: collection.coreName) } }
    }

    private var entry: ViewIndex.Entry? {
        get throws {
            _ = try collection.openCore()
            return try translatingViewErrors { try store.entry(key) }
        }
    }

    /// What waits for the disk, for code that must not.
    public var async: Async { Async(view: self) }

    /// What can be awaited of a view.
    public struct Async: Sendable {
        let view: View

        /// Brings the index up to date: see ``View/updateIndex()``. When the task is cancelled, nothing was done.
        @discardableResult
        public func updateIndex() async throws -> Int {
            let (store, definition) = try view.defined()
            let cancellation = ViewCancellation()
            return try await view.collection.database.asyncWork.read(interruptedBy: { cancellation.cancel() }) {
                try translatingViewErrors { try store.index.update([definition], ViewStore.options(cancellation)).documents }
            }
        }
    }
}

import CBLSQLite

/// Vector indexes that the vendor's Enterprise Edition has made. Their triggers ask a module for every write that only the vendor has. Whoever
/// writes to such a collection with ours gets it an index of ours instead, as the vendor's would no longer be right; the vendor's apps make
/// theirs anew when they start.
extension Transaction {
    /// How far the collections of such indexes were when the transaction began.
    struct VendorVectorState {
        let index: VectorIndex
        let lastSequence: UInt64
        let purges: Int
    }

    /// Has statements compile that these triggers are part of, and notes what there is.
    func watchVendorsVectors() throws -> [VendorVectorState] {
        guard catalog.hasVendorsVectors else { return [] }
        try VectorTable.registerStub(on: connection)
        return try vendorsVectorIndexes().map { index in
            let counted = try metadata(index.keyStore)
            return VendorVectorState(index: index, lastSequence: counted.lastSequence, purges: counted.purges)
        }
    }

    /// Before a commit: puts ours in the place of those whose collections were written to.
    func replaceVendorsVectors(_ states: [VendorVectorState]) throws {
        for state in states {
            let counted = try metadata(state.index.keyStore)
            guard counted.lastSequence != state.lastSequence || counted.purges != state.purges else { continue }
            let name = state.index.name
            guard let stored = try indexes().first(where: { $0.name == name && $0.kind == .vector }),
                try vendorsVectorIndexes().contains(where: { $0.name == name })
            else { continue }
            guard !state.index.options.isLazy else {
                throw StoreError(
                    .unsupported,
                    "the lazy vector index \"\(name)\" was made by the vendor's extension, and its vectors, which an app has given it, are nowhere "
                        + "else. To write to its collection without the extension, delete the index first", path: database.path)
            }
            try dropAny(stored)
            try createVectorIndex(name, keyStore: state.index.keyStore, state.index.expression, state.index.options)
        }
    }
}

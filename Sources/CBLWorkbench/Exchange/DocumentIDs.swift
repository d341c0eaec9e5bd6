/// IDs byte by byte: two that look the same can be two documents, which strings do not tell apart.
package struct DocumentIDs: Sendable {
    private var ids: Set<[UInt8]> = []

    package init(_ ids: some Sequence<String>) { for id in ids { self.ids.insert(Array(id.utf8)) } }

    package var count: Int { ids.count }

    package func contains(_ id: some Sequence<UInt8>) -> Bool { ids.contains(Array(id)) }

    package mutating func add(_ others: DocumentIDs) { ids.formUnion(others.ids) }
}

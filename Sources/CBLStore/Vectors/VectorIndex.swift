import CBLSQLite
import CBLVectors

/// A vector index: one of ours, or one that the vendor's Enterprise Edition has made, of which only the definition can be understood.
package struct VectorIndex: Hashable, Sendable {
    /// Its number in the tables it is kept in; nil if it has none there, and queries look at the documents themselves.
    package var id: Int64?
    package var name: String
    package var keyStore: String
    /// The expression with the mark of its language: `=nvector`, `=j[[".vector"]]`.
    package var expression: String
    package var options: VectorOptions
    /// The sequences of documents that were looked at.
    package var indexed = SequenceRanges()
    /// What tells the model from those before; 0 as long as there is none.
    package var model: Int64 = 0
    /// How many vectors wait for a model, and how many are in lists, those of documents that are gone among them.
    package var pending = 0
    package var listed = 0
    /// The number of changes of the collection when lists were last rid of documents that are gone.
    var changes: Int64 = 0

    /// Whether an index could have been made under a name: it is part of a table's.
    fileprivate static func isName(_ name: String) -> Bool {
        !name.isEmpty && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "\"") }
    }

    /// A number of vectors, as a file has it: nothing that is reckoned with it leaves the range of numbers.
    static func count(_ number: Int64) -> Int { Int(min(max(number, 0), 1 << 40)) }

    package var isTrained: Bool { model != 0 }
    package var collection: CollectionName? { CollectionName(keyStore: keyStore) }

    /// The name that queries and plans have for it, as the vendor's library calls its table.
    package func tableName(of live: String) -> String { VectorIndex.tableName(name, of: live) }

    static func tableName(_ index: String, of live: String) -> String { "\(live):vector:\(Schema.escapingCapitals(index))" }

    /// Queries look at so many documents in the time of a list or two, where each save would write a list anew.
    private static let leastUpdate: UInt64 = 32

    /// Whether the documents up to a sequence are to be taken in: many, or those that it begins to learn with; or all, if it is ahead of them.
    func isWorthUpdating(_ lastSequence: UInt64) -> Bool {
        guard lastSequence >= indexed.end else { return true }
        let count = lastSequence - indexed.end
        return count >= VectorIndex.leastUpdate || count > 0 && asksModel
            || count > 0 && !isTrained && UInt64(pending) + count >= UInt64(options.neededForTraining)
    }

    /// Whether its vectors are a model's, which is asked when the document is saved: later it may know other things.
    private var asksModel: Bool { expression.lowercased().contains("prediction(") }

    var vendorsSQL: String { "USING vectorsearch(\(options.text))" }
}

extension Snapshot {
    /// The vector indexes, sorted by name. Where the vendor's library has made another one under a name, that is the one.
    package func vectorIndexes() throws -> [VectorIndex] {
        guard catalog.hasVectorTables || catalog.hasVendorsVectors else { return [] }
        var indexes = try ownVectorIndexes()
        for vendors in try vendorsVectorIndexes() {
            if let place = indexes.firstIndex(where: { $0.name == vendors.name }) {
                let own = indexes[place]
                let isSame = own.keyStore == vendors.keyStore && own.expression == vendors.expression && own.options == vendors.options
                if !isSame { indexes[place] = vendors }
            } else {
                indexes.append(vendors)
            }
        }
        return indexes.filter { catalog.stores[$0.keyStore] != nil }.sorted { $0.name < $1.name }
    }

    package func vectorIndex(named name: String) throws -> VectorIndex? { try vectorIndexes().first { $0.name == name } }

    /// Those that have our tables.
    func ownVectorIndexes() throws -> [VectorIndex] {
        guard catalog.hasVectorTables else { return [] }
        let sql = "SELECT id, name, keyStore, expression, options, indexed, model, pending, listed, changes FROM vx_indexes ORDER BY name"
        return try connection.withStatement(sql) { row in
            var indexes: [VectorIndex] = []
            while try row.step() {
                // What makes no sense is passed over; `check` says so.
                guard VectorTables.indexNumbers.contains(row.int64(0)), let name = row.string(1), VectorIndex.isName(name),
                    let keyStore = row.string(2),
                    let expression = row.string(3), let options = row.string(4).flatMap({ VectorOptions(text: $0) }),
                    let indexed = row.string(5).flatMap({ SequenceRanges(text: $0) })
                else { continue }
                indexes.append(
                    VectorIndex(
                        id: row.int64(0), name: name, keyStore: keyStore, expression: expression, options: options, indexed: indexed,
                        model: row.int64(6), pending: VectorIndex.count(row.int64(7)), listed: VectorIndex.count(row.int64(8)),
                        changes: max(row.int64(9), 0)))
            }
            return indexes
        }
    }

    /// Those of the vendor's, whose options are in the text of their tables.
    func vendorsVectorIndexes() throws -> [VectorIndex] {
        guard catalog.hasVendorsVectors, catalog.hasIndexTable else { return [] }
        let sql =
            "SELECT i.name, i.keyStore, i.expression, s.sql FROM indexes AS i JOIN sqlite_master AS s ON s.name = i.indexTableName "
            + "AND s.type = 'table' WHERE i.type = 4 ORDER BY i.name"
        return try connection.withStatement(sql) { row in
            var indexes: [VectorIndex] = []
            while try row.step() {
                guard let name = row.string(0), let keyStore = row.string(1), let expression = row.string(2), let text = row.string(3),
                    let start = text.firstRange(of: "vectorsearch(")?.upperBound, let end = text[start...].firstIndex(of: ")"),
                    let options = VectorOptions(text: String(text[start..<end]))
                else { continue }
                indexes.append(VectorIndex(name: name, keyStore: keyStore, expression: expression, options: options))
            }
            return indexes
        }
    }

    /// The model of an index, read once by each connection.
    func vectorModel(_ index: VectorIndex) throws -> VectorModel {
        try file.vectorModels.model(index) { try storedVectorModel(index) }
    }

    /// The model as the file has it now.
    func storedVectorModel(_ index: VectorIndex) throws -> VectorModel {
        guard let id = index.id, index.isTrained else { throw damage(index, "it has no model") }
        return try connection.withStatement("SELECT model FROM vx_models WHERE id=?") { row in
            try row.bind(id, 1)
            guard try row.step(), let bytes = row.blob(0), let model = VectorModel(bytes, index.options) else {
                throw damage(index, "its model is damaged")
            }
            return model
        }
    }

    func damage(_ index: VectorIndex, _ what: String) -> StoreError {
        StoreError(.corrupt, "the vector index \"\(index.name)\" is damaged: \(what). A repair makes it anew", path: database.path)
    }
}

/// The models that a connection has read last.
final class KnownVectorModels {
    private var known: [(index: VectorIndex, model: VectorModel)] = []
    private static let most = 4

    func model(_ index: VectorIndex, read: () throws -> VectorModel) rethrows -> VectorModel {
        let isSame: (VectorIndex) -> Bool = { $0.id == index.id && $0.model == index.model && $0.options == index.options }
        if let entry = known.first(where: { isSame($0.index) }) { return entry.model }
        let model = try read()
        known.removeAll { $0.index.id == index.id }
        if known.count >= KnownVectorModels.most { known.removeFirst() }
        known.append((index, model))
        return model
    }
}

import CBLSQLite
import CBLVectors
import Synchronization

/// What makes the SQL of an index's expression: the language stands above the store. As long as nothing has been set, indexes are brought up to
/// date when they are next asked something.
package enum VectorExpression {
    /// Gives `fl_vector_to_index(body, 'vector', 300)`, or for a lazy index the value that is to be made a vector of.
    package typealias Translation = @Sendable (VectorIndex, Snapshot) throws -> String

    private static let translation = Mutex<Translation?>(nil)
    /// The last ones: each commit needs them.
    private static let known = Mutex<[(expression: String, options: VectorOptions, sql: String)]>([])
    private static let mostKnown = 32

    package static func setTranslation(_ translate: @escaping Translation) {
        translation.withLock { if $0 == nil { $0 = translate } }
    }

    static var isKnown: Bool { translation.withLock { $0 != nil } }

    static func sql(_ index: VectorIndex, _ snapshot: Snapshot) throws -> String {
        guard let translate = translation.withLock({ $0 }) else {
            throw StoreError(.unsupported, "this program has no SQL++ to read the vector index \"\(index.name)\" with")
        }
        if let sql = known.withLock({ $0.first { $0.expression == index.expression && $0.options == index.options }?.sql }) { return sql }
        let sql = try translate(index, snapshot)
        known.withLock { known in
            if known.count >= mostKnown { known.removeFirst() }
            known.append((index.expression, index.options, sql))
        }
        return sql
    }
}

/// The vectors of documents, as their index's expression gives them.
struct VectorReader {
    let tables: CollectionTables
    /// The expression in SQL.
    let expression: String
    private let isLive: String

    init(_ index: VectorIndex, _ snapshot: Snapshot) throws {
        guard let collection = index.collection else {
            throw StoreError(.notFound, "the vector index \"\(index.name)\" is of a collection that is not there")
        }
        tables = try snapshot.tables(collection)
        expression = try VectorExpression.sql(index, snapshot)
        isLive = snapshot.mayHoldTombstones(tables) ? "(flags & 1) = 0" : "1"
        try snapshot.registerFunctions()
    }

    private var table: String { tables.live.quotedName }

    /// Sequence, ID and vector of the live documents changed after a sequence that have one. That is `?1`, unless all are wanted.
    func since(_ sequence: UInt64, sampling stride: Int = 1) -> String {
        let condition = sequence > 0 ? "sequence > ?1 AND " : ""
        let sample = stride > 1 ? "rowid % \(stride) = 0 AND " : ""
        return "SELECT sequence, key, \(expression) AS vector FROM \(table) WHERE \(condition)\(sample)\(isLive) AND vector NOT NULL"
            + (sequence > 0 ? " ORDER BY sequence" : "")
    }

    /// Row number, ID and vector of what has a sequence.
    var ofSequence: String { "SELECT rowid, key, \(expression) FROM \(table) WHERE sequence=? AND \(isLive)" }
    /// The same without reading the document.
    var rowOfSequence: String { "SELECT rowid, key FROM \(table) WHERE sequence=? AND \(isLive)" }
    /// Whether something has a sequence, without reading what.
    var hasSequence: String { "SELECT 1 FROM \(table) WHERE sequence=?" }
    /// Sequence, ID and value of the documents from a sequence on that a lazy index is to have.
    func sources(from sequence: UInt64, limit: Int) -> String {
        "SELECT sequence, key, \(expression) AS source FROM \(table) WHERE sequence >= \(sequence) AND \(isLive) AND source NOT NULL "
            + "ORDER BY sequence LIMIT \(limit)"
    }

    /// Those of the live documents after a sequence.
    var sequences: String { "SELECT sequence FROM \(table) WHERE sequence > ?1 AND \(isLive)" }

    /// The vector of a row.
    var ofRow: String { "SELECT \(expression) FROM \(table) WHERE rowid=?" }
    var sequenceOfRow: String { "SELECT sequence, key FROM \(table) WHERE rowid=?" }
}

extension Snapshot {
    /// Runs through the values that a lazy index makes vectors of: sequence, ID, value.
    package func withVectorSources<Result>(
        _ index: VectorIndex, from sequence: UInt64, limit: Int, _ body: (Statement) throws -> Result
    ) throws -> Result {
        let reader = try VectorReader(index, self)
        return try connection.withStatement(reader.sources(from: sequence, limit: limit), body)
    }
}

import CBLFleece
import CBLSQLite

/// A row of the table `indexes`: what an app asked for, as text.
package struct StoredIndex: Hashable, Sendable {
    package enum Kind: Int, Sendable {
        case value = 0, fullText, array, predictive, vector
    }

    package let name: String
    package let kind: Kind?
    /// The number that stands for the kind, also when it is unknown.
    package let type: Int
    package let keyStore: String
    package let expression: String?
    package let condition: String?
    /// The table that full-text, array, predictive and vector indexes are kept in.
    package let tableName: String?
    package let lastSequence: String?

    package var collection: CollectionName? { CollectionName(keyStore: keyStore) }
}

extension Snapshot {
    /// The indexes, sorted by name. What a deleted collection left behind is passed over.
    package func indexes() throws -> [StoredIndex] {
        let vectors = try vectorIndexes().filter { $0.id != nil }.compactMap { index in
            catalog.stores[index.keyStore].map { StoredIndex(index, of: $0.name) }
        }
        let others = try registeredIndexes()
        guard !vectors.isEmpty else { return others }
        return (others.filter { other in !vectors.contains { $0.name == other.name } } + vectors).sorted { $0.name < $1.name }
    }

    /// Without vector indexes of ours.
    func registeredIndexes() throws -> [StoredIndex] {
        guard catalog.hasIndexTable else { return try unregisteredIndexes() }
        let condition = catalog.indexTableColumns.contains("whereClause") ? "whereClause" : "NULL"
        let lastSequence = catalog.indexTableColumns.contains("lastSeq") ? "lastSeq" : "NULL"
        let sql = "SELECT name, type, keyStore, expression, \(condition), indexTableName, \(lastSequence) FROM indexes ORDER BY name"
        return try connection.withStatement(sql) { row in
            var indexes: [StoredIndex] = []
            while try row.step() {
                let type = Int(row.int64(1))
                let index = StoredIndex(
                    name: row.string(0) ?? "", kind: StoredIndex.Kind(rawValue: type), type: type, keyStore: row.string(2) ?? "",
                    expression: row.string(3), condition: row.string(4), tableName: row.string(5), lastSequence: row.string(6))
                if catalog.stores[index.keyStore] != nil { indexes.append(index) }
            }
            return indexes
        }
    }

    /// 2.0–2.4 had no table of indexes: they are recognised in SQLite's own.
    private func unregisteredIndexes() throws -> [StoredIndex] {
        let sql = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql NOT NULL AND type IN ('index', 'table') ORDER BY name"
        return try connection.withStatement(sql) { row in
            var indexes: [StoredIndex] = []
            while try row.step() {
                guard let name = row.string(1), let table = row.string(2), let text = row.string(3) else { continue }
                if row.string(0) == "index" {
                    let isInternal = ["_blobs", "_conflicts", "_seqs", "_expiration"].contains { name.hasSuffix($0) }
                    guard let keyStore = Schema.keyStore(ofTable: table), !isInternal else { continue }
                    indexes.append(
                        StoredIndex(
                            name: name, kind: .value, type: 0, keyStore: keyStore, expression: nil, condition: nil, tableName: nil,
                            lastSequence: nil))
                } else if text.hasPrefix("CREATE VIRTUAL TABLE"), let separator = name.firstRange(of: "::") {
                    guard let keyStore = Schema.keyStore(ofTable: String(name[..<separator.lowerBound])) else { continue }
                    indexes.append(
                        StoredIndex(
                            name: String(name[separator.upperBound...]), kind: .fullText, type: 1, keyStore: keyStore, expression: nil,
                            condition: nil, tableName: name, lastSequence: nil))
                }
            }
            return indexes
        }
    }

    /// The SQL text of the index, or of the table it is kept in, which tells whether two definitions are the same.
    package func indexSQL(_ index: StoredIndex) throws -> String? {
        if index.kind == .vector, let vectors = try vectorIndex(named: index.name), vectors.id != nil {
            return "CREATE VIRTUAL TABLE \(quoted(identifier: index.tableName ?? index.name)) \(vectors.vendorsSQL)"
        }
        let name = index.kind == .fullText || index.kind == .vector ? index.tableName ?? index.name : index.name
        return try connection.withStatement("SELECT sql FROM sqlite_master WHERE name=? AND type IN ('index', 'table')") { row in
            try row.bind(name, 1)
            return try row.step() ? row.string(0) : nil
        }
    }
}

extension Snapshot {
    /// All the SQL that makes an index: the table it is kept in with its triggers, if it has one, and the index itself.
    func indexDefinitionSQL(_ index: StoredIndex) throws -> [String] {
        var sql: [String] = []
        if index.kind == .vector, let text = try indexSQL(index) { return [text] }
        if let table = index.tableName {
            for name in [table, Schema.hashedName(ofIndexTable: table)] { sql += try tableDefinitionSQL(name) }
        }
        // What full-text indexes are called need not be unique among SQLite's own names.
        guard index.kind != .fullText, index.kind != .vector else { return sql }
        return try sql + texts("SELECT sql FROM sqlite_master WHERE type='index' AND name=?", index.name)
    }

    /// The SQL of a table that an index is kept in, and of its triggers.
    func tableDefinitionSQL(_ name: String) throws -> [String] {
        var sql = try texts("SELECT sql FROM sqlite_master WHERE type='table' AND name=?", name)
        for trigger in StoredIndex.triggers {
            sql += try texts("SELECT sql FROM sqlite_master WHERE type='trigger' AND name=?", "\(name)::\(trigger)")
        }
        return sql
    }

    private func texts(_ query: String, _ name: String) throws -> [String] {
        try connection.withStatement(query) { row in
            try row.bind(name, 1)
            var texts: [String] = []
            while try row.step() { if let text = row.string(0) { texts.append(text) } }
            return texts
        }
    }
}

extension StoredIndex {
    /// One of our vector indexes, as the vendor's would stand in the table.
    init(_ index: VectorIndex, of live: String) {
        self.init(
            name: index.name, kind: .vector, type: Kind.vector.rawValue, keyStore: index.keyStore, expression: index.expression,
            condition: nil,
            tableName: index.tableName(of: live), lastSequence: index.options.isLazy ? index.indexed.text : nil)
    }

    /// Whether there must be an SQL index of its name: a predictive index without outputs is a table only.
    var needsSQLIndex: Bool {
        switch kind {
        case .value, .array: true
        case .predictive: predictsOutputs
        case .fullText, .vector, nil: false
        }
    }

    /// Whether a predictive index is also one over properties of the answers. Its definition is JSON: the call, with these behind its input.
    private var predictsOutputs: Bool {
        guard let text = expression.map({ IndexSpecification.Source.parts(of: $0).text }), text.hasPrefix("["),
            let definition = StoredIndex.parsed(text)
        else { return false }
        return definition.withRoot { ($0.array?[0].array?.count ?? 0) > 3 }
    }

    private static func parsed(_ json: String) -> FleeceData? {
        let encoder = FleeceEncoder()
        guard (try? JSONParser.parse(json, into: encoder)) != nil else { return nil }
        return try? encoder.finish()
    }

    /// What follows `::` in the names of triggers that keep a table of an index.
    static let triggers = ["ins", "del", "upd", "preupdate", "postupdate"]
}

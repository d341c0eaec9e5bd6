import CBLFunctions
import CBLSQLite
import CBLStore

/// What the index knows of a view.
struct ViewState {
    let view: Int64
    var version: String
    var collation: JSONCollation
    var type: String?
    /// The collection's sequence and count of purges up to which it is indexed.
    var sequence: UInt64 = 0
    var purges = 0
    /// How many rows there are.
    var count = 0
    /// The document that was indexed last, as it was: if it is another one now, so is the database.
    var sample: Sample?
    var languages: [String] = []
    var hasShapes = false

    struct Sample: Equatable {
        var id: String
        var sequence: UInt64
        var revision: [UInt8]
    }

    /// Whether the index was made for this definition.
    func fits(_ definition: ViewDefinition) -> Bool {
        version == definition.version && collation == definition.collation && type == definition.documentType
    }
}

extension IndexConnection {
    private static let columns =
        "view, version, collation, type, sequence, purges, count, sample, sampleSequence, sampleRevision, languages, shapes"

    func state(of name: String, in collection: CollectionName) throws -> ViewState? {
        try guarded {
            try connection.withStatement("SELECT \(IndexConnection.columns) FROM views WHERE collection=? AND name=?") { row in
                try row.bind(collection.description, 1)
                try row.bind(name, 2)
                return try row.step() ? IndexConnection.state(row) : nil
            }
        }
    }

    /// A count as the file has it, in bounds in which nothing that is added to it can overflow.
    private static func count(_ number: Int64) -> Int { Int(max(0, min(number, 1 << 48))) }

    private static func state(_ row: Statement) -> ViewState {
        var state = ViewState(
            view: row.int64(0), version: row.string(1) ?? "", collation: JSONCollation(rawValue: UInt8(clamping: row.int64(2))) ?? .unicode,
            type: row.string(3), sequence: UInt64(bitPattern: max(0, row.int64(4))), purges: count(row.int64(5)),
            count: count(row.int64(6)))
        if let id = row.string(7) {
            state.sample = ViewState.Sample(
                id: id, sequence: UInt64(bitPattern: max(0, row.int64(8))), revision: row.blob(9).map(Array.init) ?? [])
        }
        state.languages = row.string(10).map { $0.split(separator: " ", omittingEmptySubsequences: false).map(String.init) } ?? []
        state.hasShapes = row.int64(11) != 0
        return state
    }

    /// All views, by collection and name.
    func names() throws -> [(collection: String, name: String, state: ViewState)] {
        try guarded {
            try connection.withStatement("SELECT \(IndexConnection.columns), collection, name FROM views ORDER BY collection, name") {
                row in
                var names: [(String, String, ViewState)] = []
                while try row.step() { names.append((row.string(12) ?? "", row.string(13) ?? "", IndexConnection.state(row))) }
                return names
            }
        }
    }

    /// Makes an empty index for a view, in the place of one that it may have.
    func makeView(_ definition: ViewDefinition) throws -> ViewState {
        if let old = try state(of: definition.name, in: definition.collection) { try removeView(old) }
        return try guarded {
            try connection.withStatement(
                "INSERT INTO views(collection, name, version, collation, type, sequence, purges, count, shapes) VALUES (?,?,?,?,?,0,0,0,0)"
            ) { row in
                try row.bind(definition.collection.description, 1)
                try row.bind(definition.name, 2)
                try row.bind(definition.version, 3)
                try row.bind(Int64(definition.collation.rawValue), 4)
                try row.bind(definition.documentType, 5)
                try row.run()
            }
            let view = try connection.integer("SELECT last_insert_rowid()") ?? 0
            for sql in IndexSchema.makeTables(view, definition.collation) { try connection.execute(sql) }
            try trustSchema()
            return ViewState(
                view: view, version: definition.version, collation: definition.collation, type: definition.documentType)
        }
    }

    func removeView(_ state: ViewState) throws {
        try guarded {
            connection.releaseStatements()
            var tables = [IndexSchema.rows(state.view), IndexSchema.documents(state.view)]
            if state.hasShapes || !state.languages.isEmpty { tables.append(IndexSchema.specials(state.view)) }
            tables += state.languages.map { IndexSchema.texts(state.view, $0) }
            if state.hasShapes { tables.append(IndexSchema.boxes(state.view)) }
            for table in tables { try connection.execute("DROP TABLE \(table)") }
            try connection.withStatement("DELETE FROM views WHERE view=?") { row in
                try row.bind(state.view, 1)
                try row.run()
            }
            try trustSchema()
        }
    }

    func save(_ state: ViewState) throws {
        try guarded {
            try connection.withStatement(
                """
                UPDATE views SET sequence=?1, purges=?2, count=?3, sample=?4, sampleSequence=?5, sampleRevision=?6, languages=?7, shapes=?8 \
                WHERE view=?9
                """
            ) { row in
                try row.bind(Int64(clamping: state.sequence), 1)
                try row.bind(Int64(state.purges), 2)
                try row.bind(Int64(state.count), 3)
                try row.bind(state.sample?.id, 4)
                try row.bind(state.sample.map { Int64(clamping: $0.sequence) }, 5)
                try row.bind(blob: state.sample?.revision, 6)
                try row.bind(state.languages.isEmpty ? nil : state.languages.joined(separator: " "), 7)
                try row.bind(state.hasShapes ? 1 : 0, 8)
                try row.bind(state.view, 9)
                try row.run()
            }
        }
    }

    func property(_ name: String) throws -> String? {
        try guarded {
            try connection.withStatement("SELECT value FROM properties WHERE name=?") { row in
                try row.bind(name, 1)
                return try row.step() ? row.string(0) : nil
            }
        }
    }

    func setProperty(_ name: String, _ value: String) throws {
        try guarded {
            try connection.withStatement("INSERT OR REPLACE INTO properties VALUES (?, ?)") { row in
                try row.bind(name, 1)
                try row.bind(value, 2)
                try row.run()
            }
        }
    }
}

import CBLFleece
import CBLSQLite

/// Puts the rows of one view into its tables, and takes them out again. Hot: called once per row when an index is built.
final class RowWriter {
    let index: IndexConnection
    var state: ViewState
    let rows: PackedTable
    let documents: PackedTable
    private var specialStatements: [String: Statement] = [:]
    @exclusivity(unchecked) var place = ByteBuffer()
    @exclusivity(unchecked) private var content = ByteBuffer()

    init(_ index: IndexConnection, _ state: ViewState) throws {
        self.index = index
        self.state = state
        (rows, documents) = try index.guarded {
            (
                try PackedTable(index, IndexSchema.rows(state.view), .rows(index.order(state.collation))),
                try PackedTable(index, IndexSchema.documents(state.view), .bytes)
            )
        }
    }

    // Inserting

    /// Writes what was mapped, by one or two threads. The rows of each are in order.
    func insert(_ parts: [MappedRows]) throws {
        guard let first = parts.first else { return }
        let second = parts.count > 1 ? parts[1] : MappedRows()
        let compares = first.hasIncompleteKeys || second.hasIncompleteKeys
        let order = index.order(state.collation)
        try index.guarded {
            try first.withRows { firstRows, firstDocuments in
                try second.withRows { secondRows, secondDocuments in
                    var (a, b) = (0, 0)
                    while a < firstRows.count || b < secondRows.count {
                        let takesFirst =
                            b == secondRows.count
                            || a < firstRows.count
                                && {
                                    let (x, y) = (firstRows[a], secondRows[b])
                                    let result = first.compareKeys(x, second, y, order, comparesAll: compares)
                                    if result != 0 { return result < 0 }
                                    let (id, other) = (firstDocuments[Int(x.document)], secondDocuments[Int(y.document)])
                                    return MappedRows.compare(first.id(of: id), second.id(of: other)) < 0
                                }()
                        if takesFirst {
                            try insert(firstRows[a], firstDocuments, of: first)
                            a += 1
                        } else {
                            try insert(secondRows[b], secondDocuments, of: second)
                            b += 1
                        }
                    }
                    try self.rows.finish()
                    state.count += a + b
                }
            }
        }
    }

    private func insert(
        _ position: MappedRows.RowPlace, _ documents: UnsafeBufferPointer<MappedRows.DocumentPlace>, of rows: MappedRows
    ) throws {
        let document = documents[Int(position.document)]
        let row = rows.row(at: position.row)
        place.truncate(to: 0)
        content.truncate(to: 0)
        RowPosition.write(key: row.key, number: Int(position.number), id: rows.id(of: document), to: &place)
        RowContent.write(sequence: document.sequence, row.kind, row.value, to: &content)
        try self.rows.add(place.bytes, content.bytes)
    }

    /// Null for no value, a number for the document itself, and otherwise its encoding.
    @inline(__always)
    private func bind(_ row: MappedRows.Row, _ statement: Statement, _ column: Int32) throws {
        switch row.kind {
        case .none: try statement.bindNull(column)
        case .document: try statement.bind(0 as Int64, column)
        case .encoded: try statement.bind(blob: row.value, column, staysInPlace: true)
        }
    }

    /// Writes which rows each document has, in the order of their IDs. After its texts and shapes.
    func insertDocuments(_ parts: [MappedRows]) throws {
        try index.guarded {
            let sorted = parts.map { $0.sortedDocuments() }
            var places = parts.map { _ in 0 }
            while true {
                var first: Int?
                for part in parts.indices where places[part] < sorted[part].count {
                    guard let other = first else {
                        first = part
                        continue
                    }
                    let a = parts[part].documents[Int(sorted[part][places[part]])]
                    let b = parts[other].documents[Int(sorted[other][places[other]])]
                    if MappedRows.compare(parts[part].id(of: a), parts[other].id(of: b)) < 0 { first = part }
                }
                guard let part = first else { break }
                let number = sorted[part][places[part]]
                places[part] += 1
                try insertDocument(number, of: parts[part])
            }
            try documents.finish()
        }
    }

    private func insertDocument(_ number: Int32, of rows: MappedRows) throws {
        let document = rows.documents[Int(number)]
        content.truncate(to: 0)
        let specials = rows.hasSpecials ? try insertSpecials(document, of: rows) : []
        content.append(count: specials.count)
        for special in specials { content.append(count: Int(special)) }
        var position = document.rows
        for _ in 0..<document.rowCount {
            let row = rows.row(at: position)
            position = row.end
            // The ordered bytes find the row, unless there are some that do not say all: keys themselves are compared with these.
            let needed = state.collation == .unicode ? row.key.count : row.key.count &- ViewKey(row.key).encoding.count
            content.append(count: needed)
            content.append(UnsafeRawBufferPointer(rebasing: row.key[..<needed]))
        }
        try documents.add(rows.id(of: document), content.bytes)
    }

    // Texts and shapes

    private func insertSpecials(_ document: MappedRows.DocumentPlace, of rows: MappedRows) throws -> [Int64] {
        var numbers: [Int64] = []
        var position = document.rows
        for number in 0..<document.rowCount {
            let row = rows.row(at: position)
            position = row.end
            guard let special = MappedRows.Special(row.special) else { continue }
            numbers.append(try insert(special, row, number, of: document, rows))
        }
        return numbers
    }

    private func insert(
        _ special: MappedRows.Special, _ row: MappedRows.Row, _ number: Int32, of document: MappedRows.DocumentPlace, _ rows: MappedRows
    ) throws -> Int64 {
        try makeTables(for: special)
        let insertion = try statement("INSERT INTO \(IndexSchema.specials(state.view)) VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        try insertion.bind(text: rows.id(of: document), 1, staysInPlace: true)
        try insertion.bind(Int64(number), 2)
        try insertion.bind(Int64(clamping: document.sequence), 3)
        try bind(row, insertion, 4)
        for column in 5...10 as ClosedRange<Int32> { try insertion.bindNull(column) }
        var language = ""
        switch special {
        case .text(_, let name):
            language = IndexSchema.language(name)
            try insertion.bind(language, 5)
        case .shape(let box, let shape):
            for (column, side) in [box.x0, box.y0, box.x1, box.y1].enumerated() { try insertion.bind(side, Int32(6 + column)) }
            try insertion.bind(blob: shape, 10, staysInPlace: true)
        }
        try insertion.run()
        let id = try index.connection.integer("SELECT last_insert_rowid()") ?? 0
        switch special {
        case .text(let text, _):
            let insertion = try statement("INSERT INTO \(IndexSchema.texts(state.view, language))(docid, content) VALUES (?, ?)")
            try insertion.bind(id, 1)
            try insertion.bind(text: text, 2)
            try insertion.run()
        case .shape(let box, _):
            let insertion = try statement("INSERT INTO \(IndexSchema.boxes(state.view)) VALUES (?, ?, ?, ?, ?)")
            try insertion.bind(id, 1)
            for (column, side) in [box.x0, box.x1, box.y0, box.y1].enumerated() { try insertion.bind(side, Int32(2 + column)) }
            try insertion.run()
        }
        return id
    }

    private func makeTables(for special: MappedRows.Special) throws {
        let isFirst = !state.hasShapes && state.languages.isEmpty
        var sql: [String] = []
        switch special {
        case .text(_, let name):
            let language = IndexSchema.language(name)
            guard !state.languages.contains(language) else { return }
            state.languages.append(language)
            sql = [IndexSchema.makeTexts(state.view, language)]
        case .shape:
            guard !state.hasShapes else { return }
            state.hasShapes = true
            sql = [IndexSchema.makeBoxes(state.view)]
        }
        if isFirst { sql.append(IndexSchema.makeSpecials(state.view)) }
        for text in sql { try index.connection.execute(text) }
        try index.trustSchema()
    }

    func statement(_ sql: String) throws -> Statement {
        if let statement = specialStatements[sql] { return statement }
        let statement = try index.connection.prepare(sql)
        specialStatements[sql] = statement
        return statement
    }
}

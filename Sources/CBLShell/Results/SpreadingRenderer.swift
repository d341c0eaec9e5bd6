import CBLFleece
import CBLQuery

/// Spreads the documents that `*` stands for over columns, one for each of their properties, as a person wants to see them.
///
/// The first rows are held back until it is known what properties there are. One that comes later has no column any more: it is told at the end.
final class SpreadingRenderer: ResultRenderer {
    private static let windowRows = 200
    private static let windowBytes = 256 * 1024
    /// Documents whose properties are names of things, and not of columns, are left as they are.
    private static let mostColumns = 400

    private let session: Session
    private let inner: any ResultRenderer
    private var stars: Set<Int>
    private var titles: [String] = []
    /// Rows that are held back, as arrays.
    private var held: [FleeceData] = []
    private var heldBytes = 0
    /// The properties of each star, in the order in which they came.
    private var names: [Int: PropertyNames] = [:]
    /// What the columns are, once that is settled: a column of the result, or a property of one.
    private var columns: [(source: Int, property: String?)]?
    private var row: ResultRow?
    private var late = PropertyNames()

    init(_ inner: any ResultRenderer, stars: Set<Int>, session: Session) {
        (self.inner, self.stars, self.session) = (inner, stars, session)
    }

    func begin(_ titles: [String]) throws { self.titles = titles }

    func add(_ row: ResultRow) throws {
        for star in stars { look(at: row.cells[star], star, row.keys) }
        guard columns == nil else { return try pass(row.cells, row.keys) }
        let encoder = FleeceEncoder()
        encoder.beginArray()
        for cell in row.cells { cell.write(to: encoder, keys: row.keys) }
        encoder.endArray()
        let data = try encoder.finish()
        heldBytes += data.withBytes(\.count)
        held.append(data)
        if held.count == SpreadingRenderer.windowRows || heldBytes >= SpreadingRenderer.windowBytes { try layOut() }
    }

    func catchUp() throws {
        if columns == nil, !held.isEmpty { try layOut() }
        if columns != nil { try inner.catchUp() }
    }

    func finish() throws {
        if columns == nil { try layOut() }
        try inner.finish()
        guard !late.ordered.isEmpty else { return }
        let shown = late.ordered.prefix(5).map { "\"\($0)\"" }.joined(separator: ", ")
        let others = late.ordered.count > 5 ? " and others" : ""
        session.remark("(Later rows have \(shown)\(others) too, without a column here; .mode json shows all)")
    }

    private func look(at cell: QueryValue, _ star: Int, _ keys: SharedKeys?) {
        switch cell {
        case .missing: return
        case .collection(let value):
            guard let members = value.dictionary else { fallthrough }
            for (key, _) in members {
                guard let bytes = key.keyBytes(keys) else { continue }
                if columns == nil {
                    names[star, default: PropertyNames()].insert(bytes)
                } else if names[star]?.contains(bytes) == false {
                    late.insert(bytes)
                }
            }
        // What is no document stays whole.
        default: if columns == nil { stars.remove(star) }
        }
    }

    private func layOut() throws {
        var columns: [(source: Int, property: String?)] = []
        var titles: [String] = []
        let isOne = stars.count == 1
        let plain = Set(self.titles.indices.filter { !stars.contains($0) }.map { self.titles[$0] })
        for (source, title) in self.titles.enumerated() {
            let properties = names[source]?.ordered ?? []
            guard stars.contains(source), (1...SpreadingRenderer.mostColumns).contains(properties.count) else {
                stars.remove(source)
                columns.append((source, nil))
                titles.append(title)
                continue
            }
            for property in properties {
                columns.append((source, property))
                titles.append(isOne && !plain.contains(property) ? property : "\(title).\(property)")
            }
        }
        self.columns = columns
        try inner.begin(titles)
        for row in held {
            try row.withRoot { root in
                let cells = root.array.map { array in array.map { $0.isUndefined ? QueryValue.missing : QueryValue($0) } } ?? []
                try pass(cells, nil)
            }
        }
        (held, row) = ([], nil)
    }

    private func pass(_ cells: [QueryValue], _ keys: SharedKeys?) throws {
        guard let columns else { return }
        let row = row ?? ResultRow(count: columns.count, keys: keys)
        self.row = row
        for (index, column) in columns.enumerated() {
            guard let property = column.property else {
                row.cells[index] = cells[column.source]
                continue
            }
            guard case .collection(let value) = cells[column.source], let found = value.dictionary?.value(forKey: property, keys) else {
                row.cells[index] = .missing
                continue
            }
            row.cells[index] = QueryValue(found)
        }
        try inner.add(row)
    }
}

/// Names of properties, each once, in the order in which they came.
private struct PropertyNames {
    private(set) var ordered: [String] = []
    private var known: Set<String> = []
    private static let most = 10_000

    mutating func insert(_ bytes: UnsafeRawBufferPointer) {
        let name = String(decoding: bytes, as: UTF8.self)
        guard ordered.count < PropertyNames.most, known.insert(name).inserted else { return }
        ordered.append(name)
    }

    func contains(_ bytes: UnsafeRawBufferPointer) -> Bool { known.contains(String(decoding: bytes, as: UTF8.self)) }
}

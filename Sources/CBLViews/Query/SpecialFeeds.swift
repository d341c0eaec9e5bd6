import CBLFleece
import CBLFunctions
import CBLSQLite

/// What a full-text query found in a row's text.
package struct FullTextMatch: Sendable, Equatable {
    package struct Place: Sendable, Equatable {
        /// Which of the query's terms it is.
        package let term: Int
        /// Where it is in the text, in bytes of UTF-8.
        package let range: Range<Int>
    }

    package let text: String
    package let rank: Double
    package let places: [Place]
    /// The part of the text around the matches, with U+0001 before each and U+0002 behind; nil if nobody asked.
    package let snippet: String?

    package func snippet(before: String, after: String) -> String? {
        guard let snippet else { return nil }
        var marked = ""
        for scalar in snippet.unicodeScalars {
            if scalar == "\u{1}" {
                marked += before
            } else if scalar == "\u{2}" {
                marked += after
            } else {
                marked.unicodeScalars.append(scalar)
            }
        }
        return marked
    }

    /// What `offsets()` says: four numbers for each match.
    static func places(_ offsets: String) -> [Place] {
        let numbers = offsets.split(separator: " ").map { Int($0) ?? 0 }
        return stride(from: 0, to: numbers.count - 3, by: 4).map { start in
            let first = max(0, numbers[start + 2])
            return Place(term: numbers[start + 1], range: first..<first + max(0, numbers[start + 3]))
        }
    }
}

/// The rows whose texts match.
final class FullTextFeed: RowFeed {
    private struct Found {
        let special: Int64
        let sequence: UInt64
        let match: FullTextMatch
    }

    private let index: IndexConnection
    private let row: Statement
    private var found: [Found] = []
    private var place = -1

    init(_ index: IndexConnection, _ state: ViewState, _ request: FullTextRequest) throws {
        self.index = index
        let specials = IndexSchema.specials(state.view)
        row = try index.guarded { try index.connection.prepare("SELECT id, sequence, value FROM \(specials) WHERE special=?") }
        super.init()
        let languages = request.language.map { [IndexSchema.language($0)] } ?? state.languages
        for language in languages where state.languages.contains(language) {
            try search(IndexSchema.texts(state.view, language), specials, request)
        }
        found.sort { a, b in
            if request.ranks, a.match.rank != b.match.rank { return a.match.rank > b.match.rank }
            return (a.sequence, a.special) < (b.sequence, b.special)
        }
    }

    private func search(_ table: String, _ specials: String, _ request: FullTextRequest) throws {
        let snippet = request.snippets ? "snippet(\(table), x'01', x'02', '…')" : "NULL"
        let sql = """
            SELECT \(table).docid, \(table).content, matchinfo(\(table)), offsets(\(table)), \(snippet), s.sequence FROM \(table) \
            JOIN \(specials) AS s ON s.special = \(table).docid WHERE \(table).content MATCH ?
            """
        do {
            try FullTextQuery.run {
                let search = try index.connection.prepare(sql)
                try search.bind(request.text, 1)
                while try search.step() {
                    found.append(
                        Found(
                            special: search.int64(0), sequence: UInt64(bitPattern: max(0, search.int64(5))),
                            match: FullTextMatch(
                                text: search.string(1) ?? "", rank: FullTextFeed.rank(search.blob(2)),
                                places: FullTextMatch.places(search.string(3) ?? ""), snippet: search.string(4))))
                }
            }
        } catch let error as SQLiteError {
            if error.message.contains("malformed MATCH") { throw ViewError.badRequest("full-text syntax error in \"\(request.text)\"") }
            throw ViewError.index(error, path: index.path)
        }
    }

    /// For every phrase, the row's share of all matches.
    private static func rank(_ info: UnsafeRawBufferPointer?) -> Double {
        guard let info, info.count >= 8 else { return 0 }
        func number(_ place: Int) -> Double {
            place * 4 + 4 <= info.count ? Double(info.loadUnaligned(fromByteOffset: place * 4, as: UInt32.self)) : 0
        }
        let cells = Int(number(0)) * Int(number(1))
        var rank = 0.0
        for cell in 0..<min(cells, info.count / 12) where number(2 + cell * 3) > 0 {
            rank += number(2 + cell * 3) / max(1, number(3 + cell * 3))
        }
        return rank
    }

    override var match: FullTextMatch? { found.indices.contains(place) ? found[place].match : nil }

    override func next() throws -> Bool {
        try index.guarded {
            place += 1
            guard place < found.count else { return false }
            row.reset()
            try row.bind(found[place].special, 1)
            guard try row.step() else { return false }
            key = nullEncoding
            id = row.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            sequence = found[place].sequence
            readValue(row, 2)
            return true
        }
    }
}

/// The rows whose shapes share more than an edge with a box.
final class BoxFeed: RowFeed {
    private let index: IndexConnection
    private let rows: Statement
    private var current: UnsafeRawBufferPointer?

    init(_ index: IndexConnection, _ state: ViewState, _ box: ViewRectangle) throws {
        self.index = index
        // The tree knows numbers of single precision, rounded outwards, so it finds some more.
        let sql = """
            SELECT s.id, s.sequence, s.value, s.shape FROM \(IndexSchema.boxes(state.view)) AS b \
            JOIN \(IndexSchema.specials(state.view)) AS s ON s.special = b.special \
            WHERE b.x1 >= ?1 AND b.y1 >= ?2 AND b.x0 <= ?3 AND b.y0 <= ?4 AND s.x1 > ?1 AND s.y1 > ?2 AND s.x0 < ?3 AND s.y0 < ?4 \
            ORDER BY s.y0, s.x0, s.special
            """
        rows = try index.guarded {
            let rows = try index.connection.prepare(sql)
            for (number, side) in [box.x0, box.y0, box.x1, box.y1].enumerated() { try rows.bind(side, Int32(number + 1)) }
            return rows
        }
    }

    override var shape: UnsafeRawBufferPointer? { current }

    override func next() throws -> Bool {
        try index.guarded {
            guard try rows.step() else { return false }
            key = nullEncoding
            id = rows.blob(0) ?? UnsafeRawBufferPointer(start: nil, count: 0)
            sequence = UInt64(bitPattern: max(0, rows.int64(1)))
            readValue(rows, 2)
            current = rows.blob(3)
            return true
        }
    }
}

/// The key of a row that has a text or a shape as its key.
private var nullEncoding: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: ("0\0" as StaticString).utf8Start, count: 2) }

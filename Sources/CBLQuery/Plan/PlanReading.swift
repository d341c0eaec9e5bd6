import CBLLanguage
import CBLSQLite
import CBLStore

/// A step of a plan in words.
package struct PlanReading: Sendable, Hashable {
    package let text: String
    /// How many steps it is within.
    package let depth: Int
    /// The collection of which the step looks at every document.
    package let scannedCollection: String?
}

/// Puts SQLite's terse lines into words. What it does not know it leaves as it is.
struct PlanReader {
    private let query: TranslatedQuery
    private let snapshot: Snapshot
    private var depths: [Int: Int] = [0: -1]
    /// The steps that have loops within them already: what comes next there is done for each of their rows.
    private var loops: Set<Int> = []

    init(_ query: TranslatedQuery, _ snapshot: Snapshot) {
        self.query = query
        self.snapshot = snapshot
    }

    mutating func read(_ step: QueryPlan.Step) throws -> PlanReading {
        let depth = (depths[step.parent] ?? -1) + 1
        depths[step.id] = depth
        let (text, scanned) = try words(step.detail)
        let isLoop = ["SCAN ", "SEARCH ", "MULTI-INDEX OR"].contains { step.detail.hasPrefix($0) }
        let isInner = isLoop && !loops.insert(step.parent).inserted
        return PlanReading(text: isInner ? "for each, " + text : text, depth: depth, scannedCollection: scanned)
    }

    private func words(_ detail: String) throws -> (String, scanned: String?) {
        for (start, isSearch) in [("SCAN ", false), ("SEARCH ", true)] where detail.hasPrefix(start) {
            return try access(Access(detail.dropFirst(start.count), isSearch: isSearch))
        }
        let fixed: [(String, String)] = [
            ("USE TEMP B-TREE FOR ORDER BY", "sorts the rows: no index has them in this order"),
            ("USE TEMP B-TREE FOR RIGHT PART OF ORDER BY", "sorts rows that are in order by the first keys already"),
            ("USE TEMP B-TREE FOR LAST TERM OF ORDER BY", "sorts rows that are in order by all keys but the last"),
            ("USE TEMP B-TREE FOR GROUP BY", "sorts the rows to group them"),
            ("USE TEMP B-TREE FOR DISTINCT", "remembers the rows seen, to leave out repeated ones"),
            ("USE TEMP B-TREE FOR", "keeps rows in a temporary table"), ("MULTI-INDEX OR", "looks up each alternative of an OR by itself"),
            ("INDEX ", "one alternative"), ("CORRELATED SCALAR SUBQUERY", "for each row, a subquery"),
            ("CORRELATED LIST SUBQUERY", "for each row, a list of values from a subquery"), ("SCALAR SUBQUERY", "once, a subquery"),
            ("LIST SUBQUERY", "once, a list of values from a subquery"), ("CO-ROUTINE", "as its rows are wanted, a subquery"),
            ("MATERIALIZE", "first of all, the rows of a subquery"), ("COMPOUND QUERY", "live documents, and then deleted ones"),
            ("LEFT-MOST SUBQUERY", "the live ones"), ("UNION ALL", "the deleted ones"), ("SCAN CONSTANT ROW", "a single row of constants"),
            ("BLOOM FILTER", "a filter that tells quickly which rows cannot match"),
        ]
        for (start, words) in fixed where detail.hasPrefix(start) { return (words, nil) }
        return (detail, nil)
    }

    /// The parts of `_ USING COVERING INDEX byCity (<expr>=?) LEFT-JOIN`.
    private struct Access {
        var name: String
        var index: String?
        var terms = ""
        var kind = Kind.table
        let isSearch: Bool

        enum Kind { case table, index, coveringIndex, automaticIndex, row, virtual }

        init(_ text: Substring, isSearch: Bool) {
            self.isSearch = isSearch
            var text = text
            if text.hasSuffix(" LEFT-JOIN") { text = text.dropLast(" LEFT-JOIN".count) }
            if let place = text.lastRange(of: " VIRTUAL TABLE INDEX ") {
                name = String(text[..<place.lowerBound])
                index = String(text[place.upperBound...])
                kind = .virtual
                return
            }
            guard let place = text.lastRange(of: " USING ") else {
                name = String(text)
                return
            }
            name = String(text[..<place.lowerBound])
            var rest = text[place.upperBound...]
            if let open = rest.lastRange(of: " ("), rest.hasSuffix(")") {
                terms = String(rest[open.upperBound...].dropLast())
                rest = rest[..<open.lowerBound]
            }
            if rest.hasPrefix("AUTOMATIC") {
                kind = .automaticIndex
            } else if rest.hasPrefix("INTEGER PRIMARY KEY") || rest.hasPrefix("PRIMARY KEY") {
                kind = .row
            } else if rest.hasPrefix("COVERING INDEX ") {
                (kind, index) = (.coveringIndex, String(rest.dropFirst("COVERING INDEX ".count)))
            } else if rest.hasPrefix("INDEX ") {
                (kind, index) = (.index, String(rest.dropFirst("INDEX ".count)))
            }
        }
    }

    private func access(_ access: Access) throws -> (String, scanned: String?) {
        if access.name == "CONSTANT ROW" { return ("a single row of constants", nil) }
        if let index = predictiveIndex(access.name) { return (try prediction(access, index), nil) }
        let source = query.sources.first { $0.alias == access.name }
        let collection = source?.collection.title
        let what = source.map { "collection \($0.collection.title)" + ($0.alias == $0.collection.name ? "" : " (\($0.alias))") }
        switch access.kind {
        case .virtual: return (virtual(access), nil)
        case .table:
            // The two halves of a view of live and deleted documents.
            if let what { return ("looks at every document of \(what)", collection) }
            if let table = query.sources.first(where: { $0.readsDeleted }) {
                return ("looks at every document of collection \(table.collection.title)", table.collection.title)
            }
            return ("looks at every row of \(access.name)", nil)
        case .row: return ("takes \(what.map { "the document of \($0)" } ?? "the row of \(access.name)") by its row number", nil)
        case .automaticIndex:
            return ("makes an index of \(what ?? access.name) for this run alone: a lasting one would be quicker", collection)
        case .index, .coveringIndex:
            let index = access.index ?? ""
            let place = what ?? "the array items \(access.name)"
            let alone = access.kind == .coveringIndex ? ", without touching the documents" : ""
            if index.hasPrefix("sqlite_autoindex_") {
                guard source != nil else { return ("takes the array items \(access.name) of the document from an array index", nil) }
                return access.isSearch
                    ? ("finds documents of \(place) by ID\(alone)", nil)
                    : ("goes through all of \(place), in the order of IDs\(alone)", alone.isEmpty ? collection : nil)
            }
            if access.isSearch {
                let columns = try IndexColumns(of: index, on: snapshot.connection)
                return ("uses index \"\(index)\" of \(place) to find \(columns.naming(access.terms))\(alone)", nil)
            }
            return ("goes through all of index \"\(index)\" of \(place), in its order\(alone)", alone.isEmpty ? collection : nil)
        }
    }

    private func virtual(_ access: Access) -> String {
        if let table = query.vectorTables.first(where: { $0.name == access.name }) ?? vectorTable(access.name) {
            return vectorSearch(table)
        }
        guard let index = fullTextIndex(access.name) else { return "goes through the items of \(access.name)" }
        let number = access.index.map { $0.prefix { $0.isNumber } }.flatMap { Int($0) } ?? 0
        switch number {
        case 0: return "goes through all of full-text index \"\(index)\""
        case 1: return "looks the document up in full-text index \"\(index)\""
        default: return "searches full-text index \"\(index)\""
        }
    }

    private func vectorTable(_ alias: String) -> TranslatedQuery.VectorTable? {
        table(named: alias).flatMap { name in query.vectorTables.first { $0.name == name } }
    }

    private func vectorSearch(_ table: TranslatedQuery.VectorTable) -> String {
        guard table.isNearest else { return "measures how far the document is, as vector index \"\(table.index)\" does" }
        let start = "finds the nearest in vector index \"\(table.index)\""
        guard let index = try? snapshot.vectorIndex(named: table.index), index.isTrained else {
            return start + ", which has learned from no vectors yet: looks at all of them"
        }
        let probes = min(table.probes ?? index.options.usualProbes, index.options.centroids)
        return start + ", looking into \(probes) of its \(index.options.centroids) lists"
    }

    /// What SQLite does with the answers that a predictive index keeps.
    private func prediction(_ access: Access, _ index: String) throws -> String {
        guard access.kind == .index || access.kind == .coveringIndex, let name = access.index else {
            return access.isSearch
                ? "takes what predictive index \"\(index)\" keeps of the document"
                : "goes through all that predictive index \"\(index)\" keeps"
        }
        guard access.isSearch else { return "goes through all of predictive index \"\(name)\", in its order" }
        return "uses predictive index \"\(name)\" to find \(try IndexColumns(of: name, on: snapshot.connection).naming(access.terms))"
    }

    /// The index that a `<idx1>` of the SQL stands for.
    private func fullTextIndex(_ alias: String) -> String? {
        guard let table = table(named: alias), let start = table.lastRange(of: "::") else { return nil }
        return String(table[start.upperBound...].filter { $0 != "\\" })
    }

    /// The first index whose table a `<idx1>` of the SQL stands for: several can share one.
    private func predictiveIndex(_ alias: String) -> String? {
        guard let table = table(named: alias), table.firstRange(of: ":predict:") != nil else { return nil }
        return try? snapshot.indexes().first { $0.tableName.map { table == $0 } ?? false }?.name
    }

    /// The table of an index that an alias of the SQL is of.
    private func table(named alias: String) -> Substring? {
        guard alias.hasPrefix("<idx"), let end = query.sql.firstRange(of: "\" AS \"\(alias)\"") else { return nil }
        let before = query.sql[..<end.lowerBound]
        return before.lastRange(of: "\"").map { before[$0.upperBound...] }
    }
}

extension QueryCollection {
    /// As it is written in a query.
    var title: String { scope == "_default" ? name : "\(scope).\(name)" }
}

/// What an index is of, as people call it: `contact.city` for `fl_value(body, 'contact.city')`.
struct IndexColumns {
    private(set) var names: [String] = []

    init(of index: String, on connection: Connection) throws {
        let sql = try connection.withStatement("SELECT sql FROM sqlite_master WHERE type='index' AND name=?") { row in
            try row.bind(index, 1)
            return try row.step() ? row.string(0) : nil
        }
        guard let sql, let place = sql.firstRange(of: " ON "), let open = sql[place.upperBound...].firstRange(of: " (") else { return }
        names = IndexColumns.split(sql[open.upperBound...]).map(IndexColumns.name)
    }

    /// `city = ?, age > ?` for `<expr>=? AND <expr>>?`. Terms of equality are of the first columns, and a range is of the next one.
    func naming(_ terms: String) -> String {
        var column = 0
        var words: [String] = []
        for term in terms.split(separator: " AND ", omittingEmptySubsequences: true) {
            guard let sign = term.lastIndex(where: { $0 == "=" || $0 == "<" || $0 == ">" }) else {
                words.append(String(term))
                continue
            }
            let isEquality = term[sign] == "="
            let name = names.indices.contains(column) ? names[column] : String(term[..<sign])
            words.append("\(name) \(term[sign]) ?")
            if isEquality { column += 1 }
        }
        return words.joined(separator: " and ")
    }

    /// The items of a list up to the parenthesis that closes it, at commas that are neither in parentheses nor in quotes.
    private static func split(_ text: Substring) -> [String] {
        var items: [String] = []
        var item = ""
        var depth = 0
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else {
                switch character {
                case "'", "\"": quote = character
                case "(": depth += 1
                case ")" where depth == 0:
                    items.append(item)
                    return items
                case ")": depth -= 1
                case "," where depth == 0:
                    items.append(item)
                    item = ""
                    continue
                default: break
                }
            }
            if !(item.isEmpty && character == " ") { item.append(character) }
        }
        return items
    }

    private static func name(_ expression: String) -> String {
        switch expression {
        case "key": return "META().id"
        case "fl_unnested_value(body)": return "the item"
        default: break
        }
        for start in ["fl_value(body, '", "fl_unnested_value(body, '"] where expression.hasPrefix(start) && expression.hasSuffix("')") {
            let path = expression.dropFirst(start.count).dropLast(2)
            if !path.contains("'") { return String(path) }
        }
        return expression
    }
}

extension StringProtocol {
    /// Where `text` stands first. (The standard library's own search takes long to start.)
    fileprivate func firstRange(of text: String) -> Range<Index>? {
        var place = startIndex
        while place < endIndex {
            if self[place...].hasPrefix(text) { return place..<index(place, offsetBy: text.count) }
            place = index(after: place)
        }
        return nil
    }

    fileprivate func lastRange(of text: String) -> Range<Index>? {
        var place = endIndex
        while place > startIndex {
            place = index(before: place)
            if self[place...].hasPrefix(text) { return place..<index(place, offsetBy: text.count) }
        }
        return nil
    }
}

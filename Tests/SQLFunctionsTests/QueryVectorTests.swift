import Fleece
import SQLite
import TestSupport
import Testing

@testable import SQLFunctions

/// What the vendor's library answered to queries of one row that only call functions on literals and properties, put to ours. A small
/// translator stands in for the query compiler, and leaves out what it does not know.
@Suite(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) struct QueryVectorTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let query: String
        let sql: String
        let row: [String]
        var testDescription: String { query }
    }

    static let cases: [Case] = Fixtures.arePresent ? (try? readCases()) ?? [] : []

    static func readCases() throws -> [Case] {
        let encoder = Encoder()
        var cases: [Case] = []
        for line in try Fixtures.lines("../vectors/query-results.jsonl") {
            try JSONParser.parse(line, into: encoder)
            try encoder.finish().withRoot { root in
                guard let vector = root.dictionary, ["one", "rich"].contains(vector.value(forKey: "dataset", nil)?.string),
                    let row = vector.value(forKey: "rows", nil)?.array?.first?.array, let query = vector.value(forKey: "query", nil)
                else { return }
                let sql: String?
                if let text = query.string {
                    sql = SQLPlusPlusCall(text)?.sql
                } else {
                    sql = query.dictionary.flatMap { $0.count == 1 ? $0.value(forKey: "WHAT", nil)?.array : nil }.flatMap(columns)
                }
                guard let sql else { return }
                cases.append(Case(query: query.string ?? query.json(), sql: "SELECT \(sql) FROM docs AS _", row: row.map { $0.json() }))
            }
        }
        return cases
    }

    @Test func mostQueriesAreUnderstood() { #expect(QueryVectorTests.cases.count > 400) }

    @Test(arguments: cases) func functionsAnswerAsTheVendorsDo(_ vector: Case) throws {
        let connection = try registeredConnection()
        let encoder = Encoder()
        try JSONParser.parse(Fixtures.lines("json/query/rich.jsonl")[0], into: encoder)
        let body = try encoder.finish().withRoot { root -> FleeceData in
            encoder.write(root.dictionary?.value(forKey: "body", nil) ?? .undefined, keys: nil)
            return try encoder.finish()
        }
        try connection.execute("CREATE TABLE docs (body BLOB)")
        try connection.withStatement("INSERT INTO docs VALUES (?)") { insert in
            try body.withRoot { _ in try insert.bind(blob: body.bytes, 1) }
            try insert.run()
        }
        try connection.withStatement(vector.sql) { statement in
            try statement.step()
            #expect((0..<statement.columnCount).map { json(statement, $0) } == vector.row, "\(vector.sql)")
        }
    }

    private static func columns(_ what: ArrayView) -> String? {
        var columns: [String] = []
        for column in what {
            guard let sql = expression(column) else { return nil }
            columns.append("fl_result(\(sql))")
        }
        return columns.joined(separator: ", ")
    }

    private static func expression(_ value: Value) -> String? {
        switch value.kind {
        case .null: return "fl_null()"
        case .boolean: return value.boolean == true ? "fl_bool(1)" : "fl_bool(0)"
        case .integer, .double: return value.json()
        case .string:
            return value.string.map { "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'" }
        case .array:
            guard let array = value.array, let operation = array.first?.string else { return nil }
            let operands = array.dropFirst().map(expression)
            guard !operands.contains(nil) else { return nil }
            let list = operands.compactMap { $0 }.joined(separator: ", ")
            if operation == "[]" { return "array_of(\(list))" }
            if operation.hasPrefix("."), array.count == 1 { return "fl_value(_.body, '\(operation.dropFirst())')" }
            guard operation.hasSuffix("()") else { return nil }
            return SQLPlusPlusCall.name(String(operation.dropLast(2))) + "(\(list))"
        default: return nil
        }
    }
}

/// A result column as JSON text.
func json(_ row: Statement, _ column: Int32) -> String {
    switch row.type(column) {
    case 1: return String(row.int64(column))
    case 2:
        var buffer = ByteBuffer()
        JSONWriter.write(double: row.double(column), to: &buffer)
        return buffer.string
    case 3:
        var buffer = ByteBuffer()
        JSONWriter.write(string: row.string(column) ?? "", to: &buffer)
        return buffer.string
    case 4:
        guard let bytes = row.blob(column), !bytes.isEmpty else { return "null" }
        return Value(root: bytes)?.json() ?? "damaged"
    default: return "{\"$missing\":true}"
    }
}

/// `SELECT f(x, …), … FROM _` as SQL: function calls on literals, properties, and constructors of arrays and objects.
struct SQLPlusPlusCall {
    let sql: String

    init?(_ query: String) {
        guard query.hasPrefix("SELECT "), query.hasSuffix(" FROM _") else { return nil }
        var parser = Parser(characters: Array(query.dropFirst(7).dropLast(7)))
        var columns: [String] = []
        repeat {
            guard let column = parser.expression() else { return nil }
            columns.append("fl_result(\(column))")
        } while parser.take(",")
        guard parser.isAtEnd, query.contains("(") else { return nil }
        sql = columns.joined(separator: ", ")
    }

    static func name(_ name: String) -> String {
        let name = name.lowercased()
        switch name {
        case "lower", "upper", "length", "trim", "ltrim", "rtrim", "ifnull", "nullif": return "N1QL_" + name
        case "ifmissing": return "coalesce"
        case "greatest": return "max"
        case "least": return "min"
        case "typename": return "type"
        default:
            if name.hasPrefix("is_") { return "is" + name.dropFirst(3) }
            return name.hasPrefix("to_") ? "to" + name.dropFirst(3) : name
        }
    }

    private struct Parser {
        let characters: [Character]
        var position = 0

        init(characters: [Character]) { self.characters = characters }

        var isAtEnd: Bool { position == characters.count }
        var next: Character? { position < characters.count ? characters[position] : nil }

        mutating func take(_ wanted: Character) -> Bool {
            while next == " " { position += 1 }
            guard next == wanted else { return false }
            position += 1
            while next == " " { position += 1 }
            return true
        }

        mutating func take(while predicate: (Character) -> Bool) -> String {
            let start = position
            while let next, predicate(next) { position += 1 }
            return String(characters[start..<position])
        }

        mutating func expression() -> String? {
            let sql = operand()
            while next == " " { position += 1 }
            return sql
        }

        private mutating func operand() -> String? {
            if next == "'" { return string() }
            if take("[") { return list(until: "]").map { "array_of(\($0))" } }
            if take("{") { return object() }
            let sign = take("-") ? "-" : ""
            if let next, next.isASCII, next.isNumber {
                return sign + take { $0.isASCII && ($0.isNumber || $0 == "." || $0 == "e" || $0 == "E") }
            }
            guard sign.isEmpty else { return nil }
            let word = take { $0.isLetter || $0.isNumber || $0 == "_" }
            guard !word.isEmpty else { return nil }
            if take("(") {
                guard let list = list(until: ")"), word != "META" else { return nil }
                // Of a property, this is another function.
                let property = "fl_value("
                if word == "array_count", list.hasPrefix(property) { return "fl_count(" + list.dropFirst(property.count) }
                return SQLPlusPlusCall.name(word) + "(\(list))"
            }
            switch word.uppercased() {
            case "NULL": return "fl_null()"
            case "MISSING": return "NULL"
            case "TRUE": return "fl_bool(1)"
            case "FALSE": return "fl_bool(0)"
            case "NOT", "CASE", "ANY", "EVERY", "SOME", "EXISTS", "META", "SELECT", "DISTINCT": return nil
            default:
                let rest = take { $0.isLetter || $0.isNumber || "_.[]-".contains($0) }
                return "fl_value(_.body, '\(word + rest)')"
            }
        }

        private mutating func string() -> String? {
            var text = "'"
            position += 1
            while let character = next {
                position += 1
                text.append(character)
                guard character == "'" else { continue }
                guard next == "'" else { return text }
                position += 1
                text.append("'")
            }
            return nil
        }

        private mutating func list(until end: Character) -> String? {
            if take(end) { return "" }
            var items: [String] = []
            repeat {
                guard let item = expression() else { return nil }
                items.append(item)
            } while take(",")
            return take(end) ? items.joined(separator: ", ") : nil
        }

        private mutating func object() -> String? {
            var items: [String] = []
            if take("}") { return "dict_of()" }
            repeat {
                guard let key = string(), take(":"), let value = expression() else { return nil }
                items += [key, value]
            } while take(",")
            return take("}") ? "dict_of(\(items.joined(separator: ", ")))" : nil
        }
    }
}

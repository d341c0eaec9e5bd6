import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLFunctions

/// Every function and operator, on arguments of every kind and in any number: an answer of bounded size or an error, and soon.
@Suite struct FunctionFuzzTests {
    /// What no call may exceed that is given texts of some hundred bytes.
    static let longestResult = 1 << 20

    let connection: Connection
    let names: [(name: String, isAggregate: Bool)]

    init() throws {
        let context = FunctionContext()
        let keys = SharedKeysBuilder()
        keys.onChange = { context.sharedKeys = $0 }
        connection = try registeredConnection(context)
        let own = try connection.strings("SELECT DISTINCT type || name FROM pragma_function_list WHERE builtin = 0 ORDER BY name")
        names = own.map { (String($0.dropFirst()), $0.hasPrefix("a") || $0.hasPrefix("w")) }
        try connection.execute("CREATE TABLE docs (id INTEGER PRIMARY KEY, body BLOB)")
        let insert = try connection.prepare("INSERT INTO docs (body) VALUES (?)")
        let bodies = [
            FunctionTests.document, "{}", #"{"a": {"b": [[], [null, {"c": -0.0}], "x"]}, "n": 1e300, "s": "\u0000é😀"}"#, "[1, [2, [3]]]",
            "\"s\"", "null",
        ]
        for json in bodies {
            let body = try FunctionTests.encode(json, keys)
            try body.withRoot { _ in try insert.bind(blob: body.bytes, 1) }
            try insert.run()
        }
    }

    /// Writes expressions at random.
    private struct Writer {
        var random: SeededRandom
        let names: [(name: String, isAggregate: Bool)]

        static let constants = [
            "NULL", "fl_null()", "fl_bool(1)", "fl_bool(0)", "0", "1", "-1", "2", "3", "1000000", "9223372036854775807",
            "-9223372036854775808",
            "2147483648", "0.0", "-0.0", "0.5", "-2.5", "1.85", "1e300", "-1e300", "9e999", "-9e999", "5e-324", "1540319581000",
            "-62135596800001",
            "''", "'a'", "'A'", "' x '", "'é'", "'ŉ'", "'ß'", "'İ'", "'😀'", "'日本'", "'12'", "' -3.5x'", "'1e3'", "'0x10'", "'null'",
            "'a%_\\'",
            "'%'", "'_%a'", "'(a)(b)?'", "'[a-'", "'a*?'", "'\\w+'", "'$1$&'", "'name.first'", "'[0]'", "'a..b'", "'.'", "'tags[-1]'",
            "'day'",
            "'YEAR'", "'2018-10-23T18:33:01.5Z'", "'2016-02-29'", "'-0044-03-15'", "'9999-12-31T24:00:00+14:00'", "'18:33'", "'1111-11-11'",
            "'%Y-%m-%dT%H:%M:%S%Ez'", "'%F'", "'LCUnicode_CD_'", "'LCUnicode_____tr'", "'NOCASE'", "'euclidean'", "'cosine'", "char(0)",
            "'a' || char(0) || 'b'", "printf('%.300c', 'x')", "printf('%.200c', 'é')", "CAST(x'FF41' AS TEXT)", "CAST(x'E9' AS TEXT)",
            "x''", "x'00'", "x'FF'", "x'6000'", "x'41612000'", "x'7001418080'", "x'80008001'", "zeroblob(64)", "randomblob(9)",
        ]
        static let operators = [
            "+", "-", "*", "/", "%", "||", "=", "!=", "<", "<=", ">", ">=", "IS", "IS NOT", "AND", "OR", "LIKE", "COLLATE NOCASE =",
            "COLLATE LCUnicode_CD_ <", "COLLATE LCUnicode____de >",
        ]
        static let paths = [
            "name", "tags", "tags[6]", "wide", "age", "big", "pi", "yes", "nil", "nix", "vector", "mixed", "a.b", "a.b[1]", "n", "s",
        ]

        mutating func arguments(_ depth: Int) -> String {
            (0..<random.element(of: [0, 1, 1, 2, 2, 2, 3, 3, 4, 6])).map { _ in expression(depth - 1) }.joined(separator: ", ")
        }

        mutating func expression(_ depth: Int) -> String {
            switch random.below(depth > 0 ? 12 : 4) {
            case 0: return "fl_value(body, '\(random.element(of: Writer.paths))')"
            case 1: return random.element(of: ["body", "fl_root(body)", "id"])
            case 2, 3: return random.element(of: Writer.constants)
            case 4: return "array_of(\(arguments(depth)))"
            case 5: return "dict_of('k', \(expression(depth - 1)), 'l.m', \(expression(depth - 1)))"
            case 6: return "(\(expression(depth - 1)) \(random.element(of: Writer.operators)) \(expression(depth - 1)))"
            case 7:
                return random.element(of: [
                    "(\(expression(depth - 1)) IN (\(expression(depth - 1)), \(expression(depth - 1))))",
                    "(\(expression(depth - 1)) BETWEEN \(expression(depth - 1)) AND \(expression(depth - 1)))",
                    "(CASE \(expression(depth - 1)) WHEN \(expression(depth - 1)) THEN \(expression(depth - 1)) ELSE fl_null() END)",
                    "(NOT \(expression(depth - 1)))", "(- \(expression(depth - 1)))",
                ])
            case 8:
                return
                    "(SELECT group_concat(quote(e.key) || quote(fl_result(e.value)) || e.type) FROM fl_each(\(expression(depth - 1))) AS e)"
            default: return call(depth)
            }
        }

        mutating func call(_ depth: Int, of name: String? = nil) -> String {
            let plain = name ?? random.element(of: names.filter { !$0.isAggregate }).name
            return "\(plain)(\(arguments(depth)))"
        }

        mutating func aggregate(_ depth: Int) -> String {
            let aggregates = names.filter(\.isAggregate).map(\.name) + ["count", "sum", "avg", "min", "max", "total"]
            return "fl_result(\(random.element(of: aggregates))(\(expression(depth))))"
        }
    }

    private func run(_ sql: String) throws {
        let statement: Statement
        // A wrong number of arguments, or an expression where SQLite takes none.
        do { statement = try connection.prepare(sql) } catch { return #expect(error.code == 1, "\(sql): \(error)") }
        do {
            while try statement.step() {
                let size = statement.type(0) == 4 ? statement.blob(0)?.count : statement.text(0)?.count
                #expect(size ?? 0 <= FunctionFuzzTests.longestResult, "\(sql)")
            }
        } catch {
            // An error of a function, or a text or a number that is too large.
            #expect([1, 18, 20].contains(error.code), "\(sql): \(error)")
        }
    }

    /// Every function with every constant in every place that it may have a meaning in.
    @Test func noArgumentDoesHarm() throws {
        var writer = Writer(random: SeededRandom(4), names: names)
        for (name, isAggregate) in names where !isAggregate {
            for constant in Writer.constants {
                for place in 0..<3 {
                    var arguments = (0...max(place, writer.random.below(4))).map { _ in writer.expression(0) }
                    arguments[place] = constant
                    try run("SELECT fl_result(\(name)(\(arguments.joined(separator: ", ")))) FROM docs WHERE id = 1")
                }
            }
        }
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func nothingThatIsGivenToAFunctionDoesHarm(seed: UInt64) throws {
        var writer = Writer(random: SeededRandom(seed), names: names)
        try repeatWithin(seconds: 0) {
            for _ in 0..<10 {
                for (name, isAggregate) in names where !isAggregate {
                    try run("SELECT fl_result(\(writer.call(2, of: name))) FROM docs")
                    try run("SELECT fl_boolean_result(\(writer.call(1, of: name))) FROM docs")
                }
            }
            for _ in 0..<500 {
                try run("SELECT fl_result(\(writer.expression(4))) FROM docs WHERE \(writer.expression(2))")
                try run("SELECT \(writer.aggregate(2)) FROM docs GROUP BY \(writer.expression(1)) ORDER BY \(writer.expression(2))")
            }
        }
    }
}

import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLTestSupport
import Testing

/// Queries made at random: each is refused with words, or becomes SQL that SQLite can parse.
struct TranslationFuzzTests {
    /// Writes random JSON forms, mostly right ones.
    struct Generator {
        var random: SeededRandom
        var variables: [String] = []

        static let paths = [
            ".a", ".a.b[0]", ".p.x", ".u", ".u.y", ".j.x", ".", "._id", "._deleted", "._sequence.x", ".$d", ".k\\\\.e", ".r0", ".a[",
            ".a..b", ".[1]", ".p.", ".key",
        ]
        static let literals = [
            "1", "-5", "2.5", "\"it's\"", "true", "null", "\"\"", "1e400", "-0.0", "18446744073709551615", "\"a\\u0000b\"", "[\"MISSING\"]",
            "{}", "[]",
            "[\"$p\"]", "[\"$p q\"]", "[\"$\", 1]",
        ]
        static let operators = [
            "+", "-", "*", "/", "%", "=", "!=", "<", ">=", "IS", "IS NOT", "AND", "OR", "NOT", "IN", "NOT IN", "LIKE", "BETWEEN", "||",
            "IS VALUED", "<<",
            "==", "EXISTS", "BLOB", "[]", "MISSING", "_.", "_.p", ".", "$", "?", "META()", "MATCH()", "RANK()", "CASE", "COLLATE", "SELECT",
            "ANY", "",
        ]
        static let functions = [
            "length()", "COUNT()", "max()", "greatest()", "contains()", "array_count()", "nosuch()", "()", "concat()", "prediction()",
            "fl_like()", "e()",
        ]

        mutating func expression(_ depth: Int) -> String {
            switch random.below(depth > 0 ? 12 : 3) {
            case 0: return Generator.literals[random.below(Generator.literals.count)]
            case 1, 2: return "[\"\(random.element(of: Generator.paths))\"]"
            case 3...5: return operation(random.element(of: Generator.operators), depth)
            case 6: return operation(random.element(of: Generator.functions), depth)
            case 7: return quantified(depth)
            case 8: return "[\"?\(variables.isEmpty ? "v" : random.element(of: variables))\(random.below(2) == 0 ? "" : ".q")\"]"
            case 9: return "[\"COLLATE\",{\"UNICODE\":\(random.below(2) == 0),\"CASE\":\(random.below(2) == 0)},\(expression(depth - 1))]"
            case 10: return "[\"\(random.element(of: ["=", "AND", "+", "LIKE"]))\",\(expression(depth - 1)),\(expression(depth - 1))]"
            default: return random.below(4) == 0 ? "[\"SELECT\",\(statement(depth - 1))]" : "{\"k\":\(expression(depth - 1))}"
            }
        }

        private mutating func operation(_ name: String, _ depth: Int) -> String {
            let operands = (0..<random.below(4)).map { _ in "," + expression(depth - 1) }
            return "[\"\(name)\"" + operands.joined() + "]"
        }

        private mutating func quantified(_ depth: Int) -> String {
            let collection = expression(depth - 1)
            variables.append(random.element(of: ["v", "w", "V"]))
            defer { variables.removeLast() }
            let name = random.element(of: ["ANY", "EVERY", "ANY AND EVERY"])
            return "[\"\(name)\",\"\(variables[variables.count - 1])\",\(collection),\(expression(depth - 1))]"
        }

        mutating func statement(_ depth: Int) -> String {
            var members: [String] = []
            let sources = [
                #"{"COLLECTION":"_"}"#, #"{"AS":"p"}"#, #"{"COLLECTION":"_","AS":"p"},{"UNNEST":[".p.l"],"AS":"u"}"#,
                #"{"AS":"p"},{"UNNEST":\#(expression(1))}"#, #"{"AS":"p"},{"AS":"j","JOIN":"LEFT","ON":\#(expression(depth))}"#,
                #"{"COLLECTION":"a.b"}"#, "{}",
            ]
            if random.below(4) > 0 { members.append("\"FROM\":[\(random.element(of: sources))]") }
            if random.below(5) > 0 {
                let results = (0...random.below(3)).map { index in
                    random.below(2) == 0 ? expression(depth) : "[\"AS\",\(expression(depth)),\"r\(random.below(6) == 0 ? 0 : index)\"]"
                }
                members.append("\"WHAT\":[\(results.joined(separator: ","))]")
            }
            for clause in ["WHERE", "HAVING", "LIMIT", "OFFSET"] where random.below(4) == 0 {
                members.append("\"\(clause)\":\(expression(depth))")
            }
            for clause in ["GROUP_BY", "ORDER_BY"] where random.below(5) == 0 { members.append("\"\(clause)\":[\(expression(depth))]") }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func randomTreesAreTranslatedOrRefused(_ seed: UInt64) throws {
        var generator = Generator(random: SeededRandom(seed))
        let translator = Translator(schema: AssumedSchema())
        var translated = 0
        for _ in 0..<1500 {
            let json = generator.statement(generator.random.below(4))
            do {
                let query = try translator.translate(Select(json: json))
                #expect(Set(query.titles).count == query.titles.count, "\(json)")
                #expect(SQLShape.isBalanced(query.sql), "\(query.sql)")
                translated += 1
            } catch {
                #expect(!error.diagnostics.isEmpty && error.diagnostics.allSatisfy { !$0.message.isEmpty }, "\(json)")
            }
        }
        #expect(translated > 50)
    }

    @Test func damagedTextsAreRefusedOrRead() throws {
        let text = Array(
            #"{"WHAT":[["AS",["+",[".a"],1],"x"],"b"],"FROM":[{"COLLECTION":"_","AS":"p"}],"WHERE":["ANY","v",[".l"],["=",["?v"],"z"]]}"#
                .utf8)
        let translator = Translator(schema: AssumedSchema())
        var (read, refused) = (0, 0)
        func run(_ bytes: [UInt8]) {
            let sql = try? translator.translate(Select(json: String(decoding: bytes, as: UTF8.self)))
            if sql == nil { refused += 1 } else { read += 1 }
        }
        for end in 0..<text.count { run(Array(text[..<end])) }
        for bit in 0..<text.count * 8 {
            var damaged = text
            damaged[bit / 8] ^= 1 << (bit % 8)
            run(damaged)
        }
        #expect(read > 0 && refused > text.count)
    }

    static let nestings = [
        (#"["NOT","#, "1", "]"), (#"["-","#, "1", "]"), (#"["CASE",null,1,"#, "1", "]"), (#"["ANY","v",[".x"],"#, "1", "]"),
        (#"{"k":"#, "1", "}"),
        (#"["+",1,"#, "1", "]"), (#"["length()","#, "1", "]"), (#"["EXISTS",["SELECT",{"WHERE":"#, "1", "}]]"),
        (#"["COLLATE",{},"#, "1", "]"),
        (#"["IN",1,["[]","#, "1", "]]"), (#"["_.p","#, "1", "]"), (#"["BETWEEN",1,1,"#, "1", "]"), (#"["LIKE","#, "1", ",2]"),
    ]

    @Test(arguments: nestings) func deepNestingIsRefusedWithWords(_ start: String, _ middle: String, _ end: String) throws {
        for depth in [10, 30, 95, 100, 101, 200, 20000] {
            let json = String(repeating: start, count: depth) + middle + String(repeating: end, count: depth)
            do {
                _ = try Translator(schema: AssumedSchema()).translate(Select(json: #"{"WHERE":\#(json)}"#))
            } catch {
                #expect(depth > 30 && !error.diagnostics.isEmpty)
            }
        }
    }

    @Test func treesMadeByHandMayBeDeepToo() throws {
        var expression = QueryExpression(.integer(1))
        for _ in 0..<Translator.maximumDepth - 1 { expression = QueryExpression(.operation(.not, [expression])) }
        let translator = Translator(schema: AssumedSchema())
        _ = try translator.indexExpression(expression, column: "")
        expression = QueryExpression(.operation(.not, [expression]))
        #expect(throws: QueryError.self) { try translator.indexExpression(expression, column: "") }
    }

    /// `a OR b OR c …` is deep as a tree, but not to those who write or run it.
    @Test func longChainsAreRunBySQLite() throws {
        let connection = try Connection(path: ":memory:", mode: .create)
        for `operator` in [Operator.or, .and, .add, .multiply, .equal] {
            var expression = QueryExpression(.integer(1))
            for _ in 0..<Translator.maximumChain - 1 {
                expression = QueryExpression(.operation(`operator`, [expression, QueryExpression(.integer(1))]))
            }
            let sql = try Translator(schema: AssumedSchema()).indexExpression(expression, column: "")
            #expect(try connection.integer("SELECT \(sql)") == (`operator` == .add ? Int64(Translator.maximumChain) : 1))
        }
        var expression = QueryExpression(.integer(1))
        for _ in 0...Translator.maximumChain { expression = QueryExpression(.operation(.or, [expression, QueryExpression(.integer(1))])) }
        #expect(throws: QueryError.self) { try Translator(schema: AssumedSchema()).indexExpression(expression, column: "") }
    }
}

/// A check of SQL that needs no tables.
private enum SQLShape {
    /// Whether quotes are closed and parentheses come in pairs, and there is no comment.
    static func isBalanced(_ sql: String) -> Bool {
        var depth = 0
        var quote: UInt8?
        var previous: UInt8 = 0
        for byte in sql.utf8 {
            if let open = quote {
                if byte == open { quote = nil }
            } else if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                quote = byte
            } else if byte == UInt8(ascii: "(") {
                depth += 1
            } else if byte == UInt8(ascii: ")") {
                depth -= 1
            } else if byte == UInt8(ascii: "-"), previous == byte || byte == 0 || byte == UInt8(ascii: ";") {
                return false
            }
            if depth < 0 { return false }
            previous = quote == nil ? byte : 0
        }
        return depth == 0 && quote == nil
    }
}

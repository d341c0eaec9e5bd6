/// What is told about an operator or a clause of SQL++: the source of `cblite help LIKE`, `cblite help 'IS MISSING'` and their kin.
///
/// The examples are run by a test, over the three documents of `FunctionReference.sampleDocuments`.
package struct OperatorReference: Sendable {
    /// In capitals, as a person would look it up: `IS MISSING`.
    package var name: String
    /// Other words that lead here.
    package var aliases: [String]
    package var syntax: String
    package var summary: String
    package var examples: [Example]

    package struct Example: Sendable {
        /// A condition or another expression, or a whole query.
        package var expression: String
        /// The value as JSON, or `MISSING`; of a query, its rows as JSON with blanks between them.
        package var result: String

        /// What the example is evaluated as: an expression over the first of the documents.
        package var query: String {
            expression.hasPrefix("SELECT ") ? expression : "SELECT \(expression) AS example FROM _ WHERE META().id = 'ada'"
        }
    }

    /// The entry for a name or an alias, whatever its case. `IS  NOT   MISSING` is `is missing`.
    package static func entry(named text: String) -> OperatorReference? {
        let words = text.uppercased().split(separator: " ").map(String.init)
        let name = words.joined(separator: " ")
        let positive = words.filter { $0 != "NOT" }.joined(separator: " ")
        return all.first { $0.name == name || $0.aliases.contains(name) }
            ?? all.first { $0.name == positive || $0.aliases.contains(positive) }
    }

    package static let all: [OperatorReference] = comparisons + tests + arithmetic + logic + collections + clauses

    private static func entry(
        _ name: String, _ aliases: [String] = [], _ syntax: String, _ summary: String, _ examples: KeyValuePairs<String, String>
    ) -> OperatorReference {
        OperatorReference(
            name: name, aliases: aliases, syntax: syntax, summary: summary,
            examples: examples.map { Example(expression: $0.key, result: $0.value) })
    }

    private static let comparisons = [
        entry(
            "=", ["==", "!=", "<>"], "a = b    a == b    a != b    a <> b",
            "Whether two values are equal, or differ. With something missing the answer is missing, with null it is null.",
            ["born = 1815": "true", "name != 'Ada'": "false", "nobody = 1": "MISSING"]),
        entry(
            "<", ["<=", ">", ">="], "a < b    a <= b    a > b    a >= b",
            "Which of two values comes first: numbers before texts, texts by their bytes.",
            ["born < 1900": "true", "name >= 'B'": "false"]),
        entry(
            "BETWEEN", [], "a [NOT] BETWEEN low AND high", "Whether a value lies between two others, both ends included.",
            ["born BETWEEN 1800 AND 1899": "true", "born NOT BETWEEN 1815 AND 1816": "false"]),
        entry(
            "LIKE", [], "text [NOT] LIKE pattern",
            "Whether a text matches a pattern: % is any text, _ one character, and \\ takes the next character literally. Capitals count; "
                + "COLLATE NOCASE or lower() makes them equal.",
            ["name LIKE 'A%'": "true", "address.city LIKE 'L_nd%'": "true", "lower(name) LIKE 'ada'": "true"]),
        entry(
            "COLLATE", ["NOCASE", "NODIAC", "UNICODE"], "expression COLLATE NOCASE | NODIAC | UNICODE[:locale] | (several)",
            "How texts are compared: without regard to capitals, to accents, or as a language sorts them. It ends an expression: put "
                + "parentheses around the two.",
            ["(name = 'ADA') COLLATE NOCASE": "true"]),
    ]

    private static let tests = [
        entry(
            "IS NULL", ["NULL"], "a IS [NOT] NULL", "Whether a property is there and holds null. What is missing is not null.",
            ["note IS NULL": "true", "name IS NULL": "false"]),
        entry(
            "IS MISSING", ["MISSING"], "a IS [NOT] MISSING", "Whether a document lacks a property.",
            ["email IS MISSING": "true", "SELECT name FROM _ WHERE address IS MISSING ORDER BY name": #"{"name":"Alan"} {"name":"Grace"}"#]),
        entry(
            "IS VALUED", ["VALUED"], "a IS [NOT] VALUED", "Whether a property is there and holds something else than null.",
            ["name IS VALUED": "true", "note IS VALUED": "false"]),
        entry("IS", [], "a IS [NOT] b", "The same as = and !=, but the answer is never missing.", ["nobody IS 1": "false"]),
        entry(
            "EXISTS", [], "EXISTS (SELECT …)", "Whether another query has rows. It cannot refer to the query around it.",
            ["EXISTS (SELECT name FROM _ WHERE born > 1910)": "true"]),
    ]

    private static let arithmetic = [
        entry("+", ["-"], "a + b    a - b", "Sum and difference of numbers.", ["born + 100": "1915"]),
        entry(
            "*", ["/", "%"], "a * b    a / b    a % b", "Product, quotient and remainder. Whole numbers divide without a remainder.",
            ["7 / 2": "3", "7 / 2.0": "3.5", "7 % 2": "1"]),
        entry(
            "||", ["CONCAT"], "text || text", "Two texts in one. What is missing makes all of it missing.",
            ["name || ' of ' || address.city": #""Ada of London""#, "name || nickname": "MISSING"]),
    ]

    private static let logic = [
        entry("AND", [], "a AND b", "Whether both conditions hold.", ["born > 1800 AND name = 'Ada'": "true"]),
        entry("OR", [], "a OR b", "Whether one of two conditions holds. AND binds tighter.", ["born > 1900 OR name = 'Ada'": "true"]),
        entry("NOT", [], "NOT a", "Whether a condition does not hold.", ["NOT born > 1900": "true"]),
        entry(
            "CASE", ["WHEN", "THEN", "ELSE"], "CASE WHEN condition THEN value … [ELSE value] END    CASE a WHEN b THEN value … END",
            "The value behind the first condition that holds, or behind the first b that equals a.",
            ["CASE WHEN born < 1900 THEN 'old' ELSE 'new' END": #""old""#, "CASE name WHEN 'Ada' THEN 1 ELSE 2 END": "1"]),
    ]

    private static let collections = [
        entry(
            "IN", [], "a [NOT] IN (b, c, …)    a [NOT] IN [b, c, …]",
            "Whether a value is one of several that are written out. For an array in a document: array_contains(array, a).",
            ["name IN ('Ada', 'Grace')": "true", "born NOT IN [1906, 1912]": "true"]),
        entry(
            "ANY", ["SOME", "SATISFIES"], "ANY v IN array SATISFIES condition END",
            "Whether a condition holds for an item of an array, or a value of an object.",
            ["ANY t IN tags SATISFIES t LIKE 'm%' END": "true"]),
        entry(
            "EVERY", ["ANY AND EVERY"], "[ANY AND] EVERY v IN array SATISFIES condition END",
            "Whether a condition holds for all items of an array. An empty array satisfies EVERY, but not ANY AND EVERY.",
            ["EVERY t IN tags SATISFIES t LIKE 'm%' END": "false"]),
        entry(
            "UNNEST", [], "FROM source AS s UNNEST s.array AS item", "A row for every item of an array.",
            [
                "SELECT p.name, t AS tag FROM _ AS p UNNEST p.tags AS t ORDER BY p.name, t":
                    #"{"name":"Ada","tag":"code"} {"name":"Ada","tag":"maths"} {"name":"Alan","tag":"code"}"#
            ]),
        entry(
            "[]", ["SUBSCRIPT", "PATH"], "address.city    tags[0]    tags[-1]",
            "A property of an object, an item of an array, from the front or from the end.",
            ["address.city": #""London""#, "tags[-1]": #""code""#, "tags[9]": "MISSING"]),
    ]

    private static let clauses = [
        entry(
            "FROM", ["AS"], "FROM collection [AS alias]",
            "Where the documents come from: _ is the default collection, others are name or scope.name.",
            ["SELECT p.born FROM _ AS p WHERE p.name = 'Ada'": #"{"born":1815}"#]),
        entry(
            "WHERE", [], "WHERE condition", "Only documents for which the condition is true: neither false, nor null, nor missing.",
            ["SELECT name FROM _ WHERE born > 1910": #"{"name":"Alan"}"#]),
        entry(
            "JOIN", ["LEFT JOIN", "INNER JOIN", "CROSS JOIN", "ON"], "FROM a [LEFT | INNER | CROSS] JOIN b ON condition",
            "Rows that combine documents of two collections. LEFT keeps those that find no partner.",
            [
                "SELECT a.name AS one, b.name AS other FROM _ AS a JOIN _ AS b ON a.born < b.born WHERE a.name = 'Grace'":
                    #"{"one":"Grace","other":"Alan"}"#
            ]),
        entry(
            "GROUP BY", ["GROUP", "HAVING"], "GROUP BY expression, … [HAVING condition]",
            "One row for all documents that have a value in common; HAVING leaves out groups.",
            [
                "SELECT t AS tag, count(1) AS uses FROM _ AS p UNNEST p.tags AS t GROUP BY t HAVING count(1) > 1":
                    #"{"tag":"code","uses":2}"#
            ]),
        entry(
            "ORDER BY", ["ORDER", "ASC", "DESC"], "ORDER BY expression [ASC | DESC], …",
            "In which order rows come; without it, in none that could be relied on. What is missing comes first.",
            ["SELECT name FROM _ ORDER BY born DESC": #"{"name":"Alan"} {"name":"Grace"} {"name":"Ada"}"#]),
        entry(
            "LIMIT", ["OFFSET"], "LIMIT n [OFFSET n]", "No more rows than this, after so many have been passed over.",
            ["SELECT name FROM _ ORDER BY name LIMIT 1 OFFSET 1": #"{"name":"Alan"}"#]),
        entry(
            "DISTINCT", [], "SELECT DISTINCT expression, …", "Each row once.",
            ["SELECT DISTINCT type(name) AS type FROM _": #"{"type":"string"}"#]),
        entry(
            "$", ["PARAMETER"], "$name", "A value that is given when the query is run: --param name=JSON.", ["$name IS MISSING": "true"]),
    ]
}

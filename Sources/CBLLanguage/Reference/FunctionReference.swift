/// What is told about a function of SQL++: the source of `cblite help NAME` and of the function chapter of docs/sqlpp-functions.md.
///
/// The examples are run by a test, over the three documents of `sampleDocuments`.
package struct FunctionReference: Sendable {
    package var name: String
    /// Other names for the same function.
    package var aliases: [String]
    package var signature: String
    package var group: Group
    package var summary: String
    package var examples: [Example]

    package enum Group: String, Sendable, CaseIterable {
        case strings = "Strings"
        case patterns = "Regular expressions"
        case numbers = "Numbers"
        case unknowns = "MISSING and null"
        case types = "Types"
        case arrays = "Arrays"
        case aggregates = "Aggregates"
        case dates = "Dates"
        case vectors = "Vectors"
        case special = "Documents and indexes"
    }

    package struct Example: Sendable {
        /// An expression, or a whole query.
        package var expression: String
        /// The value as JSON, `MISSING`, or `refused`.
        package var result: String

        /// What the example is evaluated over: aggregates over all sample documents, everything else over the first.
        package func query(in group: Group) -> String {
            expression.hasPrefix("SELECT ")
                ? expression : "SELECT \(expression) AS example FROM _" + (group == .aggregates ? "" : " WHERE META().id = 'ada'")
        }
    }

    /// One JSON document a line. The property `name` has a full-text index `names`.
    package static let sampleDocuments = """
        {"_id":"ada","name":"Ada","born":1815,"tags":["maths","code"],"note":null,"address":{"city":"London"}}
        {"_id":"alan","name":"Alan","born":1912,"tags":["code"]}
        {"_id":"grace","name":"Grace","born":1906,"tags":[]}
        """

    /// The reference entry for a name or alias, whatever its case.
    package static func entry(named name: String) -> FunctionReference? {
        let name = name.lowercased()
        return all.first { $0.name == name || $0.aliases.contains(name) }
    }

    package static let all: [FunctionReference] =
        strings + patterns + numbers + unknowns + types + arrays + aggregates + dates + vectors + special

    static func function(
        _ group: Group, _ signature: String, _ summary: String, aliases: [String] = [], _ examples: KeyValuePairs<String, String>
    ) -> FunctionReference {
        FunctionReference(
            name: String(signature.prefix { $0 != "(" }).lowercased(), aliases: aliases, signature: signature, group: group,
            summary: summary, examples: examples.map { Example(expression: $0.key, result: $0.value) })
    }
}

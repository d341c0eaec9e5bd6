import CBLLanguage

/// What `help` and the documentation say about the functions of SQL++, from their reference.
enum FunctionHelp {
    /// The page of one function, for a terminal.
    static func page(_ function: FunctionReference) -> String {
        var text = "\(function.signature)\n\n" + HelpText.paragraph(function.summary)
        if !function.aliases.isEmpty { text += "also: \(function.aliases.map { $0 + "()" }.joined(separator: ", "))\n" }
        if !function.examples.isEmpty {
            text += "\nExamples\n" + function.examples.map { "  \($0.expression) → \($0.result)\n" }.joined()
        }
        return text
    }

    /// All functions, group by group.
    static func overview() -> String {
        var text = "The functions of SQL++. 'cblite help FUNCTION' explains one.\n"
        for group in FunctionReference.Group.allCases {
            text += "\n\(group.rawValue)\n" + HelpText.list(functions(of: group).map { ($0.signature, $0.summary) })
        }
        return text
    }

    /// docs/sqlpp-functions.md
    static func chapter() -> String {
        var text = """
            # The functions of SQL++

            Generated from the program's own help (`cblite help functions`) by `make docs`. How to read it: names may be in any case; if an
            argument is MISSING the result is MISSING, else if one is null it is null, unless something else is said; wrong types give null.
            The examples are run by a test over the documents of [sqlpp.md](sqlpp.md): aggregates over all three, the others over the first.

            """
        for group in FunctionReference.Group.allCases {
            text += "\n## \(group.rawValue)\n\n| function | | examples |\n|---|---|---|\n"
            for function in functions(of: group) {
                let also = function.aliases.isEmpty ? "" : " Also " + function.aliases.map { "`\($0)()`" }.joined(separator: ", ") + "."
                let examples = function.examples.map { "`\($0.expression)` → `\($0.result)`" }.joined(separator: "<br>")
                text += "| `\(function.signature)` | \(escaped(function.summary))\(also) | \(escaped(examples)) |\n"
            }
        }
        return text
    }

    private static func functions(of group: FunctionReference.Group) -> [FunctionReference] {
        FunctionReference.all.filter { $0.group == group }
    }

    // A bar ends a cell of a table.
    private static func escaped(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }
}

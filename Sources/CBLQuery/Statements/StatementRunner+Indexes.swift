import CBLBase
import CBLLanguage
import CBLStore

extension StatementRunner {
    func run(_ index: CBLLanguage.Statement.CreateIndex) throws -> StatementOutcome {
        let collection = try existingCollection(index.collection)
        if try transaction.indexes().contains(where: { $0.name == index.name }) {
            guard index.ifNotExists else {
                throw StoreError(.exists, "there is an index \"\(index.name)\" already; names of indexes are unique in a database")
            }
            return .indexExists(index.name)
        }
        do {
            let definition = try IndexDefinition(
                name: index.name, in: collection, kind(of: index), index.expressionText, where: index.conditionText, language: .sqlpp)
            return .index(name: index.name, try transaction.createIndex(definition))
        } catch let error as QueryError {
            throw StatementRunner.withPlacesOfStatement(error, index)
        }
    }

    private func kind(of index: CBLLanguage.Statement.CreateIndex) throws(QueryError) -> IndexDefinition.Kind {
        switch index.kind {
        case .value, .array:
            if let option = index.options.first {
                throw QueryError(.meaning, "only a full-text index has options", range: option.value.range)
            }
            return index.kind == .value ? .value : .array(path: index.unnestPath ?? "")
        case .fullText: return .fullText(try StatementRunner.fullTextOptions(index.options))
        }
    }

    private static let optionNames = ["language", "ignoreDiacritics", "disableStemming", "stopWords"]

    private static func fullTextOptions(_ members: [QueryExpression.Member]) throws(QueryError) -> FullTextOptions {
        var options = FullTextOptions()
        for member in members {
            func refuse(_ kind: String) -> QueryError {
                QueryError(.meaning, "the option \(member.key) is \(kind)", range: member.value.range)
            }
            switch (member.key, member.value.node) {
            case ("language", .string(let language)): options.language = language
            case ("language", .null): options.language = nil
            case ("language", _): throw refuse("the code of a language, such as 'en', or null")
            case ("ignoreDiacritics", .boolean(let isOn)): options.ignoresDiacritics = isOn
            case ("disableStemming", .boolean(let isOn)): options.disablesStemming = isOn
            case ("ignoreDiacritics", _), ("disableStemming", _): throw refuse("true or false")
            case ("stopWords", .string(let words)): options.stopWords = words
            case ("stopWords", .array(let items)):
                let words = items.compactMap { if case .string(let word) = $0.node { word } else { String?.none } }
                guard words.count == items.count else { throw refuse("a list of words") }
                options.stopWords = words.joined(separator: " ")
            case ("stopWords", _): throw refuse("a list of words")
            default:
                let hint = Suggestion.sentence(for: member.key, in: optionNames)
                throw QueryError(.meaning, "a full-text index has no option \(member.key).\(hint)", range: member.value.range)
            }
        }
        return options
    }

    /// Places in the text of an index's definition as places in the statement: the definition is its expressions, ` WHERE `, and its condition.
    private static func withPlacesOfStatement(_ error: QueryError, _ index: CBLLanguage.Statement.CreateIndex) -> QueryError {
        var error = error
        let start = index.expressions.first?.range.start ?? 0
        let conditionStart = index.expressionText.utf8.count + " WHERE ".utf8.count
        for place in error.diagnostics.indices where !error.diagnostics[place].range.isNone {
            let range = error.diagnostics[place].range
            let shift = range.start < conditionStart ? start : (index.condition?.range.start ?? conditionStart) - conditionStart
            error.diagnostics[place].range = SourceRange(range.start + shift, range.end + shift)
        }
        return error
    }
}

import CBLBase
import CBLLanguage
import CBLQuery
import CBLStore

/// Tells a person at a terminal of properties that no document has: most are slips. It never refuses anything.
struct UnknownProperties {
    // Nobody should wait for a remark.
    private static let patience = Duration.milliseconds(150)
    // In a small collection that is enough for each, whatever went before.
    private static let leastPatience = Duration.milliseconds(20)
    private static let most = 3

    let session: Session
    let snapshot: Snapshot

    /// Nil where nobody looks.
    init?(_ session: Session, _ snapshot: Snapshot) {
        guard UnknownProperties.areTold(in: session) else { return nil }
        (self.session, self.snapshot) = (session, snapshot)
    }

    static func areTold(in session: Session) -> Bool { session.terminal.errorIsTerminal && !session.options.isQuiet }

    func tell(of query: Query) {
        var known: [CollectionName: [String]] = [:]
        var told = 0
        let start = Instant.now
        for property in query.translated.properties {
            guard told < UnknownProperties.most, !property.steps.isEmpty, let name = CollectionName(property.collection) else { continue }
            // What is right is found in the first document as a rule.
            let left = UnknownProperties.patience - (Instant.now - start)
            guard isNowhere(property.steps, name, within: max(left, UnknownProperties.leastPatience)) else { continue }
            let paths = known[name] ?? ((try? CompletionNames.quickly(snapshot) { try $0.propertyPaths(of: name) }) ?? [])
            known[name] = paths
            let path = UnknownProperties.text(property.steps)
            guard !paths.isEmpty, !paths.contains(path) else { continue }
            told += 1
            let place = name.isDefault ? "" : " of \(name)"
            let suggestion = Suggestion.sentence(for: path, in: paths, quoted: true)
            let isText = suggestion.isEmpty && property.steps.count == 1 && session.shell != nil
            session.remark("(No document\(place) has \"\(path)\".\(suggestion)\(isText ? " A text stands in quotes: '\(path)'." : ""))")
        }
    }

    /// The same of expressions in SQL++ over the documents of a collection.
    func tell(of expressions: String, in collection: CollectionName) {
        guard var select = try? Select(sqlpp: expressions) else { return }
        select.sources = [Select.Source(.collection(scope: collection.scope, name: collection.name))]
        if let query = try? Query(select, on: snapshot) { tell(of: query) }
    }

    /// As completion and `schema` write it: `reviews[].author`.
    private static func text(_ steps: [TranslatedQuery.Property.Step]) -> String {
        var text = ""
        for step in steps {
            switch step {
            case .name(let name): text += (text.isEmpty ? "" : ".") + Lexer.name(name)
            case .item: text += "[]"
            }
        }
        return text
    }

    /// Whether there is something at a place; of arrays, in any of their items.
    private func isThere(_ steps: ArraySlice<TranslatedQuery.Property.Step>, in item: String? = nil) -> QueryExpression {
        var path = PropertyPath()
        let end = steps.firstIndex(of: .item) ?? steps.endIndex
        for case .name(let name) in steps[..<end] { path.components.append(.name(name)) }
        let value = QueryExpression(item.map { .variable($0, path) } ?? .property(path))
        guard end < steps.endIndex else { return QueryExpression(.operation(.isNot, [value, QueryExpression(.missing)])) }
        let variable = "item\(end)"
        return QueryExpression(
            .quantified(.any, variable: variable, collection: value, predicate: isThere(steps[(end + 1)...], in: variable)))
    }

    /// Whether none has it; false if that cannot be seen in time.
    private func isNowhere(
        _ steps: [TranslatedQuery.Property.Step], _ collection: CollectionName, within limit: Duration
    ) -> Bool {
        var select = Select()
        select.sources = [Select.Source(.collection(scope: collection.scope, name: collection.name), alias: "= row")]
        select.results = [Select.Result(QueryExpression(.integer(1)))]
        select.condition = isThere(steps[...])
        select.limit = QueryExpression(.integer(1))
        do {
            let options = QueryOptions(timeLimit: limit)
            return try !Query(select, on: snapshot).run(on: snapshot, options: options).next()
        } catch {
            return false
        }
    }
}

extension Session {
    /// Tells of properties that no document has, of those that a select speaks of. It is made only where somebody looks.
    func tellOfUnknownProperties(of database: Database, in select: (Snapshot) throws -> Select) throws {
        guard UnknownProperties.areTold(in: self) else { return }
        try database.read { snapshot in
            guard let unknown = UnknownProperties(self, snapshot), let query = try? Query(select(snapshot), on: snapshot) else { return }
            unknown.tell(of: query)
        }
    }

    /// The same of expressions over the documents of a collection.
    func tellOfUnknownProperties(of database: Database, in expressions: String, _ collection: CollectionName) throws {
        guard UnknownProperties.areTold(in: self) else { return }
        try database.read { UnknownProperties(self, $0)?.tell(of: expressions, in: collection) }
    }
}

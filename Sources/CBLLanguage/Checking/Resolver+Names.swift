import CBLBase

extension Resolver {
    // Properties

    func property(_ path: PropertyPath, _ range: SourceRange) -> Term {
        let path = asHandedOn(path, range)
        var rest = path.components[...]
        guard let target = scope.target(of: &rest) else {
            return fail("property '\(path.text)' does not begin with a declared 'AS' alias", range, hint: aliasHint)
        }
        let row: RowReference
        switch target {
        case .output(let index): return output(index, rest, range)
        case .source(let index):
            guard clause != .limit, clause != .offset else { return fail("\(clause.rawValue) cannot depend on a document", range) }
            row = scope.sources[index].row
        case .row: row = scope.row ?? RowReference(.document, prefix: "")
        }
        guard let first = rest.first else { return .property(Term.Property(row: row, path: ""), .value) }
        guard case .name(let name) = first, !name.isEmpty else { return fail("property cannot start with an array index", range) }
        if let key = MetaKey(shortcut: name) {
            if rest.count > 1 { return fail("invalid properties after a meta property", range) }
            return meta(key, of: row, target, range)
        }
        if case .source(let index) = target { note(place(rest, of: index)) }
        return .property(Term.Property(row: row, path: PropertyPath(Array(rest)).text), .value)
    }

    /// A path as the reference understands it. It hands paths of SQL++ on as text, without another backslash before a backslash, so that
    /// `a\b` is the property `ab`. An app would find something else than this program otherwise.
    func asHandedOn(_ path: PropertyPath, _ range: SourceRange) -> PropertyPath {
        let isBackslashed = path.components.contains { component in
            guard case .name(let name) = component else { return false }
            return name.utf8.contains(UInt8(ascii: "\\"))
        }
        // What has no range is from the JSON form, where everything can be said.
        guard isBackslashed, !range.isNone else { return path }
        return PropertyPath(text: path.jsonForm) ?? path
    }

    private var aliasHint: String? {
        let names = scope.sources.map { "\"\($0.alias)\"" }.joined(separator: ", ")
        return "There is more than one source (\(names)): a property starts with the name of its source."
    }

    private func output(_ index: Int, _ path: ArraySlice<PropertyPath.Component>, _ range: SourceRange) -> Term {
        let output = scope.outputs[index]
        switch clause {
        case .results, .on, .unnest:
            return fail("the result '\(output.alias)' cannot be used in \(clause.rawValue)", range)
        case _ where output.isAggregate && !clause.allowsAggregates:
            return fail("the result '\(output.alias)' is an aggregate and cannot be used in \(clause.rawValue)", range)
        case _ where output.isAggregate && isInsideAggregate:
            return fail("the result '\(output.alias)' is an aggregate itself", range)
        default: break
        }
        if path.isEmpty { return .output(output.name) }
        return .call("fl_nested_value", [.output(output.name), .literal(SQLText.string(PropertyPath(Array(path)).text))], .any)
    }

    // What is known of documents beside their bodies

    private func meta(_ key: MetaKey, of row: RowReference, _ target: Scope.Target, _ range: SourceRange) -> Term {
        if row.shape != .document, key != .id {
            return fail("an unnested item has no meta property '\(key.rawValue)'; its document has", range)
        }
        if case .source(let index) = target, key == .deleted { scope.sources[index].readsDeleted = true }
        return .meta(key, row)
    }

    /// The source that a `META()` is about.
    private func metaTarget(_ source: String?, _ range: SourceRange) -> Scope.Target? {
        if scope.row != nil, source == nil { return .row }
        guard let source else { return .source(0) }
        if let path = PropertyPath(text: source) {
            var rest = path.components[...]
            if case .source(let index)? = scope.target(of: &rest, isIndexName: true), rest.isEmpty { return .source(index) }
        }
        let hint = Suggestion.sentence(for: source, in: scope.sources.map(\.alias), quoted: true)
        fail("database alias '\(source)' does not match a declared 'AS' alias", range, hint: hint.isEmpty ? nil : String(hint.dropFirst()))
        return nil
    }

    /// The row that a `META()` is about, whose deleted documents are of interest then.
    func meta(_ source: String?, _ range: SourceRange) -> RowReference? {
        switch metaTarget(source, range) {
        case .source(let index)? where index < scope.sources.count:
            let row = scope.sources[index].row
            if row.shape != .document {
                fail("an unnested item has no META(); its document has", range)
                return nil
            }
            scope.sources[index].readsDeleted = true
            return row
        case .row?: return scope.row
        default: return nil
        }
    }

    func metaMember(_ source: String?, _ path: PropertyPath, _ expression: QueryExpression) -> Term {
        guard let key = MetaKey(name: path.text) else {
            let hint = Suggestion.sentence(for: path.text, in: MetaKey.allCases.lazy.filter { $0 != .rowid }.map(\.rawValue))
            return fail("'\(path.text)' is not a valid Meta key", expression.range, hint: hint.isEmpty ? nil : String(hint.dropFirst()))
        }
        switch metaTarget(source, expression.range) {
        case .source(let index)? where index < scope.sources.count:
            return meta(key, of: scope.sources[index].row, .source(index), expression.range)
        case .row?: return .meta(key, scope.row ?? RowReference(.document, prefix: ""))
        default: return .missing
        }
    }

    // Full-text indexes

    func match(_ expression: QueryExpression, isAllowed: Bool) -> Term {
        guard case .match(let name, let query) = expression.node else { return .missing }
        guard clause == .condition else { return fail("a MATCH is not allowed outside the WHERE clause", expression.range) }
        guard isAllowed else { return fail("MATCH can only appear at top-level, or in a top-level AND", expression.range) }
        let text = resolve(query)
        guard let (source, index) = indexName(name, "MATCH", expression.range), let known = fullTextIndex(source, index) else {
            return .missing
        }
        return .match(known.reference, text)
    }

    func rank(_ name: String, _ range: SourceRange) -> Term {
        if clause == .index { return fail("RANK() cannot be used in an index", range) }
        guard let (source, index) = indexName(name, "RANK", range) else { return .missing }
        guard let known = fullTextIndex(source, index) else { return fail("RANK() cannot be used without MATCH()", range) }
        return .rank(known.reference)
    }

    private func fullTextIndex(_ source: Int, _ name: String) -> Scope.FullTextIndex? {
        scope.fullTextIndexes.first { $0.name == name && scope.sources[$0.source].collection == scope.sources[source].collection }
    }

    /// The source and the name of an index.
    private func indexName(_ text: String, _ function: String, _ range: SourceRange) -> (source: Int, name: String)? {
        guard let path = PropertyPath(text: text) else {
            fail("invalid property path '\(text)'", range)
            return nil
        }
        var rest = path.components[...]
        guard case .source(let source)? = scope.target(of: &rest, isIndexName: true) else {
            fail("property '\(path.text)' does not begin with a declared 'AS' alias", range, hint: aliasHint)
            return nil
        }
        guard scope.sources[source].collection != nil else {
            fail("invalid source collection for \(function)()", range)
            return nil
        }
        if rest.isEmpty {
            fail("missing property after collection alias in \(function)()", range)
            return nil
        }
        return (source, PropertyPath(Array(rest)).text)
    }

    /// Finds the indexes of all MATCHes of a condition that are where they may be.
    func collectMatches(_ condition: QueryExpression) {
        var pending = [condition]
        while let expression = pending.popLast() {
            switch expression.node {
            case .operation(.and, let operands): pending += operands.reversed()
            case .match(let name, _): addFullTextIndex(name, expression.range)
            default: break
            }
        }
    }

    private func addFullTextIndex(_ text: String, _ range: SourceRange) {
        guard let (source, name) = indexName(text, "MATCH", range), let collection = scope.sources[source].collection else { return }
        if fullTextIndex(source, name) != nil {
            fail("Sorry, multiple MATCHes of the same property are not allowed", range)
            return
        }
        guard let table = schema.fullTextTable(index: name, of: collection) else { return failForMissingIndex(name, range) }
        let reference = FullTextReference(alias: scope.freeIndexAlias, table: table)
        scope.fullTextIndexes.append(Scope.FullTextIndex(source: source, name: name, reference: reference))
    }
}

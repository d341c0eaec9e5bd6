import CBLBase

extension Resolver {
    private static let joins = ["INNER", "LEFT", "LEFT OUTER", "CROSS"]

    /// Makes the items of FROM known. The default collection is there if there are none.
    func addSources(_ sources: [Select.Source]) {
        for (index, source) in sources.enumerated() {
            switch source.origin {
            case .collection(let scope, let name): addCollection(source, scope, name, isFirst: index == 0)
            case .unnest:
                if index == 0 { fail("first FROM item must be primary source", source.range) }
                let alias = source.alias ?? ""
                if !alias.isEmpty { checkAlias(alias, source.range) }
                add(source: alias, title: alias, .each, hasExplicitAlias: true)
            }
        }
        if sources.isEmpty {
            add(source: "_doc", title: "_doc", .document, hasExplicitAlias: true)
            scope.sources[0].path = ("_default", "_default")
            scope.sources[0].collection = defaultCollection(.none)
        }
        disambiguateTitles()
    }

    private func add(source alias: String, title: String, _ shape: RowReference.Shape, hasExplicitAlias: Bool) {
        let prefix = alias.isEmpty ? "" : SQLText.identifier(alias) + "."
        let row = RowReference(shape, prefix: prefix, isGrouped: scope.isGrouped)
        scope.sources.append(Scope.Source(alias: alias, hasExplicitAlias: hasExplicitAlias, title: title, row: row))
    }

    private func addCollection(_ source: Select.Source, _ scopeName: String?, _ name: String?, isFirst: Bool) {
        checkJoin(source, isFirst: isFirst)
        if source.alias == nil, name == nil { fail("missing AS and COLLECTION in FROM item", source.range) }
        if source.alias == "" { fail("invalid alias 'AS '", source.range) }
        var path = (scope: Resolver.scopeName(scopeName), name: name == nil || name == "_" ? "_default" : name ?? "")
        if scopeName == nil, name == nil, let first = scope.sources.first?.path { path = first }
        let isDefaultScope = path.scope == "_default"
        let alias = source.alias ?? (isDefaultScope ? name ?? "_" : path.scope + "." + (name ?? "_"))
        checkAlias(alias, source.range)
        add(source: alias, title: source.alias ?? name ?? "_", .document, hasExplicitAlias: source.alias != nil)
        scope.sources[scope.sources.count - 1].path = path
        scope.sources[scope.sources.count - 1].collection = collection(path.scope, path.name, source.range)
    }

    private static func scopeName(_ name: String?) -> String {
        guard let name, name != "_", !name.isEmpty else { return "_default" }
        return name
    }

    private func checkJoin(_ source: Select.Source, isFirst: Bool) {
        let isJoin = source.join != nil || source.on != nil
        if let join = source.join {
            let kind = join.asciiUppercased
            if !Resolver.joins.contains(kind) {
                fail("invalid JOIN type", source.range, hint: "There are INNER, LEFT, LEFT OUTER and CROSS joins.")
            } else if kind == "CROSS" {
                if source.on != nil { fail("CROSS JOIN cannot accept an ON clause", source.on?.range ?? source.range) }
            } else if source.on == nil {
                fail("missing ON for JOIN", source.range)
            }
        }
        if isFirst, isJoin { fail("first FROM item must be primary source", source.range) }
        if !isFirst, !isJoin { fail("multiple non-join FROM items", source.range) }
    }

    private func collection(_ scopeName: String, _ name: String, _ range: SourceRange) -> QueryCollection? {
        let isDefaultScope = scopeName == "_default"
        if isDefaultScope, name == "_default" { return defaultCollection(range) }
        if let collection = schema.collection(scope: scopeName, name: name) { return collection }
        if isDefaultScope, name == schema.databaseName { return defaultCollection(range) }
        let full = isDefaultScope ? name : scopeName + "." + name
        if !Resolver.isCollectionName(name) || !isDefaultScope && !Resolver.isCollectionName(scopeName) {
            fail("\"\(full)\" is not a valid collection name", range)
        } else {
            let known = schema.collectionNames
            // A name that is right but for its scope is a likelier guess than one that is spelled alike.
            let namesake = known.first { $0.hasSuffix("." + name) }
            let guess = namesake ?? Suggestion.closest(to: full, in: known)
            fail("no such collection \"\(full)\"", range, hint: guess.map { "Did you mean \"\($0)\"?" })
        }
        return nil
    }

    /// Every database has it, but something else can stand in the place of its table.
    private func defaultCollection(_ range: SourceRange) -> QueryCollection? {
        if let collection = schema.collection(scope: "_default", name: "_default") { return collection }
        fail("the default collection cannot be read: its table kv_default is not as Couchbase Lite makes it", range)
        return nil
    }

    static func isCollectionName(_ name: String) -> Bool {
        guard let first = name.utf8.first, first != UInt8(ascii: "_"), first != UInt8(ascii: "%"), name.utf8.count <= 251 else {
            return false
        }
        return name.utf8.allSatisfy { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "%") || String(UnicodeScalar($0)).isWord }
    }

    // The reference renames a source at a time, so of two namesakes the second keeps its name.
    private func disambiguateTitles() {
        for (index, source) in scope.sources.enumerated() {
            guard let path = source.path, path.scope != "_default", !source.title.contains(".") else { continue }
            let isTaken = scope.sources.indices.contains { $0 != index && scope.sources[$0].title == source.title }
            if isTaken { scope.sources[index].title = path.scope + "." + source.title }
        }
    }

    /// Resolves the expressions of FROM: what is unnested first, as that tells what its rows look like.
    func resolveSources(_ sources: [Select.Source]) -> [ResolvedSelect.Source] {
        var resolved = scope.sources.map { source in
            let none = QueryCollection(scope: "", name: "", table: "", tableWithDeleted: "", mayHoldDeleted: false)
            return ResolvedSelect.Source(origin: .collection(source.collection ?? none), alias: source.alias)
        }
        clause = .unnest
        for (index, source) in sources.enumerated() {
            guard case .unnest(let expression) = source.origin, index > 0 else { continue }
            resolved[index].origin = .unnest(unnest(expression, index))
            resolved[index].alias = scope.sources[index].alias
        }
        clause = .on
        for (index, source) in sources.enumerated() where source.join != nil || source.on != nil {
            resolved[index].join = source.join?.asciiUppercased ?? "INNER"
            resolved[index].on = source.on.map { resolve($0) }
        }
        return resolved
    }

    private func unnest(_ expression: QueryExpression, _ index: Int) -> Term {
        guard case .property = expression.node, case .property(let property, .value) = resolve(expression) else {
            if case .property = expression.node, !diagnostics.isEmpty { return .missing }
            return fail(
                "the use of a general expression as the object of UNNEST is not supported; only a property path is allowed.",
                expression.range)
        }
        if property.row === scope.sources[index].row { return fail("an UNNEST cannot refer to itself", expression.range) }
        scope.sources[index].items = place(ofItems: expression)
        if scope.sources[index].alias.isEmpty, !property.path.isEmpty {
            // The alias is the path, but no title.
            checkAlias(property.path, expression.range)
            scope.sources[index].alias = property.path
            let prefix = SQLText.identifier(property.path) + "."
            scope.sources[index].row = RowReference(.each, prefix: prefix, isGrouped: scope.isGrouped)
        }
        return .property(property, .value)
    }

    /// Decides which tables are read, once it is known which of the sources are asked for deleted documents.
    func settleSources(_ resolved: inout ResolvedSelect) {
        var plainNames = [String?](repeating: nil, count: resolved.sources.count)
        for (index, source) in scope.sources.enumerated() {
            resolved.sources[index].readsDeleted = source.readsDeleted
            switch resolved.sources[index].origin {
            case .collection(let collection):
                documentSources.append(
                    TranslatedQuery.Source(alias: source.alias, collection: collection, readsDeleted: source.readsDeleted))
                // The tables of array indexes leave deleted documents out.
                if !source.readsDeleted { plainNames[index] = collection.table }
                if collection.mayHoldDeleted, !source.readsDeleted { leaveOutDeleted(index, &resolved) }
            case .unnest(.property(let property, .value)):
                guard !property.path.isEmpty, let parent = scope.sources.firstIndex(where: { $0.row === property.row }), parent < index,
                    let start = plainNames[parent]
                else { continue }
                let plain =
                    start + (scope.sources[parent].collection == nil ? "[]." : ":unnest:") + Resolver.escapingCapitals(property.path)
                guard let table = schema.unnestTable(plainName: plain) else { continue }
                plainNames[index] = plain
                source.row.shape = .arrayTable
                resolved.sources[index].origin = .arrayTable(table, parent: scope.sources[parent].alias)
            default: break
            }
        }
    }

    private func leaveOutDeleted(_ index: Int, _ resolved: inout ResolvedSelect) {
        let isLive = Term.isLive(scope.sources[index].row)
        func adding(to condition: Term?) -> Term {
            condition.map { .infix("AND", rank: Rank.conjunction, [$0, isLive], .boolean) } ?? isLive
        }
        if resolved.sources[index].join == nil {
            resolved.condition = adding(to: resolved.condition)
        } else {
            resolved.sources[index].on = adding(to: resolved.sources[index].on)
        }
    }

    /// SQLite's names of tables do not tell cases apart, so capitals are marked.
    static func escapingCapitals(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }) else { return text }
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            if byte >= UInt8(ascii: "A"), byte <= UInt8(ascii: "Z") { escaped.append(UInt8(ascii: "\\")) }
            escaped.append(byte)
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

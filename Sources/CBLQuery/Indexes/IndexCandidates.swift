import CBLLanguage
import CBLStore

/// Indexes that might help a query, read off its syntax tree.
struct IndexCandidates {
    /// An index without a name.
    struct Candidate: Hashable {
        let collection: CollectionName
        let path: String?
        let expressions: [Column]
    }

    /// An expression over the documents of one source, or over the items of an array.
    struct Column: Hashable {
        let json: String
        /// The property as SQL++ has it; nil for other expressions.
        let text: String?
    }

    /// What the query says of the columns of a source.
    private struct Uses {
        /// Compared with what does not depend on any document.
        var equal: [Column] = []
        /// Compared with columns of other sources.
        var joined: [Column] = []
        var ranges: [Column] = []
        var alternatives: [Column] = []
        var order: [Column] = []
        var groups: [Column] = []
    }

    private struct Source {
        let alias: String
        let collection: CollectionName
        /// The path of the array whose items these are, with the levels of those around it.
        let path: String?
    }

    private var sources: [Source] = []
    private var uses: [Uses] = []
    /// Advice on what no index can help.
    private(set) var notes: [String] = []

    init(_ select: Select, _ schema: any QuerySchema) {
        for source in select.sources { add(source, schema) }
        if select.sources.isEmpty { sources = [Source(alias: "_", collection: .default, path: nil)] }
        uses = sources.map { _ in Uses() }
        for condition in [select.condition].compactMap({ $0 }) + select.sources.compactMap(\.on) { read(condition) }
        readOrder(select)
    }

    /// The candidates, the most promising first.
    var all: [Candidate] {
        var candidates: [Candidate] = []
        func add(_ source: Source, _ columns: [Column]) {
            var known: Set<Column> = []
            let candidate = Candidate(
                collection: source.collection, path: source.path, expressions: columns.filter { known.insert($0).inserted })
            if !columns.isEmpty || source.path != nil, !candidates.contains(candidate) { candidates.append(candidate) }
        }
        for (source, use) in zip(sources, uses) {
            // Equal values first, then one range; what comes behind a range is not searched by.
            for range in use.ranges { add(source, use.equal + [range]) }
            if use.ranges.isEmpty, !use.equal.isEmpty { add(source, use.equal + use.order) }
            if !use.order.isEmpty { add(source, use.equal) }
            if !use.joined.isEmpty { add(source, use.joined + use.equal) }
            for column in use.alternatives { add(source, [column]) }
            if use.equal.isEmpty, use.ranges.isEmpty, use.joined.isEmpty {
                add(source, use.groups)
                add(source, use.order)
            }
            if source.path != nil { add(source, []) }
        }
        return candidates
    }

    // Sources

    private mutating func add(_ source: Select.Source, _ schema: any QuerySchema) {
        switch source.origin {
        case .collection(let scope, let name):
            let isDefault = name == nil || name == "_" || (scope == nil && name == schema.databaseName)
            let collection =
                isDefault ? CollectionName.default : try? CollectionName(scope: scope ?? CollectionName.defaultName, name: name ?? "")
            guard let collection else { return }
            sources.append(Source(alias: source.alias ?? name ?? "_", collection: collection, path: nil))
        case .unnest(let expression):
            guard let alias = source.alias, case .property(let path) = expression.node, let outer = owner(of: path) else { return }
            let parent = sources[outer.index]
            guard let level = outer.path.sourceText else { return }
            sources.append(
                Source(alias: alias, collection: parent.collection, path: parent.path.map { "\($0)[].\(level)" } ?? level))
        }
    }

    /// The source that a property is of, and its path within the document.
    private func owner(of path: PropertyPath) -> (index: Int, path: PropertyPath)? {
        if case .name(let first)? = path.components.first,
            let index = sources.firstIndex(where: { $0.alias.lowercased() == first.lowercased() })
        {
            return (index, PropertyPath(Array(path.components.dropFirst())))
        }
        return sources.filter({ $0.path == nil }).count == 1 ? (0, path) : nil
    }

    // Conditions

    private mutating func read(_ condition: QueryExpression) {
        switch condition.node {
        case .operation(.and, let operands): for operand in operands { read(operand) }
        case .operation(.or, let operands): readAlternatives(operands)
        case .operation(let operation, let operands): read(operation, operands)
        case .quantified(_, _, let collection, _): noteQuantifier(collection)
        case .collate(_, let operand): read(operand)
        default: break
        }
    }

    private mutating func read(_ operation: Operator, _ operands: [QueryExpression]) {
        switch operation {
        case .equal, .is:
            guard operands.count == 2 else { return }
            for (one, other) in [(operands[0], operands[1]), (operands[1], operands[0])] {
                let isConstant = sources.indices.allSatisfy { !references(other, $0) }
                note(one, against: [other]) { if isConstant { $0.equal.append($1) } else { $0.joined.append($1) } }
            }
        case .in:
            guard operands.count == 2, case .array(let items) = operands[1].node else { return }
            note(operands[0], against: items) { $0.equal.append($1) }
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            guard operands.count == 2 else { return }
            note(operands[0], against: [operands[1]]) { $0.ranges.append($1) }
            note(operands[1], against: [operands[0]]) { $0.ranges.append($1) }
        case .between:
            guard let first = operands.first else { return }
            note(first, against: Array(operands.dropFirst())) { $0.ranges.append($1) }
        case .like: readLike(operands)
        default: break
        }
    }

    private mutating func readAlternatives(_ operands: [QueryExpression]) {
        // SQLite looks each up by itself, if there is an index for every one of them.
        let outer = uses
        for operand in operands { read(operand) }
        for index in uses.indices {
            let found = uses[index].equal.dropFirst(outer[index].equal.count) + uses[index].ranges.dropFirst(outer[index].ranges.count)
            let alternatives = uses[index].alternatives + found
            uses[index] = outer[index]
            uses[index].alternatives = alternatives
        }
    }

    private mutating func readLike(_ operands: [QueryExpression]) {
        guard operands.count == 2, case .string(let pattern) = operands[1].node, let first = pattern.first else { return }
        guard first == "%" || first == "_" else { return note(operands[0], against: []) { $0.ranges.append($1) } }
        let text = column(operands[0])?.column.text
        notes.append(
            "no index helps LIKE '\(pattern)', which does not begin with letters"
                + (text.map { "; for words within texts, a full-text index of \($0) (--fts) and MATCH do" } ?? ""))
    }

    private mutating func noteQuantifier(_ collection: QueryExpression) {
        guard let path = column(collection)?.column.text else { return }
        notes.append("no index helps ANY and EVERY; written with UNNEST, the query can use an array index (--unnest '\(path)')")
    }

    /// Notes a column if the other side does not depend on the same source.
    private mutating func note(_ expression: QueryExpression, against others: [QueryExpression], _ add: (inout Uses, Column) -> Void) {
        guard let (source, column) = column(expression), !others.contains(where: { references($0, source) }) else { return }
        add(&uses[source], column)
    }

    private func references(_ expression: QueryExpression, _ source: Int) -> Bool {
        expression.first { part in
            if case .property(let path) = part.node { return owner(of: path)?.index ?? source == source }
            if case .meta = part.node { return true }
            if case .select = part.node { return true }
            return false
        } != nil
    }

    private mutating func readOrder(_ select: Select) {
        func columns(_ expressions: [QueryExpression]) -> (source: Int, columns: [Column])? {
            let found = expressions.map { column($0) }
            guard let first = found.first, let source = first?.source, found.allSatisfy({ $0?.source == source }) else { return nil }
            return (source, found.compactMap { $0?.column })
        }
        if let groups = columns(select.groupBy) { uses[groups.source].groups = groups.columns }
        let directions = Set(select.orderBy.map(\.isDescending))
        if directions.count == 1, let order = columns(select.orderBy.map(\.expression)) { uses[order.source].order = order.columns }
    }

    // Columns

    /// An expression that is about one source alone, as an index of that source has it.
    private func column(_ expression: QueryExpression) -> (source: Int, column: Column)? {
        var source: Int?
        guard let local = localized(expression, &source), let source else { return nil }
        var text: String?
        if case .property(let path) = local.node { text = path.sourceText }
        return (source, Column(json: local.jsonForm(), text: text))
    }

    private func localized(_ expression: QueryExpression, _ source: inout Int?) -> QueryExpression? {
        var copy = expression
        switch expression.node {
        case .property(let path):
            guard let owner = owner(of: path), source == nil || source == owner.index else { return nil }
            if owner.path.components.isEmpty, sources[owner.index].path == nil { return nil }
            source = owner.index
            copy.node = .property(owner.path)
        case .function(let name, let arguments):
            let inner = arguments.map { localized($0, &source) }
            guard !inner.contains(nil) else { return nil }
            copy.node = .function(name, inner.compactMap { $0 })
        case .operation(let operation, let operands):
            let inner = operands.map { localized($0, &source) }
            guard !inner.contains(nil) else { return nil }
            copy.node = .operation(operation, inner.compactMap { $0 })
        case .collate(let collation, let operand):
            guard let inner = localized(operand, &source) else { return nil }
            copy.node = .collate(collation, inner)
        case .null, .missing, .boolean, .integer, .unsigned, .float, .string: break
        default: return nil
        }
        return copy
    }
}

extension PropertyPath {
    /// The path as SQL++ has it, with backquotes where names need them; nil for a path without names.
    var sourceText: String? {
        var text = ""
        for (place, component) in components.enumerated() {
            switch component {
            case .index(let index): text += "[\(index)]"
            case .name(let name):
                // A word that is not reserved may be no name all the same, such as one that a clause begins with.
                let plain = Lexer.name(name)
                let isName = (try? Select(sqlpp: "SELECT \(plain)"))?.results.count == 1
                text += (place > 0 ? "." : "") + (isName ? plain : Lexer.quotedName(name))
            }
        }
        return text.isEmpty ? nil : text
    }
}

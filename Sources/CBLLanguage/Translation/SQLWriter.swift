/// Writes resolved expressions down as SQL.
///
/// The text of an expression is the same in a query and in an index: SQLite uses an index only where it finds the same expression, and the
/// vendor's library compares the texts of indexes.
struct SQLWriter {
    private(set) var sql = ""
    /// Whether searches of vectors are told their limit by a condition, as SQLite before 3.41 does not tell it to tables with a MATCH.
    var tellsLimits = false
    /// The rank of the operation around the current one.
    private var rank = 0

    // Each kind of expression has a function of its own, so that the frames of the recursion stay small.

    mutating func write(_ text: String) { sql += text }

    /// Writes an expression as an operand of an operation of some rank.
    mutating func write(_ term: Term, within rank: Int) {
        let outer = self.rank
        self.rank = rank
        write(term)
        self.rank = outer
    }

    private mutating func write(_ term: Term) {
        switch term {
        case .literal(let text), .output(let text): sql += text
        case .parameter(let name): sql += "$" + SQLText.identifier("_" + name)
        case .variable(let name): sql += "_" + name + ".value"
        case .variableBody(let name): sql += "_" + name + ".body"
        case .property(let property, let accessor): write(property, accessor)
        case .meta(let key, let row): write(key, row.prefix)
        case .metaObject(let row): writeMetaObject(row.prefix)
        case .isLive(let row): sql += "(" + row.prefix + "flags & 1 = 0)"
        case .call(let name, let arguments, _): writeCall(name, arguments)
        case .countRows: sql += "count(*)"
        case .infix: writeInfix(term)
        case .prefix: writePrefix(term)
        case .membership: writeMembership(term)
        case .like: writeLike(term)
        case .between: writeBetween(term)
        case .conditional: writeConditional(term)
        case .collate: writeCollate(term)
        case .contains(let collection, let value): writeContains(collection, value)
        case .quantified: writeQuantified(term)
        case .subselect(let select):
            sql += "("
            write(select)
            sql += ")"
        case .exists(let select): writeExists(select)
        case .match: writeMatch(term)
        case .vectorDistance(let alias): sql += SQLText.identifier(alias) + ".distance"
        case .rank(let index): sql += "rank(matchinfo(\(SQLText.identifier(index.alias)).\(SQLText.identifier(index.table))))"
        }
    }

    /// Writes an operation, in parentheses if the one around it binds as tightly.
    private mutating func operation(_ rank: Int, _ body: (inout SQLWriter) -> Void) {
        let outer = self.rank
        let needsParentheses = rank <= outer
        self.rank = rank
        if needsParentheses { sql += "(" }
        body(&self)
        if needsParentheses { sql += ")" }
        self.rank = outer
    }

    mutating func list(_ terms: [Term]) {
        for (place, term) in terms.enumerated() {
            if place > 0 { sql += ", " }
            write(term, within: Rank.argument)
        }
    }

    private mutating func writeCall(_ name: String, _ arguments: [Term]) {
        sql += name + "("
        list(arguments)
        sql += ")"
    }

    // Properties

    private mutating func write(_ property: Term.Property, _ accessor: Term.Accessor) {
        let row = property.row
        switch accessor {
        case .exists: writeAccess("fl_exists", row.prefix + "body", property.path)
        case .count: writeAccess("fl_count", row.prefix + "body", property.path)
        case .blob: writeAccess("fl_blob", row.prefix + "body", property.path)
        case .stored: writeAccess("fl_stored_value", row.prefix + "body", property.path)
        case .value:
            let isWhole = property.path.isEmpty
            switch row.shape {
            case .each where isWhole: sql += row.prefix + "value"
            case .each: writeAccess("fl_nested_value", row.prefix + (row.isGrouped ? "data" : "body"), property.path)
            case .arrayTable where isWhole: sql += "fl_unnested_value(\(row.prefix)body)"
            case .arrayTable: writeAccess("fl_unnested_value", row.prefix + "body", property.path)
            case .document where isWhole: sql += "fl_root(\(row.prefix)body)"
            case .document: writeAccess("fl_value", row.prefix + "body", property.path)
            }
        }
    }

    private mutating func writeAccess(_ function: String, _ column: String, _ path: String) {
        sql += function + "(" + column + ", " + SQLText.string(path) + ")"
    }

    private mutating func write(_ key: MetaKey, _ prefix: String) {
        switch key {
        case .id: sql += prefix + "key"
        case .sequence: sql += prefix + "sequence"
        case .deleted: sql += "(" + prefix + "flags & 1 != 0)"
        case .expiration: sql += prefix + "expiration"
        case .revisionID: sql += "fl_version(" + prefix + "version)"
        case .rowid: sql += prefix + "rowid"
        }
    }

    private mutating func writeMetaObject(_ prefix: String) {
        sql += "dict_of("
        for (place, key) in MetaKey.allCases.filter({ $0 != .rowid }).enumerated() {
            if place > 0 { sql += ", " }
            sql += "'" + key.rawValue + "', "
            write(key, prefix)
        }
        sql += ")"
    }

    // Operators

    /// Writes `a + b + c`. Its left operand may be such an operation itself, and so on for long: those are written in a loop.
    private mutating func writeInfix(_ term: Term) {
        var chain: [(name: String, rank: Int, isInParentheses: Bool, operands: [Term])] = []
        var current = term
        var outer = rank
        while case .infix(let name, let rank, let operands, _) = current {
            // As they are read from the left anyway, long chains of one operator go without the parentheses, which SQLite can
            // nest but so deep.
            let isLongChain = chain.count > SQLWriter.longChain && chain.last?.name == name
            chain.append((name, rank, rank <= outer && !isLongChain, operands))
            if chain[chain.count - 1].isInParentheses { sql += "(" }
            current = operands[0]
            outer = rank
        }
        write(current, within: outer)
        for link in chain.reversed() {
            for operand in link.operands.dropFirst() {
                sql += " " + link.name + " "
                write(operand, within: link.rank)
            }
            if link.isInParentheses { sql += ")" }
        }
    }

    private static let longChain = 30

    private mutating func writePrefix(_ term: Term) {
        guard case .prefix(let name, let operand, _) = term else { return }
        operation(Rank.prefix) { writer in
            writer.sql += name == "-" ? name : name + " "
            // Two minus signs would begin a comment.
            if name == "-", case .literal(let text) = operand, text.utf8.first == UInt8(ascii: "-") {
                writer.sql += "(" + text + ")"
            } else {
                writer.write(operand)
            }
        }
    }

    private mutating func writeMembership(_ term: Term) {
        guard case .membership(let value, let isNegated, let items) = term else { return }
        operation(Rank.equality) { writer in
            writer.write(value)
            writer.sql += isNegated ? " NOT IN (" : " IN ("
            writer.list(items)
            writer.sql += ")"
        }
    }

    private mutating func writeLike(_ term: Term) {
        guard case .like(let text, let pattern, let collation) = term else { return }
        operation(Rank.equality) { writer in
            if collation != nil { writer.sql += "fl_like(" }
            writer.write(text)
            writer.sql += collation == nil ? " LIKE " : ", "
            writer.write(pattern)
            writer.sql += collation.map { ", " + SQLText.string($0) + ")" } ?? " ESCAPE '\\'"
        }
    }

    private mutating func writeBetween(_ term: Term) {
        guard case .between(let value, let low, let high) = term else { return }
        operation(Rank.equality) { writer in
            writer.write(value)
            writer.sql += " BETWEEN "
            writer.write(low)
            writer.sql += " AND "
            writer.write(high)
        }
    }

    private mutating func writeConditional(_ term: Term) {
        guard case .conditional(let test, let branches, let otherwise) = term else { return }
        operation(Rank.conjunction) { writer in
            writer.sql += "CASE"
            if let test {
                writer.sql += " "
                writer.write(test)
            }
            for branch in branches {
                writer.sql += " WHEN "
                writer.write(branch.when)
                writer.sql += " THEN "
                writer.write(branch.then)
            }
            writer.sql += " ELSE "
            writer.write(otherwise ?? .null)
            writer.sql += " END"
        }
    }

    private mutating func writeCollate(_ term: Term) {
        guard case .collate(let operand, let name) = term else { return }
        operation(Rank.collation) { writer in
            writer.write(operand)
            writer.sql += " COLLATE " + SQLText.identifier(name)
        }
    }

    private mutating func writeExists(_ select: ResolvedSelect) {
        operation(Rank.exists) { writer in
            writer.sql += "EXISTS ("
            writer.write(select)
            writer.sql += ")"
        }
    }

    private mutating func writeMatch(_ term: Term) {
        guard case .match(let index, let query) = term else { return }
        operation(Rank.equality) { writer in
            writer.sql += SQLText.identifier(index.alias) + "." + SQLText.identifier(index.table) + " MATCH "
            writer.write(query)
        }
    }

    // Quantifiers

    /// The arguments by which functions find a collection of values: a column and a path, or the value.
    private mutating func writeContains(_ collection: Term, _ value: Term) {
        sql += "fl_contains("
        if case .property(let property, .value) = collection, property.row.shape == .document || !property.path.isEmpty {
            sql += property.row.prefix + "body, " + SQLText.string(property.path)
        } else {
            write(collection)
            sql += ", NULL"
        }
        sql += ", "
        write(value)
        sql += ")"
    }

    /// `fl_each(…)`, a table of the values in a collection.
    mutating func writeEach(_ collection: Term) {
        sql += "fl_each("
        if case .property(let property, .value) = collection {
            switch property.row.shape {
            case .each: sql += property.row.prefix + "value"
            case .document, .arrayTable: sql += property.row.prefix + "body"
            }
            // The body of a document needs the path even if it is empty, so as not to be taken for an encoded value.
            if !property.path.isEmpty || property.row.shape == .document { sql += ", " + SQLText.string(property.path) }
        } else {
            write(collection, within: Rank.argument)
        }
        sql += ")"
    }

    private mutating func writeQuantified(_ term: Term) {
        guard case .quantified(let quantifier, let variable, let collection, let predicate) = term else { return }
        switch quantifier {
        case .any: writeSearch(variable, collection) { $0.write(predicate) }
        case .every:
            // Where more than a condition stands around it, NOT would take that in.
            let needsParentheses = rank > Rank.conjunction
            sql += needsParentheses ? "(NOT " : "NOT "
            writeSearch(variable, collection) { $0.writeNegated(predicate) }
            if needsParentheses { sql += ")" }
        case .anyAndEvery:
            sql += "("
            writeIsNotEmpty(collection, variable)
            sql += " AND NOT "
            writeSearch(variable, collection) { $0.writeNegated(predicate) }
            sql += ")"
        }
    }

    private mutating func writeNegated(_ predicate: Term) {
        sql += "NOT ("
        write(predicate)
        sql += ")"
    }

    private mutating func writeSearch(_ variable: String, _ collection: Term, _ condition: (inout SQLWriter) -> Void) {
        sql += "EXISTS (SELECT 1 FROM "
        writeEach(collection)
        sql += " AS _" + variable + " WHERE "
        condition(&self)
        sql += ")"
    }

    private mutating func writeIsNotEmpty(_ collection: Term, _ variable: String) {
        if case .property(let property, .value) = collection, property.row.shape == .document || !property.path.isEmpty {
            write(property, .count)
            sql += " > 0"
        } else {
            writeSearch(variable, collection) { $0.sql += "_" + variable + ".type != 0" }
        }
    }
}

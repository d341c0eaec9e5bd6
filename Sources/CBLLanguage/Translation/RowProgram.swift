/// What a query computes from each document of its one collection, where the bytes of the row are all that it takes: the same as its SQL says, for who
/// goes through a table without SQLite.
package struct RowProgram: Sendable {
    /// A value as SQLite has it.
    package enum Operand: Sendable, Hashable {
        /// `fl_value(body, path)`
        case property(String)
        /// `fl_root(body)`, in columns alone
        case body
        case key
        case sequence
        case constant(Constant)
        case parameter(String)
    }

    package enum Constant: Sendable, Hashable {
        case missing, null
        case integer(Int64)
        case real(Double)
        case text(String)
    }

    package enum Comparison: Sendable { case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, `is`, isNot }

    package indirect enum Condition: Sendable {
        case isLive
        case comparison(Comparison, Operand, Operand)
        case between(Operand, Operand, Operand)
        case membership(Operand, [Operand])
        /// A pattern in which `%` is the only sign.
        case like(Operand, String)
        /// `fl_contains(body, path, value)`
        case contains(String, Operand)
        case and(Condition, Condition)
        case or(Condition, Condition)
        case not(Condition)
    }

    package enum Column: Sendable {
        /// A value as a column of the result has it.
        case value(Operand)
        /// Counts the rows, or those in which a value is there.
        case count(Operand?)
    }

    package let columns: [Column]
    package let condition: Condition?
}

extension RowProgram {
    /// Nil if it takes more than the bytes of a row.
    init?(_ select: ResolvedSelect) {
        guard select.sources.count == 1, case .collection = select.sources[0].origin, !select.sources[0].readsDeleted, !select.isDistinct,
            select.fullTextJoins.isEmpty, select.vectorJoins.isEmpty, select.predictionJoins.isEmpty, select.groupBy.isEmpty,
            select.having == nil, select.orderBy.isEmpty, select.limit == nil, select.offset == nil
        else { return nil }
        var columns: [Column] = []
        for column in select.columns {
            guard let column = Column(column.term) else { return nil }
            columns.append(column)
        }
        self.columns = columns
        guard let term = select.condition else {
            condition = nil
            return
        }
        guard let condition = Condition(term) else { return nil }
        self.condition = condition
    }
}

extension TranslatedQuery.TextSearch {
    /// Nil unless it looks for one text, which does not depend on the document.
    init?(_ select: ResolvedSelect) {
        guard select.fullTextJoins.count == 1, let condition = select.condition, let (match, rest) = condition.takingMatch(),
            case .match(let index, let text) = match, index.alias == select.fullTextJoins[0].reference.alias
        else { return nil }
        switch text {
        case .literal, .parameter: break
        default: return nil
        }
        var remaining = select
        remaining.fullTextJoins = []
        remaining.condition = rest
        guard let program = RowProgram(remaining) else { return nil }
        var writer = SQLWriter()
        writer.write("SELECT docid FROM \(SQLText.identifier(index.table)) AS \(SQLText.identifier(index.alias)) WHERE ")
        writer.write(match, within: Rank.statement)
        sql = writer.sql
        self.program = program
    }
}

extension Term {
    /// Of conditions that are joined by AND, one that looks for a text, and the others.
    fileprivate func takingMatch() -> (match: Term, rest: Term?)? {
        switch self {
        case .match: return (self, nil)
        case .infix("AND", let rank, let terms, let kind) where terms.count == 2:
            for (place, other) in [(0, 1), (1, 0)] {
                guard let (match, rest) = terms[place].takingMatch() else { continue }
                let others = place == 0 ? [rest, terms[other]] : [terms[other], rest]
                let left = others.compactMap { $0 }
                return (match, left.count == 2 ? .infix("AND", rank: rank, left, kind) : left[0])
            }
            return nil
        default: return nil
        }
    }
}

extension RowProgram.Column {
    fileprivate init?(_ term: Term) {
        switch term {
        case .countRows: self = .count(nil)
        case .call("count", let arguments, _):
            guard arguments.count == 1, let operand = RowProgram.Operand(arguments[0]) else { return nil }
            self = .count(operand)
        // A boolean is one in a column, and a number elsewhere.
        case .literal(let text) where text.hasPrefix("fl_bool"): return nil
        case .property(let property, .value) where property.row.shape == .document && property.path.isEmpty: self = .value(.body)
        case .property, .meta, .literal:
            guard let operand = RowProgram.Operand(term) else { return nil }
            self = .value(operand)
        default: return nil
        }
    }
}

extension RowProgram.Operand {
    fileprivate init?(_ term: Term) {
        switch term {
        case .property(let property, .value):
            guard property.row.shape == .document, !property.path.isEmpty else { return nil }
            self = .property(property.path)
        case .meta(.id, _): self = .key
        case .meta(.sequence, _): self = .sequence
        case .parameter(let name): self = .parameter(name)
        case .literal(let text):
            guard let constant = RowProgram.Constant(sql: text) else { return nil }
            self = .constant(constant)
        default: return nil
        }
    }

    /// Columns of tables have types, to which what they are compared with is brought: only what has that type already is the same here.
    fileprivate func fits(_ other: RowProgram.Operand) -> Bool {
        switch (self, other) {
        case (.key, .constant(.text)), (.sequence, .constant(.integer)), (.property, .property), (.property, .constant),
            (.property, .parameter):
            true
        default: false
        }
    }
}

extension RowProgram.Constant {
    /// Numbers with more digits could be read as another one by SQLite than here.
    private static let mostDigits = 15

    fileprivate init?(sql text: String) {
        switch text {
        case "NULL": self = .missing
        case "fl_null()": self = .null
        case "fl_bool(0)": self = .integer(0)
        case "fl_bool(1)": self = .integer(1)
        default:
            if text.utf8.first == UInt8(ascii: "'"), text.utf8.last == UInt8(ascii: "'"), text.utf8.count >= 2 {
                var bytes: [UInt8] = []
                var isSecond = false
                for byte in text.utf8.dropFirst().dropLast() {
                    // An apostrophe is there twice.
                    isSecond = byte == UInt8(ascii: "'") && !isSecond
                    if !isSecond { bytes.append(byte) }
                }
                self = .text(String(decoding: bytes, as: UTF8.self))
            } else if let integer = Int64(text) {
                self = .integer(integer)
            } else {
                let digits = text.utf8.filter { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }.count
                guard digits <= RowProgram.Constant.mostDigits, !text.utf8.contains(UInt8(ascii: "e")),
                    !text.utf8.contains(UInt8(ascii: "E")),
                    text.utf8.allSatisfy({ $0 >= UInt8(ascii: "-") && $0 <= UInt8(ascii: "9") }), let real = Double(text)
                else { return nil }
                self = .real(real)
            }
        }
    }
}

extension RowProgram.Condition {
    fileprivate init?(_ term: Term) {
        switch term {
        case .isLive: self = .isLive
        case .infix(let name, _, let terms, _): self.init(name, terms)
        case .prefix("NOT", let operand, _):
            guard let operand = RowProgram.Condition(operand) else { return nil }
            self = .not(operand)
        case .between(let value, let low, let high):
            guard let value = RowProgram.Operand(value), let low = RowProgram.Operand(low), let high = RowProgram.Operand(high),
                value.fits(low), value.fits(high)
            else { return nil }
            self = .between(value, low, high)
        case .membership(let value, let isNegated, let items):
            guard let value = RowProgram.Operand(value) else { return nil }
            let operands = items.compactMap { RowProgram.Operand($0) }
            guard operands.count == items.count, !operands.isEmpty, operands.allSatisfy({ value.fits($0) }) else { return nil }
            self = isNegated ? .not(.membership(value, operands)) : .membership(value, operands)
        case .like(let text, .literal(let pattern), nil):
            guard let text = RowProgram.Operand(text), case .text(let pattern)? = RowProgram.Constant(sql: pattern),
                RowProgram.Condition.isPlain(pattern)
            else { return nil }
            switch text {
            case .property, .key: self = .like(text, pattern)
            default: return nil
            }
        case .contains(.property(let property, .value), let value):
            guard property.row.shape == .document, !property.path.isEmpty, let value = RowProgram.Operand(value) else { return nil }
            switch value {
            case .constant, .parameter: self = .contains(property.path, value)
            default: return nil
            }
        default: return nil
        }
    }

    private init?(_ name: String, _ terms: [Term]) {
        guard terms.count == 2 else { return nil }
        if name == "AND" || name == "OR" {
            guard let first = RowProgram.Condition(terms[0]), let second = RowProgram.Condition(terms[1]) else { return nil }
            self = name == "AND" ? .and(first, second) : .or(first, second)
            return
        }
        guard let comparison = RowProgram.Comparison(name), let first = RowProgram.Operand(terms[0]),
            let second = RowProgram.Operand(terms[1])
        else { return nil }
        if first.fits(second) {
            self = .comparison(comparison, first, second)
        } else if second.fits(first) {
            self = .comparison(comparison.swapped, second, first)
        } else {
            return nil
        }
    }

    /// Whether what a pattern matches are bytes: where letters stand for themselves, and each is one.
    private static func isPlain(_ pattern: String) -> Bool {
        pattern.utf8.allSatisfy { $0 < 0x80 && $0 != 0 && $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "\\") }
            && pattern.utf8.contains { $0 != UInt8(ascii: "%") }
    }
}

extension RowProgram.Comparison {
    fileprivate init?(_ name: String) {
        switch name {
        case "=": self = .equal
        case "!=": self = .notEqual
        case "<": self = .less
        case "<=": self = .lessOrEqual
        case ">": self = .greater
        case ">=": self = .greaterOrEqual
        case "IS": self = .is
        case "IS NOT": self = .isNot
        default: return nil
        }
    }

    /// The same with the operands the other way round.
    fileprivate var swapped: RowProgram.Comparison {
        switch self {
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        case .equal, .notEqual, .is, .isNot: self
        }
    }
}

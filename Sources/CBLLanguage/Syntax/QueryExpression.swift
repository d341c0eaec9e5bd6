/// A node of the syntax tree, made from SQL++ text or from the JSON form of a query.
///
/// Equality compares the structure and the spelling, not where things stand in the source.
package struct QueryExpression: Sendable {
    package var node: Node
    package var range: SourceRange
    /// As typed, where the JSON form keeps that: the name of a function, `NOT` and the prefix operators.
    package var spelling: String?

    package init(_ node: Node, range: SourceRange = .none, spelling: String? = nil) {
        self.node = node
        self.range = range
        self.spelling = spelling
    }

    /// `META().id` and its like.
    package static func meta(_ name: String) -> QueryExpression {
        QueryExpression(.member(QueryExpression(.meta(source: nil)), PropertyPath([.name(name)])))
    }

    package indirect enum Node: Sendable, Equatable {
        case missing, null
        case boolean(Bool)
        case integer(Int64)
        /// Beyond `Int64.max`; can only come from JSON.
        case unsigned(UInt64)
        case float(Double)
        case string(String)
        /// `[a, b]`
        case array([QueryExpression])
        /// `{'k': a}`, in the order of the source; of equal keys only the last is kept.
        case dictionary([Member])
        /// `$name`
        case parameter(String)
        /// A property, a source or an alias: which of them is decided when the query is checked.
        case property(PropertyPath)
        /// The variable of an enclosing quantifier, and a path inside its value.
        case variable(String, PropertyPath)
        /// `(expression).path`: a property of a value.
        case member(QueryExpression, PropertyPath)
        /// Infix, prefix and postfix operators; `between` has three operands, JSON allows more than two for some.
        case operation(Operator, [QueryExpression])
        /// `EXISTS (SELECT …)`; in JSON also of a property.
        case exists(QueryExpression)
        case select(Select)
        case quantified(Quantifier, variable: String, collection: QueryExpression, predicate: QueryExpression)
        /// `CASE`; without a test the branches' `when`s are conditions.
        case conditional(test: QueryExpression?, branches: [Branch], otherwise: QueryExpression?)
        case collate(Collation, QueryExpression)
        /// `META(source)`; `META().id` is a member of it.
        case meta(source: String?)
        /// `MATCH(index, query)`; the index may be qualified: `alias.index`.
        case match(index: String, QueryExpression)
        case rank(index: String)
        /// A function by its name in lower case, without parentheses. Also `prediction`, whose first argument is then a string.
        case function(String, [QueryExpression])
        /// `["BLOB", property]`; JSON only.
        case blob(QueryExpression)
    }

    package struct Member: Sendable, Equatable {
        package var key: String
        package var value: QueryExpression

        package init(_ key: String, _ value: QueryExpression) {
            self.key = key
            self.value = value
        }
    }

    package struct Branch: Sendable, Equatable {
        package var when: QueryExpression
        package var then: QueryExpression

        package init(when: QueryExpression, then: QueryExpression) {
            self.when = when
            self.then = then
        }
    }
}

extension QueryExpression: Equatable {
    package static func == (one: QueryExpression, other: QueryExpression) -> Bool {
        one.node == other.node && one.spelling == other.spelling
    }
}

/// The raw value is the operator's name in the JSON form.
package enum Operator: String, Sendable, CaseIterable {
    case concatenate = "||"
    case multiply = "*"
    case divide = "/"
    case modulo = "%"
    case add = "+"
    case subtract = "-"
    // Parsed and then refused, as the reference does.
    case shiftLeft = "<<"
    case shiftRight = ">>"
    case bitAnd = "&"
    case bitOr = "|"
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case equal = "="
    case notEqual = "!="
    case `is` = "IS"
    case isNot = "IS NOT"
    case isValued = "IS VALUED"
    case `in` = "IN"
    case notIn = "NOT IN"
    case like = "LIKE"
    case between = "BETWEEN"
    case not = "NOT"
    case and = "AND"
    case or = "OR"
}

/// The raw value is the quantifier's name in the JSON form.
package enum Quantifier: String, Sendable {
    case any = "ANY"
    case every = "EVERY"
    case anyAndEvery = "ANY AND EVERY"
}

/// What a `COLLATE` says; nil is what it does not mention.
package struct Collation: Sendable, Hashable {
    package var unicode: Bool?
    package var caseSensitive: Bool?
    package var diacriticSensitive: Bool?
    package var locale: String?

    package init(unicode: Bool? = nil, caseSensitive: Bool? = nil, diacriticSensitive: Bool? = nil, locale: String? = nil) {
        self.unicode = unicode
        self.caseSensitive = caseSensitive
        self.diacriticSensitive = diacriticSensitive
        self.locale = locale
    }
}

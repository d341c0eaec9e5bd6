// The steps of a query, in the order in which they may follow each other. Each has a copy of all clauses before it.

extension Query {
    var clauses: QueryClauses {
        guard case .clauses(let clauses) = source else { return QueryClauses() }
        return clauses
    }
}

/// What the rows have. It needs `from`.
public final class Select: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }

    /// Reads a collection.
    public func from(_ dataSource: DataSourceProtocol) -> From {
        From(clauses.with { $0.source = builtPart(dataSource, QuerySource.self) })
    }
}

/// What is read.
public final class From: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }

    /// Joins other collections.
    public func join(_ joins: JoinProtocol...) -> Joins { join(joins) }

    /// Joins other collections.
    public func join(_ joins: [JoinProtocol]) -> Joins { Joins(clauses.with { $0.joins = joins.map(\.json) }) }

    /// Only what meets the condition.
    public func `where`(_ expression: ExpressionProtocol) -> Where { Where(clauses.restricted(expression)) }

    /// One row for each group of equal values.
    public func groupBy(_ expressions: ExpressionProtocol...) -> GroupBy { groupBy(expressions) }

    /// One row for each group of equal values.
    public func groupBy(_ expressions: [ExpressionProtocol]) -> GroupBy { GroupBy(clauses.grouped(expressions)) }

    /// Sorts the rows.
    public func orderBy(_ orderings: OrderingProtocol...) -> OrderBy { orderBy(orderings) }

    /// Sorts the rows.
    public func orderBy(_ orderings: [OrderingProtocol]) -> OrderBy { OrderBy(clauses.ordered(orderings)) }

    /// Gives so many rows at most.
    public func limit(_ limit: ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Gives so many rows at most, after leaving out the first ones.
    public func limit(_ limit: ExpressionProtocol, offset: ExpressionProtocol?) -> Limit { Limit(clauses.limited(limit, offset)) }
}

/// What is joined to it.
public final class Joins: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }

    /// Only what meets the condition.
    public func `where`(_ expression: ExpressionProtocol) -> Where { Where(clauses.restricted(expression)) }

    /// Sorts the rows.
    public func orderBy(_ orderings: OrderingProtocol...) -> OrderBy { orderBy(orderings) }

    /// Sorts the rows.
    public func orderBy(_ orderings: [OrderingProtocol]) -> OrderBy { OrderBy(clauses.ordered(orderings)) }

    /// Gives so many rows at most.
    public func limit(_ limit: ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Gives so many rows at most, after leaving out the first ones.
    public func limit(_ limit: ExpressionProtocol, offset: ExpressionProtocol?) -> Limit { Limit(clauses.limited(limit, offset)) }
}

/// Which documents.
public final class Where: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }

    /// Sorts the rows.
    public func orderBy(_ orderings: OrderingProtocol...) -> OrderBy { orderBy(orderings) }

    /// Sorts the rows.
    public func orderBy(_ orderings: [OrderingProtocol]) -> OrderBy { OrderBy(clauses.ordered(orderings)) }

    /// One row for each group of equal values.
    public func groupBy(_ expressions: ExpressionProtocol...) -> GroupBy { groupBy(expressions) }

    /// One row for each group of equal values.
    public func groupBy(_ expressions: [ExpressionProtocol]) -> GroupBy { GroupBy(clauses.grouped(expressions)) }

    /// Gives so many rows at most.
    public func limit(_ limit: ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Gives so many rows at most, after leaving out the first ones.
    public func limit(_ limit: ExpressionProtocol, offset: ExpressionProtocol?) -> Limit { Limit(clauses.limited(limit, offset)) }
}

/// How they are grouped.
public final class GroupBy: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }

    /// Only groups that meet the condition.
    public func having(_ expression: ExpressionProtocol) -> Having { Having(clauses.with { $0.having = expression.json }) }

    /// Sorts the rows.
    public func orderBy(_ orderings: OrderingProtocol...) -> OrderBy { orderBy(orderings) }

    /// Sorts the rows.
    public func orderBy(_ orderings: [OrderingProtocol]) -> OrderBy { OrderBy(clauses.ordered(orderings)) }

    /// Gives so many rows at most.
    public func limit(_ limit: ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Gives so many rows at most, after leaving out the first ones.
    public func limit(_ limit: ExpressionProtocol, offset: ExpressionProtocol?) -> Limit { Limit(clauses.limited(limit, offset)) }
}

/// Which groups.
public final class Having: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }

    /// Sorts the rows.
    public func orderBy(_ orderings: OrderingProtocol...) -> OrderBy { orderBy(orderings) }

    /// Sorts the rows.
    public func orderBy(_ orderings: [OrderingProtocol]) -> OrderBy { OrderBy(clauses.ordered(orderings)) }

    /// Gives so many rows at most.
    public func limit(_ limit: ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Gives so many rows at most, after leaving out the first ones.
    public func limit(_ limit: ExpressionProtocol, offset: ExpressionProtocol?) -> Limit { Limit(clauses.limited(limit, offset)) }
}

/// In which order.
public final class OrderBy: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }

    /// Gives so many rows at most.
    public func limit(_ limit: ExpressionProtocol) -> Limit { self.limit(limit, offset: nil) }

    /// Gives so many rows at most, after leaving out the first ones.
    public func limit(_ limit: ExpressionProtocol, offset: ExpressionProtocol?) -> Limit { Limit(clauses.limited(limit, offset)) }
}

/// How many at most.
public final class Limit: Query, @unchecked Sendable {
    init(_ clauses: QueryClauses) { super.init(nil, .clauses(clauses)) }
}

/// What a query reads.
public protocol DataSourceProtocol {}

/// What a query reads, which can be given another name.
public protocol DataSourceAs: DataSourceProtocol {
    /// Calls it something else in this query. Where there are several, properties must say which they are of:
    /// `Expression.property("name").from("h")`.
    func `as`(_ alias: String) -> DataSourceProtocol
}

/// Makes what queries read.
public final class DataSource {
    private init() {}

    /// The documents of a collection. Its name in the query is that of the collection, without the scope.
    public static func collection(_ collection: Collection) -> DataSourceAs { QuerySource(collection: collection) }
}

struct QuerySource: DataSourceAs, Sendable {
    let collection: Collection
    var alias: String?

    func `as`(_ alias: String) -> DataSourceProtocol { QuerySource(collection: collection, alias: alias) }

    var members: [(key: String, value: QueryJSON)] {
        let name = (key: "COLLECTION", value: QueryJSON.string(collection.fullName))
        return alias.map { [name, ("AS", .string($0))] } ?? [name]
    }
}

/// Another collection that a query joins.
public protocol JoinProtocol {}

/// One that a condition is still to be said of. Without one, everything is joined to everything.
public protocol JoinOnProtocol: JoinProtocol {
    /// Says which of both sides belong together.
    func on(_ expression: ExpressionProtocol) -> JoinProtocol
}

/// Makes joins.
public class Join {
    private init() {}

    /// Only where both sides have something. The same as `innerJoin`.
    public static func join(_ datasource: DataSourceProtocol) -> JoinOnProtocol { innerJoin(datasource) }

    /// Also where the joined side has nothing. The same as `leftOuterJoin`.
    public static func leftJoin(_ datasource: DataSourceProtocol) -> JoinOnProtocol { leftOuterJoin(datasource) }

    /// Also where the joined side has nothing.
    public static func leftOuterJoin(_ datasource: DataSourceProtocol) -> JoinOnProtocol { QueryJoin("LEFT OUTER", datasource) }

    /// Only where both sides have something.
    public static func innerJoin(_ datasource: DataSourceProtocol) -> JoinOnProtocol { QueryJoin("INNER", datasource) }

    /// Everything with everything.
    public static func crossJoin(_ datasource: DataSourceProtocol) -> JoinProtocol { QueryJoin("CROSS", datasource) }
}

private struct QueryJoin: JoinOnProtocol {
    let kind: String
    let source: QuerySource
    var condition: QueryJSON?

    init(_ kind: String, _ source: DataSourceProtocol) {
        self.kind = kind
        self.source = builtPart(source, QuerySource.self)
    }

    func on(_ expression: ExpressionProtocol) -> JoinProtocol {
        var join = self
        join.condition = expression.json
        return join
    }

    var built: QueryJSON {
        .object([("JOIN", .string(kind))] + (condition.map { [("ON", $0)] } ?? []) + source.members)
    }
}

extension JoinProtocol {
    var json: QueryJSON { builtPart(self, QueryJoin.self).built }
}

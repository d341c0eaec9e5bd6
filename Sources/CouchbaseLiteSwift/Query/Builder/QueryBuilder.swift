/// Makes queries piece by piece.
///
///     let query = QueryBuilder
///         .select(SelectResult.expression(Meta.id), SelectResult.property("name"))
///         .from(DataSource.collection(hotels))
///         .where(Expression.property("city").equalTo(Expression.string("Berlin")))
///         .orderBy(Ordering.property("name"))
///
/// Each step is a query of its own, and can be gone on with in several ways.
public final class QueryBuilder {
    private init() {}

    /// Begins with what the rows have; nothing stands for all properties.
    public static func select(_ results: SelectResultProtocol...) -> Select { select(results) }

    /// Begins with what the rows have; nothing stands for all properties.
    public static func select(_ results: [SelectResultProtocol]) -> Select {
        Select(QueryClauses(results: results.map(\.json)))
    }

    /// The same, without rows that are there already.
    public static func selectDistinct(_ results: SelectResultProtocol...) -> Select { selectDistinct(results) }

    /// The same, without rows that are there already.
    public static func selectDistinct(_ results: [SelectResultProtocol]) -> Select {
        Select(QueryClauses(results: results.map(\.json), isDistinct: true))
    }
}

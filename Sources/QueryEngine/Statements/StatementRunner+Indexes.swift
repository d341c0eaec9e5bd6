import SQLPlusPlus

extension StatementRunner {
    func run(_ index: SQLPlusPlus.Statement.CreateIndex) throws -> StatementOutcome {
        throw QueryError(.unsupported, "indexes are not made by statements yet; the command mkindex makes them")
    }
}

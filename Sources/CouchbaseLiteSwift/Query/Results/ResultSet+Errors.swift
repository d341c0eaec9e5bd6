extension ResultSet {
    /// The rows that are left. Other than ``allResults()``, it throws if they end before their time: see ``error``.
    public func remainingResults() throws -> [Result] {
        let results = allResults()
        if let error { throw error }
        return results
    }
}

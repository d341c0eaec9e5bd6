import CBLSQLite

extension Connection {
    /// Inserts rows into a table `t (n INTEGER, text TEXT)`: 1, 2, 3 …, of which eight fill a page.
    func fill(rows count: Int) throws {
        try execute(
            """
            WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < \(count))
            INSERT INTO t SELECT i, printf('%.*c', 500, 'x') FROM c
            """)
    }
}

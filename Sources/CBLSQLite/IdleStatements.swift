/// Statements that are compiled and not in use, by their text. Those that nobody has asked for in a long time go: who writes values into texts
/// would otherwise fill the memory of an app that runs for weeks.
struct IdleStatements {
    /// So many at least are kept, and twice as many at most: more than all texts of ours together.
    static let fewest = 256

    private var recent: [String: Statement] = [:]
    private var older: [String: Statement] = [:]

    mutating func take(_ sql: String) -> Statement? { recent.removeValue(forKey: sql) ?? older.removeValue(forKey: sql) }

    mutating func keep(_ statement: Statement) {
        if recent.count >= IdleStatements.fewest {
            older = recent
            recent = [:]
        }
        recent[statement.sql] = statement
    }

    mutating func removeAll() {
        recent.removeAll()
        older.removeAll()
    }
}

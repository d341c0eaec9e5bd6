/// Compiled statements by their text, lent to one after another. Those that nobody has asked for in a long time go: who writes values into texts
/// would otherwise fill the memory of an app that runs for weeks.
struct KeptStatements {
    /// So many at least are kept, and twice as many at most: more than all texts of ours together.
    static let fewest = 256

    private var recent: [Text: Statement] = [:]
    private var older: [Text: Statement] = [:]
    /// The one that was lent last, if it is kept.
    private var last: Statement?
    /// The one that was given back last, which is not among the others: who runs one query again and again takes it from here.
    private var returned: Statement?

    /// A statement of this text that nobody has, marked as lent; nil if there is none. It stays here meanwhile.
    mutating func lend(_ sql: String) -> Statement? {
        // Whoever reads one document after another asks for the same each time.
        if let last, last.sql == sql { return last.lent }
        putReturned(of: sql)
        let text = Text(sql: sql)
        if let statement = recent[text] {
            last = statement
            return statement.lent
        }
        guard let statement = older.removeValue(forKey: text) else { return nil }
        put(statement, text)
        return statement.lent
    }

    /// Lends one that was just compiled. While another of its text is in use, it is used once.
    mutating func lend(_ statement: Statement) -> Statement {
        putReturned(of: statement.sql)
        let text = Text(sql: statement.sql)
        statement.isLent = true
        if recent[text] == nil { put(statement, text) }
        return statement
    }

    /// Gives one away, to a caller who may forget it.
    mutating func take(_ sql: String) -> Statement? {
        if let statement = returned, statement.sql == sql {
            returned = nil
            return statement
        }
        let text = Text(sql: sql)
        guard let statement = recent[text] ?? older[text], !statement.isLent else { return nil }
        last = nil
        return recent.removeValue(forKey: text) ?? older.removeValue(forKey: text)
    }

    /// Of two with one text, the last one stays.
    mutating func keep(_ statement: Statement) {
        if let returned, returned.sql != statement.sql { put(returned, Text(sql: returned.sql)) }
        returned = statement
    }

    private mutating func putReturned(of sql: String) {
        guard let statement = returned, statement.sql == sql else { return }
        returned = nil
        put(statement, Text(sql: sql))
    }

    private mutating func put(_ statement: Statement, _ text: Text) {
        last = nil
        if recent.count >= KeptStatements.fewest {
            older = recent
            recent = [:]
        }
        recent[text] = statement
    }

    mutating func removeAll() {
        last = nil
        returned = nil
        recent.removeAll()
        older.removeAll()
    }

    /// Found by its length and its end: to hash hundreds of bytes takes longer than some statements. Texts of ours are few, and most differ there.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) {
            let bytes = sql.utf8
            let end = bytes.withContiguousStorageIfAvailable { bytes -> UInt64 in
                let tail = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).suffix(8))
                return tail.count == 8 ? tail.loadUnaligned(as: UInt64.self) : UInt64(tail.count)
            }
            hasher.combine(UInt64(truncatingIfNeeded: bytes.count) &* 0x9E37_79B9_7F4A_7C15 ^ (end ?? 0))
        }
    }
}

extension Statement {
    /// This one, if nobody has it.
    fileprivate var lent: Statement? {
        if isLent { return nil }
        isLent = true
        return self
    }
}

/// Compiled statements by their text, lent to one after another. Those that nobody has asked for in a long time go: who writes values into texts
/// would otherwise fill the memory of an app that runs for weeks.
struct KeptStatements {
    /// So many at least are kept, and twice as many at most: more than all texts of ours together.
    static let fewest = 256

    private var recent: [Text: Statement] = [:]
    private var older: [Text: Statement] = [:]
    /// Some of the recent ones, at the places that their texts fall to: whoever works on one document after another asks for the same few each time.
    private var near = [Statement?](repeating: nil, count: 64)
    /// The one that was given back last, which is not among the others: who runs one query again and again takes it from here.
    private var returned: Statement?

    /// A statement of this text that nobody has, marked as lent; nil if there is none. It stays here meanwhile.
    mutating func lend(_ sql: String) -> Statement? {
        let text = Text(sql: sql)
        let place = text.place
        if let statement = near[place], statement.sql == sql { return statement.lent }
        if let statement = recent[text] {
            near[place] = statement
            return statement.lent
        }
        guard let statement = older.removeValue(forKey: text) ?? takeReturned(sql) else { return nil }
        put(statement, text)
        return statement.lent
    }

    /// Lends one that was just compiled. While another of its text is in use, it is used once.
    mutating func lend(_ statement: Statement) -> Statement {
        let text = Text(sql: statement.sql)
        statement.isLent = true
        if recent[text] == nil { put(statement, text) }
        return statement
    }

    /// Gives one away, to a caller who may forget it.
    mutating func take(_ sql: String) -> Statement? {
        if let statement = takeReturned(sql) { return statement }
        let text = Text(sql: sql)
        guard let statement = recent[text] ?? older[text], !statement.isLent else { return nil }
        near[text.place] = nil
        return recent.removeValue(forKey: text) ?? older.removeValue(forKey: text)
    }

    /// Of two with one text, the last one stays.
    mutating func keep(_ statement: Statement) {
        if let returned, returned.sql != statement.sql { put(returned, Text(sql: returned.sql)) }
        returned = statement
    }

    private mutating func takeReturned(_ sql: String) -> Statement? {
        guard let statement = returned, statement.sql == sql else { return nil }
        returned = nil
        return statement
    }

    private mutating func put(_ statement: Statement, _ text: Text) {
        near[text.place] = nil
        if recent.count >= KeptStatements.fewest {
            older = recent
            recent = [:]
            near = [Statement?](repeating: nil, count: near.count)
        }
        recent[text] = statement
    }

    mutating func removeAll() {
        returned = nil
        near = [Statement?](repeating: nil, count: near.count)
        recent.removeAll()
        older.removeAll()
    }

    /// Found by its length and its end: to hash hundreds of bytes takes longer than some statements. Texts of ours are few, and most differ there.
    private struct Text: Hashable {
        let sql: String
        private let mark: UInt64

        init(sql: String) {
            self.sql = sql
            let bytes = sql.utf8
            let end = bytes.withContiguousStorageIfAvailable { bytes -> UInt64 in
                guard let start = bytes.baseAddress, bytes.count >= 8 else { return UInt64(bytes.count) }
                return UnsafeRawPointer(start).loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
            }
            mark = (UInt64(truncatingIfNeeded: bytes.count) ^ (end ?? 0)) &* 0x9E37_79B9_7F4A_7C15
        }

        /// One of 64.
        var place: Int { Int(mark >> 58) }

        static func == (one: Text, other: Text) -> Bool { one.sql == other.sql }
        func hash(into hasher: inout Hasher) { hasher.combine(mark) }
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

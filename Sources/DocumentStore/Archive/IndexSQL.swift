import SQLite

/// The texts that make indexes, as the vendor's library writes them and compares them: every blank counts.
enum IndexSQL {
    static let registry =
        "CREATE TABLE indexes (name TEXT PRIMARY KEY, type INTEGER NOT NULL, keyStore TEXT NOT NULL, expression TEXT, whereClause TEXT, indexTableName TEXT, lastSeq TEXT)"

    /// A name, in quotes only where it needs them.
    static func identifier(_ name: String) -> String {
        var isBare = true
        for (place, byte) in name.utf8.enumerated() {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "_"): continue
            case UInt8(ascii: "0")...UInt8(ascii: "9") where place > 0: continue
            default: isBare = false
            }
        }
        return isBare && !name.isEmpty ? name : quoted(identifier: name)
    }

    private static func literal(_ text: String) -> String {
        "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "''") + "'"
    }

    // Full-text tables

    private static func list(_ columns: [String]) -> String { columns.map { quoted(identifier: $0) }.joined(separator: ", ") }

    /// What stands before and behind the part of the insertion trigger that differs.
    static func aroundFullTextExpressions(_ table: String, _ live: String, _ columns: [String]) -> (start: String, end: String) {
        ("CREATE TRIGGER \(quoted(identifier: table + "::ins")) AFTER INSERT ON \(quoted(identifier: live)) ", "); END")
    }

    /// Takes condition and expressions out of what stands between these two.
    static func splitFullTextTrigger(
        _ text: Substring, _ table: String, _ columns: [String]
    ) -> (condition: String, expressions: String)? {
        let insertion = " BEGIN INSERT INTO \(quoted(identifier: table)) (docid, \(list(columns))) VALUES (new.rowid, "
        guard let place = text.firstRange(of: insertion) else { return nil }
        let before = text[..<place.lowerBound]
        let expressions = String(text[place.upperBound...])
        if before == " " { return ("", expressions) }
        guard before.hasPrefix("WHEN "), before.hasSuffix(" ") else { return nil }
        return (String(before.dropFirst(5).dropLast()), expressions)
    }

    static func fullTextTriggers(
        _ table: String, _ live: String, _ columns: [String], _ expressions: String, _ condition: String
    ) -> [String] {
        let (name, on) = (quoted(identifier: table), quoted(identifier: live))
        let new = condition.isEmpty ? " " : "WHEN \(condition) "
        let old = condition.isEmpty ? " " : "WHEN \(ExpressionCheck.replacingNewByOld(condition)) "
        func trigger(_ kind: String, _ event: String, _ when: String, _ action: String) -> String {
            "CREATE TRIGGER \(quoted(identifier: "\(table)::\(kind)")) \(event) ON \(on) \(when) BEGIN \(action); END"
        }
        let insertion = "INSERT INTO \(name) (docid, \(list(columns))) VALUES (new.rowid, \(expressions))"
        let deletion = "DELETE FROM \(name) WHERE docid = old.rowid"
        return [
            trigger("ins", "AFTER INSERT", new, insertion), trigger("del", "AFTER DELETE", old, deletion),
            trigger("preupdate", "BEFORE UPDATE OF body", old, deletion), trigger("postupdate", "AFTER UPDATE OF body", new, insertion),
        ]
    }

    static func fullTextPopulation(
        _ table: String, _ live: String, _ columns: [String], _ expressions: String, _ condition: String
    ) -> String {
        "INSERT INTO \(quoted(identifier: table)) (docid, \(list(columns))) SELECT new.rowid, \(expressions) FROM \(quoted(identifier: live)) AS new"
            + (condition.isEmpty ? "" : " WHERE \(condition)")
    }

    // Tables of array items

    /// One table of a path like `contacts[].emails`.
    struct UnnestedLevel {
        let table: String
        /// The table and its triggers.
        let definition: [String]
        let population: String
    }

    /// The tables that `kv_default:unnest:contacts[].emails` stands for, the outermost first. Nil if it is no such name.
    static func unnestedLevels(_ plain: String, _ live: String) -> [UnnestedLevel]? {
        let start = live + ":unnest:"
        guard plain.hasPrefix(start), plain.utf8.count > start.utf8.count, !plain.contains("\"") else { return nil }
        var levels: [UnnestedLevel] = []
        var (name, parent) = (start, live)
        for part in plain.dropFirst(start.count).split(separator: "[].", omittingEmptySubsequences: false) {
            guard !part.isEmpty else { return nil }
            name += (levels.isEmpty ? "" : "[].") + part
            let table = Schema.hashedName(ofIndexTable: name)
            levels.append(level(table, parent, isOutermost: levels.isEmpty, path: unescaped(part)))
            parent = table
        }
        return levels
    }

    private static func level(_ table: String, _ parent: String, isOutermost: Bool, path: String) -> UnnestedLevel {
        let (name, on) = (identifier(table), identifier(parent))
        let items = "INSERT INTO \(name) (docid, i, body) SELECT new.rowid, _each.rowid, _each.value FROM "
        let each = "fl_each(new.body, \(literal(path))) AS _each "
        let deletion = "DELETE FROM \(name) WHERE docid = old.rowid"
        func trigger(_ kind: String, _ event: String, _ when: String, _ action: String) -> String {
            "CREATE TRIGGER \(quoted(identifier: "\(table)::\(kind)")) \(event) ON \(on) \(isOutermost ? when : " ") BEGIN \(action); END"
        }
        var definition = [
            "CREATE TABLE \(name) (docid INTEGER NOT NULL REFERENCES \(on)(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))",
            trigger("ins", "AFTER INSERT", "WHEN (new.flags & 1) = 0 ", items + each),
            trigger("del", "BEFORE DELETE", "WHEN (old.flags & 1) = 0 ", deletion),
        ]
        if isOutermost {
            definition += [
                trigger("preupdate", "BEFORE UPDATE OF body, flags", "WHEN (old.flags & 1) = 0 ", deletion),
                trigger("postupdate", "AFTER UPDATE OF body, flags", "WHEN (new.flags & 1 = 0) ", items + each),
            ]
        }
        let population = items + "\(on) AS new, \(each)" + (isOutermost ? "WHERE (new.flags & 1) = 0" : "")
        return UnnestedLevel(table: table, definition: definition, population: population)
    }

    /// The path without the backslashes before capitals.
    private static func unescaped(_ part: Substring) -> String {
        var result = ""
        var isEscaped = false
        for character in part.unicodeScalars {
            if isEscaped, !("A"..."Z").contains(character) { result += "\\" }
            isEscaped = character == "\\"
            if !isEscaped { result.unicodeScalars.append(character) }
        }
        return result
    }
}

/// What stands in the parentheses of a full-text table's definition.
enum FullTextOptions {
    private static let names: Set<String> = ["stopwordlist", "stopwords", "stemmer", "remove_diacritics", "tokenchars", "separators"]

    /// The columns, if the text is nothing but columns and options of the tokenizer.
    static func columns(of text: Substring) -> [String]? {
        guard let tokenizer = text.firstRange(of: ", tokenize=unicodesn") else { return nil }
        guard let columns = quotedItems(text[..<tokenizer.lowerBound], separator: ", "), !columns.isEmpty else { return nil }
        let rest = text[tokenizer.upperBound...]
        guard !rest.isEmpty else { return columns }
        guard rest.hasPrefix(" "), let options = quotedItems(rest.dropFirst(), separator: " ") else { return nil }
        for option in options {
            guard let equals = option.firstIndex(of: "="), names.contains(String(option[..<equals])) else { return nil }
        }
        return columns
    }

    /// `"a", "b"` as its items. None of them holds a quote.
    private static func quotedItems(_ text: Substring, separator: String) -> [String]? {
        var items: [String] = []
        var rest = text
        while true {
            guard rest.hasPrefix("\"") else { return nil }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: "\"") else { return nil }
            items.append(String(rest[..<end]))
            rest = rest[rest.index(after: end)...]
            if rest.isEmpty { return items }
            guard rest.hasPrefix(separator) else { return nil }
            rest = rest.dropFirst(separator.count)
        }
    }
}

/// What stands behind an expression as `COLLATE …`.
extension Parser {
    mutating func collateSuffix() -> Collation? {
        let start = text.position
        guard text.skip(.collate) else { return nil }
        var collation = Collation()
        let end = text.position
        if collationWord(&collation) {
            let after = text.position
            // More than one word needs parentheses.
            let farthest = text
            var another = Collation()
            let isFollowed = collationWord(&another)
            text = farthest
            text.position = after
            if !isFollowed { return collation }
            collation = Collation()
        }
        text.position = end
        guard text.skip("(") else { return fail(to: start) }
        text.skipBlanks()
        guard collationWord(&collation) else { return fail(to: start) }
        while collationWord(&collation) {}
        guard text.skip(")") else { return fail(to: start) }
        text.skipBlanks()
        return collation
    }

    /// A word and the blanks behind it. What an earlier word said of the same is overridden.
    private mutating func collationWord(_ collation: inout Collation) -> Bool {
        let start = text.position
        if text.skip(letters: "nounicode") {
            collation.unicode = false
            text.skipBlanks()
            return true
        }
        if text.skip(letters: "unicode") {
            collation.unicode = true
            if let locale = locale() { collation.locale = locale }
            text.skipBlanks()
            return true
        }
        let isOn = !text.skip(letters: "no")
        let isCase = text.skip(letters: "case")
        guard isCase || text.skip(letters: "diac"), !Lexer.isWordByte(text.byte) else {
            text.position = start
            return text.expected(.collation, at: start)
        }
        text.skipBlanks()
        if isCase {
            collation.caseSensitive = isOn
        } else {
            collation.diacriticSensitive = isOn
        }
        return true
    }

    /// `:en_US`
    private mutating func locale() -> String? {
        let colon = text.position
        guard text.skip(":") else { return nil }
        let start = text.position
        guard Lexer.isLetter(text.byte) else { return fail(to: colon) }
        while Lexer.isWordByte(text.byte) { text.advance() }
        return text.string(start..<text.position)
    }
}

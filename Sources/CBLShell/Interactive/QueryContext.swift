import CBLLanguage

/// Where in a query the cursor stands, and which collections the query is about. Pure: it looks at words, and needs no complete query.
struct QueryContext {
    enum Place: Equatable { case nowhere, collection, expression }

    /// Where names in the query come from: documents of a collection, or values in them.
    struct Source: Equatable {
        var collection: String
        var alias: String?
        /// The values that `UNNEST reviews AS r` and `ANY r IN reviews` are about: `reviews[]`.
        var path: [String] = []
    }

    private(set) var place = Place.expression
    /// What has been typed of the name or path at the cursor.
    private(set) var word = ""
    private(set) var sources: [Source] = []

    var wordLength: Int { word.unicodeScalars.count }

    private static let collectionWords: Set<String> = ["FROM", "JOIN", "INTO", "UPDATE"]
    private static let quantifierWords: Set<String> = ["ANY", "SOME", "EVERY"]

    /// `typed` is the text up to the cursor. What stands behind it may say what the names before it are. An expression without FROM is about
    /// `collection`.
    init(_ typed: String, behind: String = "", collection: String? = nil) {
        let text = Comment.blanked(typed)
        // The cursor is in a comment.
        guard text.utf8.last == typed.utf8.last else {
            place = .nowhere
            return
        }
        let words = QueryContext.words(text)
        guard let last = words.last else {
            if let collection { sources = [Source(collection: collection)] }
            return
        }
        if last.isOpenText {
            place = .nowhere
            return
        }
        let isTouching = last.end == text.utf8.count && last.isName
        if isTouching { word = last.text }
        let before = isTouching ? words.dropLast() : words[...]
        let all = behind.isEmpty ? words : QueryContext.words(Comment.blanked(typed + behind))
        findSources(all)
        if sources.isEmpty, let collection { sources = [Source(collection: collection)] }
        findVariables(all)
        guard let previous = before.last else { return }
        if previous.isName, QueryContext.collectionWords.contains(previous.text.uppercased()) { place = .collection }
    }

    /// A path as far as it is written, or another token.
    private struct Word {
        var text: String
        var end: Int
        var isName: Bool
        /// A string whose quote is open.
        var isOpenText = false
    }

    private static func words(_ text: String) -> [Word] {
        var lexer = Lexer(Array(text.utf8))
        var words: [Word] = []
        while let token = lexer.nextSolid() {
            guard isOfPath(token, lexer.bytes) else {
                let isOpen = token.kind == .openString
                words.append(Word(text: lexer.text(token.start..<token.end), end: token.end, isName: false, isOpenText: isOpen))
                continue
            }
            var end = token.end
            while let next = lexer.next() {
                if isOfPath(next, lexer.bytes) {
                    end = next.end
                } else if let index = indexEnd(next, &lexer) {
                    end = index
                } else {
                    lexer.position = next.start
                    break
                }
            }
            words.append(Word(text: lexer.text(token.start..<end), end: end, isName: true))
        }
        return words
    }

    /// Where the `[0]` ends that begins with a token.
    private static func indexEnd(_ token: Lexer.Token, _ lexer: inout Lexer) -> Int? {
        guard token.kind == .symbol, lexer.bytes[token.start] == UInt8(ascii: "["), lexer.next()?.kind == .number else { return nil }
        guard let close = lexer.next(), close.kind == .symbol, lexer.bytes[close.start] == UInt8(ascii: "]") else { return nil }
        return close.end
    }

    /// Whether a token can be part of a path or a name, be it written as the language wants it or not.
    private static func isOfPath(_ token: Lexer.Token, _ bytes: [UInt8]) -> Bool {
        switch token.kind {
        case .word, .foreignWord, .quotedName, .openName, .parameter, .number, .malformedNumber: true
        case .symbol: bytes[token.start] == UInt8(ascii: ".")
        case .foreign: bytes[token.start] >= 0x80
        case .blank, .string, .openString: false
        }
    }

    /// `FROM inventory.hotel AS h JOIN …`
    private mutating func findSources(_ words: [Word]) {
        for (index, word) in words.enumerated() where word.isName && QueryContext.collectionWords.contains(word.text.uppercased()) {
            guard index + 1 < words.count, words[index + 1].isName else { continue }
            let name = QueryContext.withoutQuotes(words[index + 1].text)
            var alias: String?
            if index + 2 < words.count, words[index + 2].isName {
                let next = words[index + 2].text
                if next.uppercased() == "AS" {
                    alias = index + 3 < words.count && words[index + 3].isName ? words[index + 3].text : nil
                } else if !Completer.reservedWords.contains(next.uppercased()), index + 2 < words.count - 1 {
                    alias = next
                }
            }
            let isNameless = name == "_" || name == "_default"
            sources.append(Source(collection: name, alias: alias ?? (isNameless ? nil : lastPart(of: name).map(Lexer.name))))
        }
    }

    /// `UNNEST h.reviews AS r`, `ANY r IN reviews SATISFIES …`. They may be about one another, the later about the earlier.
    private mutating func findVariables(_ words: [Word]) {
        func name(at index: Int) -> String? { index < words.count && words[index].isName ? words[index].text : nil }
        for (index, word) in words.enumerated() where word.isName {
            let next = name(at: index + 1)
            if word.text.uppercased() == "UNNEST", let path = next {
                let alias = name(at: index + 2).flatMap { $0.uppercased() == "AS" ? name(at: index + 3) : $0 }
                if let alias, !Completer.reservedWords.contains(alias.uppercased()) { addItems(of: path, as: alias) }
            } else if QueryContext.quantifierWords.contains(word.text.uppercased()), let variable = next,
                name(at: index + 2)?.uppercased() == "IN", let path = name(at: index + 3)
            {
                addItems(of: path, as: variable)
            }
        }
    }

    private mutating func addItems(of path: String, as variable: String) {
        var parts = QueryContext.parts(of: path)
        var owners = sources.filter { $0.alias == parts[0] }
        if owners.isEmpty { owners = sources.filter { $0.path.isEmpty } } else { parts.removeFirst() }
        for owner in owners {
            var inner = owner.path + parts
            guard !inner.isEmpty else { continue }
            inner[inner.count - 1] += "[]"
            sources.append(Source(collection: owner.collection, alias: variable, path: inner))
        }
    }

    /// The names in a path as they are typed, the last maybe unfinished; in place of any index, `[]`.
    static func parts(of path: String) -> [String] {
        var parts = [""]
        var isQuoted = false
        var isIndex = false
        for scalar in path.unicodeScalars {
            switch scalar {
            case "`": isQuoted.toggle()
            case "[" where !isQuoted: isIndex = true
            case "]" where !isQuoted: isIndex = false
            case "." where !isQuoted:
                parts.append("")
                continue
            default: if isIndex { continue }
            }
            parts[parts.count - 1].unicodeScalars.append(scalar)
        }
        return parts
    }

    /// A path as the database calls what it leads to.
    private static func withoutQuotes(_ path: String) -> String {
        var lexer = Lexer(Array(path.utf8))
        let quote = UInt8(ascii: "`")
        var name = ""
        while let token = lexer.next() {
            let isQuoted = lexer.bytes[token.start] == quote
            let inner = token.start + 1..<max(token.start + 1, token.kind == .quotedName ? token.end - 1 : token.end)
            name += isQuoted ? Lexer.unquoted(lexer.bytes[inner], quote: quote) : lexer.text(token.start..<token.end)
        }
        return name
    }

    private func lastPart(of name: String) -> String? { name.unicodeScalars.split(separator: ".").last.map { String($0) } }

    /// A collection's name as SQL++ wants it.
    static func collectionPath(_ name: String) -> String {
        name.unicodeScalars.split(separator: ".").map { part in
            let part = String(part)
            return part == "_default" ? part : Lexer.name(part)
        }.joined(separator: ".")
    }
}

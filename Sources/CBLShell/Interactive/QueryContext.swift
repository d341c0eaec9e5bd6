/// Where in a query the cursor stands, and which collections the query is about. Pure: it looks at words, and needs no complete query.
struct QueryContext {
    enum Place: Equatable { case nowhere, collection, expression }

    struct Source: Equatable {
        var collection: String
        var alias: String?
    }

    private(set) var place = Place.expression
    /// What has been typed of the name or path at the cursor.
    private(set) var word = ""
    private(set) var sources: [Source] = []

    var wordLength: Int { word.unicodeScalars.count }

    private static let collectionWords: Set<String> = ["FROM", "JOIN", "INTO", "UPDATE"]

    init(_ text: String) {
        let words = QueryContext.words(text)
        guard let last = words.last else { return }
        if last.isOpenText {
            place = .nowhere
            return
        }
        let isTouching = last.end == text.utf8.count && last.isName
        if isTouching { word = last.text }
        let before = isTouching ? words.dropLast() : words[...]
        findSources(words)
        guard let previous = before.last else { return }
        if previous.isName, QueryContext.collectionWords.contains(previous.text.uppercased()) { place = .collection }
    }

    private struct Word {
        var text: String
        var end: Int
        var isName: Bool
        /// A string whose quote is open.
        var isOpenText = false
    }

    private static func words(_ text: String) -> [Word] {
        let bytes = Array(text.utf8)
        var words: [Word] = []
        var position = 0
        while position < bytes.count {
            let byte = bytes[position]
            let start = position
            position += 1
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                let end = bytes[position...].firstIndex(of: byte)
                position = end.map { $0 + 1 } ?? bytes.count
                words.append(Word(text: "", end: position, isName: false, isOpenText: end == nil))
            case _ where isPathByte(byte):
                var isQuoted = byte == UInt8(ascii: "`")
                while position < bytes.count, isQuoted || isPathByte(bytes[position]) {
                    if bytes[position] == UInt8(ascii: "`") { isQuoted.toggle() }
                    position += 1
                }
                words.append(Word(text: String(decoding: bytes[start..<position], as: UTF8.self), end: position, isName: true))
            case 0x20, 0x09, 0x0A, 0x0D: break
            default: words.append(Word(text: String(decoding: [byte], as: UTF8.self), end: position, isName: false))
            }
        }
        return words
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        WordLexer.isWordByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "`") || byte == UInt8(ascii: "$") || byte >= 0x80
    }

    /// `FROM inventory.hotel AS h JOIN …`
    private mutating func findSources(_ words: [Word]) {
        for (index, word) in words.enumerated() where word.isName && QueryContext.collectionWords.contains(word.text.uppercased()) {
            guard index + 1 < words.count, words[index + 1].isName else { continue }
            let name = String(String.UnicodeScalarView(words[index + 1].text.unicodeScalars.filter { $0 != "`" }))
            var alias: String?
            if index + 2 < words.count, words[index + 2].isName {
                let next = words[index + 2].text
                if next.uppercased() == "AS" {
                    alias = index + 3 < words.count && words[index + 3].isName ? words[index + 3].text : nil
                } else if !Completer.reservedWords.contains(next.uppercased()), index + 2 < words.count - 1 {
                    alias = next
                }
            }
            let isDefault = name == "_" || name == "_default"
            sources.append(Source(collection: isDefault ? "_default" : name, alias: alias ?? (isDefault ? nil : lastPart(of: name))))
        }
    }

    private func lastPart(of name: String) -> String? { name.unicodeScalars.split(separator: ".").last.map { String($0) } }

    /// A collection's name as SQL++ wants it.
    static func collectionPath(_ name: String) -> String {
        name.unicodeScalars.split(separator: ".").map { part in
            let part = String(part)
            return part == "_default" ? part : CompletionNames.pathComponent(part)
        }.joined(separator: ".")
    }
}

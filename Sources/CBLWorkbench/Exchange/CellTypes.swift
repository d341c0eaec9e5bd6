import CBLBase

/// What the cells of a table become: what they look like, or what somebody says.
package struct CellTypes: Sendable {
    package enum CellType: String, CaseIterable, Sendable { case auto, text, number, boolean, json }

    private var others = CellType.auto
    private var byColumn: [(name: String, type: CellType)] = []

    package init() {}

    /// Reads `text`, for all columns, or `zip:text,price:number`.
    package init(_ text: String) throws(FileError) {
        for part in text.utf8.split(separator: UInt8(ascii: ",")) {
            let words = String(Substring(part))
            let mark = words.utf8.lastIndex(of: UInt8(ascii: ":"))
            let word = mark.map { String(words[words.utf8.index(after: $0)...]) } ?? words
            guard let type = CellType(rawValue: word) else {
                let known = CellType.allCases.map(\.rawValue)
                throw FileError(
                    "\"\(word)\" is no type: there are \(known.joined(separator: ", ")).\(Suggestion.sentence(for: word, in: known))")
            }
            if let mark { byColumn.append((String(words[..<mark]), type)) } else { others = type }
        }
    }

    func type(ofColumn name: String) -> CellType {
        byColumn.last { $0.name.utf8.elementsEqual(name.utf8) }?.type ?? others
    }

    /// A column that is spoken of, and is not in a table.
    func unknown(among columns: [String]) -> String? {
        byColumn.lazy.map(\.name).first { name in !columns.contains { $0.utf8.elementsEqual(name.utf8) } }
    }
}

import CBLBase
import CBLLanguage

/// What `.prompt` sets: a text with places for what changes, `{db}:{coll}{txn}>`.
struct PromptTemplate: Equatable, Sendable {
    static let standard = PromptTemplate(text: "{db}:{coll}{txn}>", pieces: [.database, .text(":"), .collection, .transaction, .text(">")])
    static let names = ["db", "coll", "txn", "mode"]

    private enum Piece: Equatable, Sendable {
        case text(String)
        case database, collection, transaction, mode
    }

    let text: String
    private let pieces: [Piece]

    private init(text: String, pieces: [Piece]) {
        self.text = text
        self.pieces = pieces
    }

    init(_ text: String) throws(CommandError) {
        guard !text.contains(where: \.isNewline) else { throw .usage(".prompt takes one line") }
        var pieces: [Piece] = []
        var rest = text[...]
        while !rest.isEmpty {
            let literal = rest.prefix { $0 != "{" }
            if !literal.isEmpty { pieces.append(.text(String(literal))) }
            rest = rest.dropFirst(literal.count)
            guard !rest.isEmpty else { break }
            guard let end = rest.firstIndex(of: "}") else { throw .usage(".prompt: a } is missing behind \(rest)") }
            pieces.append(try PromptTemplate.piece(String(rest[..<end].dropFirst())))
            rest = rest[end...].dropFirst()
        }
        self.init(text: text, pieces: pieces)
    }

    private static func piece(_ name: String) throws(CommandError) -> Piece {
        switch name {
        case "db": return .database
        case "coll": return .collection
        case "txn": return .transaction
        case "mode": return .mode
        default:
            let meant = Suggestion.closest(to: name, in: names).map { " Did you mean {\($0)}?" } ?? ""
            throw .usage(
                ".prompt has no place {\(name)}.\(meant)",
                hint: "{db} is the database, {coll} the collection, {txn} an asterisk in a transaction, {mode} the form of rows.")
        }
    }

    /// The text for a place. The default collection has no name here, and then a colon in front of it is left out, too.
    func filled(with prompt: Prompt, mode: ResultFormat) -> String {
        var result = ""
        for piece in pieces {
            switch piece {
            case .text(let text): result += text
            case .database: result += prompt.database
            case .collection where prompt.collection.isDefault: if result.hasSuffix(":") { result.removeLast() }
            case .collection: result += prompt.collection.description
            case .transaction: if prompt.isInTransaction { result += "*" }
            case .mode: result += mode.rawValue
            }
        }
        return TerminalText.escaped(result)
    }
}

import CBLLanguage
import CBLQuery

/// The way to a place in documents, as SQL++ writes it: `contact.emails[]`, and `scores.*` where names are data.
struct ShapePath: Hashable {
    private(set) var names: [PlaceName] = []

    static func + (path: ShapePath, name: PlaceName) -> ShapePath {
        var longer = path
        longer.names.append(name)
        return longer
    }

    var text: String {
        var text = ""
        for name in names {
            if case .items = name {
                text += "[]"
            } else {
                text += text.isEmpty ? "" : "."
                text += name == .anyName ? "*" : Lexer.name(name.text)
            }
        }
        return text
    }

    /// The name of the property that it ends with, or in whose items or members it ends.
    var lastName: String {
        names.reversed().lazy.compactMap { if case .property = $0 { $0.text } else { nil } }.first ?? ""
    }
}

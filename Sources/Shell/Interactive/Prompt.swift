import DocumentStore
import SQLPlusPlus

/// What stands in front of the line: `travel:inventory.hotel>`, and with an asterisk, `travel:inventory.hotel*>`, while a transaction is open.
struct Prompt {
    /// The path of the database.
    var database: String
    var collection: CollectionName
    var isInTransaction = false

    var text: String {
        let name = Prompt.name(of: database)
        return TerminalText.escaped((collection.isDefault ? name : "\(name):\(collection)") + (isInTransaction ? "*>" : ">"))
    }

    /// The name of a bundle without its ending.
    static func name(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.hasSuffix(".cblite2") ? String(name.dropLast(8)) : name
    }
}

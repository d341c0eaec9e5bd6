import DocumentStore
import SQLPlusPlus

/// What stands in front of the line: `travel:inventory.hotel>`.
enum Prompt {
    static func text(database path: String, collection: CollectionName) -> String {
        let name = name(of: path)
        return TerminalText.escaped(collection.isDefault ? "\(name)>" : "\(name):\(collection)>")
    }

    /// The name of a bundle without its ending.
    static func name(of path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        return name.hasSuffix(".cblite2") ? String(name.dropLast(8)) : name
    }
}

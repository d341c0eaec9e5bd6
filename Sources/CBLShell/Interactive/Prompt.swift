import CBLBase
import CBLStore
import CBLWorkbench

/// What the prompt tells: the database, the collection, and with an asterisk that a transaction is open.
struct Prompt {
    /// The name that the shell has for the database.
    var database: String
    var collection: CollectionName
    var isInTransaction = false

    /// The name of a bundle without its ending.
    static func name(of path: String) -> String {
        PathText.without(".cblite", PathText.without(".cblite2", PathText.name(path)))
    }
}

/// What a flag's value or an argument is: it decides how the text is checked, and what completion offers for it.
enum ValueKind: Hashable, Sendable {
    case text
    /// A whole number in a range, checked by the parser.
    case integer(ClosedRange<Int>)
    /// One of a few words, checked by the parser.
    case choice([String])
    case file
    case directory
    /// The path of a `.cblite2` bundle.
    case database
    /// The same, or the name of a database that is open in the interactive shell.
    case databaseOrName
    /// The name of a database that is open in the interactive shell.
    case openDatabase
    case collection
    case document
    case index
    /// A vector index that is given its vectors.
    case lazyIndex
    /// The name of a stored view.
    case view
    /// The same, or a file of JavaScript.
    case viewOrFile
    /// The path of a property in documents of the collection.
    case property
    /// SQL++ over the properties of the collection's documents.
    case expression
    /// The name of a query that somebody keeps.
    case savedQuery
    /// The path of a database or the URL of one, or `peer:` and a name.
    case peer
    /// The name of a command: `help` takes it.
    case command

    /// A number of things: zero or more.
    static let count = ValueKind.integer(0...Int.max)
}

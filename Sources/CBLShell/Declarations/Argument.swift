/// One positional argument of a command.
///
///     Argument("PATTERN", .document, .optional, "Only documents whose ID matches; * and ? stand for any text, any character")
struct Argument: Sendable {
    enum Presence: Sendable {
        case required
        case optional
        /// One or more.
        case repeating
        /// None or more.
        case optionalRepeating
        /// The rest of the line as one text: words are joined with spaces, and an interactive line is taken raw, quotes and all.
        case rest
        /// The same, and it may be left out.
        case optionalRest

        var isRest: Bool { self == .rest || self == .optionalRest }
    }

    /// Written in capitals, as the usage line shows it.
    let name: String
    let kind: ValueKind
    let presence: Presence
    /// Left out when a database is open already, as in the interactive shell: that database takes its place.
    let isImpliedByOpenDatabase: Bool
    let help: String

    init(
        _ name: String, _ kind: ValueKind = .text, _ presence: Presence = .required, impliedByOpenDatabase: Bool = false,
        _ help: String = ""
    ) {
        self.name = name
        self.kind = kind
        self.presence = presence
        self.isImpliedByOpenDatabase = impliedByOpenDatabase
        self.help = help
    }

    /// The argument that every command has whose declaration says it reads or writes a database.
    static let database = Argument("DATABASE", .database, impliedByOpenDatabase: true, "The .cblite2 bundle")

    var isRequired: Bool {
        switch presence {
        case .required, .repeating, .rest: true
        case .optional, .optionalRepeating, .optionalRest: false
        }
    }

    var isRepeating: Bool {
        switch presence {
        case .repeating, .optionalRepeating, .rest, .optionalRest: true
        case .required, .optional: false
        }
    }

    /// As the usage line shows it: `[PATTERN]`, `DOCID…`.
    var synopsis: String {
        switch presence {
        case .required, .rest: name
        case .optional, .optionalRest: "[\(name)]"
        case .repeating: "\(name)…"
        case .optionalRepeating: "[\(name)…]"
        }
    }
}

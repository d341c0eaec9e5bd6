/// The flags that every command understands, before or after its name. A command's own flag of the same name goes first.
enum GlobalFlags {
    static let all: [Flag] = [
        Flag("writeable", aliases: ["writable"], "Open the database for writing"),
        Flag("create", "Create the database if it does not exist; implies --writeable"),
        Flag(
            "upgrade", optionalValue: "vv", .choice(["vv"]),
            "Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors"),
        Flag("no-backup", "With --upgrade of a 1.x database: do not keep the old one beside the new"),
        Flag(
            "password", optionalValue: ":@FILE", .text,
            "Open an encrypted database, or make one: the password is asked for, or is the first line of FILE. "
                + "Otherwise $CBLITE_DATABASE_PASSWORD"),
        Flag(
            "key", value: ":@FILE", .text,
            "The same with the key in FILE: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY"),
        Flag("encrypted", "The same as --password, which takes a key as well"),
        Flag("collection", short: "C", value: "[SCOPE.]NAME", .collection, "Work on this collection instead of the default one"),
        ModelDeclaration.flag,
        Flag("json", "Print results and errors as JSON, for programs"),
        Flag("quiet", "Say nothing but results and errors"),
        Flag(
            "color", aliases: ["colour"], optionalValue: "WHEN", .choice(["auto", "always", "never"]),
            "Colour the output: auto (on a terminal), always (also plain --color) or never"),
        Flag("help", short: "h", "Explain the command"),
    ]

    /// Understood only before a command's name: after it, `-v` is often something else.
    static let version = Flag("version", short: "v", "Print the version")

    /// Of the interactive shell: for statements that come from a pipe or a file.
    static let keepGoing = Flag("keep-going", "Go on with the next statement of a script when one fails")

    static let beforeCommand: [Flag] = all + [keepGoing, version]

    /// Understood behind a database's path without a command.
    static let ofShell: [Flag] = all + [keepGoing]
}

/// The global flags of one command line, as values.
struct GlobalOptions: Sendable {
    enum Upgrade: Sendable { case none, newest, versionVectors }
    enum Color: String, Sendable { case auto, always, never }

    var isWriteable = false
    var creates = false
    var upgrade = Upgrade.none
    var keepsNoBackup = false
    /// What to open encrypted databases with.
    var keys = KeyFlags()
    var collection: String?
    /// Each as `ModelDeclaration` reads it.
    var models: [String] = []
    var isJSON = false
    var isQuiet = false
    var keepsGoing = false
    var color = Color.auto

    /// What was said of one database, and is not said of those that are opened beside it.
    mutating func forgetDatabase() {
        (isWriteable, creates, upgrade) = (false, false, .none)
        keys = KeyFlags()
    }

    /// Takes over a global flag that was given.
    mutating func apply(_ name: String, _ value: String?) {
        switch name {
        case "writeable": isWriteable = true
        case "create": (creates, isWriteable) = (true, true)
        case "upgrade": (upgrade, isWriteable) = (value == nil ? .newest : .versionVectors, true)
        case "no-backup": keepsNoBackup = true
        case "password": if let value { keys.password = value } else { keys.isAskedFor = true }
        case "key": keys.key = value
        case "encrypted": keys.isAskedFor = true
        case "collection": collection = value
        case "model": if let value { models.append(value) }
        case "json": isJSON = true
        case "quiet": isQuiet = true
        case "keep-going": keepsGoing = true
        case "color": color = value.flatMap(Color.init(rawValue:)) ?? .always
        default: break
        }
    }
}

/// Commands that people know from elsewhere and that this version does not have: it says so, instead of calling them unknown.
enum PlannedCommand {
    private static let abilities: [(names: [String], ability: String)] = [
        (["encrypt", "decrypt"], "encrypt or decrypt databases"),
        (["logcat"], "read log files"),
    ]

    /// The error for a command of that name, or nil if none is planned.
    static func error(for word: String) -> CommandError? {
        let name = word.lowercased()
        guard let ability = abilities.first(where: { $0.names.contains(name) })?.ability else { return nil }
        return .failed("\(name): this version cannot \(ability) yet", hint: "'cblite help' lists the commands.")
    }
}

import CBLStore

/// What a user may do in which collections: `travel.inventory.hotel` to `read` and `write`.
package struct AccessRules: Hashable, Sendable {
    /// A pattern: of names, or of everything.
    private struct Pattern: Hashable {
        /// Nil is any.
        let database: String?
        let scope: String?
        let collection: String?

        /// Nil if it is none. `db` is its default collection, `db.*` all of it, `*` everything.
        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
            guard (1...3).contains(parts.count), parts.allSatisfy({ !$0.isEmpty }) else { return nil }
            switch parts.count {
            case 1: (database, scope, collection) = text == "*" ? (nil, nil, nil) : (text, "_default", "_default")
            case 2: (database, scope, collection) = parts[1] == "*" ? (parts[0], nil, nil) : (parts[0], "_default", parts[1])
            default: (database, scope, collection) = (parts[0], parts[1], parts[2] == "*" ? nil : parts[2])
            }
            guard text == "*" || ![database, scope].contains("*") else { return nil }
        }

        func matches(_ name: String, _ place: CollectionName) -> Bool {
            (database ?? name) == name && (scope ?? place.scope) == place.scope && (collection ?? place.name) == place.name
        }
    }

    private struct Rule: Hashable {
        let pattern: Pattern
        let reads: Bool
        let writes: Bool
    }

    private var rules: [Rule] = []

    package init() {}

    /// Adds a pattern; false if it is none.
    mutating func add(_ pattern: String, reads: Bool, writes: Bool) -> Bool {
        guard let pattern = Pattern(pattern) else { return false }
        rules.append(Rule(pattern: pattern, reads: reads, writes: writes))
        return true
    }

    /// The databases that rules are about by name.
    var databases: Set<String> { Set(rules.compactMap(\.pattern.database)) }

    /// Nil if they may nothing there.
    func access(to database: String, _ collection: CollectionName) -> Share.Access? {
        let matching = rules.filter { $0.pattern.matches(database, collection) }
        return AccessRules.access(reads: matching.contains(where: \.reads), writes: matching.contains(where: \.writes))
    }

    static func access(reads: Bool, writes: Bool) -> Share.Access? {
        switch (reads, writes) {
        case (true, true): .readWrite
        case (true, false): .readOnly
        case (false, true): .writeOnly
        case (false, false): nil
        }
    }

    /// Whether there is a rule about something in a database.
    func mentions(_ database: String) -> Bool { rules.contains { ($0.pattern.database ?? database) == database } }
}

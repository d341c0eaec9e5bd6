/// What is known of a document beside its body.
enum MetaKey: String, CaseIterable {
    case id, sequence, deleted, expiration, revisionID
    /// SQLite's; not in the object that `META()` gives.
    case rowid

    /// The key by its name in any case; nil if there is none.
    init?(name: String) {
        let lower = name.asciiLowercased
        guard let key = MetaKey.allCases.first(where: { $0.rawValue.asciiLowercased == lower }) else { return nil }
        self = key
    }

    /// The key by the name that stands for it among properties, such as `_id`.
    init?(shortcut: String) {
        guard shortcut.utf8.first == UInt8(ascii: "_") else { return nil }
        self.init(name: String(shortcut.unicodeScalars.dropFirst()))
    }
}

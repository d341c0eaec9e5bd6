import CBLStore

/// What flags say of the password or key of an encrypted database.
struct KeyFlags: Sendable {
    /// What the names of the flags begin with; nothing for those that every command understands.
    var prefix = ""
    /// As they were given: `:@` and the path of a file.
    var password: String?
    var key: String?
    /// Whether the password or key is to be asked for.
    var isAskedFor = false

    /// Whether it is for something that is not there yet: what is typed is asked for twice.
    var isNew = false

    var areGiven: Bool { password != nil || key != nil || isAskedFor }
    var passwordName: String { "--\(prefix)password" }
    var keyName: String { "--\(prefix)key" }
}

extension KeyFlags {
    /// Flags for a key that is to be, besides the one that is.
    static let ofNewKey: [Flag] = [
        Flag("new-password", optionalValue: ":@FILE", .text, "A new password: it is asked for, or is the first line of FILE"),
        Flag("new-key", value: ":@FILE", .text, "A new key: 64 hexadecimal digits, or 32 bytes, in FILE"),
    ]

    /// What was said with them.
    static func newKey(_ invocation: Invocation) -> KeyFlags {
        KeyFlags(
            prefix: "new-", password: invocation.string("new-password"), key: invocation.string("new-key"),
            isAskedFor: invocation.flag("new-password") && invocation.string("new-password") == nil, isNew: true)
    }

    /// Flags for the key of an archive. It may be that of the database, or another.
    static func ofArchive(_ verb: String) -> [Flag] {
        [
            Flag(
                "archive-password", optionalValue: ":@FILE", .text,
                "\(verb) the archive with a password: it is asked for, or is the first line of FILE"),
            Flag("archive-key", value: ":@FILE", .text, "The same with the key in FILE: 64 hexadecimal digits, or 32 bytes"),
        ]
    }

    /// What was said with them.
    static func archiveKey(_ invocation: Invocation, isNew: Bool) -> KeyFlags {
        KeyFlags(
            prefix: "archive-", password: invocation.string("archive-password"), key: invocation.string("archive-key"),
            isAskedFor: invocation.flag("archive-password") && invocation.string("archive-password") == nil, isNew: isNew)
    }

    /// What else a copy can have.
    static let ofCopy: [Flag] = ofNewKey + [Flag("decrypt", "Make a copy that is not encrypted")]
}

extension Session {
    /// The key of a copy of a database: by default that of the database, if it has one.
    func copyKey(_ invocation: Invocation, of database: Database) throws -> Database.CopyKey {
        let flags = KeyFlags.newKey(invocation)
        guard invocation.flag("decrypt") else { return try key(of: flags, for: "the copy").map { .other($0) } ?? .same }
        if flags.areGiven {
            throw invocation.usageError("--decrypt and --\(flags.key == nil ? "new-password" : "new-key") exclude each other")
        }
        return .other(nil)
    }
}

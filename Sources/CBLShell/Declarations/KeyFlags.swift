/// What flags say of the password or key of an encrypted database.
struct KeyFlags: Sendable {
    /// What the names of the flags begin with; nothing for those that every command understands.
    var prefix = ""
    /// As they were given: `:@` and the path of a file.
    var password: String?
    var key: String?
    /// Whether the password or key is to be asked for.
    var isAskedFor = false

    var areGiven: Bool { password != nil || key != nil || isAskedFor }
    var passwordName: String { "--\(prefix)password" }
    var keyName: String { "--\(prefix)key" }
}

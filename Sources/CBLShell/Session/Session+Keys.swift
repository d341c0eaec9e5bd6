import CBLBase
import CBLStore

/// Passwords and keys of encrypted databases. On a command line they would be in `ps` and in the shell's history: they are asked for, or are in a
/// file or in the environment.
extension Session {
    static let passwordVariable = "CBLITE_DATABASE_PASSWORD"
    static let keyVariable = "CBLITE_DATABASE_KEY"
    private static let filePrefix = ":@"

    /// The key that flags speak of; nil if they speak of none.
    func key(of flags: KeyFlags, for path: String) throws(CommandError) -> EncryptionKey? {
        switch (flags.password, flags.key) {
        case (nil, nil): return !flags.isAskedFor ? nil : flags.isNew ? try askedNewKey(for: path, flags) : try askedKey(for: path)
        case (let password?, nil):
            let text = try secret(password, flags.passwordName)
            // A database of somebody else may have been encrypted with nothing.
            guard !text.isEmpty || !flags.isNew else {
                throw .failed("\(path): a password is never empty, and the first line of \(flags.passwordName)'s file is")
            }
            return EncryptionKey(password: text)
        case (nil, let key?): return try Session.key(keyFile(key, flags.keyName), "the file of \(flags.keyName)")
        case (.some, .some):
            throw .usage("\(flags.passwordName) and \(flags.keyName) are two ways to open a database: choose one")
        }
    }

    /// The key where the flags speak of none, and the database turned out to need one.
    func keyWithoutFlags(for path: String) throws(CommandError) -> EncryptionKey? {
        if let known = knownKeys[path] { return known }
        if let key = Terminal.environment(Session.keyVariable), !key.isEmpty {
            return try Session.key(Array(key.utf8), "$" + Session.keyVariable)
        }
        if let password = Terminal.environment(Session.passwordVariable), !password.isEmpty { return EncryptionKey(password: password) }
        return canAsk ? try askedKey(for: path) : nil
    }

    /// The key of a database that perhaps cannot be opened any more.
    func salvageKey(of path: String) throws(CommandError) -> EncryptionKey? {
        if let key = try key(of: options.keys, for: path) ?? knownKeys[path] { return key }
        do throws(StoreError) { _ = try Database(path: path) } catch {
            if error.code == .needsKey { return try keyWithoutFlags(for: path) }
        }
        return nil
    }

    func askedKey(for path: String) throws(CommandError) -> EncryptionKey {
        if let known = knownKeys[path] { return known }
        let question = "Password or key of \(path): "
        let text = try askSecret(
            question, orSay: "--password=:@FILE, --key=:@FILE, $\(Session.passwordVariable) or $\(Session.keyVariable)")
        guard !text.isEmpty else { throw .failed("\(path): a password is never empty") }
        return (try? Session.key(Array(text.utf8), "")) ?? EncryptionKey(password: text)
    }

    /// Asks for a password that is not known to anybody yet: nobody sees what is typed, so it is typed twice.
    private func askedNewKey(for path: String, _ flags: KeyFlags) throws(CommandError) -> EncryptionKey {
        let otherwise = "\(flags.passwordName)=:@FILE or \(flags.keyName)=:@FILE"
        let text = try askSecret("New password or key of \(path): ", orSay: otherwise)
        guard !text.isEmpty else { throw .failed("\(path): a password is never empty") }
        guard try askSecret("The same again: ", orSay: otherwise) == text else { throw .failed("\(path): these are two different ones") }
        return (try? Session.key(Array(text.utf8), "")) ?? EncryptionKey(password: text)
    }

    private func secret(_ value: String, _ flag: String) throws(CommandError) -> String {
        guard let file = Session.file(value) else { throw Session.isInClear(flag) }
        let bytes = try SecretFile.read(file, warningIn: self)
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }, as: UTF8.self)
    }

    private func keyFile(_ value: String, _ flag: String) throws(CommandError) -> [UInt8] {
        guard let file = Session.file(value) else { throw Session.isInClear(flag) }
        return try SecretFile.read(file, warningIn: self)
    }

    private static func file(_ value: String) -> String? { value.hasPrefix(filePrefix) ? String(value.dropFirst(filePrefix.count)) : nil }

    private static func isInClear(_ flag: String) -> CommandError {
        .usage("a secret on a command line is there for everybody to read: \(flag)=:@FILE has it in a file, --password alone asks")
    }

    /// A key as 64 hexadecimal digits, also behind "0x", or as its 32 bytes.
    private static func key(_ bytes: [UInt8], _ place: String) throws(CommandError) -> EncryptionKey {
        if let key = bytes.withUnsafeBytes({ EncryptionKey($0) }), bytes.count == EncryptionKey.Cipher.aes256.rawValue { return key }
        guard let bytes = EncryptionKeyText.bytes(String(decoding: bytes, as: UTF8.self)),
            let key = bytes.withUnsafeBytes({ EncryptionKey($0) })
        else {
            throw .usage("\(place) holds no key: 64 hexadecimal digits, or 32 bytes")
        }
        return key
    }
}

/// A key as people write it: 64 hexadecimal digits, also behind "0x", and with blanks around them.
enum EncryptionKeyText {
    static func bytes(_ text: String) -> [UInt8]? {
        var digits = text.lowercased()[...]
        while let last = digits.last, last.isWhitespace { digits.removeLast() }
        while let first = digits.first, first.isWhitespace { digits.removeFirst() }
        if digits.hasPrefix("0x") { digits = digits.dropFirst(2) }
        return digits.utf8.count == 64 ? Hex.bytes(of: String(digits)) : nil
    }

    static func isKey(_ text: String) -> Bool { bytes(text) != nil }
}

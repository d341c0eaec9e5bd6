import CBLStore

/// `cblite encrypt DATABASE`, `cblite rekey DATABASE` and `cblite decrypt DATABASE`
enum EncryptionCommands {
    static let encrypt = CommandDeclaration(
        "encrypt", group: .maintaining,
        summary: "Encrypt a database in its place",
        discussion: """
            Writes the database and its blobs anew, encrypted with AES-256, as the vendor's Enterprise Edition does it. Without a flag the password \
            or key is asked for, twice.

            Until everything is written nothing has changed: interrupted or killed, it leaves the database as it was. No other program may have it \
            open meanwhile. The old file is removed like any other: what was in clear may still be found on the disk.

            \(afterwards)
            """,
        database: .writes, flags: KeyFlags.ofNewKey,
        examples: [
            .init("cblite encrypt travel.cblite2", "Asks for a password."),
            .init("cblite encrypt --new-key=:@travel.key travel.cblite2", "With the key in a file."),
        ],
        run: { invocation in
            let given = invocation.session.options.keys
            if given.areGiven, let path = invocation.parsed.databasePath, (try? Database(path: path)) != nil {
                throw invocation.usageError(
                    "\(path) is not encrypted yet: --new-\(given.key == nil ? "password" : "key") names what it is to have")
            }
            let database = try invocation.database()
            guard !database.isEncrypted else {
                throw CommandError.failed("\(database.path): it is encrypted already", hint: "rekey gives it another key.")
            }
            return try change(database, to: try newKey(invocation, database), "Encrypting", "Encrypted", invocation)
        })

    static let rekey = CommandDeclaration(
        "rekey", group: .maintaining,
        summary: "Give an encrypted database another key",
        discussion: """
            Writes the database and its blobs anew, encrypted with another password or key. The present one is asked for, or is given as to every \
            command.

            Until everything is written nothing has changed: interrupted or killed, it leaves the database with its old key. No other program may \
            have it open meanwhile. Copies that were made before keep the old key.

            \(afterwards)
            """,
        database: .writes, flags: KeyFlags.ofNewKey,
        examples: [
            .init("cblite rekey --password travel.cblite2", "Asks for the old password and for the new one."),
            .init("cblite rekey --key=:@old.key --new-key=:@new.key travel.cblite2", "Both are in files."),
        ],
        run: { invocation in
            let database = try invocation.database()
            try checkIsEncrypted(database)
            return try change(database, to: try newKey(invocation, database), "Encrypting", "Encrypted", invocation)
        })

    static let decrypt = CommandDeclaration(
        "decrypt", group: .maintaining,
        summary: "Take the encryption off a database",
        discussion: """
            Writes the database and its blobs anew, without encryption. "cp --decrypt" makes a copy that is not encrypted, and leaves the database \
            as it is.

            Until everything is written nothing has changed: interrupted or killed, it leaves the database encrypted. No other program may have it \
            open meanwhile.
            """,
        database: .writes,
        examples: [.init("cblite decrypt --password travel.cblite2", "Asks for the password.")],
        run: { invocation in
            let database = try invocation.database()
            try checkIsEncrypted(database)
            return try change(database, to: nil, "Decrypting", "Decrypted", invocation)
        })

    private static let afterwards = "There is no way to the documents without the password or key: nobody can find it out."

    private static func checkIsEncrypted(_ database: Database) throws {
        guard database.isEncrypted else {
            throw CommandError.failed("\(database.path): it is not encrypted", hint: "encrypt encrypts it.")
        }
    }

    private static func newKey(_ invocation: Invocation, _ database: Database) throws -> EncryptionKey {
        var flags = KeyFlags.newKey(invocation)
        if !flags.areGiven { flags.isAskedFor = true }
        guard let key = try invocation.session.key(of: flags, for: database.path) else {
            throw invocation.usageError("a new key is missing")
        }
        return key
    }

    private static func change(
        _ database: Database, to key: EncryptionKey?, _ doing: String, _ done: String, _ invocation: Invocation
    ) throws -> ExitCode {
        try invocation.refuseCollection()
        let session = invocation.session
        try session.refuseInTransaction("it cannot be encrypted anew", at: database.path)
        let progress = session.progress(doing, total: 100, unit: "%")
        defer { progress.finish() }
        var shown = 0
        try database.changeKey(to: key) { done, total in
            try Interruption.check()
            let percent = total > 0 ? done * 100 / total : 0
            guard percent > shown else { return }
            progress.advance(by: percent - shown)
            shown = percent
        }
        progress.finish()
        session.knownKeys[database.path] = key
        if invocation.wantsJSON {
            try invocation.tell {
                try session.writeFacts { line in
                    line.add("encrypted", key != nil)
                    if let cipher = database.cipherName { line.add("encryption", cipher) }
                }
            }
        } else {
            session.notice("\(done)\(database.cipherName.map { " with \($0)" } ?? "").")
        }
        return .success
    }
}

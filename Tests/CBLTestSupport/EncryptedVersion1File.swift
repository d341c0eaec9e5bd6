import FoundationEssentials

/// Encrypted databases of 1.x, made of plain ones by the program `sqlcipher`.
///
///     let path = try EncryptedVersion1File.make(of: plain, at: directory.path + "/encrypted.cblite2", key: key)
package enum EncryptedVersion1File {
    package static let canBeMade = Program.isInstalled("sqlcipher")
    package static let absence = "there is no sqlcipher (Debian's package of that name)"

    /// For later versions of the program; to those that 1.x had it means nothing.
    private static let compatibility = "PRAGMA cipher_default_compatibility=3;"

    package struct Refused: Error {
        package let message: String
    }

    /// Encrypts the main file of a database that nobody has open. `key` is 64 hexadecimal digits. `statements` are run by the program
    /// afterwards, which may copy files as they are at that moment, by `.shell cp`.
    package static func make(of plain: String, at target: String, key: String, _ statements: String = "") throws {
        let copy = target + ".clear"
        defer { try? FileManager.default.removeItem(atPath: copy) }
        try FileManager.default.copyItem(atPath: plain, toPath: copy)
        // The program does not know the collation, whose order is the same here.
        try run(copy, "PRAGMA writable_schema=ON; UPDATE sqlite_master SET sql=replace(sql, 'COLLATE REVID', 'COLLATE BINARY');\n")
        try run(
            copy,
            """
            \(compatibility)
            ATTACH \(sqlText(target)) AS e KEY "x'\(key)'";
            SELECT sqlcipher_export('e');
            PRAGMA e.user_version=102;
            PRAGMA writable_schema=ON;
            UPDATE e.sqlite_master SET sql=replace(sql, 'COLLATE BINARY', 'COLLATE REVID');

            """)
        if !statements.isEmpty { try run(target, "\(compatibility)\nPRAGMA key=\"x'\(key)'\";\n" + statements + "\n") }
    }

    private static func run(_ file: String, _ statements: String) throws {
        guard let result = try Program.run(tool: "sqlcipher", ["-bail", file], input: statements) else { throw Refused(message: absence) }
        guard result.exitCode == 0, result.errors.isEmpty else { throw Refused(message: result.errors) }
    }
}

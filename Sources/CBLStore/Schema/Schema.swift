import CBLBase
import CBLSQLite

/// The texts that make tables. SQLite keeps them and the vendor's library compares them byte by byte, so every blank counts.
enum Schema {
    static let kvmeta =
        "CREATE TABLE IF NOT EXISTS   kvmeta (name TEXT PRIMARY KEY, lastSeq INTEGER DEFAULT 0, purgeCnt INTEGER DEFAULT 0) WITHOUT ROWID;"

    /// The statements that make a key store's table in a file of this generation.
    static func keyStore(_ table: String, isCollection: Bool, in generation: SchemaGeneration) -> [String] {
        let start = "  key TEXT PRIMARY KEY,  sequence INTEGER,  flags INTEGER DEFAULT 0,  version BLOB,  body BLOB"
        let name = quoted(identifier: table)
        if generation.expiresEverywhere {
            return ["CREATE TABLE IF NOT EXISTS \(name) (\(start),  expiration INTEGER,  extra BLOB)", expirationIndex(table)]
        }
        if generation.hasCollections {
            let create = "CREATE TABLE IF NOT EXISTS \(name) (\(start),  extra BLOB)"
            return isCollection ? [create] + addExpiration(table) : [create]
        }
        // Older releases left the name bare, except where it could not be.
        let bare = isBare(table) ? table : name
        return ["CREATE TABLE IF NOT EXISTS \(bare) (\(start)\(generation.separatesBodies ? ",  extra BLOB" : ""))"]
    }

    static func addExpiration(_ table: String) -> [String] {
        ["ALTER TABLE \(quoted(identifier: table)) ADD COLUMN expiration INTEGER", expirationIndex(table)]
    }

    static func expirationIndex(_ table: String) -> String {
        "CREATE INDEX IF NOT EXISTS \(quoted(identifier: table + "_expiration")) ON \(quoted(identifier: table)) (expiration) WHERE expiration not null"
    }

    static func sequenceIndex(_ table: String) -> String {
        "CREATE UNIQUE INDEX IF NOT EXISTS \(quoted(identifier: table + "_seqs")) ON \(quoted(identifier: table)) (sequence)"
    }

    static func conflictIndex(_ table: String) -> String {
        "CREATE INDEX IF NOT EXISTS \(quoted(identifier: table + "_conflicts")) ON \(quoted(identifier: table)) (flags) WHERE (flags & 2) != 0"
    }

    /// The table of a key store: capitals are escaped, since SQLite's table names ignore case and key stores' do not.
    static func table(ofKeyStore name: String, in generation: SchemaGeneration) -> String {
        "kv_" + (generation.hasCollections ? escapingCapitals(name) : name)
    }

    static func escapingCapitals(_ name: String) -> String {
        var escaped = ""
        for character in name.unicodeScalars {
            if ("A"..."Z").contains(character) { escaped.unicodeScalars.append("\\") }
            escaped.unicodeScalars.append(character)
        }
        return escaped
    }

    /// The key store that a table holds; nil for tables of indexes and everything else.
    static func keyStore(ofTable table: String) -> String? {
        guard table.hasPrefix("kv_") else { return nil }
        var name = ""
        var isEscaped = false
        var previous: Unicode.Scalar = " "
        for character in table.unicodeScalars.dropFirst(3) {
            if character == ":" && previous == ":" { return nil }
            previous = character
            if character == "\\" && !isEscaped {
                isEscaped = true
                continue
            }
            isEscaped = false
            name.unicodeScalars.append(character)
        }
        // The first search for a text in a text takes long, and hardly a table has a colon.
        let isIndexTable = table.utf8.contains(UInt8(ascii: ":")) && [":unnest:", ":vector:", ":predict:"].contains { table.contains($0) }
        return name.isEmpty || isIndexTable ? nil : name
    }

    private static func isBare(_ name: String) -> Bool {
        name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

extension Schema {
    /// Array indexes since 3.2.1 are kept in a table named after the SHA-1 of the name that `indexes` gives it.
    static func hashedName(ofIndexTable name: String) -> String {
        var sha1 = SHA1()
        var name = name
        name.withUTF8 { sha1.update(UnsafeRawBufferPointer($0)) }
        return sha1.finish().withBytes { Hex.text(of: $0) }
    }
}

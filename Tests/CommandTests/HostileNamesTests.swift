import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLStore

/// Names that end the quotes they are put into, from everywhere but a bundle: archives, imports, queries, parameters, arguments. Whatever becomes
/// of them, no other file is touched, and the database that they came into is sound.
@Suite struct HostileNamesTests {
    private static let isLong = HostileBundleTests.rounds != nil
    /// In an ordinary run those that have done harm, and a few others.
    private static let names =
        HostileNames.worst + HostileNames.all(seed: HostileBundleTests.seed).prefix(isLong ? 10_000 : 4) + HostileNames.awkward

    private let bundle: HostileBundle

    init() throws { bundle = try HostileBundle(.ours, []) }

    private func json(_ text: String) throws -> String { String(decoding: try JSONEncoder().encode(text), as: UTF8.self) }

    @discardableResult private func run(_ words: [String], _ input: String = "", _ name: String = "") throws -> Program.Result {
        let (result, harm) = try bundle.run(words, input: input)
        #expect(harm == nil, "'cblite \(words.joined(separator: " "))' \(harm ?? "") with \(name.debugDescription)")
        return result
    }

    private func expectSound(_ name: String, _ path: String = HostileBundle.name) throws {
        let result = try run(["check", path], "", name)
        #expect(result.exitCode == 0, "\(name.debugDescription): \(result.output)\(result.errors)")
    }

    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: URL(filePath: bundle.scene.work + "/" + name))
    }

    /// Lines of archives with a place for a name.
    private static let archiveLines: [@Sendable (String) -> String] = [
        { #"{"doc":\#($0),"revs":[{"rev":"1-66c183b8980c2066b2d6ecd701d3823bc0c1b838","body":{\#($0):1}}]}"# },
        { #"{"doc":"d","revs":[{"rev":\#($0),"body":{"x":\#($0)}}]}"# },
        { #"{"raw":\#($0),"key":\#($0),"meta":\#($0),"body":\#($0)}"# },
        { #"{"remote":1,"url":\#($0)}"# },
        { #"{"collection":\#($0),"lastSequence":9}"# },
    ]

    /// The lines of indexes whose names, paths and options are foreign: as a release writes them, with quotes doubled as SQLite wants it, not at
    /// all, or only those that are Characters of their own.
    private static func indexLines(_ name: String, _ json: (String) throws -> String) throws -> [String] {
        // A release marks capitals.
        let name = name.lowercased()
        let literals = [sqlText(name), "'" + name + "'", "'" + name.replacing("'", with: "''") + "'"]
        let identifiers = [sqlName(name), "\"" + name + "\"", "\"" + name.replacing("\"", with: "\"\"") + "\""]
        var lines: [String] = []
        for (number, (literal, identifier)) in zip(literals, identifiers).enumerated() {
            // An index whose name is there already is left out.
            let i = "i\(number)", x = "x\(number)"
            lines += [
                try line(name, 0, "=j[[\".a\"]]", nil, ["CREATE INDEX \(identifier) ON kv_default (fl_value(body, 'a'))"], json),
                try line(i, 0, "=n`\(name)`", nil, ["CREATE INDEX \(i) ON kv_default (fl_value(body, \(literal)))"], json),
                try line(
                    i + "w", 0, "=na", nil,
                    ["CREATE INDEX \(i)w ON kv_default (fl_value(body, 'a')) WHERE fl_value(body, 'a') = \(literal)"],
                    json),
                try line(x, 1, "=n`\(name)`", "kv_default::" + x, fullText(x, identifier, literal, "\"remove_diacritics=0\""), json),
                try line(
                    x + "o", 1, "=na", "kv_default::\(x)o",
                    fullText(x + "o", "\"a\"", "'a'", "\"stopwordlist=" + identifier.dropFirst() + " \"remove_diacritics=0\""), json),
                try line(i + "a", 2, "=j[]", "kv_default:unnest:" + name, array(i + "a", name, literal, "fl_unnested_value(body)"), json),
                try line(
                    i + "t", 2, "=n`\(name)`", "kv_default:unnest:tags",
                    array(i + "t", "tags", "'tags'", "fl_unnested_value(body, \(literal))"), json),
            ]
        }
        return lines
    }

    private static func line(
        _ name: String, _ type: Int, _ expression: String, _ table: String?, _ sql: [String], _ json: (String) throws -> String
    ) throws -> String {
        let table = try table.map { ",\"table\":\(try json($0))" } ?? ""
        return """
            {"index":\(try json(name)),"type":\(type),"collection":"_default","expression":\(try json(expression))\(table),\
            "sql":[\(try sql.map(json).joined(separator: ","))]}
            """
    }

    private static func fullText(_ name: String, _ column: String, _ path: String, _ options: String) -> [String] {
        let table = "\"kv_default::\(name)\"", value = "fl_fts_value(new.body, \(path))"
        let insertion = "BEGIN INSERT INTO \(table) (docid, \(column)) VALUES (new.rowid, \(value)); END"
        let deletion = "BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END"
        return [
            "CREATE VIRTUAL TABLE \(table) USING fts4(\(column), tokenize=unicodesn \(options))",
            "CREATE TRIGGER \"kv_default::\(name)::ins\" AFTER INSERT ON \"kv_default\"   \(insertion)",
            "CREATE TRIGGER \"kv_default::\(name)::del\" AFTER DELETE ON \"kv_default\"   \(deletion)",
            "CREATE TRIGGER \"kv_default::\(name)::preupdate\" BEFORE UPDATE OF body ON \"kv_default\"   \(deletion)",
            "CREATE TRIGGER \"kv_default::\(name)::postupdate\" AFTER UPDATE OF body ON \"kv_default\"   \(insertion)",
        ]
    }

    private static func array(_ name: String, _ path: String, _ literal: String, _ expression: String) -> [String] {
        let hash = Schema.hashedName(ofIndexTable: "kv_default:unnest:" + path)
        let table = hash.first?.isNumber == true ? "\"\(hash)\"" : hash
        let each = "SELECT new.rowid, _each.rowid, _each.value FROM fl_each(new.body, \(literal)) AS _each"
        let insertion = "BEGIN INSERT INTO \(table) (docid, i, body) \(each) ; END"
        let deletion = "BEGIN DELETE FROM \(table) WHERE docid = old.rowid; END"
        let columns = "docid INTEGER NOT NULL REFERENCES kv_default(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL"
        return [
            "CREATE TABLE \(table) (\(columns),  CONSTRAINT pk PRIMARY KEY (docid, i))",
            "CREATE TRIGGER \"\(hash)::ins\" AFTER INSERT ON kv_default WHEN (new.flags & 1) = 0  \(insertion)",
            "CREATE TRIGGER \"\(hash)::del\" BEFORE DELETE ON kv_default WHEN (old.flags & 1) = 0  \(deletion)",
            "CREATE TRIGGER \"\(hash)::preupdate\" BEFORE UPDATE OF body, flags ON kv_default WHEN (old.flags & 1) = 0  \(deletion)",
            "CREATE TRIGGER \"\(hash)::postupdate\" AFTER UPDATE OF body, flags ON kv_default WHEN (new.flags & 1 = 0)  \(insertion)",
            "CREATE INDEX \(name) ON \(table) (\(expression))",
        ]
    }

    @Test func archives() throws {
        for (number, name) in Self.names.enumerated() {
            let text = try json(name)
            var lines = [
                #"{"archive":"cblite","version":1,"versioning":"trees","format":503}"#, #"{"collection":"_default","lastSequence":3}"#,
            ]
            lines.append(#"{"doc":"sound","seq":1,"revs":[{"rev":"1-66c183b8980c2066b2d6ecd701d3823bc0c1b838","body":{"a":1}}]}"#)
            // One line at a time, since a wrong one ends the archive; of indexes all together, since those are left out one by one.
            let others = Self.isLong || number % 6 == 0 ? Self.archiveLines.map { [$0(text)] } : []
            for line in others + [try Self.indexLines(name, json)] {
                try write((lines + line + [#"{"end":true}"#]).joined(separator: "\n") + "\n", to: "hostile.archive")
                for words in [["--create", "restore", "made.cblite2"], ["restore", "--merge", HostileBundle.name]] {
                    let result = try run(words + ["hostile.archive"], "", name)
                    if result.exitCode == 0 { try expectSound(name, words.last ?? "") }
                }
                if number % 4 == 0 { try run(["--writeable", "made.cblite2"], "put sound {a: 2}\nrmindex i2a\nrmindex x2o\n", name) }
                try bundle.restore()
            }
        }
    }

    @Test func imports() throws {
        let texts = try Self.names.map(json)
        let rows = zip(Self.names, texts).map { name, text in #"{"_id":\#(text),\#(text):\#(text),"list":[{\#(text):\#(text)}]}"# }
        try write(rows.joined(separator: "\n") + "\n", to: "names.jsonl")
        let cells = Self.names.map { "\"" + $0.replacing("\"", with: "\"\"") + "\"" }
        try write(
            "_id,\(cells.joined(separator: ","))\n" + cells.map { "\($0),\(cells.joined(separator: ","))\n" }.joined(), to: "names.csv")
        for file in ["names.jsonl", "names.csv"] {
            try run(["import", HostileBundle.name, file])
            try expectSound(file)
            for words in [
                ["ls", "-l"], ["cat", "*"], ["schema"], ["stats", "list"], ["tree"], ["revs"], ["changes"], ["info", "keys"],
                ["export", "made.csv"],
                ["export", "made.jsonl"], ["cp", "made.cblite2"], ["dump", "made.archive"], ["mv", "*", "inventory.hotel"],
            ] { try run([words[0]] + [HostileBundle.name] + words.dropFirst()) }
            try bundle.restore()
        }
    }

    @Test func arguments() throws {
        // The system ends an argument at NUL.
        for (number, name) in Self.names.enumerated() where !name.contains("\0") {
            let text = try json(name)
            let lines = [
                ["put", HostileBundle.name, "--", name, "{\(text): \(text)}"], ["cat", HostileBundle.name, "--", name],
                [
                    "query", HostileBundle.name, "SELECT `\(name.replacing("`", with: "``"))`, $p FROM _ WHERE a = \(sqlText(name))",
                    "--param", "p=\(text)",
                ],
                ["query", HostileBundle.name, #"{"WHAT": [[".", \#(text)]], "WHERE": ["=", ["._id"], \#(text)]}"#],
                ["query", HostileBundle.name, "SELECT META().id FROM _ AS `\(name)` WHERE MATCH(`\(name)`, \(sqlText(name)))"],
                ["mkindex", HostileBundle.name, "--", name, "`\(name)`"],
                ["mkindex", "--where", "a = \(sqlText(name))", HostileBundle.name, "w", "a"],
                ["mkindex", "--fts", "--language", name, HostileBundle.name, "l", "a"],
                ["mkindex", "--fts", "--stopWords", name, HostileBundle.name, "s", "`\(name)`"],
                ["mkindex", "--unnest", "`\(name)`", HostileBundle.name, "u", "`\(name)`"],
                ["mkindex", "--suggest", "SELECT `\(name)` FROM _ WHERE `\(name)` = 1", HostileBundle.name],
                ["fts", HostileBundle.name, "texts", name], ["stats", HostileBundle.name, "`\(name)`"],
                ["schema", "--by", name, HostileBundle.name], ["mkcoll", HostileBundle.name, "--", name],
                ["rmindex", HostileBundle.name, "--", name],
                ["changes", "--since", name, HostileBundle.name],
            ]
            for (place, words) in lines.enumerated() where Self.isLong || (place + number) % 3 == 0 { try run(words, "", name) }
        }
        try expectSound("arguments")
    }
}

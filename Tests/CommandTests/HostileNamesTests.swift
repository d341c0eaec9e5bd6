import FoundationEssentials
import TestSupport
import Testing

/// Names that end the quotes they are put into, from everywhere but a bundle: archives, imports, queries, parameters, arguments. Whatever becomes
/// of them, no other file is touched, and the database that they came into is sound.
@Suite struct HostileNamesTests {
    /// As many names as an ordinary run takes of each kind; all with `CBLITE_HOSTILE_ROUNDS`.
    private static let count = HostileBundleTests.rounds == nil ? 40 : 10_000
    private static let names = Array(HostileNames.all(seed: HostileBundleTests.seed).prefix(count)) + HostileNames.awkward

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

    /// The lines of indexes whose names, paths and options are foreign: made as a release makes them, and with the name in the SQL as it is.
    private static func indexLines(_ name: String, _ json: (String) throws -> String) throws -> [String] {
        let table = "kv_default::x", quoted = sqlText(name), identifier = sqlName(name)
        let array = "kv_default:unnest:" + name
        return [
            #"{"index":\#(try json(name)),"type":0,"collection":"_default","expression":"=j[[\".a\"]]","sql":[\#(try json("CREATE INDEX \(identifier) ON kv_default (fl_value(body, 'a'))"))]}"#,
            #"{"index":"i","type":0,"collection":"_default","expression":\#(try json("=n`\(name)`")),"sql":[\#(try json("CREATE INDEX i ON kv_default (fl_value(body, \(quoted)))"))]}"#,
            #"{"index":"i","type":0,"collection":"_default","expression":"=na","where":\#(try json(name)),"sql":[\#(try json("CREATE INDEX i ON kv_default (fl_value(body, 'a')) WHERE fl_value(body, 'a') = '\(name)'"))]}"#,
            #"{"index":"x","type":1,"collection":"_default","expression":"=na","table":"\#(table)","sql":[\#(try json("CREATE VIRTUAL TABLE \"\(table)\" USING fts4(\(identifier), tokenize=unicodesn \(sqlName("stopwordlist=" + name)))"))]}"#,
            #"{"index":"x","type":1,"collection":"_default","expression":"=na","table":"\#(table)","sql":[\#(try json("CREATE VIRTUAL TABLE \"\(table)\" USING fts4(\"a\", tokenize=unicodesn \"stemmer=\(name)\" \"remove_diacritics=0\")"))]}"#,
            #"{"index":"i","type":2,"collection":"_default","expression":"=j[]","table":\#(try json(array)),"sql":[\#(try json("CREATE TABLE \"h\" (docid INTEGER NOT NULL REFERENCES kv_default(rowid),  i INTEGER NOT NULL, body BLOB NOT NULL,  CONSTRAINT pk PRIMARY KEY (docid, i))")),\#(try json("CREATE INDEX i ON \"h\" (fl_unnested_value(body))"))]}"#,
            #"{"index":"i","type":2,"collection":"_default","expression":\#(try json("=n`\(name)`")),"table":"kv_default:unnest:tags","sql":[\#(try json("CREATE INDEX i ON \"6afb5d1c83901d88b1046b400b8a41b1b00b5d70\" (fl_unnested_value(body, \(quoted)))"))]}"#,
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
            for line in Self.archiveLines.map({ [$0(text)] }) + [try Self.indexLines(name, json)] {
                try write((lines + line + [#"{"end":true}"#]).joined(separator: "\n") + "\n", to: "hostile.archive")
                for words in [["--create", "restore", "made.cblite2"], ["restore", "--merge", HostileBundle.name]] {
                    let result = try run(words + ["hostile.archive"], "", name)
                    if result.exitCode == 0 { try expectSound(name, words.last ?? "") }
                }
                if number % 8 == 0 { try run(["--writeable", "made.cblite2"], "put sound {a: 2}\nrmindex i\nrmindex x\n", name) }
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
        for name in Self.names where !name.contains("\0") {
            let text = try json(name)
            for words in [
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
            ] { try run(words, "", name) }
        }
        try expectSound("arguments")
    }
}

@testable import CBLShell

/// A few commands that have every kind of flag and argument.
let sampleCommands: [CommandDeclaration] = [
    CommandDeclaration(
        "ls", aliases: ["list"], group: .looking, summary: "List documents",
        discussion: "First paragraph with a \\ backslash, 'quotes', [brackets]: and a colon.\n\n.Second paragraph…", database: .reads,
        flags: [
            Flag("long", short: "l", "Show more"),
            Flag("verbose", short: "v", repeatable: true, "Say more"),
            Flag("limit", value: "N", .count, "Stop after N"),
            Flag("number", short: "n", value: "N", .integer(-10...10), "A number"),
            Flag("key", short: "k", value: "K", repeatable: true, "A key"),
            Flag("cacert", value: "FILE", .file, "A file"),
            Flag("desc", "Backwards"),
        ],
        arguments: [Argument("PATTERN", .document, .optional, "Only documents whose ID matches; it's a pattern")],
        examples: [.init("cblite ls db.cblite2 'a*' -l", "All that begin with a.")], run: { _ in .success }),
    CommandDeclaration(
        "put", group: .changing, summary: "Save a document", database: .writes,
        flags: [Flag("create", "Only if it is new"), Flag("mode", value: "MODE", .choice(["fast", "safe"]), "How")],
        arguments: [Argument("DOCID", .document), Argument("JSON", .text, .rest)], run: { _ in .success }),
    CommandDeclaration(
        "mv", group: .changing, summary: "Move documents", database: .writes,
        arguments: [Argument("DOCID", .document, .repeating), Argument("COLLECTION", .collection)], run: { _ in .success }),
    CommandDeclaration(
        "info", group: .looking, summary: "Describe", database: .reads, flags: [Flag("verbose", short: "v", repeatable: true, "Say more")],
        subcommands: [
            CommandDeclaration("indexes", summary: "List indexes", database: .reads, run: { _ in .success }),
            CommandDeclaration(
                "index", summary: "Show an index", database: .reads, flags: [Flag("limit", value: "N", .count, "Stop after N")],
                arguments: [Argument("NAME", .index)], run: { _ in .success }),
        ], run: { _ in .success }),
    CommandDeclaration(
        "blob", group: .looking, summary: "Blobs",
        subcommands: [CommandDeclaration("ls", summary: "List", database: .reads, run: { _ in .success })], run: nil),
    CommandDeclaration(
        "cp", group: .moving, summary: "Copy",
        arguments: [Argument("SOURCE", .file, impliedByOpenDatabase: true), Argument("DESTINATION", .file)], run: { _ in .success }),
    CommandDeclaration("select", summary: "Query", database: .reads, arguments: [Argument("REST", .text, .rest)], run: { _ in .success }),
]

import CBLLanguage

/// Words that people's fingers know from sqlite3, psql, mongosh and the system's shell. In the interactive shell those that have a
/// counterpart here are run as that, with a word about it; for the others, and on the command line, the error says what to type.
enum ForeignWord {
    private enum Meaning {
        /// A command; what followed the foreign word follows it.
        case command(String)
        /// A setting, without its dot.
        case setting(String)
        case advice(String)
    }

    private static let meanings: [(words: [String], meaning: Meaning)] = [
        ([".tables", "\\d", "\\dt", "show collections", "show tables", "tables", "collections"], .command("lscoll")),
        ([".indexes", ".indices", "\\di", "show indexes", "show index", "indexes"], .command("info indexes")),
        ([".schema", "describe", "desc", "show schema"], .command("schema")),
        ([".quit", ".exit", "\\q", "bye", "logout", "q", ":q", "exit()", "quit()"], .command("quit")),
        ([".databases", "\\l", "show dbs", "show databases"], .command("databases")),
        ([".dbinfo", "db", "stat", "size"], .command("info")),
        ([".open", "\\c", "\\connect"], .command("use")),
        (["\\h", "\\?", "?", "man", ".commands"], .command("help")),
        (["list", "dir", "ll"], .command("ls")),
        (["show", "print", "view", "type"], .command("cat")),
        (["remove", "del", "unlink"], .command("rm")),
        (
            ["rename", "ren"],
            .advice(
                "A document gets another ID with mv ID COLLECTION NEWID, also within its collection. A property: "
                    + "UPDATE _ SET new = old UNSET old WHERE old IS NOT MISSING. A collection: mkcoll NEW, mv '*' NEW, rmcoll OLD.")
        ),
        (["vi", "vim", "nano", "emacs", "\\e"], .command("edit")),
        ([".timing", "\\timing"], .setting("timer on")),
        (["\\o"], .setting("output")),
        (["\\i", "source"], .setting("read")),
        (
            ["\\x", ".expanded"],
            .advice("\\G at the end of a query shows its rows as lines; \".mode line\" does it for all that follow.")
        ),
        (
            ["\\copy", ".dump", "copy", "mongoexport", "save"],
            .advice("export writes documents (\"export hotels.csv -C inventory.hotel\"), dump everything with all revisions, cp a copy.")
        ),
        ([".import", "load", "mongoimport"], .advice("import reads JSON, CSV and directories: \"import -C inventory.hotel hotels.csv\".")),
        ([".header"], .setting("headers")),
        (["count"], .advice("lscoll counts the documents of each collection; SELECT count(*) FROM _ WHERE … counts some.")),
        (
            ["find", "search", "rg"],
            .advice(
                "Anywhere: grep text. By a part of the ID: ls '*part*'. By what a property holds: "
                    + "SELECT META().id FROM _ WHERE name LIKE '%text%'. By words: fts, with a full-text index.")
        ),
        (["where", "from"], .advice("A query begins with SELECT: SELECT * FROM _ WHERE …")),
        (["undo", "revert-changes"], .advice("revert takes a document back to an older revision, undelete brings a deleted one back.")),
        (["clear", "cls", "reset"], .advice("Ctrl-L clears the screen.")),
        (["compare", "cmp"], .command("diff")),
        (
            ["tail", "watch", "follow"],
            .advice("changes --follow goes on with changes as they come; query --watch with the rows of a query.")
        ),
        (["recover", "undrop"], .advice("ls --deleted lists deleted documents, undelete brings one back; help repair is about damage.")),
        (["fix", "mend"], .advice("check looks for damage, and check --repair mends it.")),
        (["add", "new", "write", "set", "touch"], .advice("put writes a document: put ID {name: 'x'}; edit opens one in your editor.")),
        (["exec", "run"], .advice("A line that begins with SELECT is a query; .read FILE runs the statements of a file.")),
        (["pwd"], .command("databases")),
        (
            ["log", "git"],
            .advice("changes lists what changed, newest last; revs the revisions of a document; diff compares two databases.")
        ),
        (
            ["seed", "prebuild", "prebuilt", "bundle"],
            .advice(
                "cp copies, purge --where takes out what is not for everybody, and compact makes small: docs/cookbook.md has the steps.")
        ),
        (["backup"], .advice("cp makes a copy: \"cp backup.cblite2\".")),
        (["merge"], .advice("resolve settles conflicts, with --merge by properties of your own; conflicts lists them.")),
        (["vacuum", "optimize"], .command("compact")),
        (["verify", "fsck", "integrity_check"], .command("check")),
    ]

    /// A statement in the words of this shell, if it was in others. What has no counterpart is an error that says what to type.
    static func translated(_ statement: ShellStatement, _ session: Session) throws(CommandError) -> ShellStatement {
        let words: [String]
        switch statement.action {
        case .command(let typed):
            guard let first = typed.first, !isCommand(first) else { return statement }
            words = typed
        case .setting(let typed):
            guard let first = typed.first, !ShellSetting.all.contains(where: { $0.name == first }) else { return statement }
            words = ["." + first] + typed.dropFirst()
        default: return statement
        }
        guard let (known, length) = meaning(of: words) else {
            if let advice = databaseCall(words[0]) { throw .usage("\(words[0].prefix { $0 != "(" }) is of another shell", hint: advice) }
            return statement
        }
        // "\d" lists what there is, and "\d hotel" describes one.
        let meaning = words.count > length && words[0] == "\\d" ? .command("schema") : known
        var translated = statement
        let typed = words[..<length].joined(separator: " ")
        let rest = Array(words[length...])
        switch meaning {
        case .command(let name):
            guard isCommand(String(name.prefix { $0 != " " })) else { return statement }
            translated.action = .command(name.split(separator: " ").map(String.init) + rest)
            if name != "quit" { session.remark("(\(typed) is \"\(name)\" here.)") }
        case .setting(let text):
            let setting = text.split(separator: " ").map(String.init)
            translated.action = .setting(setting + (setting.count > 1 ? [] : rest))
            session.remark("(\(typed) is \".\(text)\" here.)")
        case .advice(let text): throw .usage("no command \"\(typed)\"", hint: text)
        }
        return translated
    }

    /// What to type instead of a word, or nil if it is not known.
    static func advice(on text: String) -> String? {
        let words = text.split(separator: " ").map(String.init)
        guard let first = words.first, let (meaning, _) = meaning(of: words) else { return words.first.flatMap(databaseCall) }
        switch meaning {
        case .command("quit"): return "It is for the interactive shell, which \"cblite DATABASE\" opens."
        case .command(let name):
            guard isCommand(String(name.prefix { $0 != " " })) else { return nil }
            return "It is \"\(name)\" here: 'cblite help \(name)' explains it."
        case .setting(let text): return "\(first) is \".\(text)\" in the interactive shell."
        case .advice(let text): return text
        }
    }

    private static func isCommand(_ word: String) -> Bool { ArgumentParser(commands: Commands.all).command(named: word) != nil }

    /// The longest of the known phrases that the words begin with.
    private static func meaning(of words: [String]) -> (Meaning, length: Int)? {
        for length in [2, 1] where words.count >= length {
            let phrase = words[..<length].joined(separator: " ").lowercased()
            if let found = meanings.first(where: { $0.words.contains(phrase) }) { return (found.meaning, length) }
        }
        return nil
    }

    /// `db.hotel.find({…})`, as mongosh has it.
    private static func databaseCall(_ word: String) -> String? {
        guard word.hasPrefix("db.") else { return nil }
        let parts = word.prefix { $0 != "(" }.split(separator: ".").dropFirst()
        let collection = parts.count > 1 ? parts.dropLast().joined(separator: ".") : "_"
        switch parts.last.map({ $0.lowercased() }) ?? "" {
        case "find", "findone", "aggregate":
            return "Documents are found with SELECT * FROM \(collection) WHERE …; \"ls --body\" prints them all."
        case "insert", "insertone", "insertmany", "save": return "Documents are written with put and import: put ID {name: 'x'}"
        case "update", "updateone", "updatemany": return "Documents are changed with UPDATE \(collection) SET … WHERE …, put and edit."
        case "remove", "deleteone", "deletemany": return "Documents are deleted with rm, or DELETE FROM \(collection) WHERE …"
        case "count", "countdocuments": return "Documents are counted with SELECT count(*) FROM \(collection)"
        case "createindex": return "Indexes are made with mkindex: mkindex NAME property"
        default: return "'help' lists the commands; a line that begins with SELECT is a query."
        }
    }
}

/// How data moves, and how the shell itself is used.
extension HelpTopic {
    static let movement: [HelpTopic] = [
        HelpTopic(
            name: "transfer", aliases: ["import and export", "importing", "exporting", "csv"],
            summary: "Import and export: getting data in and out",
            text: """
                import reads JSON, JSON Lines, CSV and TSV files, directories of JSON files, and standard input; export writes them. The name \
                tells the form, or --format does. --where exports a part, and "query --format csv" the rows of any query; --guard-formulas \
                keeps spreadsheets from running what stands in tables. cp copies a whole database, diff compares two; dump and restore \
                keep every revision in one text.
                """,
            examples: [
                .init("export hotels.csv -C inventory.hotel --where 'rating > 4'", "Some documents as a table."),
                .init("query --format jsonl -o rich.jsonl SELECT guest, total FROM booking WHERE total > 1500", "Rows of a query."),
                .init("import -C inventory.copy --jsonid _id hotels.csv", "And back."),
                .init("cp backup.cblite2", "Everything, in one copy."),
                .init("diff backup.cblite2", "What has changed since."),
            ]),
        HelpTopic(
            name: "formats", aliases: ["output", "output formats", "json", "modes"],
            summary: "Output formats",
            text: """
                Queries print tables; --format, or .mode for all that follow, chooses another form: \(ResultFormat.list). \
                --json in front of any command that prints facts gives JSON for programs, one object per line, and errors as JSON, too.

                Results go to standard output, everything else to standard error. Colours appear on terminals alone, and NO_COLOR turns them off.
                """,
            examples: [
                .init("query --format csv SELECT name, price FROM inventory.hotel WHERE price IS VALUED", "For a spreadsheet."),
                .init("ls --json --body", "For a program."), .init("SELECT * FROM inventory.hotel LIMIT 1 \\G", "For reading."),
            ]),
        HelpTopic(
            name: "time", aliases: ["times", "dates", "durations"],
            summary: "How times are written",
            text: """
                Times are ISO 8601, 2027-03-01 or 2027-03-01T09:30:00+01:00, local if they name no zone; or durations: 90s, 15m, 2h, 30d, 1w, \
                1d12h. Where a time lies in the past, a duration counts backwards, and "today" and "yesterday" are understood.

                Documents hold times as texts or as milliseconds since 1970; "help functions" lists what converts them.
                """,
            examples: [
                .init("expire welcome 30d", "In thirty days."), .init("expire welcome 2033-01-01T00:00Z", "At a time."),
                .init("expire welcome never", "Not at all."),
            ]),
    ]

    static let shell: [HelpTopic] = [
        HelpTopic(
            name: "settings", aliases: ["setting", "configuration", "config"],
            summary: "How the interactive shell behaves",
            text: """
                Lines that begin with a dot are settings: ".help" lists them and what they are now, ".mode" alone tells one. ".save" keeps \
                them in the file cblite/config below $XDG_CONFIG_HOME, or ~/.config, which is read when the prompt appears; ".unset" gives one \
                its first value again. ".set $city Porto" gives the parameter $city of queries a value.
                """,
            examples: [
                .init(".mode markdown", "Another form of tables."), .init(".limit 20", "No more rows than this."),
                .init(".set $city Porto; SELECT name FROM inventory.hotel WHERE city = $city", "A value to go on with."),
                .init(".help", "All of them."),
            ]),
        HelpTopic(
            name: "keys", aliases: ["editing", "line editing", "keyboard", "vi", "emacs", "readline"],
            summary: "Keys that edit the line",
            text: """
                  Tab              complete the word; again: list what is possible
                  Up, Down         older and newer lines          Ctrl-R   search for one
                  Right, End       at the end: what is suggested
                  Ctrl-A, Ctrl-E   beginning and end              Ctrl-L   clean the screen
                  Ctrl-W, Ctrl-U   delete a word, the line        Ctrl-K   delete to the end
                  Ctrl-C           forget the line, or stop the running command
                  Ctrl-D           leave                          Ctrl-Z   suspend

                "bind -v" in ~/.editrc chooses the keys of vi. An unfinished statement goes on in the next line; an empty line ends it.
                """,
            examples: [.init("history hotel", "What was typed about hotels.")]),
        HelpTopic(
            name: "scripts", aliases: ["script", "batch", "pipes", "pipe"],
            summary: "Files and pipes of statements",
            text: """
                Statements on standard input are run one after another; the first that fails ends the script, with its exit code, unless \
                --keep-going says to go on. "| program" and "> file" behind a statement send its results elsewhere; "!command" runs a line \
                in the system's shell. # begins a comment.
                """,
            examples: [
                .init("echo 'ls; lscoll' | cblite travel.cblite2", "A script."), .init("cblite ls travel.cblite2 | sort -r", "A pipe."),
                .init("ls | head -1", "The same from within."), .init("!date", "The system's shell."),
            ]),
        HelpTopic(
            name: "exit-codes", aliases: ["exit codes", "exit code", "exit status", "status", "codes"],
            summary: "What the program's exit code says",
            text: """
                  0     success
                  1     the command failed, or found nothing where that is an error
                  2     the command line is wrong
                  3     the database cannot be opened
                  4     a conflict: the document has changed meanwhile, or exists, or does not
                  130   interrupted with Ctrl-C
                """,
            examples: [.init("cblite cat travel.cblite2 nobody || echo it is not there", "In a script.")]),
    ]

    static let files: [HelpTopic] = [
        HelpTopic(
            name: "phones", aliases: ["android", "ios", "iphone", "simulator", "adb", "files of phones", "device"],
            summary: "Getting the database of an app off a phone",
            text: """
                A database is a directory, name.cblite2: take all of it, with the file db.sqlite3-wal, or the newest changes are missing. \
                Stop the app first, or copy again if "check" complains.

                Android, an app that can be debugged; databases lie in its folder files:
                  adb exec-out run-as com.example.app tar c files/name.cblite2 | tar x

                iOS simulator; databases lie below Library/Application Support/CouchbaseLite:
                  cd "$(xcrun simctl get_app_container booted com.example.app data)"
                  cp -R "Library/Application Support/CouchbaseLite/name.cblite2" ~/Desktop

                iOS device: in Xcode, Window, Devices and Simulators, choose the app, Download Container, and show the package's contents.

                Looking changes nothing. To be safe, change only a copy: cp makes one.
                """,
            examples: [.init("cblite check travel.cblite2", "Is all of it there?"), .init("cblite info travel.cblite2", "What is it?")]),
        HelpTopic(
            name: "repair", aliases: ["damage", "corruption", "damaged", "salvage", "recovery"],
            summary: "When a database is damaged",
            text: """
                check reads everything and tells what is wrong, and changes nothing. check --repair copies the database and mends what can be \
                mended; check --salvage NEW.cblite2 carries what can still be read into a new database. With --drop-damaged both leave out the \
                documents of which nothing can be made any more.

                A deleted document is not damage: "help documents" says how it comes back.
                """,
            examples: [.init("check", "Is it sound?"), .init("cblite check --salvage saved.cblite2 travel.cblite2", "What can be read.")]),
    ]
}

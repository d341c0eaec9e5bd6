/// `completions/cblite.fish`: a `complete` line for every command, flag and argument.
enum FishCompletion {
    static func script(_ commands: [CommandDeclaration]) -> String {
        let model = CompletionModel(commands)
        var text = """
            # fish completion for cblite, \(CompletionModel.notice)

            # Flags whose value is the next word, for every command.
            function __cblite_value_flags
                switch "$argv[1]"

            """
        for entry in model.entries {
            let own = entry.flags.filter { $0.needsValue && !isGlobal($0) }
            if own.isEmpty { continue }
            let spellings = own.flatMap { CompletionModel.spellings($0, among: entry.flags) }
            text +=
                "        case \(CompletionModel.quoted(entry.title))\n            echo \(spellings.joined(separator: "\\n")) | string split '\\n'\n"
        }
        text += "    end\n    printf '%s\\n' "
        let globals = GlobalFlags.beforeCommand
        text += globals.filter(\.needsValue).flatMap { CompletionModel.spellings($0, among: globals) }.joined(separator: " ")
        text += "\nend\n\n# An alias's command.\nfunction __cblite_name\n    switch \"$argv[1]\"\n"
        for command in model.commands where !command.aliases.isEmpty {
            text += "        case \(command.aliases.map(CompletionModel.quoted).joined(separator: " "))\n            echo \(command.name)\n"
        }
        text += "        case '*'\n            echo -- $argv[1]\n    end\nend\n\n"
        text += "# The commands of a command.\nfunction __cblite_subcommands\n    switch \"$argv[1]\"\n"
        for command in model.commands where !command.subcommands.isEmpty {
            let names = command.subcommands.map { CompletionModel.quoted($0.name) }.joined(separator: " ")
            text += "        case \(CompletionModel.quoted(command.name))\n            printf '%s\\n' \(names)\n"
        }
        text += "    end\nend\n" + engine
        for command in model.commands {
            text += line("__cblite_is ''", "-a \(command.name) -d \(CompletionModel.quoted(command.summary))")
            for alias in command.aliases { text += line("__cblite_is ''", "-a \(alias) -d \(CompletionModel.quoted(command.summary))") }
        }
        text += line("__cblite_is ''", "-a '(__fish_complete_directories)'")
        text += "\n"
        for flag in globals { text += line(isVersion(flag) ? "__cblite_is ''" : nil, self.flag(flag, among: globals)) }
        for entry in model.entries {
            let title = CompletionModel.quoted(entry.title)
            text += "\n"
            for flag in entry.flags where !isGlobal(flag) || entry.command.flags.contains(where: { $0.name == flag.name }) {
                text += line("__cblite_is \(title)", self.flag(flag, among: entry.flags))
            }
            for (index, argument) in entry.arguments.enumerated() {
                guard let values = values(argument.kind) else { continue }
                // From an argument that repeats on, it and the one behind it are both possible.
                let repeats = entry.arguments[...index].contains(where: \.isRepeating)
                text += line("__cblite_is \(title) \(index)\(repeats ? " more" : "")", "-a \(values)")
            }
            for child in entry.command.subcommands {
                text += line("__cblite_is \(title) 0 1", "-a \(child.name) -d \(CompletionModel.quoted(child.summary))")
            }
        }
        return text
    }

    private static func isGlobal(_ flag: Flag) -> Bool { GlobalFlags.all.contains { $0.name == flag.name } }
    private static func isVersion(_ flag: Flag) -> Bool { flag.name == GlobalFlags.version.name }

    private static func line(_ condition: String?, _ rest: String) -> String {
        "complete -c cblite\(condition.map { " -n \"\($0)\"" } ?? "") \(rest)\n"
    }

    private static func flag(_ flag: Flag, among flags: [Flag]) -> String {
        var text = "-l \(flag.name)"
        if CompletionModel.spellings(flag, among: flags).count > 1, let short = flag.short { text += " -s \(short)" }
        if flag.needsValue { text += flag.valueKind == .file ? " -r" : " -x" }
        if let kind = flag.valueKind, let values = values(kind) { text += " -a \(values)" }
        return text + " -d \(CompletionModel.quoted(flag.help))"
    }

    /// What `-a` gets for a kind; nil if nothing can be offered.
    private static func values(_ kind: ValueKind) -> String? {
        switch kind {
        case .text, .integer, .openDatabase: nil
        case .choice(let words): CompletionModel.quoted(words.joined(separator: " "))
        case .file, .peer: "'(__fish_complete_path (commandline -ct))'"
        case .directory, .database, .databaseOrName: "'(__fish_complete_directories)'"
        case .collection: "'(__cblite_values collection)'"
        case .document: "'(__cblite_values document)'"
        case .index: "'(__cblite_values index)'"
        case .lazyIndex: "'(__cblite_values lazyindex)'"
        case .view: "'(__cblite_values view)'"
        case .viewOrFile: "'(__cblite_values view; __fish_complete_path (commandline -ct))'"
        case .property, .expression: "'(__cblite_values property)'"
        case .savedQuery: "'(cblite complete saved 2>/dev/null)'"
        case .command: "'(cblite complete topic 2>/dev/null)'"
        }
    }

    private static let engine = #"""

        # Reads the words typed so far: the command's title, the number of its arguments, the database and the collection.
        function __cblite_scan
            set -g __cblite_title ''
            set -g __cblite_position 0
            set -g __cblite_database ''
            set -g __cblite_collection ''
            set -l skip ''
            set -l words (commandline -opc)
            for word in $words[2..-1]
                if test -n "$skip"
                    contains -- $skip -C --collection; and set __cblite_collection $word
                    set skip ''
                else if string match -q -- '--collection=*' $word
                    set __cblite_collection (string replace -- '--collection=' '' $word)
                else if string match -q -- '-?*' $word
                    contains -- $word (__cblite_value_flags $__cblite_title); and set skip $word
                else if test -z "$__cblite_title"
                    if string match -qr '\.cblite2?/*$' -- $word
                        set __cblite_database $word
                    else
                        set __cblite_title (__cblite_name $word)
                        test -n "$__cblite_database"; and set __cblite_position 1
                    end
                else if contains -- $word (__cblite_subcommands $__cblite_title)
                    set __cblite_title "$__cblite_title $word"
                else
                    test -z "$__cblite_database"; and string match -qr '\.cblite2?/*$' -- $word; and set __cblite_database $word
                    set __cblite_position (math $__cblite_position + 1)
                end
            end
        end

        # Whether a command is being typed, and one of its arguments by number; "more" stands for all that follow.
        function __cblite_is
            __cblite_scan
            test "$__cblite_title" = "$argv[1]"; or return 1
            test (count $argv) -gt 1; or return 0
            contains -- $__cblite_position $argv[2..-1]; and return 0
            contains -- more $argv[2..-1]; and test $__cblite_position -ge $argv[2]
        end

        # Names from the database on the command line: the program knows them.
        function __cblite_values
            __cblite_scan
            test -n "$__cblite_database"; or return
            set -l in
            test -n "$__cblite_collection"; and set in -C $__cblite_collection
            cblite complete $argv[1] (string replace -r '^~' $HOME -- $__cblite_database) $in -- (commandline -ct | string unescape) 2>/dev/null
        end

        complete -c cblite -f

        """#
}

/// `completions/cblite.zsh`: one `_arguments` specification for every command.
enum ZshCompletion {
    static func script(_ commands: [CommandDeclaration]) -> String {
        let model = CompletionModel(commands)
        var text = """
            #compdef cblite
            # zsh completion for cblite, \(CompletionModel.notice)

            _cblite_commands() {
                local -a commands=(

            """
        for command in model.commands {
            for name in [command.name] + command.aliases {
                text += "        \(CompletionModel.quoted(name + ":" + command.summary))\n"
            }
        }
        text += "    )\n    _describe -t commands command commands\n}\n\n"
        text +=
            "# What is offered for one command; the word of a command's command has been taken out.\n_cblite_command() {\n    case $1 in\n"
        for entry in model.entries {
            let parent = entry.title.split(separator: " ").first.flatMap { name in model.commands.first { $0.name == name } }
            let names = entry.title.contains(" ") ? [entry.title] : [entry.title] + (parent?.aliases ?? [])
            text += "        \(names.map(CompletionModel.quoted).joined(separator: "|")))\n            _arguments -S"
            for flag in entry.flags { text += specifications(flag, entry.flags) }
            text += positionals(entry) + " ;;\n"
        }
        text += "        *) _default ;;\n    esac\n}\n\n_cblite_subcommands=(\n"
        for command in model.commands where !command.subcommands.isEmpty {
            for name in [command.name] + command.aliases {
                text +=
                    "    \(CompletionModel.quoted(name)) \(CompletionModel.quoted(command.subcommands.map(\.name).joined(separator: " ")))\n"
            }
        }
        text += ")\n\n_cblite_global() {\n    _arguments -S -A '-*'"
        for flag in GlobalFlags.beforeCommand { text += specifications(flag, GlobalFlags.beforeCommand) }
        return text + " \\\n        '1: :_cblite_first' '*:: :_cblite_rest'\n}\n" + engine
    }

    private static func specifications(_ flag: Flag, _ flags: [Flag]) -> String {
        let spellings = CompletionModel.spellings(flag, among: flags)
        let exclusion = flag.isRepeatable ? "*" : spellings.count > 1 ? "(\(spellings.joined(separator: " ")))" : ""
        return spellings.map { spelling in
            let isLong = spelling.hasPrefix("--")
            let specification =
                switch flag.parameter {
                case .none: "\(spelling)[\(escaped(flag.help))]"
                case .required(let name, let kind):
                    "\(spelling)\(isLong ? "=" : "+")[\(escaped(flag.help))]:\(escaped(name)):\(action(kind))"
                case .optional(let name, let kind): "\(spelling)=-[\(escaped(flag.help))]::\(escaped(name)):\(action(kind))"
                }
            return " \\\n            " + CompletionModel.quoted(exclusion + specification)
        }.joined()
    }

    private static func positionals(_ entry: CompletionModel.Entry) -> String {
        var text = ""
        for (index, argument) in entry.arguments.enumerated() {
            let message = escaped(argument.name)
            // Words of the command's commands are offered where the first argument stands.
            let isFirst = index == 0 && !entry.command.subcommands.isEmpty
            let action = isFirst ? "_cblite_database_or_subcommand" : action(argument.kind)
            let specification =
                argument.isRepeating ? "*:\(message):\(action)" : "\(index + 1)\(argument.isRequired ? "" : ":"):\(message):\(action)"
            text += " \\\n            " + CompletionModel.quoted(specification)
            // _arguments knows no argument behind a repeating one.
            if argument.isRepeating { break }
        }
        if entry.arguments.isEmpty, !entry.command.subcommands.isEmpty {
            text += " \\\n            '1: :_cblite_database_or_subcommand'"
        }
        return text
    }

    private static func action(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .integer, .openDatabase: " "
        case .choice(let words): "(\(words.joined(separator: " ")))"
        case .file, .peer: "_files"
        case .directory: "_files -/"
        case .database, .databaseOrName: "_cblite_databases"
        case .collection: "_cblite_names collection"
        case .document: "_cblite_names document"
        case .index: "_cblite_names index"
        case .lazyIndex: "_cblite_names lazyindex"
        case .view: "_cblite_names view"
        case .viewOrFile: "_cblite_view_or_file"
        case .property, .expression: "_cblite_names property"
        case .savedQuery: "_cblite_saved"
        case .command: "_cblite_topics"
        }
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "[]:\\".contains(character) { result.append("\\") }
            result.append(character)
        }
    }

    private static let engine = #"""

        _cblite_databases() { _files -g '*.(cblite|zip)(-.)'; _files -/ }

        # Names from the database on the command line: the program knows them.
        _cblite_names() {
            local -a names databases=(${(M)cblite_words:#*.cblite(|2)(|/)})
            local database=$databases[1] collection=
            [[ -n $database ]] || return 1
            local index=${cblite_words[(I)(-C|--collection)]}
            (( index )) && collection=${cblite_words[index + 1]}
            names=("${(@f)$($cblite_program complete $argv[-1] "${database/#\~/$HOME}" ${collection:+-C} $collection -- "${(Q)PREFIX}" 2>/dev/null)}")
            names=(${names:#})
            # In front of the kind stand options for compadd.
            compadd "${(@)argv[1,-2]}" -a names
        }

        _cblite_view_or_file() { _cblite_names "$@" view || _files -g '*.js(-.)' || _files }

        # What there is help on.
        _cblite_saved() {
            local -a names
            names=("${(@f)$($cblite_program complete saved 2>/dev/null)}")
            compadd -a names
        }

        _cblite_topics() {
            local -a names=("${(@f)$($cblite_program complete topic 2>/dev/null)}")
            compadd -a names
        }

        _cblite_database_or_subcommand() {
            _cblite_databases
            (( ${+cblite_subcommands} )) && compadd -- ${=cblite_subcommands}
        }

        _cblite_first() {
            _cblite_commands
            _cblite_databases
        }

        _cblite_rest() {
            local name=${words[1]} index
            # "cblite DATABASE ls" is "cblite ls DATABASE".
            if [[ $name == *.cblite(|2)(|/) ]]; then
                (( CURRENT == 2 )) && { _cblite_commands; return }
                name=${words[2]}
                words[2]=${words[1]}
                words[1]=$name
            fi
            local -A subcommands=("${_cblite_subcommands[@]}")
            local cblite_subcommands=${subcommands[$name]}
            for index in 2 3; do
                if (( index < CURRENT )) && [[ -n ${words[index]} && " $cblite_subcommands " == *" ${words[index]} "* ]]; then
                    name+=" ${words[index]}"
                    words[index]=()
                    (( CURRENT-- ))
                    cblite_subcommands=
                    break
                fi
            done
            _cblite_command "$name"
        }

        _cblite() {
            local cblite_program=${(Q)words[1]}
            local -a cblite_words=("${(@Q)words}")
            _cblite_global
        }

        if [[ $funcstack[1] == _cblite ]]; then _cblite "$@"; else compdef _cblite cblite; fi

        """#
}

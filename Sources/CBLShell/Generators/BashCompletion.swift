/// `completions/cblite.bash`: tables from the declarations, and a function that walks over the words typed so far.
enum BashCompletion {
    static func script(_ commands: [CommandDeclaration]) -> String {
        let model = CompletionModel(commands)
        let names = model.commands.flatMap { [$0.name] + $0.aliases }.joined(separator: " ")
        let globals = GlobalFlags.beforeCommand
        var text = """
            # bash completion for cblite, \(CompletionModel.notice)

            _cblite_commands=\(CompletionModel.quoted(names))

            # An alias's command.
            _cblite_name() {
                case $1 in

            """
        for command in model.commands where !command.aliases.isEmpty {
            text += "        \(command.aliases.joined(separator: "|"))) echo \(command.name) ;;\n"
        }
        text += "        *) echo \"$1\" ;;\n    esac\n}\n"
        text += function(
            "subcommands", "The commands of a command.",
            model.commands.filter { !$0.subcommands.isEmpty }.map {
                ($0.name, $0.subcommands.map(\.name).joined(separator: " "))
            })
        let globalSpellings = globals.flatMap { CompletionModel.spellings($0, among: globals) }.joined(separator: " ")
        text += function(
            "flags", "The flags of a command.",
            [("", globalSpellings)]
                + model.entries.map { entry in
                    (entry.title, entry.flags.flatMap { CompletionModel.spellings($0, among: entry.flags) }.joined(separator: " "))
                })
        text += function(
            "arguments", "What the arguments of a command are; a star marks one that repeats.",
            model.entries.map { entry in
                (entry.title, entry.arguments.map { kind($0.kind) + ($0.isRepeating ? "*" : "") }.joined(separator: " "))
            })
        text += function(
            "value", "What the value of a flag is.", values("", globals) + model.entries.flatMap { values($0.title, $0.flags) })
        return text + engine
    }

    private static func function(_ name: String, _ comment: String, _ rows: [(key: String, text: String)]) -> String {
        var text = "\n# \(comment)\n_cblite_\(name)() {\n    case $1 in\n"
        for row in rows where !row.text.isEmpty {
            text += "        \(CompletionModel.quoted(row.key))) echo \(CompletionModel.quoted(row.text)) ;;\n"
        }
        return text + (rows.isEmpty ? "        *) ;;\n" : "") + "    esac\n}\n"
    }

    // A flag whose value only "=" can give has an "=" in front of its kind.
    private static func values(_ title: String, _ flags: [Flag]) -> [(String, String)] {
        flags.flatMap { flag -> [(String, String)] in
            guard let valueKind = flag.valueKind else { return [] }
            let text = (flag.needsValue ? "" : "=") + kind(valueKind)
            return CompletionModel.spellings(flag, among: flags).map { (title + " " + $0, text) }
        }
    }

    static func kind(_ kind: ValueKind) -> String {
        switch kind {
        case .text, .integer, .openDatabase: "text"
        case .choice(let words): "choice:" + words.joined(separator: ",")
        case .file, .peer: "file"
        case .directory: "directory"
        case .database, .databaseOrName: "database"
        case .collection: "collection"
        case .document: "document"
        case .index: "index"
        case .lazyIndex: "lazyindex"
        case .view: "view"
        case .viewOrFile: "viewOrFile"
        case .property, .expression: "property"
        case .savedQuery: "savedQuery"
        case .command: "command"
        }
    }

    private static let engine = #"""

        # Offers those lines of standard input that begin with the current word. Bash replaces only what stands behind the last = or :.
        _cblite_offer() {
            local candidate prefix=
            [[ $current == *[:=]* ]] && prefix=${current%"${current##*[:=]}"}
            while IFS= read -r candidate; do
                [[ $candidate && $candidate == "$current"* ]] || continue
                printf -v candidate %q "${candidate#"$prefix"}"
                COMPREPLY+=("$candidate")
            done
        }

        # Offers names that are in the database on the command line.
        _cblite_names() {
            [[ $database ]] && _cblite_offer < <(
                "${COMP_WORDS[0]}" complete "$1" "${database/#\~/$HOME}" ${collection:+-C "$collection"} -- "$current" 2>/dev/null)
        }

        _cblite_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current"); }

        # Offers values of a kind.
        _cblite_kind() {
            local kind=${1%\*}
            case $kind in
                choice:*) kind=${kind#choice:}; _cblite_offer <<<"${kind//,/$'\n'}" ;;
                command) _cblite_offer < <("${COMP_WORDS[0]}" complete topic 2>/dev/null) ;;
                savedQuery) _cblite_offer < <("${COMP_WORDS[0]}" complete saved 2>/dev/null) ;;
                file) _cblite_files ;;
                viewOrFile) _cblite_names view; ((${#COMPREPLY[@]})) || _cblite_files ;;
                directory) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
                database)
                    # A bundle is a folder that nobody wants to go into.
                    [[ $current == *.cblite2/* ]] && current=${current%%.cblite2/*}.cblite2
                    mapfile -t COMPREPLY < <(compgen -d -- "$current"; compgen -f -X '!*.cblite' -- "$current"; compgen -f -X '!*.zip' -- "$current")
                    if ((${#COMPREPLY[@]} == 1)) && [[ ${COMPREPLY[0]} == *.cblite2 ]]; then
                        word=${COMPREPLY[0]} home=
                        [[ $word == \~/* ]] && home=\~/ word=${word#\~/}
                        printf -v word %q "$word"
                        COMPREPLY=("$home$word")
                    else
                        compopt -o filenames 2>/dev/null
                    fi
                    ;;
                collection | document | index | lazyindex | view | property) _cblite_names "$kind" ;;
            esac
        }

        _cblite() {
            local i word joined= command= title= database= collection= current skip= position=0 kind list repeats=
            local -a words=() kinds=()
            # Bash splits words at = and :, which flags and document IDs hold.
            for ((i = 0; i <= COMP_CWORD; i++)); do
                word=${COMP_WORDS[i]}
                if ((i > 1)) && [[ $word =~ ^[:=]+$ ]]; then
                    words[-1]+=$word joined=1
                elif [[ $joined ]]; then
                    words[-1]+=$word joined=
                else
                    words+=("$word")
                fi
            done
            current=${words[-1]}
            unset 'words[-1]'
            COMPREPLY=()
            for word in "${words[@]:1}"; do
                if [[ $skip ]]; then
                    [[ $skip == -C || $skip == --collection ]] && collection=$word
                    skip=
                elif [[ $word == --collection=* ]]; then
                    collection=${word#*=}
                elif [[ $word == -?* ]]; then
                    kind=$(_cblite_value "$title $word")
                    [[ $kind && $kind != =* ]] && skip=$word
                elif [[ ! $command && ( $word == *.cblite || $word == *.cblite2 || $word == *.cblite2/ || $word == *.zip ) ]]; then
                    database=$word
                elif [[ ! $command ]]; then
                    command=$(_cblite_name "$word") title=$command
                    [[ $database ]] && position=1
                elif [[ $title == "$command" && " $(_cblite_subcommands "$command") " == *" $word "* ]]; then
                    title="$command $word"
                else
                    [[ ! $database && $word == *.cblite* ]] && database=$word
                    position=$((position + 1))
                fi
            done
            if [[ $skip ]]; then
                _cblite_kind "$(_cblite_value "$title $skip")"
            elif [[ $current == -*=* ]]; then
                kind=$(_cblite_value "$title ${current%%=*}")
                current=${current#*=}
                _cblite_kind "${kind#=}"
            elif [[ $current == -* ]]; then
                list=$(_cblite_flags "$title")
                _cblite_offer <<<"${list// /$'\n'}"
            elif [[ ! $command ]]; then
                [[ $database ]] || _cblite_kind database
                _cblite_offer <<<"${_cblite_commands// /$'\n'}"
            else
                read -ra kinds <<<"$(_cblite_arguments "$title")"
                # From an argument that repeats on, it and the one behind it are both possible.
                for ((i = 0; i < ${#kinds[@]}; i++)); do
                    if ((i == position)) || [[ $repeats ]]; then _cblite_kind "${kinds[i]}"; fi
                    [[ ${kinds[i]} == *\* ]] && ((position > i)) && repeats=1 && _cblite_kind "${kinds[i]}"
                done
                if [[ $title == "$command" ]] && ((position < 2)); then
                    list=$(_cblite_subcommands "$command")
                    _cblite_offer <<<"${list// /$'\n'}"
                fi
            fi
        }

        complete -F _cblite cblite

        """#
}

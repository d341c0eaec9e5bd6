# fish completion for cblite, made by 'cblite generate' from the declarations of the commands: do not edit

# Flags whose value is the next word, for every command.
function __cblite_value_flags
    switch "$argv[1]"
        case 'ls'
            echo --offset\n--limit | string split '\n'
        case 'cat'
            echo --key\n--revision | string split '\n'
        case 'changes'
            echo --since\n--limit | string split '\n'
        case 'blob get'
            echo --output\n-o | string split '\n'
        case 'blob put'
            echo --type\n--if-rev | string split '\n'
        case 'fts'
            echo --limit\n-n | string split '\n'
        case 'info index'
            echo --limit | string split '\n'
        case 'schema'
            echo --by\n--sample\n--format\n-F | string split '\n'
        case 'stats'
            echo --where\n-w\n--top\n--bins | string split '\n'
        case 'query'
            echo --format\n-F\n--offset\n--limit\n--param\n-p\n--params\n--output\n-o\n--time-limit\n-t\n--file\n-f | string split '\n'
        case 'select'
            echo --format\n-F\n--offset\n--limit\n--param\n-p\n--params\n--output\n-o\n--time-limit\n-t | string split '\n'
        case 'put'
            echo --if-rev | string split '\n'
        case 'edit'
            echo --with\n--if-rev | string split '\n'
        case 'rm'
            echo --if-rev | string split '\n'
        case 'undelete'
            echo --body\n--if-rev | string split '\n'
        case 'revert'
            echo --if-rev | string split '\n'
        case 'purge'
            echo --if-rev | string split '\n'
        case 'resolve'
            echo --keep\n--merge\n--if-rev | string split '\n'
        case 'cp'
            echo --jsonid\n--idprefix\n--limit\n--format\n--user\n--token\n--cert\n--key\n--header\n--cacert\n--pin\n--proxy\n--interface\n--heartbeat\n--filter\n--push-filter\n--conflict\n--channel\n--doc-id\n--pull-filter | string split '\n'
        case 'import'
            echo --jsonid\n--idprefix\n--limit\n--format\n--user\n--token\n--cert\n--key\n--header\n--cacert\n--pin\n--proxy\n--interface\n--heartbeat\n--filter\n--push-filter\n--conflict\n--channel\n--doc-id\n--pull-filter | string split '\n'
        case 'export'
            echo --where\n--jsonid\n--idprefix\n--limit\n--format\n--user\n--token\n--cert\n--key\n--header\n--cacert\n--pin\n--proxy\n--interface\n--heartbeat\n--filter\n--push-filter\n--conflict\n--channel\n--doc-id\n--pull-filter | string split '\n'
        case 'push'
            echo --user\n--token\n--cert\n--key\n--header\n--cacert\n--pin\n--proxy\n--interface\n--heartbeat\n--filter\n--push-filter\n--conflict\n--channel\n--doc-id\n--pull-filter | string split '\n'
        case 'pull'
            echo --user\n--token\n--cert\n--key\n--header\n--cacert\n--pin\n--proxy\n--interface\n--heartbeat\n--filter\n--push-filter\n--conflict\n--channel\n--doc-id\n--pull-filter | string split '\n'
        case 'sync'
            echo --user\n--token\n--cert\n--key\n--header\n--cacert\n--pin\n--proxy\n--interface\n--heartbeat\n--filter\n--push-filter\n--conflict\n--channel\n--doc-id\n--pull-filter | string split '\n'
        case 'check'
            echo --salvage | string split '\n'
        case 'mkindex'
            echo --where\n--language\n--stopWords\n--unnest\n--suggest\n--dim\n--metric\n--centroids\n--encoding | string split '\n'
        case 'compact'
            echo --prune | string split '\n'
    end
    printf '%s\n' --collection -C
end

# An alias's command.
function __cblite_name
    switch "$argv[1]"
        case 'get'
            echo cat
        case 'file'
            echo info
        case 'du'
            echo tree
        case 'use'
            echo open
        case 'exit'
            echo quit
        case '*'
            echo -- $argv[1]
    end
end

# The commands of a command.
function __cblite_subcommands
    switch "$argv[1]"
        case 'blob'
            printf '%s\n' 'ls' 'get' 'put'
        case 'info'
            printf '%s\n' 'indexes' 'index' 'keys'
    end
end

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
            if string match -qr '\.cblite2/*$' -- $word
                set __cblite_database $word
            else
                set __cblite_title (__cblite_name $word)
                test -n "$__cblite_database"; and set __cblite_position 1
            end
        else if contains -- $word (__cblite_subcommands $__cblite_title)
            set __cblite_title "$__cblite_title $word"
        else
            test -z "$__cblite_database"; and string match -qr '\.cblite2/*$' -- $word; and set __cblite_database $word
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
complete -c cblite -n "__cblite_is ''" -a ls -d 'List documents'
complete -c cblite -n "__cblite_is ''" -a cat -d 'Print documents as JSON'
complete -c cblite -n "__cblite_is ''" -a get -d 'Print documents as JSON'
complete -c cblite -n "__cblite_is ''" -a revs -d 'Show the revisions of a document'
complete -c cblite -n "__cblite_is ''" -a conflicts -d 'List the documents that are in conflict, with the revisions that compete'
complete -c cblite -n "__cblite_is ''" -a changes -d 'Print the change feed: documents in the order in which they last changed'
complete -c cblite -n "__cblite_is ''" -a diff -d 'Compare two databases'
complete -c cblite -n "__cblite_is ''" -a blob -d 'List blobs, take them out, and put them in'
complete -c cblite -n "__cblite_is ''" -a fts -d 'Search the texts of a full-text index'
complete -c cblite -n "__cblite_is ''" -a info -d 'Describe a database'
complete -c cblite -n "__cblite_is ''" -a file -d 'Describe a database'
complete -c cblite -n "__cblite_is ''" -a schema -d 'Show which properties documents have, and what is in them'
complete -c cblite -n "__cblite_is ''" -a stats -d 'Show how the values of a property are distributed'
complete -c cblite -n "__cblite_is ''" -a tree -d 'Show the scopes, collections and indexes, and how much room each takes'
complete -c cblite -n "__cblite_is ''" -a du -d 'Show the scopes, collections and indexes, and how much room each takes'
complete -c cblite -n "__cblite_is ''" -a query -d 'Run a query in SQL++'
complete -c cblite -n "__cblite_is ''" -a select -d 'Run a SELECT, without the word itself'
complete -c cblite -n "__cblite_is ''" -a translate -d 'Show how a query is understood'
complete -c cblite -n "__cblite_is ''" -a sql -d 'Run SQL on the SQLite file itself'
complete -c cblite -n "__cblite_is ''" -a lscoll -d 'List the collections'
complete -c cblite -n "__cblite_is ''" -a put -d 'Create or update a document'
complete -c cblite -n "__cblite_is ''" -a edit -d 'Change a document in an editor'
complete -c cblite -n "__cblite_is ''" -a rm -d 'Delete documents'
complete -c cblite -n "__cblite_is ''" -a undelete -d 'Bring a deleted document back'
complete -c cblite -n "__cblite_is ''" -a revert -d 'Give a document the properties of an earlier revision'
complete -c cblite -n "__cblite_is ''" -a purge -d 'Remove documents without a trace'
complete -c cblite -n "__cblite_is ''" -a expire -d 'Say when a document will be gone, or show it'
complete -c cblite -n "__cblite_is ''" -a resolve -d 'Settle a conflict'
complete -c cblite -n "__cblite_is ''" -a mv -d 'Move documents to another collection'
complete -c cblite -n "__cblite_is ''" -a mkcoll -d 'Create collections'
complete -c cblite -n "__cblite_is ''" -a rmcoll -d 'Delete a collection with all its documents'
complete -c cblite -n "__cblite_is ''" -a begin -d 'Begin a transaction: changes that are made together or not at all'
complete -c cblite -n "__cblite_is ''" -a commit -d 'Keep the changes since begin'
complete -c cblite -n "__cblite_is ''" -a rollback -d 'Forget the changes since begin'
complete -c cblite -n "__cblite_is ''" -a cp -d 'Copy a database, or documents from or to JSON and CSV'
complete -c cblite -n "__cblite_is ''" -a import -d 'Save documents from JSON or CSV'
complete -c cblite -n "__cblite_is ''" -a export -d 'Write documents as JSON or CSV'
complete -c cblite -n "__cblite_is ''" -a push -d 'Send what changed to a server or another database'
complete -c cblite -n "__cblite_is ''" -a pull -d 'Fetch what changed on a server or in another database'
complete -c cblite -n "__cblite_is ''" -a sync -d 'Push and pull'
complete -c cblite -n "__cblite_is ''" -a dump -d 'Write a database as a text archive'
complete -c cblite -n "__cblite_is ''" -a restore -d 'Make a database from a text archive'
complete -c cblite -n "__cblite_is ''" -a check -d 'Look for damage, and mend it'
complete -c cblite -n "__cblite_is ''" -a mkindex -d 'Make an index, or find out which one would help a query'
complete -c cblite -n "__cblite_is ''" -a rmindex -d 'Remove indexes'
complete -c cblite -n "__cblite_is ''" -a compact -d 'Make a database smaller'
complete -c cblite -n "__cblite_is ''" -a reindex -d 'Build the value indexes anew'
complete -c cblite -n "__cblite_is ''" -a open -d 'Work on a database interactively'
complete -c cblite -n "__cblite_is ''" -a use -d 'Work on a database interactively'
complete -c cblite -n "__cblite_is ''" -a databases -d 'List the databases that are open in the interactive shell'
complete -c cblite -n "__cblite_is ''" -a close -d 'Close a database in the interactive shell'
complete -c cblite -n "__cblite_is ''" -a cd -d 'Choose the collection that the following commands work on'
complete -c cblite -n "__cblite_is ''" -a history -d 'List what was typed in the interactive shell, in this session and in earlier ones'
complete -c cblite -n "__cblite_is ''" -a again -d 'Run a statement of the history once more: the last one, or that of a number'
complete -c cblite -n "__cblite_is ''" -a quit -d 'Leave the interactive shell'
complete -c cblite -n "__cblite_is ''" -a exit -d 'Leave the interactive shell'
complete -c cblite -n "__cblite_is ''" -a tour -d 'Show the program at work, step by step, on a sample database'
complete -c cblite -n "__cblite_is ''" -a help -d 'Explain the program, a command, a function or operator of SQL++, or a topic'
complete -c cblite -n "__cblite_is ''" -a version -d 'Print the version of this program'
complete -c cblite -n "__cblite_is ''" -a '(__fish_complete_directories)'

complete -c cblite -l writeable -d 'Open the database for writing'
complete -c cblite -l create -d 'Create the database if it does not exist; implies --writeable'
complete -c cblite -l upgrade -a 'vv' -d 'Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors'
complete -c cblite -l encrypted -d 'Ask for the password or key of an encrypted database'
complete -c cblite -l collection -s C -x -a '(__cblite_values collection)' -d 'Work on this collection instead of the default one'
complete -c cblite -l json -d 'Print results and errors as JSON, for programs'
complete -c cblite -l quiet -d 'Say nothing but results and errors'
complete -c cblite -l color -a 'auto always never' -d 'Colour the output: auto (on a terminal), always (also plain --color) or never'
complete -c cblite -l help -s h -d 'Explain the command'
complete -c cblite -l keep-going -d 'Go on with the next statement of a script when one fails'
complete -c cblite -n "__cblite_is ''" -l version -s v -d 'Print the version'

complete -c cblite -n "__cblite_is 'ls'" -l long -s l -d 'A line for each document: revision, flags, sequence and size'
complete -c cblite -n "__cblite_is 'ls'" -l offset -x -d 'Skip the first N documents'
complete -c cblite -n "__cblite_is 'ls'" -l limit -x -d 'Stop after N documents'
complete -c cblite -n "__cblite_is 'ls'" -l desc -d 'Go backwards'
complete -c cblite -n "__cblite_is 'ls'" -l seq -d 'In order of sequence instead of ID'
complete -c cblite -n "__cblite_is 'ls'" -l del -d 'Deleted documents too'
complete -c cblite -n "__cblite_is 'ls'" -l deleted -d 'Only deleted documents: those that undelete may bring back'
complete -c cblite -n "__cblite_is 'ls'" -l conf -d 'Only documents that are in conflict'
complete -c cblite -n "__cblite_is 'ls'" -l body -d 'Print the documents themselves'
complete -c cblite -n "__cblite_is 'ls'" -l raw -d 'Do not cut revision IDs; print each body on one line'
complete -c cblite -n "__cblite_is 'ls'" -l json5 -d 'Print the documents as JSON5, which leaves out the quotes of keys'
complete -c cblite -n "__cblite_is 'ls'" -l collections -s c -d 'List the collections instead, as lscoll does'
complete -c cblite -n "__cblite_is 'ls' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'ls' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'cat'" -l key -x -d 'Only this property; may be given several times'
complete -c cblite -n "__cblite_is 'cat'" -l rev -d 'Print the revision ID too, as "_rev"'
complete -c cblite -n "__cblite_is 'cat'" -l revision -x -d 'Print this revision instead of the current one'
complete -c cblite -n "__cblite_is 'cat'" -l raw -d 'One line for each document'
complete -c cblite -n "__cblite_is 'cat'" -l json5 -d 'Print JSON5, which leaves out the quotes of keys'
complete -c cblite -n "__cblite_is 'cat' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'cat' 1 more" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'revs'" -l remotes -d 'Mark the revisions that remote databases are known to have'
complete -c cblite -n "__cblite_is 'revs'" -l raw -d 'Show revision IDs as they are; they always are, and this is understood for old scripts'
complete -c cblite -n "__cblite_is 'revs'" -l body -d 'With --json, the bodies too, as far as they are kept'
complete -c cblite -n "__cblite_is 'revs' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'revs' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'conflicts'" -l body -d 'Print the revisions'\'' bodies too'
complete -c cblite -n "__cblite_is 'conflicts' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'changes'" -l since -x -d 'Only changes after this sequence, or since this time'
complete -c cblite -n "__cblite_is 'changes'" -l follow -s f -d 'Go on with new changes as they come'
complete -c cblite -n "__cblite_is 'changes'" -l limit -x -d 'Stop after N changes'
complete -c cblite -n "__cblite_is 'changes'" -l raw -d 'Do not cut revision IDs'
complete -c cblite -n "__cblite_is 'changes'" -l body -d 'With --json, the documents'\'' bodies too'
complete -c cblite -n "__cblite_is 'changes' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'diff'" -l body -d 'Show what changed in each document, property by property'
complete -c cblite -n "__cblite_is 'diff'" -l revs -d 'Compare revision IDs and deletions too'
complete -c cblite -n "__cblite_is 'diff' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'diff' 1" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'blob' 0 1" -a ls -d 'List blobs with the documents that refer to them'
complete -c cblite -n "__cblite_is 'blob' 0 1" -a get -d 'Copy a blob out, to a file or to standard output'
complete -c cblite -n "__cblite_is 'blob' 0 1" -a put -d 'Put the content of a file into a document, as a blob'

complete -c cblite -n "__cblite_is 'blob ls'" -l verify -d 'Read every blob, and mark those that are damaged'
complete -c cblite -n "__cblite_is 'blob ls' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'blob ls' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'blob get'" -l output -s o -r -a '(__fish_complete_path (commandline -ct))' -d 'Write to this file instead of standard output'
complete -c cblite -n "__cblite_is 'blob get' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'blob get' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'blob put'" -l type -x -d 'The type of the content; otherwise the name of the file tells'
complete -c cblite -n "__cblite_is 'blob put'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'blob put' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'blob put' 1" -a '(__cblite_values document)'
complete -c cblite -n "__cblite_is 'blob put' 3" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'fts'" -l limit -s n -x -d 'Stop after N documents'
complete -c cblite -n "__cblite_is 'fts' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'fts' 1" -a '(__cblite_values index)'

complete -c cblite -n "__cblite_is 'info'" -l verbose -s v -d 'More; twice, even more'
complete -c cblite -n "__cblite_is 'info' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'info' 0 1" -a indexes -d 'List the indexes and what they are made from'
complete -c cblite -n "__cblite_is 'info' 0 1" -a index -d 'Print what is in an index'
complete -c cblite -n "__cblite_is 'info' 0 1" -a keys -d 'List the shared keys: the property names that documents refer to by number'

complete -c cblite -n "__cblite_is 'info indexes'" -l verbose -s v -d 'More; twice, even more'
complete -c cblite -n "__cblite_is 'info indexes' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'info index'" -l limit -x -d 'Stop after N entries'
complete -c cblite -n "__cblite_is 'info index'" -l verbose -s v -d 'More; twice, even more'
complete -c cblite -n "__cblite_is 'info index' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'info index' 1" -a '(__cblite_values index)'

complete -c cblite -n "__cblite_is 'info keys'" -l verbose -s v -d 'More; twice, even more'
complete -c cblite -n "__cblite_is 'info keys' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'schema'" -l by -x -a '(__cblite_values property)' -d 'Show each kind of documents by itself: each text that this property has'
complete -c cblite -n "__cblite_is 'schema'" -l together -d 'Show all documents as one kind'
complete -c cblite -n "__cblite_is 'schema'" -l sample -x -d 'Look at about N documents, taken evenly'
complete -c cblite -n "__cblite_is 'schema'" -l all -d 'Look at all documents, however many there are'
complete -c cblite -n "__cblite_is 'schema'" -l format -s F -x -a 'table json json-schema' -d 'table, json (as with --json), or json-schema: a JSON Schema that the documents meet'
complete -c cblite -n "__cblite_is 'schema' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'schema' 1" -a '(__cblite_values collection)'

complete -c cblite -n "__cblite_is 'stats'" -l where -s w -x -d 'Only documents that meet a condition in SQL++'
complete -c cblite -n "__cblite_is 'stats'" -l top -x -d 'Show the N most frequent values; 10 if not given'
complete -c cblite -n "__cblite_is 'stats'" -l bins -x -d 'Divide histograms into at most N bins; up to 16 if not given'
complete -c cblite -n "__cblite_is 'stats' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'stats' 1 more" -a '(__cblite_values property)'

complete -c cblite -n "__cblite_is 'tree'" -l exact -d 'Read every page of the file, however large it is'
complete -c cblite -n "__cblite_is 'tree' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'query'" -l format -s F -x -a 'table json jsonl csv tsv markdown line html' -d 'How to print rows: table, json, jsonl, csv, tsv, markdown, line, html'
complete -c cblite -n "__cblite_is 'query'" -l raw -d 'The same as --format json: an array of objects, one a line'
complete -c cblite -n "__cblite_is 'query'" -l json5 -d 'Leave out the quotes of keys in JSON'
complete -c cblite -n "__cblite_is 'query'" -l offset -x -d 'Leave out the first N rows'
complete -c cblite -n "__cblite_is 'query'" -l limit -x -d 'Stop after N rows'
complete -c cblite -n "__cblite_is 'query'" -l param -s p -x -d 'A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes'
complete -c cblite -n "__cblite_is 'query'" -l params -r -a '(__fish_complete_path (commandline -ct))' -d 'Values for all parameters: a JSON object, or a file that holds one; - is standard input'
complete -c cblite -n "__cblite_is 'query'" -l output -s o -r -a '(__fish_complete_path (commandline -ct))' -d 'Write to a file, which appears when it is complete'
complete -c cblite -n "__cblite_is 'query'" -l time-limit -s t -x -d 'Give up after so many seconds'
complete -c cblite -n "__cblite_is 'query'" -l explain -d 'Do not run the query: show its SQL, the plan, its JSON form, and what they mean'
complete -c cblite -n "__cblite_is 'query'" -l analyze -d 'Run the query and print, instead of its rows, what that took'
complete -c cblite -n "__cblite_is 'query'" -l watch -s w -d 'Go on with the changes of the result, until interrupted'
complete -c cblite -n "__cblite_is 'query'" -l file -s f -r -a '(__fish_complete_path (commandline -ct))' -d 'Run the statements of a file; - is standard input'
complete -c cblite -n "__cblite_is 'query'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'query' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'select'" -l format -s F -x -a 'table json jsonl csv tsv markdown line html' -d 'How to print rows: table, json, jsonl, csv, tsv, markdown, line, html'
complete -c cblite -n "__cblite_is 'select'" -l raw -d 'The same as --format json: an array of objects, one a line'
complete -c cblite -n "__cblite_is 'select'" -l json5 -d 'Leave out the quotes of keys in JSON'
complete -c cblite -n "__cblite_is 'select'" -l offset -x -d 'Leave out the first N rows'
complete -c cblite -n "__cblite_is 'select'" -l limit -x -d 'Stop after N rows'
complete -c cblite -n "__cblite_is 'select'" -l param -s p -x -d 'A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes'
complete -c cblite -n "__cblite_is 'select'" -l params -r -a '(__fish_complete_path (commandline -ct))' -d 'Values for all parameters: a JSON object, or a file that holds one; - is standard input'
complete -c cblite -n "__cblite_is 'select'" -l output -s o -r -a '(__fish_complete_path (commandline -ct))' -d 'Write to a file, which appears when it is complete'
complete -c cblite -n "__cblite_is 'select'" -l time-limit -s t -x -d 'Give up after so many seconds'
complete -c cblite -n "__cblite_is 'select'" -l explain -d 'Do not run the query: show its SQL, the plan, its JSON form, and what they mean'
complete -c cblite -n "__cblite_is 'select'" -l analyze -d 'Run the query and print, instead of its rows, what that took'
complete -c cblite -n "__cblite_is 'select'" -l watch -s w -d 'Go on with the changes of the result, until interrupted'
complete -c cblite -n "__cblite_is 'select' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'translate'" -l json -d 'Only the JSON form'
complete -c cblite -n "__cblite_is 'translate'" -l sql -d 'Only the SQL'
complete -c cblite -n "__cblite_is 'translate'" -l tree -d 'Only the syntax tree, as indented lines'

complete -c cblite -n "__cblite_is 'sql' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'lscoll' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'put'" -l create -d 'Only if there is no document of this ID'
complete -c cblite -n "__cblite_is 'put'" -l update -d 'Only if there is one'
complete -c cblite -n "__cblite_is 'put'" -l delete -d 'Delete the document; the properties of its tombstone may be given'
complete -c cblite -n "__cblite_is 'put'" -l purge -d 'Remove the document without a trace'
complete -c cblite -n "__cblite_is 'put'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'put'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'put' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'put' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'edit'" -l with -x -d 'Use this editor; it may have arguments, as in "code --wait"'
complete -c cblite -n "__cblite_is 'edit'" -l raw -d 'Do not break the JSON into lines'
complete -c cblite -n "__cblite_is 'edit'" -l json5 -d 'Edit JSON5, which leaves out the quotes of keys'
complete -c cblite -n "__cblite_is 'edit'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'edit' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'edit' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'rm'" -l purge -d 'Remove the documents without a trace'
complete -c cblite -n "__cblite_is 'rm'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'rm'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'rm' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'rm' 1 more" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'undelete'" -l body -x -d 'These properties; - reads them from standard input'
complete -c cblite -n "__cblite_is 'undelete'" -l tombstone -d 'The properties of the tombstone'
complete -c cblite -n "__cblite_is 'undelete'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'undelete'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'undelete' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'undelete' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'revert'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'revert'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'revert' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'revert' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'purge'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'purge'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'purge' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'purge' 1 more" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'expire'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'expire' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'expire' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'resolve'" -l keep -x -a 'local remote' -d 'Keep the revision made here, or the one that came by replication'
complete -c cblite -n "__cblite_is 'resolve'" -l merge -r -a '(__fish_complete_path (commandline -ct))' -d 'Properties that replace both, as JSON; - reads them from standard input'
complete -c cblite -n "__cblite_is 'resolve'" -l if-rev -x -d 'Only if this is the current revision; the beginning of its ID is enough. Otherwise: exit code 4'
complete -c cblite -n "__cblite_is 'resolve'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'resolve' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'resolve' 1" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'mv'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'mv' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'mv' 1" -a '(__cblite_values document)'
complete -c cblite -n "__cblite_is 'mv' 2" -a '(__cblite_values collection)'

complete -c cblite -n "__cblite_is 'mkcoll' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'rmcoll'" -l yes -s y -d 'Delete the collection even though it holds documents'
complete -c cblite -n "__cblite_is 'rmcoll'" -l dry-run -s n -d 'Say what would be done, and do nothing'
complete -c cblite -n "__cblite_is 'rmcoll' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'rmcoll' 1" -a '(__cblite_values collection)'




complete -c cblite -n "__cblite_is 'cp'" -l jsonid -x -d 'The property that is the document'\''s ID: not part of its body (default: _id)'
complete -c cblite -n "__cblite_is 'cp'" -l idprefix -x -d 'Put this in front of the ID of each imported document'
complete -c cblite -n "__cblite_is 'cp'" -l limit -x -d 'Stop after N documents'
complete -c cblite -n "__cblite_is 'cp'" -l careful -d 'Stop at the first document that cannot be imported, and import nothing'
complete -c cblite -n "__cblite_is 'cp'" -l existing -s x -d 'Fail if the destination does not exist'
complete -c cblite -n "__cblite_is 'cp'" -l format -x -a 'json jsonl array csv tsv' -d 'The form of the text, if its name does not tell'
complete -c cblite -n "__cblite_is 'cp'" -l verbose -s v -d 'Tell of every document that is left out'
complete -c cblite -n "__cblite_is 'cp'" -l replicate -d 'Replicate between two databases instead of copying the file'
complete -c cblite -n "__cblite_is 'cp'" -l bidi -d 'Replicate in both directions'
complete -c cblite -n "__cblite_is 'cp'" -l user -x -d 'Log in; :@FILE has the password in a file. Without one: $CBLITE_PASSWORD, ~/.netrc, a question'
complete -c cblite -n "__cblite_is 'cp'" -l token -x -d 'Log in with a session of the server'\''s; so does $CBLITE_TOKEN'
complete -c cblite -n "__cblite_is 'cp'" -l cert -r -a '(__fish_complete_path (commandline -ct))' -d 'Log in with this certificate'
complete -c cblite -n "__cblite_is 'cp'" -l key -r -a '(__fish_complete_path (commandline -ct))' -d 'The private key of --cert, if it is not in the same file'
complete -c cblite -n "__cblite_is 'cp'" -l header -x -d 'A header for the server'
complete -c cblite -n "__cblite_is 'cp'" -l cacert -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust these certificates, and what they have signed, alone'
complete -c cblite -n "__cblite_is 'cp'" -l pin -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust the certificate, or key, of this fingerprint alone'
complete -c cblite -n "__cblite_is 'cp'" -l self-signed -d 'Trust any certificate that its owner has signed: anybody could have made it'
complete -c cblite -n "__cblite_is 'cp'" -l proxy -x -d 'Go through http://[NAME:PASSWORD@]HOST:PORT, or https://…; none for no proxy'
complete -c cblite -n "__cblite_is 'cp'" -l interface -x -d 'Connect from this network interface or address'
complete -c cblite -n "__cblite_is 'cp'" -l heartbeat -x -d 'Ask a silent server after this time whether it is still there (default: 300)'
complete -c cblite -n "__cblite_is 'cp'" -l continuous -d 'Go on with what changes from now on, until Ctrl-C'
complete -c cblite -n "__cblite_is 'cp'" -l filter -x -d 'Replicate only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'cp'" -l push-filter -x -d 'Send only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'cp'" -l conflict -x -d 'Who wins where both sides changed a document: default, local, remote, merge, or an SQL++ expression over local, remote and base'
complete -c cblite -n "__cblite_is 'cp'" -l reset-checkpoint -d 'Look at everything again, also at what was done already'
complete -c cblite -n "__cblite_is 'cp'" -l all-collections -d 'Replicate all collections of the database; so does --collection '\''*'\'''
complete -c cblite -n "__cblite_is 'cp'" -l channel -x -d 'Pull these channels only'
complete -c cblite -n "__cblite_is 'cp'" -l doc-id -x -a '(__cblite_values document)' -d 'Only this document'
complete -c cblite -n "__cblite_is 'cp'" -l pull-filter -x -d 'Take only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'cp' 0" -a '(__fish_complete_path (commandline -ct))'
complete -c cblite -n "__cblite_is 'cp' 1" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'import'" -l jsonid -x -d 'The property that is the document'\''s ID: not part of its body (default: _id)'
complete -c cblite -n "__cblite_is 'import'" -l idprefix -x -d 'Put this in front of the ID of each imported document'
complete -c cblite -n "__cblite_is 'import'" -l limit -x -d 'Stop after N documents'
complete -c cblite -n "__cblite_is 'import'" -l careful -d 'Stop at the first document that cannot be imported, and import nothing'
complete -c cblite -n "__cblite_is 'import'" -l existing -s x -d 'Fail if the destination does not exist'
complete -c cblite -n "__cblite_is 'import'" -l format -x -a 'json jsonl array csv tsv' -d 'The form of the text, if its name does not tell'
complete -c cblite -n "__cblite_is 'import'" -l verbose -s v -d 'Tell of every document that is left out'
complete -c cblite -n "__cblite_is 'import'" -l replicate -d 'Replicate between two databases instead of copying the file'
complete -c cblite -n "__cblite_is 'import'" -l bidi -d 'Replicate in both directions'
complete -c cblite -n "__cblite_is 'import'" -l user -x -d 'Log in; :@FILE has the password in a file. Without one: $CBLITE_PASSWORD, ~/.netrc, a question'
complete -c cblite -n "__cblite_is 'import'" -l token -x -d 'Log in with a session of the server'\''s; so does $CBLITE_TOKEN'
complete -c cblite -n "__cblite_is 'import'" -l cert -r -a '(__fish_complete_path (commandline -ct))' -d 'Log in with this certificate'
complete -c cblite -n "__cblite_is 'import'" -l key -r -a '(__fish_complete_path (commandline -ct))' -d 'The private key of --cert, if it is not in the same file'
complete -c cblite -n "__cblite_is 'import'" -l header -x -d 'A header for the server'
complete -c cblite -n "__cblite_is 'import'" -l cacert -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust these certificates, and what they have signed, alone'
complete -c cblite -n "__cblite_is 'import'" -l pin -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust the certificate, or key, of this fingerprint alone'
complete -c cblite -n "__cblite_is 'import'" -l self-signed -d 'Trust any certificate that its owner has signed: anybody could have made it'
complete -c cblite -n "__cblite_is 'import'" -l proxy -x -d 'Go through http://[NAME:PASSWORD@]HOST:PORT, or https://…; none for no proxy'
complete -c cblite -n "__cblite_is 'import'" -l interface -x -d 'Connect from this network interface or address'
complete -c cblite -n "__cblite_is 'import'" -l heartbeat -x -d 'Ask a silent server after this time whether it is still there (default: 300)'
complete -c cblite -n "__cblite_is 'import'" -l continuous -d 'Go on with what changes from now on, until Ctrl-C'
complete -c cblite -n "__cblite_is 'import'" -l filter -x -d 'Replicate only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'import'" -l push-filter -x -d 'Send only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'import'" -l conflict -x -d 'Who wins where both sides changed a document: default, local, remote, merge, or an SQL++ expression over local, remote and base'
complete -c cblite -n "__cblite_is 'import'" -l reset-checkpoint -d 'Look at everything again, also at what was done already'
complete -c cblite -n "__cblite_is 'import'" -l all-collections -d 'Replicate all collections of the database; so does --collection '\''*'\'''
complete -c cblite -n "__cblite_is 'import'" -l channel -x -d 'Pull these channels only'
complete -c cblite -n "__cblite_is 'import'" -l doc-id -x -a '(__cblite_values document)' -d 'Only this document'
complete -c cblite -n "__cblite_is 'import'" -l pull-filter -x -d 'Take only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'import' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'import' 1 more" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'export'" -l where -x -d 'Only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'export'" -l jsonid -x -d 'The property that is the document'\''s ID: not part of its body (default: _id)'
complete -c cblite -n "__cblite_is 'export'" -l idprefix -x -d 'Put this in front of the ID of each imported document'
complete -c cblite -n "__cblite_is 'export'" -l limit -x -d 'Stop after N documents'
complete -c cblite -n "__cblite_is 'export'" -l careful -d 'Stop at the first document that cannot be imported, and import nothing'
complete -c cblite -n "__cblite_is 'export'" -l existing -s x -d 'Fail if the destination does not exist'
complete -c cblite -n "__cblite_is 'export'" -l format -x -a 'json jsonl array csv tsv' -d 'The form of the text, if its name does not tell'
complete -c cblite -n "__cblite_is 'export'" -l verbose -s v -d 'Tell of every document that is left out'
complete -c cblite -n "__cblite_is 'export'" -l replicate -d 'Replicate between two databases instead of copying the file'
complete -c cblite -n "__cblite_is 'export'" -l bidi -d 'Replicate in both directions'
complete -c cblite -n "__cblite_is 'export'" -l user -x -d 'Log in; :@FILE has the password in a file. Without one: $CBLITE_PASSWORD, ~/.netrc, a question'
complete -c cblite -n "__cblite_is 'export'" -l token -x -d 'Log in with a session of the server'\''s; so does $CBLITE_TOKEN'
complete -c cblite -n "__cblite_is 'export'" -l cert -r -a '(__fish_complete_path (commandline -ct))' -d 'Log in with this certificate'
complete -c cblite -n "__cblite_is 'export'" -l key -r -a '(__fish_complete_path (commandline -ct))' -d 'The private key of --cert, if it is not in the same file'
complete -c cblite -n "__cblite_is 'export'" -l header -x -d 'A header for the server'
complete -c cblite -n "__cblite_is 'export'" -l cacert -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust these certificates, and what they have signed, alone'
complete -c cblite -n "__cblite_is 'export'" -l pin -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust the certificate, or key, of this fingerprint alone'
complete -c cblite -n "__cblite_is 'export'" -l self-signed -d 'Trust any certificate that its owner has signed: anybody could have made it'
complete -c cblite -n "__cblite_is 'export'" -l proxy -x -d 'Go through http://[NAME:PASSWORD@]HOST:PORT, or https://…; none for no proxy'
complete -c cblite -n "__cblite_is 'export'" -l interface -x -d 'Connect from this network interface or address'
complete -c cblite -n "__cblite_is 'export'" -l heartbeat -x -d 'Ask a silent server after this time whether it is still there (default: 300)'
complete -c cblite -n "__cblite_is 'export'" -l continuous -d 'Go on with what changes from now on, until Ctrl-C'
complete -c cblite -n "__cblite_is 'export'" -l filter -x -d 'Replicate only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'export'" -l push-filter -x -d 'Send only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'export'" -l conflict -x -d 'Who wins where both sides changed a document: default, local, remote, merge, or an SQL++ expression over local, remote and base'
complete -c cblite -n "__cblite_is 'export'" -l reset-checkpoint -d 'Look at everything again, also at what was done already'
complete -c cblite -n "__cblite_is 'export'" -l all-collections -d 'Replicate all collections of the database; so does --collection '\''*'\'''
complete -c cblite -n "__cblite_is 'export'" -l channel -x -d 'Pull these channels only'
complete -c cblite -n "__cblite_is 'export'" -l doc-id -x -a '(__cblite_values document)' -d 'Only this document'
complete -c cblite -n "__cblite_is 'export'" -l pull-filter -x -d 'Take only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'export' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'export' 1" -a '(__fish_complete_path (commandline -ct))'
complete -c cblite -n "__cblite_is 'export' 2" -a '(__cblite_values document)'

complete -c cblite -n "__cblite_is 'push'" -l user -x -d 'Log in; :@FILE has the password in a file. Without one: $CBLITE_PASSWORD, ~/.netrc, a question'
complete -c cblite -n "__cblite_is 'push'" -l token -x -d 'Log in with a session of the server'\''s; so does $CBLITE_TOKEN'
complete -c cblite -n "__cblite_is 'push'" -l cert -r -a '(__fish_complete_path (commandline -ct))' -d 'Log in with this certificate'
complete -c cblite -n "__cblite_is 'push'" -l key -r -a '(__fish_complete_path (commandline -ct))' -d 'The private key of --cert, if it is not in the same file'
complete -c cblite -n "__cblite_is 'push'" -l header -x -d 'A header for the server'
complete -c cblite -n "__cblite_is 'push'" -l cacert -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust these certificates, and what they have signed, alone'
complete -c cblite -n "__cblite_is 'push'" -l pin -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust the certificate, or key, of this fingerprint alone'
complete -c cblite -n "__cblite_is 'push'" -l self-signed -d 'Trust any certificate that its owner has signed: anybody could have made it'
complete -c cblite -n "__cblite_is 'push'" -l proxy -x -d 'Go through http://[NAME:PASSWORD@]HOST:PORT, or https://…; none for no proxy'
complete -c cblite -n "__cblite_is 'push'" -l interface -x -d 'Connect from this network interface or address'
complete -c cblite -n "__cblite_is 'push'" -l heartbeat -x -d 'Ask a silent server after this time whether it is still there (default: 300)'
complete -c cblite -n "__cblite_is 'push'" -l continuous -d 'Go on with what changes from now on, until Ctrl-C'
complete -c cblite -n "__cblite_is 'push'" -l filter -x -d 'Replicate only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'push'" -l push-filter -x -d 'Send only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'push'" -l conflict -x -d 'Who wins where both sides changed a document: default, local, remote, merge, or an SQL++ expression over local, remote and base'
complete -c cblite -n "__cblite_is 'push'" -l reset-checkpoint -d 'Look at everything again, also at what was done already'
complete -c cblite -n "__cblite_is 'push'" -l existing -s x -d 'Fail if the database is not there, instead of making it'
complete -c cblite -n "__cblite_is 'push'" -l careful -d 'Stop at the first document that cannot be replicated'
complete -c cblite -n "__cblite_is 'push'" -l all-collections -d 'Replicate all collections of the database; so does --collection '\''*'\'''
complete -c cblite -n "__cblite_is 'push'" -l channel -x -d 'Pull these channels only'
complete -c cblite -n "__cblite_is 'push'" -l doc-id -x -a '(__cblite_values document)' -d 'Only this document'
complete -c cblite -n "__cblite_is 'push'" -l pull-filter -x -d 'Take only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'push'" -l verbose -s v -d 'Tell of every document; twice also of revisions and connections'
complete -c cblite -n "__cblite_is 'push'" -l bidi -d 'Replicate in both directions'
complete -c cblite -n "__cblite_is 'push' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'push' 1" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'pull'" -l user -x -d 'Log in; :@FILE has the password in a file. Without one: $CBLITE_PASSWORD, ~/.netrc, a question'
complete -c cblite -n "__cblite_is 'pull'" -l token -x -d 'Log in with a session of the server'\''s; so does $CBLITE_TOKEN'
complete -c cblite -n "__cblite_is 'pull'" -l cert -r -a '(__fish_complete_path (commandline -ct))' -d 'Log in with this certificate'
complete -c cblite -n "__cblite_is 'pull'" -l key -r -a '(__fish_complete_path (commandline -ct))' -d 'The private key of --cert, if it is not in the same file'
complete -c cblite -n "__cblite_is 'pull'" -l header -x -d 'A header for the server'
complete -c cblite -n "__cblite_is 'pull'" -l cacert -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust these certificates, and what they have signed, alone'
complete -c cblite -n "__cblite_is 'pull'" -l pin -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust the certificate, or key, of this fingerprint alone'
complete -c cblite -n "__cblite_is 'pull'" -l self-signed -d 'Trust any certificate that its owner has signed: anybody could have made it'
complete -c cblite -n "__cblite_is 'pull'" -l proxy -x -d 'Go through http://[NAME:PASSWORD@]HOST:PORT, or https://…; none for no proxy'
complete -c cblite -n "__cblite_is 'pull'" -l interface -x -d 'Connect from this network interface or address'
complete -c cblite -n "__cblite_is 'pull'" -l heartbeat -x -d 'Ask a silent server after this time whether it is still there (default: 300)'
complete -c cblite -n "__cblite_is 'pull'" -l continuous -d 'Go on with what changes from now on, until Ctrl-C'
complete -c cblite -n "__cblite_is 'pull'" -l filter -x -d 'Replicate only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'pull'" -l push-filter -x -d 'Send only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'pull'" -l conflict -x -d 'Who wins where both sides changed a document: default, local, remote, merge, or an SQL++ expression over local, remote and base'
complete -c cblite -n "__cblite_is 'pull'" -l reset-checkpoint -d 'Look at everything again, also at what was done already'
complete -c cblite -n "__cblite_is 'pull'" -l existing -s x -d 'Fail if the database is not there, instead of making it'
complete -c cblite -n "__cblite_is 'pull'" -l careful -d 'Stop at the first document that cannot be replicated'
complete -c cblite -n "__cblite_is 'pull'" -l all-collections -d 'Replicate all collections of the database; so does --collection '\''*'\'''
complete -c cblite -n "__cblite_is 'pull'" -l channel -x -d 'Pull these channels only'
complete -c cblite -n "__cblite_is 'pull'" -l doc-id -x -a '(__cblite_values document)' -d 'Only this document'
complete -c cblite -n "__cblite_is 'pull'" -l pull-filter -x -d 'Take only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'pull'" -l verbose -s v -d 'Tell of every document; twice also of revisions and connections'
complete -c cblite -n "__cblite_is 'pull'" -l bidi -d 'Replicate in both directions'
complete -c cblite -n "__cblite_is 'pull' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'pull' 1" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'sync'" -l user -x -d 'Log in; :@FILE has the password in a file. Without one: $CBLITE_PASSWORD, ~/.netrc, a question'
complete -c cblite -n "__cblite_is 'sync'" -l token -x -d 'Log in with a session of the server'\''s; so does $CBLITE_TOKEN'
complete -c cblite -n "__cblite_is 'sync'" -l cert -r -a '(__fish_complete_path (commandline -ct))' -d 'Log in with this certificate'
complete -c cblite -n "__cblite_is 'sync'" -l key -r -a '(__fish_complete_path (commandline -ct))' -d 'The private key of --cert, if it is not in the same file'
complete -c cblite -n "__cblite_is 'sync'" -l header -x -d 'A header for the server'
complete -c cblite -n "__cblite_is 'sync'" -l cacert -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust these certificates, and what they have signed, alone'
complete -c cblite -n "__cblite_is 'sync'" -l pin -r -a '(__fish_complete_path (commandline -ct))' -d 'Trust the certificate, or key, of this fingerprint alone'
complete -c cblite -n "__cblite_is 'sync'" -l self-signed -d 'Trust any certificate that its owner has signed: anybody could have made it'
complete -c cblite -n "__cblite_is 'sync'" -l proxy -x -d 'Go through http://[NAME:PASSWORD@]HOST:PORT, or https://…; none for no proxy'
complete -c cblite -n "__cblite_is 'sync'" -l interface -x -d 'Connect from this network interface or address'
complete -c cblite -n "__cblite_is 'sync'" -l heartbeat -x -d 'Ask a silent server after this time whether it is still there (default: 300)'
complete -c cblite -n "__cblite_is 'sync'" -l continuous -d 'Go on with what changes from now on, until Ctrl-C'
complete -c cblite -n "__cblite_is 'sync'" -l filter -x -d 'Replicate only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'sync'" -l push-filter -x -d 'Send only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'sync'" -l conflict -x -d 'Who wins where both sides changed a document: default, local, remote, merge, or an SQL++ expression over local, remote and base'
complete -c cblite -n "__cblite_is 'sync'" -l reset-checkpoint -d 'Look at everything again, also at what was done already'
complete -c cblite -n "__cblite_is 'sync'" -l existing -s x -d 'Fail if the database is not there, instead of making it'
complete -c cblite -n "__cblite_is 'sync'" -l careful -d 'Stop at the first document that cannot be replicated'
complete -c cblite -n "__cblite_is 'sync'" -l all-collections -d 'Replicate all collections of the database; so does --collection '\''*'\'''
complete -c cblite -n "__cblite_is 'sync'" -l channel -x -d 'Pull these channels only'
complete -c cblite -n "__cblite_is 'sync'" -l doc-id -x -a '(__cblite_values document)' -d 'Only this document'
complete -c cblite -n "__cblite_is 'sync'" -l pull-filter -x -d 'Take only documents for which this SQL++ condition is true'
complete -c cblite -n "__cblite_is 'sync'" -l verbose -s v -d 'Tell of every document; twice also of revisions and connections'
complete -c cblite -n "__cblite_is 'sync' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'sync' 1" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'dump'" -l collection -s C -x -a '(__cblite_values collection)' -d 'Only these collections'
complete -c cblite -n "__cblite_is 'dump'" -l identity -d 'Archive the UUIDs too, by which other databases know this one'
complete -c cblite -n "__cblite_is 'dump'" -l no-raw -d 'Leave out the notes of replications and other raw documents'
complete -c cblite -n "__cblite_is 'dump'" -l no-blobs -d 'Leave out the content of blobs'
complete -c cblite -n "__cblite_is 'dump'" -l no-indexes -d 'Leave out the definitions of indexes'
complete -c cblite -n "__cblite_is 'dump' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'dump' 1" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'restore'" -l collection -s C -x -a '(__cblite_values collection)' -d 'Only these collections'
complete -c cblite -n "__cblite_is 'restore'" -l merge -d 'Add to a database that holds something already'
complete -c cblite -n "__cblite_is 'restore'" -l identity -d 'Take over the UUIDs that dump --identity archived'
complete -c cblite -n "__cblite_is 'restore' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'restore' 1" -a '(__fish_complete_path (commandline -ct))'

complete -c cblite -n "__cblite_is 'check'" -l quick -d 'Leave out what takes long: the digests of blobs and the words of full-text indexes'
complete -c cblite -n "__cblite_is 'check'" -l repair -d 'Mend what can be mended, after copying the database'
complete -c cblite -n "__cblite_is 'check'" -l no-backup -d 'With --repair: make no copy'
complete -c cblite -n "__cblite_is 'check'" -l drop-damaged -d 'With --repair or --salvage: delete documents that cannot be decoded'
complete -c cblite -n "__cblite_is 'check'" -l salvage -x -a '(__fish_complete_directories)' -d 'Carry what can be read into a new database'
complete -c cblite -n "__cblite_is 'check' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'mkindex'" -l where -x -d 'Only documents that meet the condition'
complete -c cblite -n "__cblite_is 'mkindex'" -l json -d 'EXPRESSIONS are in the JSON form; if they begin with [ or {, they are anyway'
complete -c cblite -n "__cblite_is 'mkindex'" -l fts -d 'Make a full-text index'
complete -c cblite -n "__cblite_is 'mkindex'" -l language -x -d 'With --fts: the language of the texts, such as en'
complete -c cblite -n "__cblite_is 'mkindex'" -l ignoreDiacritics -d 'With --fts: e finds é'
complete -c cblite -n "__cblite_is 'mkindex'" -l noStemming -d 'With --fts: only the words themselves, not others of the same stem'
complete -c cblite -n "__cblite_is 'mkindex'" -l stopWords -x -d 'With --fts: words to leave out, instead of the language'\''s'
complete -c cblite -n "__cblite_is 'mkindex'" -l unnest -x -d 'Make an array index: the path of the array'
complete -c cblite -n "__cblite_is 'mkindex'" -l suggest -x -d 'Tell which index would help this query'
complete -c cblite -n "__cblite_is 'mkindex'" -l vector -d 'Vector indexes need an extension that this version does not have'
complete -c cblite -n "__cblite_is 'mkindex'" -l dim -x -d 'With --vector'
complete -c cblite -n "__cblite_is 'mkindex'" -l metric -x -d 'With --vector'
complete -c cblite -n "__cblite_is 'mkindex'" -l centroids -x -d 'With --vector'
complete -c cblite -n "__cblite_is 'mkindex'" -l encoding -x -d 'With --vector'
complete -c cblite -n "__cblite_is 'mkindex' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'rmindex' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'rmindex' 1 more" -a '(__cblite_values index)'

complete -c cblite -n "__cblite_is 'compact'" -l prune -x -d 'Keep only the last N generations of each revision tree'
complete -c cblite -n "__cblite_is 'compact'" -l purgeDeleted -d 'Forget deleted documents'
complete -c cblite -n "__cblite_is 'compact' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'reindex' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'open'" -l keep-going -d 'Go on with the next statement of a script when one fails'
complete -c cblite -n "__cblite_is 'open' 0" -a '(__fish_complete_directories)'



complete -c cblite -n "__cblite_is 'cd' 0" -a '(__fish_complete_directories)'
complete -c cblite -n "__cblite_is 'cd' 1" -a '(__cblite_values collection)'




complete -c cblite -n "__cblite_is 'tour' 0" -a '(__fish_complete_directories)'

complete -c cblite -n "__cblite_is 'help' 0 more" -a '(cblite complete topic 2>/dev/null)'


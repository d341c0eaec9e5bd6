#compdef cblite
# zsh completion for cblite, made by 'cblite generate' from the declarations of the commands: do not edit

_cblite_commands() {
    local -a commands=(
        'ls:List documents'
        'cat:Print documents as JSON'
        'get:Print documents as JSON'
        'revs:Show the revisions of a document'
        'conflicts:List the documents that are in conflict, with the revisions that compete'
        'changes:Print the change feed: documents in the order in which they last changed'
        'diff:Compare two databases'
        'blob:List blobs, take them out, and put them in'
        'grep:Search all values of documents for a text'
        'fts:Search the texts of a full-text index'
        'info:Describe a database'
        'file:Describe a database'
        'schema:Show which properties documents have, and what is in them'
        'stats:Show how the values of a property are distributed'
        'logcat:Print log files of Couchbase Lite'
        'tree:Show the scopes, collections and indexes, and how much room each takes'
        'du:Show the scopes, collections and indexes, and how much room each takes'
        'view:Ask and define map/reduce views'
        'query:Run a query in SQL++'
        'select:Run a SELECT, without the word itself'
        'run:Run a query that was kept under a name'
        'translate:Show how a query is understood'
        'sql:Run SQL on the SQLite file itself'
        'lscoll:List the collections'
        'put:Create or update a document'
        'edit:Change a document in an editor'
        'rm:Delete documents'
        'undelete:Bring a deleted document back'
        'revert:Give a document the properties of an earlier revision'
        'purge:Remove documents without a trace'
        'expire:Say when a document will be gone, or show it'
        'resolve:Settle a conflict'
        'mv:Move documents to another collection'
        'mkcoll:Create collections'
        'rmcoll:Delete a collection with all its documents'
        'begin:Begin a transaction: changes that are made together or not at all'
        'commit:Keep the changes since begin'
        'rollback:Forget the changes since begin'
        'undo:Take back what the last statement changed'
        'cp:Copy a database, or documents from or to JSON and CSV'
        'import:Save documents from JSON or CSV'
        'export:Write documents as JSON or CSV'
        'push:Send what changed to a server or another database'
        'pull:Fetch what changed on a server or in another database'
        'sync:Push and pull'
        'serve:Let others replicate with a database, or use it over HTTP'
        'peers:List who can be replicated with on the local network'
        'passwords:List the servers of which the keyring keeps a password, or forget one'
        'dump:Write a database as a text archive'
        'restore:Make a database from a text archive'
        'check:Look for damage, and mend it'
        'mkindex:Make an index, or find out which one would help a query'
        'rmindex:Remove indexes'
        'compact:Make a database smaller'
        'embed:Give the documents of a lazy vector index their vectors'
        'reindex:Build the value and vector indexes anew'
        'encrypt:Encrypt a database in its place'
        'rekey:Give an encrypted database another key'
        'decrypt:Take the encryption off a database'
        'open:Work on a database interactively'
        'use:Work on a database interactively'
        'openremote:Work interactively on a copy of a server'\''s database'
        'databases:List the databases that are open in the interactive shell'
        'close:Close a database in the interactive shell'
        'cd:Choose the collection that the following commands work on'
        'history:List what was typed in the interactive shell, in this session and in earlier ones'
        'again:Run a statement of the history once more: the last one, or that of a number'
        'save:Keep a query under a name'
        'saved:List the queries that are kept, show one, or forget it'
        'quit:Leave the interactive shell'
        'exit:Leave the interactive shell'
        'tour:Show the program at work, step by step, on a sample database'
        'help:Explain the program, a command, a function or operator of SQL++, or a topic'
        'version:Print the version of this program'
    )
    _describe -t commands command commands
}

# What is offered for one command; the word of a command's command has been taken out.
_cblite_command() {
    case $1 in
        'ls')
            _arguments -S \
            '(--long -l)--long[A line for each document\: revision, flags, sequence and size]' \
            '(--long -l)-l[A line for each document\: revision, flags, sequence and size]' \
            '--offset=[Skip the first N documents]:N: ' \
            '--limit=[Stop after N documents]:N: ' \
            '--desc[Go backwards]' \
            '--seq[In order of sequence instead of ID]' \
            '--del[Deleted documents too]' \
            '--deleted[Only deleted documents\: those that undelete may bring back]' \
            '--conf[Only documents that are in conflict]' \
            '--body[Print the documents themselves]' \
            '--raw[Do not cut revision IDs; print each body on one line]' \
            '--json5[Print the documents as JSON5, which leaves out the quotes of keys]' \
            '(--collections -c)--collections[List the collections instead, as lscoll does]' \
            '(--collections -c)-c[List the collections instead, as lscoll does]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::PATTERN:_cblite_names document' ;;
        'cat'|'get')
            _arguments -S \
            '(--where -w)--where=[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '(--where -w)-w+[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '*--key=[Only this property; may be given several times]:KEY:_cblite_names property' \
            '--rev[Print the revision ID too, as "_rev"]' \
            '--revision=[Print this revision instead of the current one]:REV: ' \
            '--raw[One line for each document]' \
            '--json5[Print JSON5, which leaves out the quotes of keys]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:DOCID:_cblite_names document' ;;
        'revs')
            _arguments -S \
            '--remotes[Mark the revisions that remote databases are known to have]' \
            '--raw[Show revision IDs as they are; they always are, and this is understood for old scripts]' \
            '--body[With --json, the bodies too, as far as they are kept]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:DOCID:_cblite_names document' ;;
        'conflicts')
            _arguments -S \
            '--body[Print the revisions'\'' bodies too]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'changes')
            _arguments -S \
            '--since=[Only changes after this sequence, or since this time, or from now on]:SEQ: ' \
            '(--follow -f)--follow[Go on with new changes as they come]' \
            '(--follow -f)-f[Go on with new changes as they come]' \
            '--diff[With --follow\: when each change was seen, and what it did, in a line]' \
            '--limit=[Stop after N changes]:N: ' \
            '--raw[Do not cut revision IDs]' \
            '--body[With --json, the documents'\'' bodies too]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'diff')
            _arguments -S \
            '--stat[Only how many documents differ, by collection]' \
            '--where=[Only documents for which this SQL++ condition is true, in either database]:CONDITION:_cblite_names property' \
            '--all[List the documents of a collection that only one side has, too]' \
            '--body[Show what changed in each document, property by property]' \
            '--revs[Compare revision IDs and deletions too]' \
            '--other-password=-[As --password, for the second database alone]::\:@FILE: ' \
            '--other-key=[As --key, for the second database alone]:\:@FILE: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:OTHER:_cblite_databases' ;;
        'blob')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1: :_cblite_database_or_subcommand' ;;
        'blob ls')
            _arguments -S \
            '--verify[Read every blob, and mark those that are damaged]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::DOCID:_cblite_names document' ;;
        'blob get')
            _arguments -S \
            '(--output -o)--output=[Write to this file instead of standard output]:FILE:_files' \
            '(--output -o)-o+[Write to this file instead of standard output]:FILE:_files' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:BLOB:_cblite_names document' \
            '3::PROPERTY:_cblite_names property' ;;
        'blob put')
            _arguments -S \
            '--type=[The type of the content; otherwise the name of the file tells]:MIME: ' \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:DOCID:_cblite_names document' \
            '3:PROPERTY:_cblite_names property' \
            '4:FILE:_files' ;;
        'grep')
            _arguments -S \
            '*--collection=[Only these collections; * is all of them, as without it]:\[SCOPE.\]NAME\[,…\]:_cblite_names collection' \
            '*-C+[Only these collections; * is all of them, as without it]:\[SCOPE.\]NAME\[,…\]:_cblite_names collection' \
            '--key=[Only what is in this property\: address, tags\[0\], reviews\[\].author]:PATH:_cblite_names property' \
            '--names[Search the names of properties instead of the values]' \
            '(--ignore-case -i)--ignore-case[Capitals and small letters are the same]' \
            '(--ignore-case -i)-i[Capitals and small letters are the same]' \
            '(--case-sensitive -s)--case-sensitive[They are not, even if there are no capitals in the text]' \
            '(--case-sensitive -s)-s[They are not, even if there are no capitals in the text]' \
            '(--literal -F)--literal[The text is no regular expression, even between slashes]' \
            '(--literal -F)-F[The text is no regular expression, even between slashes]' \
            '--limit=[Stop after N lines]:N: ' \
            '(--ids -l)--ids[Print only the IDs of the documents, each once]' \
            '(--ids -l)-l[Print only the IDs of the documents, each once]' \
            '(--count -c)--count[Print only how many values there are, and in how many documents]' \
            '(--count -c)-c[Print only how many values there are, and in how many documents]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:TEXT: ' ;;
        'fts')
            _arguments -S \
            '(--limit -n)--limit=[Stop after N documents]:N: ' \
            '(--limit -n)-n+[Stop after N documents]:N: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:INDEX:_cblite_names index' \
            '*:QUERY: ' ;;
        'info'|'file')
            _arguments -S \
            '*--verbose[More; twice, even more]' \
            '*-v[More; twice, even more]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_database_or_subcommand' ;;
        'info indexes')
            _arguments -S \
            '*--verbose[More; twice, even more]' \
            '*-v[More; twice, even more]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'info index')
            _arguments -S \
            '--limit=[Stop after N entries]:N: ' \
            '*--verbose[More; twice, even more]' \
            '*-v[More; twice, even more]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:NAME:_cblite_names index' ;;
        'info keys')
            _arguments -S \
            '*--verbose[More; twice, even more]' \
            '*-v[More; twice, even more]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'schema')
            _arguments -S \
            '--by=[Show each kind of documents by itself\: each text that this property has]:PROPERTY:_cblite_names property' \
            '--together[Show all documents as one kind]' \
            '--sample=[Look at about N documents, taken evenly]:N: ' \
            '--all[Look at all documents, however many there are]' \
            '(--format -F)--format=[table, json (as with --json), or json-schema\: a JSON Schema that the documents meet]:FORMAT:(table json json-schema)' \
            '(--format -F)-F+[table, json (as with --json), or json-schema\: a JSON Schema that the documents meet]:FORMAT:(table json json-schema)' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::COLLECTION:_cblite_names collection' ;;
        'stats')
            _arguments -S \
            '(--where -w)--where=[Only documents that meet a condition in SQL++]:CONDITION:_cblite_names property' \
            '(--where -w)-w+[Only documents that meet a condition in SQL++]:CONDITION:_cblite_names property' \
            '--top=[Show the N most frequent values; 10 if not given]:N: ' \
            '--bins=[Divide histograms into at most N bins; up to 16 if not given]:N: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:PATH:_cblite_names property' ;;
        'logcat')
            _arguments -S \
            '*--level=[Only messages of this level or above\: debug to error]:\[DOMAIN\:\]LEVEL\[,…\]: ' \
            '*--domain=[Only messages of these domains\: DB, Query, Sync, WS…]:NAME\[,…\]: ' \
            '--object=[Only messages about an object with this in its name]:TEXT: ' \
            '--grep=[Only messages with this in them]:TEXT|/REGEX/: ' \
            '--since=[Not what is older]:TIME: ' \
            '--until=[Not what is newer]:TIME: ' \
            '(--limit -n)--limit=[Stop after N messages]:N: ' \
            '(--limit -n)-n+[Stop after N messages]:N: ' \
            '--csv[Print a table as CSV]' \
            '--report[Say what happened instead]' \
            '(--follow -f)--follow[Go on with what is written, also to new files]' \
            '(--follow -f)-f[Go on with what is written, also to new files]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '*:FILE:_files' ;;
        'tree'|'du')
            _arguments -S \
            '--exact[Read every page of the file, however large it is]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'view')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1: :_cblite_database_or_subcommand' ;;
        'view ls')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'view query')
            _arguments -S \
            '*--key=[Only rows with this key; more than one in the order given]:KEY: ' \
            '--start=[From this key on; with --desc from there backwards]:KEY: ' \
            '--end=[Up to this key]:KEY: ' \
            '--start-doc=[Of the first key, from this document on]:ID:_cblite_names document' \
            '--end-doc=[Of the last key, up to this document]:ID:_cblite_names document' \
            '--exclusive-start[Without the rows with the first key]' \
            '--exclusive-end[Without the rows with the last key]' \
            '--prefix=[Up to all keys that begin as --end does, at this level]:N: ' \
            '--desc[Go backwards]' \
            '--offset=[Leave out the first N rows]:N: ' \
            '--limit=[Stop after N rows]:N: ' \
            '--group[Reduce the rows of each key]' \
            '--group-level=[Reduce the rows whose keys have the same first N items]:N: ' \
            '--no-reduce[Give the rows themselves]' \
            '--docs[With the documents]' \
            '--search=[Rows whose texts match, the best first\: for views that emit texts]:WORDS: ' \
            '--box=[Rows whose shapes are in this box\: for views that emit shapes]:X0,Y0,X1,Y1: ' \
            '*--sort=[Sort by key, value or id, or a place in them as value.name; - in front for backwards]:PLACE: ' \
            '--reduce=[Reduce with this built-in function instead\: _count, _sum, …]:NAME: ' \
            '--type=[Of a file\: map only documents whose property type is this]:TYPE: ' \
            '--collation=[Of a file\: how to compare the texts of keys]:KIND:(unicode ascii raw)' \
            '--stale=[Do not bring the index up to date first]:WHEN:(ok update-after)' \
            '--conflicts[Of _all_docs\: only documents in conflict, with what competes]' \
            '--deleted[Of _all_docs\: deleted documents too]' \
            '(--format -F)--format=[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '(--format -F)-F+[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '--raw[The same as --format json]' \
            '--json5[Leave out the quotes of keys in JSON]' \
            '--guard-formulas[In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula]' \
            '(--output -o)--output=[Write to a file, which appears when it is complete]:FILE:_files' \
            '(--output -o)-o+[Write to a file, which appears when it is complete]:FILE:_files' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:VIEW:_cblite_view_or_file' ;;
        'view define')
            _arguments -S \
            '--reduce=[The built-in reduce function to use\: _count, _sum, …]:NAME: ' \
            '--type=[Map only documents whose property type is this]:TYPE: ' \
            '--collation=[How to compare the texts of keys]:KIND:(unicode ascii raw)' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:NAME:_cblite_names view' \
            '3:FILE:_files' ;;
        'view show')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:NAME:_cblite_names view' ;;
        'view rm')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:NAME:_cblite_names view' ;;
        'view update')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::NAME:_cblite_names view' ;;
        'query')
            _arguments -S \
            '(--format -F)--format=[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '(--format -F)-F+[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '--raw[The same as --format json\: an array of objects, one a line]' \
            '--json5[Leave out the quotes of keys in JSON]' \
            '--guard-formulas[In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula]' \
            '--offset=[Leave out the first N rows]:N: ' \
            '--limit=[Stop after N rows]:N: ' \
            '*--param=[A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes]:NAME=VALUE: ' \
            '*-p+[A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes]:NAME=VALUE: ' \
            '--params=[Values for all parameters\: a JSON object, or a file that holds one; - is standard input]:JSON|FILE:_files' \
            '(--output -o)--output=[Write to a file, which appears when it is complete]:FILE:_files' \
            '(--output -o)-o+[Write to a file, which appears when it is complete]:FILE:_files' \
            '(--time-limit -t)--time-limit=[Give up after so many seconds]:SECONDS: ' \
            '(--time-limit -t)-t+[Give up after so many seconds]:SECONDS: ' \
            '--explain[Do not run the query\: show its SQL, the plan, its JSON form, and what they mean]' \
            '--analyze[Run the query and print, instead of its rows, what that took]' \
            '(--watch -w)--watch[Go on with the changes of the result, until interrupted]' \
            '(--watch -w)-w[Go on with the changes of the result, until interrupted]' \
            '(--file -f)--file=[Run the statements of a file; - is standard input]:FILE:_files' \
            '(--file -f)-f+[Run the statements of a file; - is standard input]:FILE:_files' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:QUERY: ' ;;
        'select')
            _arguments -S \
            '(--format -F)--format=[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '(--format -F)-F+[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '--raw[The same as --format json\: an array of objects, one a line]' \
            '--json5[Leave out the quotes of keys in JSON]' \
            '--guard-formulas[In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula]' \
            '--offset=[Leave out the first N rows]:N: ' \
            '--limit=[Stop after N rows]:N: ' \
            '*--param=[A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes]:NAME=VALUE: ' \
            '*-p+[A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes]:NAME=VALUE: ' \
            '--params=[Values for all parameters\: a JSON object, or a file that holds one; - is standard input]:JSON|FILE:_files' \
            '(--output -o)--output=[Write to a file, which appears when it is complete]:FILE:_files' \
            '(--output -o)-o+[Write to a file, which appears when it is complete]:FILE:_files' \
            '(--time-limit -t)--time-limit=[Give up after so many seconds]:SECONDS: ' \
            '(--time-limit -t)-t+[Give up after so many seconds]:SECONDS: ' \
            '--explain[Do not run the query\: show its SQL, the plan, its JSON form, and what they mean]' \
            '--analyze[Run the query and print, instead of its rows, what that took]' \
            '(--watch -w)--watch[Go on with the changes of the result, until interrupted]' \
            '(--watch -w)-w[Go on with the changes of the result, until interrupted]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:QUERY: ' ;;
        'run')
            _arguments -S \
            '(--format -F)--format=[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '(--format -F)-F+[How to print rows\: table, json, jsonl, csv, tsv, markdown, line, html]:FORMAT:(table json jsonl csv tsv markdown line html)' \
            '--raw[The same as --format json\: an array of objects, one a line]' \
            '--json5[Leave out the quotes of keys in JSON]' \
            '--guard-formulas[In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula]' \
            '--offset=[Leave out the first N rows]:N: ' \
            '--limit=[Stop after N rows]:N: ' \
            '*--param=[A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes]:NAME=VALUE: ' \
            '*-p+[A value for $NAME, as JSON; text that does not look like a number, an array or an object needs no quotes]:NAME=VALUE: ' \
            '--params=[Values for all parameters\: a JSON object, or a file that holds one; - is standard input]:JSON|FILE:_files' \
            '(--output -o)--output=[Write to a file, which appears when it is complete]:FILE:_files' \
            '(--output -o)-o+[Write to a file, which appears when it is complete]:FILE:_files' \
            '(--time-limit -t)--time-limit=[Give up after so many seconds]:SECONDS: ' \
            '(--time-limit -t)-t+[Give up after so many seconds]:SECONDS: ' \
            '--explain[Do not run the query\: show its SQL, the plan, its JSON form, and what they mean]' \
            '--analyze[Run the query and print, instead of its rows, what that took]' \
            '(--watch -w)--watch[Go on with the changes of the result, until interrupted]' \
            '(--watch -w)-w[Go on with the changes of the result, until interrupted]' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:NAME:_cblite_saved' ;;
        'translate')
            _arguments -S \
            '--json[Only the JSON form]' \
            '--sql[Only the SQL]' \
            '--tree[Only the syntax tree, as indented lines]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '*:QUERY: ' ;;
        'sql')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:STATEMENT: ' ;;
        'lscoll')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'put')
            _arguments -S \
            '--create[Only if there is no document of this ID]' \
            '--update[Only if there is one]' \
            '--delete[Delete the document; the properties of its tombstone may be given]' \
            '--purge[Remove the document without a trace]' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:DOCID:_cblite_names document' \
            '*:JSON: ' ;;
        'edit')
            _arguments -S \
            '--with=[Use this editor; it may have arguments, as in "code --wait"]:EDITOR: ' \
            '--raw[Do not break the JSON into lines]' \
            '--json5[Edit JSON5, which leaves out the quotes of keys]' \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:DOCID:_cblite_names document' ;;
        'rm')
            _arguments -S \
            '--purge[Remove the documents without a trace]' \
            '(--where -w)--where=[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '(--where -w)-w+[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:DOCID:_cblite_names document' ;;
        'undelete')
            _arguments -S \
            '--body=[These properties; - reads them from standard input]:JSON: ' \
            '--tombstone[The properties of the tombstone]' \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::DOCID:_cblite_names document' ;;
        'revert')
            _arguments -S \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:DOCID:_cblite_names document' \
            '3:REV: ' ;;
        'purge')
            _arguments -S \
            '(--where -w)--where=[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '(--where -w)-w+[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:DOCID:_cblite_names document' ;;
        'expire')
            _arguments -S \
            '(--where -w)--where=[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '(--where -w)-w+[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::DOCID:_cblite_names document' \
            '3::WHEN: ' ;;
        'resolve')
            _arguments -S \
            '--keep=[Keep the revision made here, or the one that came by replication]:SIDE:(local remote)' \
            '--merge=[Properties that replace both, as JSON; - reads them from standard input]:FILE:_files' \
            '--if-rev=[Only if this is the current revision; the beginning of its ID is enough. Otherwise\: exit code 4]:REV: ' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:DOCID:_cblite_names document' \
            '3::REV: ' ;;
        'mv')
            _arguments -S \
            '(--where -w)--where=[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '(--where -w)-w+[Only documents for which this SQL++ condition is true\: of the IDs given, or of all]:CONDITION:_cblite_names property' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::DOCID:_cblite_names document' \
            '3:COLLECTION:_cblite_names collection' \
            '4::NEWID: ' ;;
        'mkcoll')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:COLLECTION: ' ;;
        'rmcoll')
            _arguments -S \
            '(--yes -y)--yes[Delete the collection even though it holds documents]' \
            '(--yes -y)-y[Delete the collection even though it holds documents]' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:COLLECTION:_cblite_names collection' ;;
        'begin')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '*:transaction: ' ;;
        'commit')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '*:transaction: ' ;;
        'rollback')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '*:transaction: ' ;;
        'undo')
            _arguments -S \
            '(--list -l)--list[List the statements that can be taken back, the last one first]' \
            '(--list -l)-l[List the statements that can be taken back, the last one first]' \
            '(--yes -y)--yes[Do not ask]' \
            '(--yes -y)-y[Do not ask]' \
            '(--dry-run -n)--dry-run[Say what would be done, and do nothing]' \
            '(--dry-run -n)-n[Say what would be done, and do nothing]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1::COUNT: ' ;;
        'cp')
            _arguments -S \
            '--jsonid=[The property that is the document'\''s ID\: not part of its body (default\: _id)]:PROPERTY: ' \
            '--idprefix=[Put this in front of the ID of each imported document]:TEXT: ' \
            '--limit=[Stop after N documents]:N: ' \
            '--careful[Stop at the first document that cannot be imported, and import nothing]' \
            '(--existing -x)--existing[Fail if the destination does not exist]' \
            '(--existing -x)-x[Fail if the destination does not exist]' \
            '--format=[The form of the text, if its name does not tell]:FORMAT:(json jsonl array csv tsv)' \
            '--delimiter=[What separates the cells of a table\: ; or | or tab, or any other text (default\: what the heading has, or a comma)]:TEXT: ' \
            '--types=[What cells become\: auto, text, number, boolean, json (default\: auto, what they look like)]:\[COLUMN\:\]TYPE,…: ' \
            '--guard-formulas[In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula]' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '*--verbose[Tell of every document that is left out]' \
            '*-v[Tell of every document that is left out]' \
            '--new-password=-[A new password\: it is asked for, or is the first line of FILE]::\:@FILE: ' \
            '--new-key=[A new key\: 64 hexadecimal digits, or 32 bytes, in FILE]:\:@FILE: ' \
            '--decrypt[Make a copy that is not encrypted]' \
            '--replicate[Replicate between two databases instead of copying the file]' \
            '--bidi[Replicate in both directions]' \
            '--user=[Log in; \:@FILE has the password in a file. Without one\: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question]:NAME\[\:PASSWORD\]: ' \
            '--token=[Log in with a session of the server'\''s; so does $CBLITE_TOKEN]:TOKEN: ' \
            '--cert=[Log in with this certificate]:FILE:_files' \
            '--key=[The private key of --cert, if it is not in the same file]:FILE:_files' \
            '*--header=[A header for the server]:NAME\: VALUE: ' \
            '--cacert=[Trust these certificates, and what they have signed, alone]:FILE:_files' \
            '*--pin=[Trust the certificate, or key, of this fingerprint alone]:SHA256|FILE:_files' \
            '--self-signed[Trust any certificate that its owner has signed\: anybody could have made it]' \
            '--proxy=[Go through http\://\[NAME\:PASSWORD@\]HOST\:PORT, or https\://…; none for no proxy]:URL: ' \
            '--interface=[Connect from this network interface or address]:NAME: ' \
            '--heartbeat=[Ask a silent server after this time whether it is still there (default\: 300)]:SECONDS: ' \
            '--login[Send the name and the password once, for a cookie]' \
            '--oidc[Sign in with OpenID Connect at the page of the server'\''s provider, in $BROWSER or any other one]' \
            '--oidc-provider=[Which provider of the server'\''s; without it the usual one]:NAME: ' \
            '--id-token=[Log in with this token of a provider of OpenID Connect]:\:@FILE: ' \
            '--login-token=[Log in with a token of another service'\''s\: facebook, google or persona]:KIND\:@FILE: ' \
            '--oauth=[Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON]:\:@FILE: ' \
            '--keep-password[Have the keyring of this session keep the password of --user, once the server has accepted it]' \
            '--remember=[Keep cookies and tokens in this file, for yourself alone, and begin with those in it]:FILE:_files' \
            '--log-dir=[Write what happens to log files there, which logcat reads; they are kept small]:DIRECTORY:_files -/' \
            '--log-text[With --log-dir\: as text, and not in the binary form]' \
            '--log-level=[With --log-dir\: nothing below this (default\: info; verbose tells of every document)]:LEVEL:(verbose info warning error)' \
            '--continuous[Go on with what changes from now on, until Ctrl-C]' \
            '*--filter=[Replicate only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '*--push-filter=[Send only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--conflict=[Who wins where both sides changed a document\: default, local, remote, merge, or an SQL++ expression over local, remote and base]:RULE: ' \
            '--server-filter=[Pull only what this filter of the server lets through; a view filters, too\: _view with --param view=DESIGN/NAME]:DESIGN/NAME: ' \
            '*--param=[What --server-filter is told]:NAME=VALUE: ' \
            '--create-target[Make the database on the server if it is not there, where a server lets one (http\:// and https\://)]' \
            '--reset-checkpoint[Look at everything again, also at what was done already]' \
            '--all-collections[Replicate all collections of the database; so does --collection '\''*'\'']' \
            '*--channel=[Pull these channels only]:NAME,…: ' \
            '*--doc-id=[Only this document]:ID:_cblite_names document' \
            '*--pull-filter=[Take only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--timeout=[Give up when a server that owes an answer sends nothing for so long (default\: 600; 0\: never)]:SECONDS: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:SOURCE:_files' \
            '2:DESTINATION:_files' ;;
        'import')
            _arguments -S \
            '--jsonid=[The property that is the document'\''s ID\: not part of its body (default\: _id)]:PROPERTY: ' \
            '--idprefix=[Put this in front of the ID of each imported document]:TEXT: ' \
            '--limit=[Stop after N documents]:N: ' \
            '--careful[Stop at the first document that cannot be imported, and import nothing]' \
            '(--existing -x)--existing[Fail if the destination does not exist]' \
            '(--existing -x)-x[Fail if the destination does not exist]' \
            '--format=[The form of the text, if its name does not tell]:FORMAT:(json jsonl array csv tsv)' \
            '--delimiter=[What separates the cells of a table\: ; or | or tab, or any other text (default\: what the heading has, or a comma)]:TEXT: ' \
            '--types=[What cells become\: auto, text, number, boolean, json (default\: auto, what they look like)]:\[COLUMN\:\]TYPE,…: ' \
            '--guard-formulas[In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula]' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '*--verbose[Tell of every document that is left out]' \
            '*-v[Tell of every document that is left out]' \
            '--replicate[Replicate between two databases instead of copying the file]' \
            '--bidi[Replicate in both directions]' \
            '--user=[Log in; \:@FILE has the password in a file. Without one\: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question]:NAME\[\:PASSWORD\]: ' \
            '--token=[Log in with a session of the server'\''s; so does $CBLITE_TOKEN]:TOKEN: ' \
            '--cert=[Log in with this certificate]:FILE:_files' \
            '--key=[The private key of --cert, if it is not in the same file]:FILE:_files' \
            '*--header=[A header for the server]:NAME\: VALUE: ' \
            '--cacert=[Trust these certificates, and what they have signed, alone]:FILE:_files' \
            '*--pin=[Trust the certificate, or key, of this fingerprint alone]:SHA256|FILE:_files' \
            '--self-signed[Trust any certificate that its owner has signed\: anybody could have made it]' \
            '--proxy=[Go through http\://\[NAME\:PASSWORD@\]HOST\:PORT, or https\://…; none for no proxy]:URL: ' \
            '--interface=[Connect from this network interface or address]:NAME: ' \
            '--heartbeat=[Ask a silent server after this time whether it is still there (default\: 300)]:SECONDS: ' \
            '--login[Send the name and the password once, for a cookie]' \
            '--oidc[Sign in with OpenID Connect at the page of the server'\''s provider, in $BROWSER or any other one]' \
            '--oidc-provider=[Which provider of the server'\''s; without it the usual one]:NAME: ' \
            '--id-token=[Log in with this token of a provider of OpenID Connect]:\:@FILE: ' \
            '--login-token=[Log in with a token of another service'\''s\: facebook, google or persona]:KIND\:@FILE: ' \
            '--oauth=[Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON]:\:@FILE: ' \
            '--keep-password[Have the keyring of this session keep the password of --user, once the server has accepted it]' \
            '--remember=[Keep cookies and tokens in this file, for yourself alone, and begin with those in it]:FILE:_files' \
            '--log-dir=[Write what happens to log files there, which logcat reads; they are kept small]:DIRECTORY:_files -/' \
            '--log-text[With --log-dir\: as text, and not in the binary form]' \
            '--log-level=[With --log-dir\: nothing below this (default\: info; verbose tells of every document)]:LEVEL:(verbose info warning error)' \
            '--continuous[Go on with what changes from now on, until Ctrl-C]' \
            '*--filter=[Replicate only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '*--push-filter=[Send only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--conflict=[Who wins where both sides changed a document\: default, local, remote, merge, or an SQL++ expression over local, remote and base]:RULE: ' \
            '--server-filter=[Pull only what this filter of the server lets through; a view filters, too\: _view with --param view=DESIGN/NAME]:DESIGN/NAME: ' \
            '*--param=[What --server-filter is told]:NAME=VALUE: ' \
            '--create-target[Make the database on the server if it is not there, where a server lets one (http\:// and https\://)]' \
            '--reset-checkpoint[Look at everything again, also at what was done already]' \
            '--all-collections[Replicate all collections of the database; so does --collection '\''*'\'']' \
            '*--channel=[Pull these channels only]:NAME,…: ' \
            '*--doc-id=[Only this document]:ID:_cblite_names document' \
            '*--pull-filter=[Take only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--timeout=[Give up when a server that owes an answer sends nothing for so long (default\: 600; 0\: never)]:SECONDS: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:FILE:_files' ;;
        'export')
            _arguments -S \
            '--where=[Only documents for which this SQL++ condition is true]:CONDITION:_cblite_names property' \
            '--jsonid=[The property that is the document'\''s ID\: not part of its body (default\: _id)]:PROPERTY: ' \
            '--idprefix=[Put this in front of the ID of each imported document]:TEXT: ' \
            '--limit=[Stop after N documents]:N: ' \
            '--careful[Stop at the first document that cannot be imported, and import nothing]' \
            '(--existing -x)--existing[Fail if the destination does not exist]' \
            '(--existing -x)-x[Fail if the destination does not exist]' \
            '--format=[The form of the text, if its name does not tell]:FORMAT:(json jsonl array csv tsv)' \
            '--delimiter=[What separates the cells of a table\: ; or | or tab, or any other text (default\: what the heading has, or a comma)]:TEXT: ' \
            '--types=[What cells become\: auto, text, number, boolean, json (default\: auto, what they look like)]:\[COLUMN\:\]TYPE,…: ' \
            '--guard-formulas[In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula]' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '*--verbose[Tell of every document that is left out]' \
            '*-v[Tell of every document that is left out]' \
            '--replicate[Replicate between two databases instead of copying the file]' \
            '--bidi[Replicate in both directions]' \
            '--user=[Log in; \:@FILE has the password in a file. Without one\: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question]:NAME\[\:PASSWORD\]: ' \
            '--token=[Log in with a session of the server'\''s; so does $CBLITE_TOKEN]:TOKEN: ' \
            '--cert=[Log in with this certificate]:FILE:_files' \
            '--key=[The private key of --cert, if it is not in the same file]:FILE:_files' \
            '*--header=[A header for the server]:NAME\: VALUE: ' \
            '--cacert=[Trust these certificates, and what they have signed, alone]:FILE:_files' \
            '*--pin=[Trust the certificate, or key, of this fingerprint alone]:SHA256|FILE:_files' \
            '--self-signed[Trust any certificate that its owner has signed\: anybody could have made it]' \
            '--proxy=[Go through http\://\[NAME\:PASSWORD@\]HOST\:PORT, or https\://…; none for no proxy]:URL: ' \
            '--interface=[Connect from this network interface or address]:NAME: ' \
            '--heartbeat=[Ask a silent server after this time whether it is still there (default\: 300)]:SECONDS: ' \
            '--login[Send the name and the password once, for a cookie]' \
            '--oidc[Sign in with OpenID Connect at the page of the server'\''s provider, in $BROWSER or any other one]' \
            '--oidc-provider=[Which provider of the server'\''s; without it the usual one]:NAME: ' \
            '--id-token=[Log in with this token of a provider of OpenID Connect]:\:@FILE: ' \
            '--login-token=[Log in with a token of another service'\''s\: facebook, google or persona]:KIND\:@FILE: ' \
            '--oauth=[Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON]:\:@FILE: ' \
            '--keep-password[Have the keyring of this session keep the password of --user, once the server has accepted it]' \
            '--remember=[Keep cookies and tokens in this file, for yourself alone, and begin with those in it]:FILE:_files' \
            '--log-dir=[Write what happens to log files there, which logcat reads; they are kept small]:DIRECTORY:_files -/' \
            '--log-text[With --log-dir\: as text, and not in the binary form]' \
            '--log-level=[With --log-dir\: nothing below this (default\: info; verbose tells of every document)]:LEVEL:(verbose info warning error)' \
            '--continuous[Go on with what changes from now on, until Ctrl-C]' \
            '*--filter=[Replicate only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '*--push-filter=[Send only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--conflict=[Who wins where both sides changed a document\: default, local, remote, merge, or an SQL++ expression over local, remote and base]:RULE: ' \
            '--server-filter=[Pull only what this filter of the server lets through; a view filters, too\: _view with --param view=DESIGN/NAME]:DESIGN/NAME: ' \
            '*--param=[What --server-filter is told]:NAME=VALUE: ' \
            '--create-target[Make the database on the server if it is not there, where a server lets one (http\:// and https\://)]' \
            '--reset-checkpoint[Look at everything again, also at what was done already]' \
            '--all-collections[Replicate all collections of the database; so does --collection '\''*'\'']' \
            '*--channel=[Pull these channels only]:NAME,…: ' \
            '*--doc-id=[Only this document]:ID:_cblite_names document' \
            '*--pull-filter=[Take only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--timeout=[Give up when a server that owes an answer sends nothing for so long (default\: 600; 0\: never)]:SECONDS: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:FILE:_files' \
            '3::PATTERN:_cblite_names document' ;;
        'push')
            _arguments -S \
            '--user=[Log in; \:@FILE has the password in a file. Without one\: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question]:NAME\[\:PASSWORD\]: ' \
            '--token=[Log in with a session of the server'\''s; so does $CBLITE_TOKEN]:TOKEN: ' \
            '--cert=[Log in with this certificate]:FILE:_files' \
            '--key=[The private key of --cert, if it is not in the same file]:FILE:_files' \
            '*--header=[A header for the server]:NAME\: VALUE: ' \
            '--cacert=[Trust these certificates, and what they have signed, alone]:FILE:_files' \
            '*--pin=[Trust the certificate, or key, of this fingerprint alone]:SHA256|FILE:_files' \
            '--self-signed[Trust any certificate that its owner has signed\: anybody could have made it]' \
            '--proxy=[Go through http\://\[NAME\:PASSWORD@\]HOST\:PORT, or https\://…; none for no proxy]:URL: ' \
            '--interface=[Connect from this network interface or address]:NAME: ' \
            '--heartbeat=[Ask a silent server after this time whether it is still there (default\: 300)]:SECONDS: ' \
            '--login[Send the name and the password once, for a cookie]' \
            '--oidc[Sign in with OpenID Connect at the page of the server'\''s provider, in $BROWSER or any other one]' \
            '--oidc-provider=[Which provider of the server'\''s; without it the usual one]:NAME: ' \
            '--id-token=[Log in with this token of a provider of OpenID Connect]:\:@FILE: ' \
            '--login-token=[Log in with a token of another service'\''s\: facebook, google or persona]:KIND\:@FILE: ' \
            '--oauth=[Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON]:\:@FILE: ' \
            '--keep-password[Have the keyring of this session keep the password of --user, once the server has accepted it]' \
            '--remember=[Keep cookies and tokens in this file, for yourself alone, and begin with those in it]:FILE:_files' \
            '--log-dir=[Write what happens to log files there, which logcat reads; they are kept small]:DIRECTORY:_files -/' \
            '--log-text[With --log-dir\: as text, and not in the binary form]' \
            '--log-level=[With --log-dir\: nothing below this (default\: info; verbose tells of every document)]:LEVEL:(verbose info warning error)' \
            '--continuous[Go on with what changes from now on, until Ctrl-C]' \
            '*--filter=[Replicate only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '*--push-filter=[Send only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--conflict=[Who wins where both sides changed a document\: default, local, remote, merge, or an SQL++ expression over local, remote and base]:RULE: ' \
            '--server-filter=[Pull only what this filter of the server lets through; a view filters, too\: _view with --param view=DESIGN/NAME]:DESIGN/NAME: ' \
            '*--param=[What --server-filter is told]:NAME=VALUE: ' \
            '--create-target[Make the database on the server if it is not there, where a server lets one (http\:// and https\://)]' \
            '--reset-checkpoint[Look at everything again, also at what was done already]' \
            '(--existing -x)--existing[Fail if the database is not there, instead of making it]' \
            '(--existing -x)-x[Fail if the database is not there, instead of making it]' \
            '--careful[Stop at the first document that cannot be replicated]' \
            '--all-collections[Replicate all collections of the database; so does --collection '\''*'\'']' \
            '*--channel=[Pull these channels only]:NAME,…: ' \
            '*--doc-id=[Only this document]:ID:_cblite_names document' \
            '*--pull-filter=[Take only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '--timeout=[Give up when a server that owes an answer sends nothing for so long (default\: 600; 0\: never)]:SECONDS: ' \
            '*--verbose[Tell of every document; twice also of revisions and connections]' \
            '*-v[Tell of every document; twice also of revisions and connections]' \
            '--bidi[Replicate in both directions]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::PEER:_files' ;;
        'pull')
            _arguments -S \
            '--user=[Log in; \:@FILE has the password in a file. Without one\: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question]:NAME\[\:PASSWORD\]: ' \
            '--token=[Log in with a session of the server'\''s; so does $CBLITE_TOKEN]:TOKEN: ' \
            '--cert=[Log in with this certificate]:FILE:_files' \
            '--key=[The private key of --cert, if it is not in the same file]:FILE:_files' \
            '*--header=[A header for the server]:NAME\: VALUE: ' \
            '--cacert=[Trust these certificates, and what they have signed, alone]:FILE:_files' \
            '*--pin=[Trust the certificate, or key, of this fingerprint alone]:SHA256|FILE:_files' \
            '--self-signed[Trust any certificate that its owner has signed\: anybody could have made it]' \
            '--proxy=[Go through http\://\[NAME\:PASSWORD@\]HOST\:PORT, or https\://…; none for no proxy]:URL: ' \
            '--interface=[Connect from this network interface or address]:NAME: ' \
            '--heartbeat=[Ask a silent server after this time whether it is still there (default\: 300)]:SECONDS: ' \
            '--login[Send the name and the password once, for a cookie]' \
            '--oidc[Sign in with OpenID Connect at the page of the server'\''s provider, in $BROWSER or any other one]' \
            '--oidc-provider=[Which provider of the server'\''s; without it the usual one]:NAME: ' \
            '--id-token=[Log in with this token of a provider of OpenID Connect]:\:@FILE: ' \
            '--login-token=[Log in with a token of another service'\''s\: facebook, google or persona]:KIND\:@FILE: ' \
            '--oauth=[Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON]:\:@FILE: ' \
            '--keep-password[Have the keyring of this session keep the password of --user, once the server has accepted it]' \
            '--remember=[Keep cookies and tokens in this file, for yourself alone, and begin with those in it]:FILE:_files' \
            '--log-dir=[Write what happens to log files there, which logcat reads; they are kept small]:DIRECTORY:_files -/' \
            '--log-text[With --log-dir\: as text, and not in the binary form]' \
            '--log-level=[With --log-dir\: nothing below this (default\: info; verbose tells of every document)]:LEVEL:(verbose info warning error)' \
            '--continuous[Go on with what changes from now on, until Ctrl-C]' \
            '*--filter=[Replicate only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '*--push-filter=[Send only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--conflict=[Who wins where both sides changed a document\: default, local, remote, merge, or an SQL++ expression over local, remote and base]:RULE: ' \
            '--server-filter=[Pull only what this filter of the server lets through; a view filters, too\: _view with --param view=DESIGN/NAME]:DESIGN/NAME: ' \
            '*--param=[What --server-filter is told]:NAME=VALUE: ' \
            '--create-target[Make the database on the server if it is not there, where a server lets one (http\:// and https\://)]' \
            '--reset-checkpoint[Look at everything again, also at what was done already]' \
            '(--existing -x)--existing[Fail if the database is not there, instead of making it]' \
            '(--existing -x)-x[Fail if the database is not there, instead of making it]' \
            '--careful[Stop at the first document that cannot be replicated]' \
            '--all-collections[Replicate all collections of the database; so does --collection '\''*'\'']' \
            '*--channel=[Pull these channels only]:NAME,…: ' \
            '*--doc-id=[Only this document]:ID:_cblite_names document' \
            '*--pull-filter=[Take only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '--timeout=[Give up when a server that owes an answer sends nothing for so long (default\: 600; 0\: never)]:SECONDS: ' \
            '*--verbose[Tell of every document; twice also of revisions and connections]' \
            '*-v[Tell of every document; twice also of revisions and connections]' \
            '--bidi[Replicate in both directions]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::PEER:_files' ;;
        'sync')
            _arguments -S \
            '--user=[Log in; \:@FILE has the password in a file. Without one\: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question]:NAME\[\:PASSWORD\]: ' \
            '--token=[Log in with a session of the server'\''s; so does $CBLITE_TOKEN]:TOKEN: ' \
            '--cert=[Log in with this certificate]:FILE:_files' \
            '--key=[The private key of --cert, if it is not in the same file]:FILE:_files' \
            '*--header=[A header for the server]:NAME\: VALUE: ' \
            '--cacert=[Trust these certificates, and what they have signed, alone]:FILE:_files' \
            '*--pin=[Trust the certificate, or key, of this fingerprint alone]:SHA256|FILE:_files' \
            '--self-signed[Trust any certificate that its owner has signed\: anybody could have made it]' \
            '--proxy=[Go through http\://\[NAME\:PASSWORD@\]HOST\:PORT, or https\://…; none for no proxy]:URL: ' \
            '--interface=[Connect from this network interface or address]:NAME: ' \
            '--heartbeat=[Ask a silent server after this time whether it is still there (default\: 300)]:SECONDS: ' \
            '--login[Send the name and the password once, for a cookie]' \
            '--oidc[Sign in with OpenID Connect at the page of the server'\''s provider, in $BROWSER or any other one]' \
            '--oidc-provider=[Which provider of the server'\''s; without it the usual one]:NAME: ' \
            '--id-token=[Log in with this token of a provider of OpenID Connect]:\:@FILE: ' \
            '--login-token=[Log in with a token of another service'\''s\: facebook, google or persona]:KIND\:@FILE: ' \
            '--oauth=[Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON]:\:@FILE: ' \
            '--keep-password[Have the keyring of this session keep the password of --user, once the server has accepted it]' \
            '--remember=[Keep cookies and tokens in this file, for yourself alone, and begin with those in it]:FILE:_files' \
            '--log-dir=[Write what happens to log files there, which logcat reads; they are kept small]:DIRECTORY:_files -/' \
            '--log-text[With --log-dir\: as text, and not in the binary form]' \
            '--log-level=[With --log-dir\: nothing below this (default\: info; verbose tells of every document)]:LEVEL:(verbose info warning error)' \
            '--continuous[Go on with what changes from now on, until Ctrl-C]' \
            '*--filter=[Replicate only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '*--push-filter=[Send only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--conflict=[Who wins where both sides changed a document\: default, local, remote, merge, or an SQL++ expression over local, remote and base]:RULE: ' \
            '--server-filter=[Pull only what this filter of the server lets through; a view filters, too\: _view with --param view=DESIGN/NAME]:DESIGN/NAME: ' \
            '*--param=[What --server-filter is told]:NAME=VALUE: ' \
            '--create-target[Make the database on the server if it is not there, where a server lets one (http\:// and https\://)]' \
            '--reset-checkpoint[Look at everything again, also at what was done already]' \
            '(--existing -x)--existing[Fail if the database is not there, instead of making it]' \
            '(--existing -x)-x[Fail if the database is not there, instead of making it]' \
            '--careful[Stop at the first document that cannot be replicated]' \
            '--all-collections[Replicate all collections of the database; so does --collection '\''*'\'']' \
            '*--channel=[Pull these channels only]:NAME,…: ' \
            '*--doc-id=[Only this document]:ID:_cblite_names document' \
            '*--pull-filter=[Take only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '--timeout=[Give up when a server that owes an answer sends nothing for so long (default\: 600; 0\: never)]:SECONDS: ' \
            '*--verbose[Tell of every document; twice also of revisions and connections]' \
            '*-v[Tell of every document; twice also of revisions and connections]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::PEER:_files' ;;
        'serve')
            _arguments -S \
            '--rest[Answer the REST API over HTTP too, and people with a browser at /_browse]' \
            '--dir=[Serve all databases of this directory, with --rest and --manage, as LiteServ does]:DIRECTORY:_files -/' \
            '--config=[Serve what this file says, as Couchbase Edge Server does, with its API]:FILE:_files' \
            '--add-user=[With --config\: put somebody into the file with the users, and end]:NAME\[\:PASSWORD\]: ' \
            '--role=[With --add-user\: what they may besides using data]:ROLE:(admin replicate)' \
            '--manage[Let those with all rights make and delete databases of the directory, and collections]' \
            '--keep-bodies[With --rest\: keep what replaced revisions said until _compact, as 1.x and CouchDB do]' \
            '(--port -p)--port=[Listen at this port instead of 4984; 0 is any that is free]:N: ' \
            '(--port -p)-p+[Listen at this port instead of 4984; 0 is any that is free]:N: ' \
            '--address=[Listen at this address, or on this network interface]:ADDRESS: ' \
            '*--user=[Let NAME in; \:@FILE has the password in a file, else it is asked for]:NAME\[\:PASSWORD\]: ' \
            '*--reader=[Let NAME in to pull, and not to push]:NAME\[\:PASSWORD\]: ' \
            '--auth[Let in the user "cbl" with a password that is made up, and printed]' \
            '--users=[Let in those whom the lines of the file name\: NAME\:PASSWORD]:FILE:_files' \
            '--tls[Encrypt, with a certificate that is made for it]' \
            '--identity=[Encrypt, and keep the certificate and its key in this file]:FILE:_files' \
            '--cert=[Encrypt with this certificate]:FILE:_files' \
            '--key=[The private key of the certificate]:FILE:_files' \
            '--client-ca=[Let in clients that show one of these certificates, or one signed by them]:FILE:_files' \
            '*--allow-host=[Answer to this name too, beside this machine'\''s own and its addresses; * for any]:NAME: ' \
            '*--allow-origin=[Let web pages of this origin, https\://HOST, connect; * for those of anywhere]:URL: ' \
            '--cors[Let web pages of anywhere in\: --allow-origin '\''*'\'']' \
            '--read-only[Let others pull, and not push]' \
            '--push-only[Let others push, and not pull]' \
            '*--collection=[Only these collections, of all databases or of one]:\[DATABASE\:\]NAME\[,…\]:_cblite_names collection' \
            '*-C+[Only these collections, of all databases or of one]:\[DATABASE\:\]NAME\[,…\]:_cblite_names collection' \
            '--max-connections=[As many at most instead of 200]:N: ' \
            '--max-per-address=[As many at most from one address]:N: ' \
            '--advertise=-[Let others on the local network find it\: "peers" and peer\:NAME. The usual name is the machine'\''s]::NAME: ' \
            '--mesh[Advertise it, and sync continuously with all peers that have a database of the same name]' \
            '--cacert=[With --mesh\: connect to peers with these certificates, or signed by them, alone]:FILE:_files' \
            '--heartbeat=[Ask silent clients after so long instead of 300 whether they are there]:SECONDS: ' \
            '*--verbose[Tell of connections; -vv\: of every document]' \
            '*-v[Tell of connections; -vv\: of every document]' \
            '--log-dir=[Write what happens to log files there, which logcat reads; they are kept small]:DIRECTORY:_files -/' \
            '--log-text[With --log-dir\: as text, and not in the binary form]' \
            '--log-level=[With --log-dir\: nothing below this (default\: info; verbose tells of every document)]:LEVEL:(verbose info warning error)' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '*:DATABASE:_cblite_databases' ;;
        'peers')
            _arguments -S \
            '--timeout=[Wait no longer for answers than this (default\: 3)]:SECONDS: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' ;;
        'passwords')
            _arguments -S \
            '--forget[Forget what is kept for SERVER]' \
            '--user=[Only of this user]:NAME: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1::SERVER: ' ;;
        'dump')
            _arguments -S \
            '*--collection=[Only these collections]:\[SCOPE.\]NAME\[,…\]:_cblite_names collection' \
            '*-C+[Only these collections]:\[SCOPE.\]NAME\[,…\]:_cblite_names collection' \
            '--identity[Archive the UUIDs too, by which other databases know this one]' \
            '--no-raw[Leave out the notes of replications and other raw documents]' \
            '--no-blobs[Leave out the content of blobs]' \
            '--no-indexes[Leave out the definitions of indexes]' \
            '--archive-password=-[Seal the archive with a password\: it is asked for, or is the first line of FILE]::\:@FILE: ' \
            '--archive-key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes]:\:@FILE: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::FILE:_files' ;;
        'restore')
            _arguments -S \
            '*--collection=[Only these collections]:\[SCOPE.\]NAME\[,…\]:_cblite_names collection' \
            '*-C+[Only these collections]:\[SCOPE.\]NAME\[,…\]:_cblite_names collection' \
            '--merge[Add to a database that holds something already]' \
            '--identity[Take over the UUIDs that dump --identity archived]' \
            '--archive-password=-[Open the archive with a password\: it is asked for, or is the first line of FILE]::\:@FILE: ' \
            '--archive-key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes]:\:@FILE: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::FILE:_files' ;;
        'check')
            _arguments -S \
            '--quick[Leave out what takes long\: the digests of blobs and the words of full-text indexes]' \
            '--repair[Mend what can be mended, after copying the database]' \
            '--no-backup[With --repair\: make no copy]' \
            '--drop-damaged[With --repair or --salvage\: delete documents that cannot be decoded]' \
            '--schema=[Compare the documents with a JSON Schema instead]:SCHEMA.json:_files' \
            '--salvage=[Carry what can be read into a new database]:NEW.cblite2:_cblite_databases' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'mkindex')
            _arguments -S \
            '--where=[Only documents that meet the condition]:CONDITION:_cblite_names property' \
            '--json[EXPRESSIONS are in the JSON form; if they begin with \[ or {, they are anyway]' \
            '--fts[Make a full-text index]' \
            '--language=[With --fts\: the language of the texts, such as en]:LANGUAGE: ' \
            '--ignoreDiacritics[With --fts\: e finds é]' \
            '--noStemming[With --fts\: only the words themselves, not others of the same stem]' \
            '--stopWords=[With --fts\: words to leave out, instead of the language'\''s]:WORDS: ' \
            '--unnest=[Make an array index\: the path of the array]:PATH:_cblite_names property' \
            '--predict=[Make a predictive index\: what this model makes of EXPRESSIONS]:MODEL: ' \
            '--outputs=[With --predict\: find documents by these properties of the answers, as in a,b]:PROPERTIES: ' \
            '--suggest=[Tell which index would help this query]:QUERY: ' \
            '--vector[Make a vector index]' \
            '--dimensions=[With --vector\: how many numbers a vector has]:N: ' \
            '--centroids=[With --vector\: how many lists there are; by default as many as suit the documents]:N: ' \
            '--metric=[With --vector\: what is near; by default euclidean_squared]:METRIC:(euclidean_squared euclidean cosine dot)' \
            '--encoding=[With --vector\: how numbers are kept\: SQ8, SQ6, SQ4, PQ32x8 or none]:ENCODING: ' \
            '--probes=[With --vector\: how many lists a query looks into]:N: ' \
            '--minTraining=[With --vector\: how many vectors it waits for before it sorts them]:N: ' \
            '--maxTraining=[With --vector\: how many vectors it learns from at most]:N: ' \
            '--lazy[With --vector\: embed or an app gives the vectors, not the expression]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::NAME: ' \
            '*:EXPRESSIONS:_cblite_names property' ;;
        'rmindex')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '*:NAME:_cblite_names index' ;;
        'compact')
            _arguments -S \
            '--prune=[Keep only the last N generations of each revision tree]:N: ' \
            '--purgeDeleted[Forget deleted documents]' \
            '--old-bodies[Drop what replaced revisions say, where serve --keep-bodies has kept it]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'embed')
            _arguments -S \
            '--command=[The program that makes vectors of lines of JSON]:PROGRAM: ' \
            '--url=[The service that makes vectors of texts, such as http\://localhost\:11434/api/embed]:URL: ' \
            '--model-name=[With --url\: the model that the service is to use]:NAME: ' \
            '*--header=[With --url\: a header for the service]:NAME\: VALUE: ' \
            '--limit=[Stop after N documents]:N: ' \
            '--batch=[How many vectors are asked for and stored together (default\: 64)]:N: ' \
            '--all[Forget the vectors that there are, and make all anew, as with another model]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2:INDEX:_cblite_names lazyindex' ;;
        'reindex')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'encrypt')
            _arguments -S \
            '--new-password=-[A new password\: it is asked for, or is the first line of FILE]::\:@FILE: ' \
            '--new-key=[A new key\: 64 hexadecimal digits, or 32 bytes, in FILE]:\:@FILE: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'rekey')
            _arguments -S \
            '--new-password=-[A new password\: it is asked for, or is the first line of FILE]::\:@FILE: ' \
            '--new-key=[A new key\: 64 hexadecimal digits, or 32 bytes, in FILE]:\:@FILE: ' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'decrypt')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'open'|'use')
            _arguments -S \
            '--keep-going[Go on with the next statement of a script when one fails]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' ;;
        'openremote')
            _arguments -S \
            '--user=[Log in; \:@FILE has the password in a file. Without one\: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question]:NAME\[\:PASSWORD\]: ' \
            '--token=[Log in with a session of the server'\''s; so does $CBLITE_TOKEN]:TOKEN: ' \
            '--cert=[Log in with this certificate]:FILE:_files' \
            '--key=[The private key of --cert, if it is not in the same file]:FILE:_files' \
            '*--header=[A header for the server]:NAME\: VALUE: ' \
            '--cacert=[Trust these certificates, and what they have signed, alone]:FILE:_files' \
            '*--pin=[Trust the certificate, or key, of this fingerprint alone]:SHA256|FILE:_files' \
            '--self-signed[Trust any certificate that its owner has signed\: anybody could have made it]' \
            '--proxy=[Go through http\://\[NAME\:PASSWORD@\]HOST\:PORT, or https\://…; none for no proxy]:URL: ' \
            '--interface=[Connect from this network interface or address]:NAME: ' \
            '--heartbeat=[Ask a silent server after this time whether it is still there (default\: 300)]:SECONDS: ' \
            '--login[Send the name and the password once, for a cookie]' \
            '--oidc[Sign in with OpenID Connect at the page of the server'\''s provider, in $BROWSER or any other one]' \
            '--oidc-provider=[Which provider of the server'\''s; without it the usual one]:NAME: ' \
            '--id-token=[Log in with this token of a provider of OpenID Connect]:\:@FILE: ' \
            '--login-token=[Log in with a token of another service'\''s\: facebook, google or persona]:KIND\:@FILE: ' \
            '--oauth=[Sign each request, as OAuth 1.0a has it; the file has consumer_key, consumer_secret, token and token_secret as JSON]:\:@FILE: ' \
            '--keep-password[Have the keyring of this session keep the password of --user, once the server has accepted it]' \
            '--remember=[Keep cookies and tokens in this file, for yourself alone, and begin with those in it]:FILE:_files' \
            '*--filter=[Pull only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--bidi[Open it for changes, and push them at the end]' \
            '--continuous[Go on pulling what is new while the copy is open]' \
            '--keep-going[Go on with the next statement of a script when one fails]' \
            '--all-collections[Replicate all collections of the database; so does --collection '\''*'\'']' \
            '*--channel=[Pull these channels only]:NAME,…: ' \
            '*--doc-id=[Only this document]:ID:_cblite_names document' \
            '*--pull-filter=[Take only documents for which this SQL++ condition is true]:\[COLLECTION\:\]CONDITION: ' \
            '--validate=[Take only documents that follow this JSON Schema]:SCHEMA.json:_files' \
            '--timeout=[Give up when a server that owes an answer sends nothing for so long (default\: 600; 0\: never)]:SECONDS: ' \
            '*--verbose[Tell of every document; twice also of revisions and connections]' \
            '*-v[Tell of every document; twice also of revisions and connections]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:URL: ' ;;
        'databases')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' ;;
        'close')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1::NAME: ' ;;
        'cd')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:DATABASE:_cblite_databases' \
            '2::COLLECTION:_cblite_names collection' ;;
        'history')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1::TEXT: ' ;;
        'again')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1::NUMBER: ' ;;
        'save')
            _arguments -S \
            '(--force -f)--force[Replace one of this name]' \
            '(--force -f)-f[Replace one of this name]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1:NAME:_cblite_saved' \
            '*:QUERY: ' ;;
        'saved')
            _arguments -S \
            '--rm[Forget it]' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1::NAME:_cblite_saved' ;;
        'quit'|'exit')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' ;;
        'tour')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '1::DATABASE:_cblite_databases' ;;
        'help')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '*:WORD:_cblite_topics' ;;
        'version')
            _arguments -S \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' ;;
        *) _default ;;
    esac
}

_cblite_subcommands=(
    'blob' 'ls get put'
    'info' 'indexes index keys'
    'file' 'indexes index keys'
    'view' 'ls query define show rm update'
)

_cblite_global() {
    _arguments -S -A '-*' \
            '--writeable[Open the database for writing]' \
            '--create[Create the database if it does not exist; implies --writeable]' \
            '--upgrade=-[Allow an irreversible upgrade of the file format; =vv also turns revision trees into version vectors]::vv:(vv)' \
            '--no-backup[With --upgrade of a 1.x database\: do not keep the old one beside the new]' \
            '--password=-[Open an encrypted database, or make one\: the password is asked for, or is the first line of FILE. Otherwise $CBLITE_DATABASE_PASSWORD]::\:@FILE: ' \
            '--key=[The same with the key in FILE\: 64 hexadecimal digits, or 32 bytes. Otherwise $CBLITE_DATABASE_KEY]:\:@FILE: ' \
            '--encrypted[The same as --password, which takes a key as well]' \
            '(--collection -C)--collection=[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '(--collection -C)-C+[Work on this collection instead of the default one]:\[SCOPE.\]NAME:_cblite_names collection' \
            '*--model=[PREDICTION(NAME, …) asks this program, which answers each line of JSON with one]:NAME=PROGRAM: ' \
            '--json[Print results and errors as JSON, for programs]' \
            '--quiet[Say nothing but results and errors]' \
            '--color=-[Colour the output\: auto (on a terminal), always (also plain --color) or never]::WHEN:(auto always never)' \
            '(--help -h)--help[Explain the command]' \
            '(--help -h)-h[Explain the command]' \
            '--keep-going[Go on with the next statement of a script when one fails]' \
            '(--version -v)--version[Print the version]' \
            '(--version -v)-v[Print the version]' \
        '1: :_cblite_first' '*:: :_cblite_rest'
}

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

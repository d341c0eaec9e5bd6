# bash completion for cblite, made by 'cblite generate' from the declarations of the commands: do not edit

_cblite_commands='ls cat get revs conflicts changes diff blob grep fts info file schema stats logcat tree du view query select run translate sql lscoll put edit rm undelete revert purge expire resolve mv mkcoll rmcoll begin commit rollback undo cp import export push pull sync serve peers passwords dump restore check mkindex rmindex compact embed reindex encrypt rekey decrypt open use openremote databases close cd history again save saved quit exit tour help version'

# An alias's command.
_cblite_name() {
    case $1 in
        get) echo cat ;;
        file) echo info ;;
        du) echo tree ;;
        use) echo open ;;
        exit) echo quit ;;
        *) echo "$1" ;;
    esac
}

# The commands of a command.
_cblite_subcommands() {
    case $1 in
        'blob') echo 'ls get put' ;;
        'info') echo 'indexes index keys' ;;
        'view') echo 'ls query define show rm update' ;;
    esac
}

# The flags of a command.
_cblite_flags() {
    case $1 in
        '') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h --keep-going --version -v' ;;
        'ls') echo '--long -l --offset --limit --desc --seq --del --deleted --conf --body --raw --json5 --collections -c --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'cat') echo '--where -w --key --rev --revision --raw --json5 --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'revs') echo '--remotes --raw --body --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'conflicts') echo '--body --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'changes') echo '--since --follow -f --diff --limit --raw --body --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'diff') echo '--stat --where --all --body --revs --other-password --other-key --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'blob') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'blob ls') echo '--verify --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'blob get') echo '--output -o --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'blob put') echo '--type --if-rev --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'grep') echo '--collection -C --key --names --ignore-case -i --case-sensitive -s --literal -F --limit --ids -l --count -c --writeable --create --upgrade --no-backup --password --encrypted --model --json --quiet --color --help -h' ;;
        'fts') echo '--limit -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'info') echo '--verbose -v --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'info indexes') echo '--verbose -v --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'info index') echo '--limit --verbose -v --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'info keys') echo '--verbose -v --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'schema') echo '--by --together --sample --all --format -F --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'stats') echo '--where -w --top --bins --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'logcat') echo '--level --domain --object --grep --since --until --limit -n --csv --report --follow -f --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'tree') echo '--exact --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'view') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'view ls') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'view query') echo '--key --start --end --start-doc --end-doc --exclusive-start --exclusive-end --prefix --desc --offset --limit --group --group-level --no-reduce --docs --search --box --sort --reduce --type --collation --stale --conflicts --deleted --format -F --raw --json5 --guard-formulas --output -o --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'view define') echo '--reduce --type --collation --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'view show') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'view rm') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'view update') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'query') echo '--format -F --raw --json5 --guard-formulas --offset --limit --param -p --params --output -o --time-limit -t --explain --analyze --watch -w --file -f --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'select') echo '--format -F --raw --json5 --guard-formulas --offset --limit --param -p --params --output -o --time-limit -t --explain --analyze --watch -w --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'run') echo '--format -F --raw --json5 --guard-formulas --offset --limit --param -p --params --output -o --time-limit -t --explain --analyze --watch -w --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'translate') echo '--json --sql --tree --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --quiet --color --help -h' ;;
        'sql') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'lscoll') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'put') echo '--create --update --delete --purge --validate --if-rev --dry-run -n --writeable --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'edit') echo '--with --raw --json5 --if-rev --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'rm') echo '--purge --where -w --if-rev --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'undelete') echo '--body --tombstone --if-rev --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'revert') echo '--if-rev --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'purge') echo '--where -w --if-rev --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'expire') echo '--where -w --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'resolve') echo '--keep --merge --if-rev --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'mv') echo '--where -w --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'mkcoll') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'rmcoll') echo '--yes -y --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'begin') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'commit') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'rollback') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'undo') echo '--list -l --yes -y --dry-run -n --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'cp') echo '--jsonid --idprefix --limit --careful --existing -x --format --delimiter --types --guard-formulas --validate --verbose -v --new-password --new-key --decrypt --replicate --bidi --user --token --cert --key --header --cacert --pin --self-signed --proxy --interface --heartbeat --login --oidc --oidc-provider --id-token --login-token --oauth --keep-password --remember --log-dir --log-text --log-level --continuous --filter --push-filter --conflict --server-filter --param --create-target --reset-checkpoint --all-collections --channel --doc-id --pull-filter --timeout --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'import') echo '--jsonid --idprefix --limit --careful --existing -x --format --delimiter --types --guard-formulas --validate --verbose -v --replicate --bidi --user --token --cert --key --header --cacert --pin --self-signed --proxy --interface --heartbeat --login --oidc --oidc-provider --id-token --login-token --oauth --keep-password --remember --log-dir --log-text --log-level --continuous --filter --push-filter --conflict --server-filter --param --create-target --reset-checkpoint --all-collections --channel --doc-id --pull-filter --timeout --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'export') echo '--where --jsonid --idprefix --limit --careful --existing -x --format --delimiter --types --guard-formulas --validate --verbose -v --replicate --bidi --user --token --cert --key --header --cacert --pin --self-signed --proxy --interface --heartbeat --login --oidc --oidc-provider --id-token --login-token --oauth --keep-password --remember --log-dir --log-text --log-level --continuous --filter --push-filter --conflict --server-filter --param --create-target --reset-checkpoint --all-collections --channel --doc-id --pull-filter --timeout --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'push') echo '--user --token --cert --key --header --cacert --pin --self-signed --proxy --interface --heartbeat --login --oidc --oidc-provider --id-token --login-token --oauth --keep-password --remember --log-dir --log-text --log-level --continuous --filter --push-filter --conflict --server-filter --param --create-target --reset-checkpoint --existing -x --careful --all-collections --channel --doc-id --pull-filter --validate --timeout --verbose -v --bidi --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'pull') echo '--user --token --cert --key --header --cacert --pin --self-signed --proxy --interface --heartbeat --login --oidc --oidc-provider --id-token --login-token --oauth --keep-password --remember --log-dir --log-text --log-level --continuous --filter --push-filter --conflict --server-filter --param --create-target --reset-checkpoint --existing -x --careful --all-collections --channel --doc-id --pull-filter --validate --timeout --verbose -v --bidi --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'sync') echo '--user --token --cert --key --header --cacert --pin --self-signed --proxy --interface --heartbeat --login --oidc --oidc-provider --id-token --login-token --oauth --keep-password --remember --log-dir --log-text --log-level --continuous --filter --push-filter --conflict --server-filter --param --create-target --reset-checkpoint --existing -x --careful --all-collections --channel --doc-id --pull-filter --validate --timeout --verbose -v --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'serve') echo '--rest --dir --config --add-user --role --manage --keep-bodies --port -p --address --user --reader --auth --users --tls --identity --cert --key --client-ca --allow-host --allow-origin --cors --read-only --push-only --collection -C --max-connections --max-per-address --advertise --mesh --cacert --heartbeat --verbose -v --log-dir --log-text --log-level --writeable --create --upgrade --no-backup --password --encrypted --model --json --quiet --color --help -h' ;;
        'peers') echo '--timeout --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'passwords') echo '--forget --user --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'dump') echo '--collection -C --identity --no-raw --no-blobs --no-indexes --archive-password --archive-key --writeable --create --upgrade --no-backup --password --key --encrypted --model --json --quiet --color --help -h' ;;
        'restore') echo '--collection -C --merge --identity --archive-password --archive-key --writeable --create --upgrade --no-backup --password --key --encrypted --model --json --quiet --color --help -h' ;;
        'check') echo '--quick --repair --no-backup --drop-damaged --schema --salvage --writeable --create --upgrade --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'mkindex') echo '--where --json --fts --language --ignoreDiacritics --noStemming --stopWords --unnest --predict --outputs --suggest --vector --dimensions --centroids --metric --encoding --probes --minTraining --maxTraining --lazy --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --quiet --color --help -h' ;;
        'rmindex') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'compact') echo '--prune --purgeDeleted --old-bodies --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'embed') echo '--command --url --model-name --header --limit --batch --all --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'reindex') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'encrypt') echo '--new-password --new-key --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'rekey') echo '--new-password --new-key --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'decrypt') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'open') echo '--keep-going --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'openremote') echo '--user --token --cert --key --header --cacert --pin --self-signed --proxy --interface --heartbeat --login --oidc --oidc-provider --id-token --login-token --oauth --keep-password --remember --filter --bidi --continuous --keep-going --all-collections --channel --doc-id --pull-filter --validate --timeout --verbose -v --writeable --create --upgrade --no-backup --password --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'databases') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'close') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'cd') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'history') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'again') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'save') echo '--force -f --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'saved') echo '--rm --writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'quit') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'tour') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'help') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
        'version') echo '--writeable --create --upgrade --no-backup --password --key --encrypted --collection -C --model --json --quiet --color --help -h' ;;
    esac
}

# What the arguments of a command are; a star marks one that repeats.
_cblite_arguments() {
    case $1 in
        'ls') echo 'database document' ;;
        'cat') echo 'database document*' ;;
        'revs') echo 'database document' ;;
        'conflicts') echo 'database' ;;
        'changes') echo 'database' ;;
        'diff') echo 'database database' ;;
        'blob ls') echo 'database document' ;;
        'blob get') echo 'database document property' ;;
        'blob put') echo 'database document property file' ;;
        'grep') echo 'database text' ;;
        'fts') echo 'database index text*' ;;
        'info') echo 'database' ;;
        'info indexes') echo 'database' ;;
        'info index') echo 'database index' ;;
        'info keys') echo 'database' ;;
        'schema') echo 'database collection' ;;
        'stats') echo 'database property*' ;;
        'logcat') echo 'file*' ;;
        'tree') echo 'database' ;;
        'view ls') echo 'database' ;;
        'view query') echo 'database viewOrFile' ;;
        'view define') echo 'database view file' ;;
        'view show') echo 'database view' ;;
        'view rm') echo 'database view' ;;
        'view update') echo 'database view' ;;
        'query') echo 'database text*' ;;
        'select') echo 'database text*' ;;
        'run') echo 'database savedQuery' ;;
        'translate') echo 'text*' ;;
        'sql') echo 'database text*' ;;
        'lscoll') echo 'database' ;;
        'put') echo 'database document text*' ;;
        'edit') echo 'database document' ;;
        'rm') echo 'database document*' ;;
        'undelete') echo 'database document' ;;
        'revert') echo 'database document text' ;;
        'purge') echo 'database document*' ;;
        'expire') echo 'database document text' ;;
        'resolve') echo 'database document text' ;;
        'mv') echo 'database document collection text' ;;
        'mkcoll') echo 'database text*' ;;
        'rmcoll') echo 'database collection' ;;
        'begin') echo 'text*' ;;
        'commit') echo 'text*' ;;
        'rollback') echo 'text*' ;;
        'undo') echo 'text' ;;
        'cp') echo 'file file' ;;
        'import') echo 'database file*' ;;
        'export') echo 'database file document' ;;
        'push') echo 'database file' ;;
        'pull') echo 'database file' ;;
        'sync') echo 'database file' ;;
        'serve') echo 'database*' ;;
        'passwords') echo 'text' ;;
        'dump') echo 'database file' ;;
        'restore') echo 'database file' ;;
        'check') echo 'database' ;;
        'mkindex') echo 'database text property*' ;;
        'rmindex') echo 'database index*' ;;
        'compact') echo 'database' ;;
        'embed') echo 'database lazyindex' ;;
        'reindex') echo 'database' ;;
        'encrypt') echo 'database' ;;
        'rekey') echo 'database' ;;
        'decrypt') echo 'database' ;;
        'open') echo 'database' ;;
        'openremote') echo 'text' ;;
        'close') echo 'text' ;;
        'cd') echo 'database collection' ;;
        'history') echo 'text' ;;
        'again') echo 'text' ;;
        'save') echo 'savedQuery text*' ;;
        'saved') echo 'savedQuery' ;;
        'tour') echo 'database' ;;
        'help') echo 'command*' ;;
    esac
}

# What the value of a flag is.
_cblite_value() {
    case $1 in
        ' --upgrade') echo '=choice:vv' ;;
        ' --password') echo '=text' ;;
        ' --key') echo 'text' ;;
        ' --collection') echo 'collection' ;;
        ' -C') echo 'collection' ;;
        ' --model') echo 'text' ;;
        ' --color') echo '=choice:auto,always,never' ;;
        'ls --offset') echo 'text' ;;
        'ls --limit') echo 'text' ;;
        'ls --upgrade') echo '=choice:vv' ;;
        'ls --password') echo '=text' ;;
        'ls --key') echo 'text' ;;
        'ls --collection') echo 'collection' ;;
        'ls -C') echo 'collection' ;;
        'ls --model') echo 'text' ;;
        'ls --color') echo '=choice:auto,always,never' ;;
        'cat --where') echo 'property' ;;
        'cat -w') echo 'property' ;;
        'cat --key') echo 'property' ;;
        'cat --revision') echo 'text' ;;
        'cat --upgrade') echo '=choice:vv' ;;
        'cat --password') echo '=text' ;;
        'cat --collection') echo 'collection' ;;
        'cat -C') echo 'collection' ;;
        'cat --model') echo 'text' ;;
        'cat --color') echo '=choice:auto,always,never' ;;
        'revs --upgrade') echo '=choice:vv' ;;
        'revs --password') echo '=text' ;;
        'revs --key') echo 'text' ;;
        'revs --collection') echo 'collection' ;;
        'revs -C') echo 'collection' ;;
        'revs --model') echo 'text' ;;
        'revs --color') echo '=choice:auto,always,never' ;;
        'conflicts --upgrade') echo '=choice:vv' ;;
        'conflicts --password') echo '=text' ;;
        'conflicts --key') echo 'text' ;;
        'conflicts --collection') echo 'collection' ;;
        'conflicts -C') echo 'collection' ;;
        'conflicts --model') echo 'text' ;;
        'conflicts --color') echo '=choice:auto,always,never' ;;
        'changes --since') echo 'text' ;;
        'changes --limit') echo 'text' ;;
        'changes --upgrade') echo '=choice:vv' ;;
        'changes --password') echo '=text' ;;
        'changes --key') echo 'text' ;;
        'changes --collection') echo 'collection' ;;
        'changes -C') echo 'collection' ;;
        'changes --model') echo 'text' ;;
        'changes --color') echo '=choice:auto,always,never' ;;
        'diff --where') echo 'property' ;;
        'diff --other-password') echo '=text' ;;
        'diff --other-key') echo 'text' ;;
        'diff --upgrade') echo '=choice:vv' ;;
        'diff --password') echo '=text' ;;
        'diff --key') echo 'text' ;;
        'diff --collection') echo 'collection' ;;
        'diff -C') echo 'collection' ;;
        'diff --model') echo 'text' ;;
        'diff --color') echo '=choice:auto,always,never' ;;
        'blob --upgrade') echo '=choice:vv' ;;
        'blob --password') echo '=text' ;;
        'blob --key') echo 'text' ;;
        'blob --collection') echo 'collection' ;;
        'blob -C') echo 'collection' ;;
        'blob --model') echo 'text' ;;
        'blob --color') echo '=choice:auto,always,never' ;;
        'blob ls --upgrade') echo '=choice:vv' ;;
        'blob ls --password') echo '=text' ;;
        'blob ls --key') echo 'text' ;;
        'blob ls --collection') echo 'collection' ;;
        'blob ls -C') echo 'collection' ;;
        'blob ls --model') echo 'text' ;;
        'blob ls --color') echo '=choice:auto,always,never' ;;
        'blob get --output') echo 'file' ;;
        'blob get -o') echo 'file' ;;
        'blob get --upgrade') echo '=choice:vv' ;;
        'blob get --password') echo '=text' ;;
        'blob get --key') echo 'text' ;;
        'blob get --collection') echo 'collection' ;;
        'blob get -C') echo 'collection' ;;
        'blob get --model') echo 'text' ;;
        'blob get --color') echo '=choice:auto,always,never' ;;
        'blob put --type') echo 'text' ;;
        'blob put --if-rev') echo 'text' ;;
        'blob put --upgrade') echo '=choice:vv' ;;
        'blob put --password') echo '=text' ;;
        'blob put --key') echo 'text' ;;
        'blob put --collection') echo 'collection' ;;
        'blob put -C') echo 'collection' ;;
        'blob put --model') echo 'text' ;;
        'blob put --color') echo '=choice:auto,always,never' ;;
        'grep --collection') echo 'collection' ;;
        'grep -C') echo 'collection' ;;
        'grep --key') echo 'property' ;;
        'grep --limit') echo 'text' ;;
        'grep --upgrade') echo '=choice:vv' ;;
        'grep --password') echo '=text' ;;
        'grep --model') echo 'text' ;;
        'grep --color') echo '=choice:auto,always,never' ;;
        'fts --limit') echo 'text' ;;
        'fts -n') echo 'text' ;;
        'fts --upgrade') echo '=choice:vv' ;;
        'fts --password') echo '=text' ;;
        'fts --key') echo 'text' ;;
        'fts --collection') echo 'collection' ;;
        'fts -C') echo 'collection' ;;
        'fts --model') echo 'text' ;;
        'fts --color') echo '=choice:auto,always,never' ;;
        'info --upgrade') echo '=choice:vv' ;;
        'info --password') echo '=text' ;;
        'info --key') echo 'text' ;;
        'info --collection') echo 'collection' ;;
        'info -C') echo 'collection' ;;
        'info --model') echo 'text' ;;
        'info --color') echo '=choice:auto,always,never' ;;
        'info indexes --upgrade') echo '=choice:vv' ;;
        'info indexes --password') echo '=text' ;;
        'info indexes --key') echo 'text' ;;
        'info indexes --collection') echo 'collection' ;;
        'info indexes -C') echo 'collection' ;;
        'info indexes --model') echo 'text' ;;
        'info indexes --color') echo '=choice:auto,always,never' ;;
        'info index --limit') echo 'text' ;;
        'info index --upgrade') echo '=choice:vv' ;;
        'info index --password') echo '=text' ;;
        'info index --key') echo 'text' ;;
        'info index --collection') echo 'collection' ;;
        'info index -C') echo 'collection' ;;
        'info index --model') echo 'text' ;;
        'info index --color') echo '=choice:auto,always,never' ;;
        'info keys --upgrade') echo '=choice:vv' ;;
        'info keys --password') echo '=text' ;;
        'info keys --key') echo 'text' ;;
        'info keys --collection') echo 'collection' ;;
        'info keys -C') echo 'collection' ;;
        'info keys --model') echo 'text' ;;
        'info keys --color') echo '=choice:auto,always,never' ;;
        'schema --by') echo 'property' ;;
        'schema --sample') echo 'text' ;;
        'schema --format') echo 'choice:table,json,json-schema' ;;
        'schema -F') echo 'choice:table,json,json-schema' ;;
        'schema --upgrade') echo '=choice:vv' ;;
        'schema --password') echo '=text' ;;
        'schema --key') echo 'text' ;;
        'schema --collection') echo 'collection' ;;
        'schema -C') echo 'collection' ;;
        'schema --model') echo 'text' ;;
        'schema --color') echo '=choice:auto,always,never' ;;
        'stats --where') echo 'property' ;;
        'stats -w') echo 'property' ;;
        'stats --top') echo 'text' ;;
        'stats --bins') echo 'text' ;;
        'stats --upgrade') echo '=choice:vv' ;;
        'stats --password') echo '=text' ;;
        'stats --key') echo 'text' ;;
        'stats --collection') echo 'collection' ;;
        'stats -C') echo 'collection' ;;
        'stats --model') echo 'text' ;;
        'stats --color') echo '=choice:auto,always,never' ;;
        'logcat --level') echo 'text' ;;
        'logcat --domain') echo 'text' ;;
        'logcat --object') echo 'text' ;;
        'logcat --grep') echo 'text' ;;
        'logcat --since') echo 'text' ;;
        'logcat --until') echo 'text' ;;
        'logcat --limit') echo 'text' ;;
        'logcat -n') echo 'text' ;;
        'logcat --upgrade') echo '=choice:vv' ;;
        'logcat --password') echo '=text' ;;
        'logcat --key') echo 'text' ;;
        'logcat --collection') echo 'collection' ;;
        'logcat -C') echo 'collection' ;;
        'logcat --model') echo 'text' ;;
        'logcat --color') echo '=choice:auto,always,never' ;;
        'tree --upgrade') echo '=choice:vv' ;;
        'tree --password') echo '=text' ;;
        'tree --key') echo 'text' ;;
        'tree --collection') echo 'collection' ;;
        'tree -C') echo 'collection' ;;
        'tree --model') echo 'text' ;;
        'tree --color') echo '=choice:auto,always,never' ;;
        'view --upgrade') echo '=choice:vv' ;;
        'view --password') echo '=text' ;;
        'view --key') echo 'text' ;;
        'view --collection') echo 'collection' ;;
        'view -C') echo 'collection' ;;
        'view --model') echo 'text' ;;
        'view --color') echo '=choice:auto,always,never' ;;
        'view ls --upgrade') echo '=choice:vv' ;;
        'view ls --password') echo '=text' ;;
        'view ls --key') echo 'text' ;;
        'view ls --collection') echo 'collection' ;;
        'view ls -C') echo 'collection' ;;
        'view ls --model') echo 'text' ;;
        'view ls --color') echo '=choice:auto,always,never' ;;
        'view query --key') echo 'text' ;;
        'view query --start') echo 'text' ;;
        'view query --end') echo 'text' ;;
        'view query --start-doc') echo 'document' ;;
        'view query --end-doc') echo 'document' ;;
        'view query --prefix') echo 'text' ;;
        'view query --offset') echo 'text' ;;
        'view query --limit') echo 'text' ;;
        'view query --group-level') echo 'text' ;;
        'view query --search') echo 'text' ;;
        'view query --box') echo 'text' ;;
        'view query --sort') echo 'text' ;;
        'view query --reduce') echo 'text' ;;
        'view query --type') echo 'text' ;;
        'view query --collation') echo 'choice:unicode,ascii,raw' ;;
        'view query --stale') echo 'choice:ok,update-after' ;;
        'view query --format') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'view query -F') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'view query --output') echo 'file' ;;
        'view query -o') echo 'file' ;;
        'view query --upgrade') echo '=choice:vv' ;;
        'view query --password') echo '=text' ;;
        'view query --collection') echo 'collection' ;;
        'view query -C') echo 'collection' ;;
        'view query --model') echo 'text' ;;
        'view query --color') echo '=choice:auto,always,never' ;;
        'view define --reduce') echo 'text' ;;
        'view define --type') echo 'text' ;;
        'view define --collation') echo 'choice:unicode,ascii,raw' ;;
        'view define --upgrade') echo '=choice:vv' ;;
        'view define --password') echo '=text' ;;
        'view define --key') echo 'text' ;;
        'view define --collection') echo 'collection' ;;
        'view define -C') echo 'collection' ;;
        'view define --model') echo 'text' ;;
        'view define --color') echo '=choice:auto,always,never' ;;
        'view show --upgrade') echo '=choice:vv' ;;
        'view show --password') echo '=text' ;;
        'view show --key') echo 'text' ;;
        'view show --collection') echo 'collection' ;;
        'view show -C') echo 'collection' ;;
        'view show --model') echo 'text' ;;
        'view show --color') echo '=choice:auto,always,never' ;;
        'view rm --upgrade') echo '=choice:vv' ;;
        'view rm --password') echo '=text' ;;
        'view rm --key') echo 'text' ;;
        'view rm --collection') echo 'collection' ;;
        'view rm -C') echo 'collection' ;;
        'view rm --model') echo 'text' ;;
        'view rm --color') echo '=choice:auto,always,never' ;;
        'view update --upgrade') echo '=choice:vv' ;;
        'view update --password') echo '=text' ;;
        'view update --key') echo 'text' ;;
        'view update --collection') echo 'collection' ;;
        'view update -C') echo 'collection' ;;
        'view update --model') echo 'text' ;;
        'view update --color') echo '=choice:auto,always,never' ;;
        'query --format') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'query -F') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'query --offset') echo 'text' ;;
        'query --limit') echo 'text' ;;
        'query --param') echo 'text' ;;
        'query -p') echo 'text' ;;
        'query --params') echo 'file' ;;
        'query --output') echo 'file' ;;
        'query -o') echo 'file' ;;
        'query --time-limit') echo 'text' ;;
        'query -t') echo 'text' ;;
        'query --file') echo 'file' ;;
        'query -f') echo 'file' ;;
        'query --upgrade') echo '=choice:vv' ;;
        'query --password') echo '=text' ;;
        'query --key') echo 'text' ;;
        'query --collection') echo 'collection' ;;
        'query -C') echo 'collection' ;;
        'query --model') echo 'text' ;;
        'query --color') echo '=choice:auto,always,never' ;;
        'select --format') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'select -F') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'select --offset') echo 'text' ;;
        'select --limit') echo 'text' ;;
        'select --param') echo 'text' ;;
        'select -p') echo 'text' ;;
        'select --params') echo 'file' ;;
        'select --output') echo 'file' ;;
        'select -o') echo 'file' ;;
        'select --time-limit') echo 'text' ;;
        'select -t') echo 'text' ;;
        'select --upgrade') echo '=choice:vv' ;;
        'select --password') echo '=text' ;;
        'select --key') echo 'text' ;;
        'select --collection') echo 'collection' ;;
        'select -C') echo 'collection' ;;
        'select --model') echo 'text' ;;
        'select --color') echo '=choice:auto,always,never' ;;
        'run --format') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'run -F') echo 'choice:table,json,jsonl,csv,tsv,markdown,line,html' ;;
        'run --offset') echo 'text' ;;
        'run --limit') echo 'text' ;;
        'run --param') echo 'text' ;;
        'run -p') echo 'text' ;;
        'run --params') echo 'file' ;;
        'run --output') echo 'file' ;;
        'run -o') echo 'file' ;;
        'run --time-limit') echo 'text' ;;
        'run -t') echo 'text' ;;
        'run --upgrade') echo '=choice:vv' ;;
        'run --password') echo '=text' ;;
        'run --key') echo 'text' ;;
        'run --collection') echo 'collection' ;;
        'run -C') echo 'collection' ;;
        'run --model') echo 'text' ;;
        'run --color') echo '=choice:auto,always,never' ;;
        'translate --upgrade') echo '=choice:vv' ;;
        'translate --password') echo '=text' ;;
        'translate --key') echo 'text' ;;
        'translate --collection') echo 'collection' ;;
        'translate -C') echo 'collection' ;;
        'translate --model') echo 'text' ;;
        'translate --color') echo '=choice:auto,always,never' ;;
        'sql --upgrade') echo '=choice:vv' ;;
        'sql --password') echo '=text' ;;
        'sql --key') echo 'text' ;;
        'sql --collection') echo 'collection' ;;
        'sql -C') echo 'collection' ;;
        'sql --model') echo 'text' ;;
        'sql --color') echo '=choice:auto,always,never' ;;
        'lscoll --upgrade') echo '=choice:vv' ;;
        'lscoll --password') echo '=text' ;;
        'lscoll --key') echo 'text' ;;
        'lscoll --collection') echo 'collection' ;;
        'lscoll -C') echo 'collection' ;;
        'lscoll --model') echo 'text' ;;
        'lscoll --color') echo '=choice:auto,always,never' ;;
        'put --validate') echo 'file' ;;
        'put --if-rev') echo 'text' ;;
        'put --upgrade') echo '=choice:vv' ;;
        'put --password') echo '=text' ;;
        'put --key') echo 'text' ;;
        'put --collection') echo 'collection' ;;
        'put -C') echo 'collection' ;;
        'put --model') echo 'text' ;;
        'put --color') echo '=choice:auto,always,never' ;;
        'edit --with') echo 'text' ;;
        'edit --if-rev') echo 'text' ;;
        'edit --upgrade') echo '=choice:vv' ;;
        'edit --password') echo '=text' ;;
        'edit --key') echo 'text' ;;
        'edit --collection') echo 'collection' ;;
        'edit -C') echo 'collection' ;;
        'edit --model') echo 'text' ;;
        'edit --color') echo '=choice:auto,always,never' ;;
        'rm --where') echo 'property' ;;
        'rm -w') echo 'property' ;;
        'rm --if-rev') echo 'text' ;;
        'rm --upgrade') echo '=choice:vv' ;;
        'rm --password') echo '=text' ;;
        'rm --key') echo 'text' ;;
        'rm --collection') echo 'collection' ;;
        'rm -C') echo 'collection' ;;
        'rm --model') echo 'text' ;;
        'rm --color') echo '=choice:auto,always,never' ;;
        'undelete --body') echo 'text' ;;
        'undelete --if-rev') echo 'text' ;;
        'undelete --upgrade') echo '=choice:vv' ;;
        'undelete --password') echo '=text' ;;
        'undelete --key') echo 'text' ;;
        'undelete --collection') echo 'collection' ;;
        'undelete -C') echo 'collection' ;;
        'undelete --model') echo 'text' ;;
        'undelete --color') echo '=choice:auto,always,never' ;;
        'revert --if-rev') echo 'text' ;;
        'revert --upgrade') echo '=choice:vv' ;;
        'revert --password') echo '=text' ;;
        'revert --key') echo 'text' ;;
        'revert --collection') echo 'collection' ;;
        'revert -C') echo 'collection' ;;
        'revert --model') echo 'text' ;;
        'revert --color') echo '=choice:auto,always,never' ;;
        'purge --where') echo 'property' ;;
        'purge -w') echo 'property' ;;
        'purge --if-rev') echo 'text' ;;
        'purge --upgrade') echo '=choice:vv' ;;
        'purge --password') echo '=text' ;;
        'purge --key') echo 'text' ;;
        'purge --collection') echo 'collection' ;;
        'purge -C') echo 'collection' ;;
        'purge --model') echo 'text' ;;
        'purge --color') echo '=choice:auto,always,never' ;;
        'expire --where') echo 'property' ;;
        'expire -w') echo 'property' ;;
        'expire --upgrade') echo '=choice:vv' ;;
        'expire --password') echo '=text' ;;
        'expire --key') echo 'text' ;;
        'expire --collection') echo 'collection' ;;
        'expire -C') echo 'collection' ;;
        'expire --model') echo 'text' ;;
        'expire --color') echo '=choice:auto,always,never' ;;
        'resolve --keep') echo 'choice:local,remote' ;;
        'resolve --merge') echo 'file' ;;
        'resolve --if-rev') echo 'text' ;;
        'resolve --upgrade') echo '=choice:vv' ;;
        'resolve --password') echo '=text' ;;
        'resolve --key') echo 'text' ;;
        'resolve --collection') echo 'collection' ;;
        'resolve -C') echo 'collection' ;;
        'resolve --model') echo 'text' ;;
        'resolve --color') echo '=choice:auto,always,never' ;;
        'mv --where') echo 'property' ;;
        'mv -w') echo 'property' ;;
        'mv --upgrade') echo '=choice:vv' ;;
        'mv --password') echo '=text' ;;
        'mv --key') echo 'text' ;;
        'mv --collection') echo 'collection' ;;
        'mv -C') echo 'collection' ;;
        'mv --model') echo 'text' ;;
        'mv --color') echo '=choice:auto,always,never' ;;
        'mkcoll --upgrade') echo '=choice:vv' ;;
        'mkcoll --password') echo '=text' ;;
        'mkcoll --key') echo 'text' ;;
        'mkcoll --collection') echo 'collection' ;;
        'mkcoll -C') echo 'collection' ;;
        'mkcoll --model') echo 'text' ;;
        'mkcoll --color') echo '=choice:auto,always,never' ;;
        'rmcoll --upgrade') echo '=choice:vv' ;;
        'rmcoll --password') echo '=text' ;;
        'rmcoll --key') echo 'text' ;;
        'rmcoll --collection') echo 'collection' ;;
        'rmcoll -C') echo 'collection' ;;
        'rmcoll --model') echo 'text' ;;
        'rmcoll --color') echo '=choice:auto,always,never' ;;
        'begin --upgrade') echo '=choice:vv' ;;
        'begin --password') echo '=text' ;;
        'begin --key') echo 'text' ;;
        'begin --collection') echo 'collection' ;;
        'begin -C') echo 'collection' ;;
        'begin --model') echo 'text' ;;
        'begin --color') echo '=choice:auto,always,never' ;;
        'commit --upgrade') echo '=choice:vv' ;;
        'commit --password') echo '=text' ;;
        'commit --key') echo 'text' ;;
        'commit --collection') echo 'collection' ;;
        'commit -C') echo 'collection' ;;
        'commit --model') echo 'text' ;;
        'commit --color') echo '=choice:auto,always,never' ;;
        'rollback --upgrade') echo '=choice:vv' ;;
        'rollback --password') echo '=text' ;;
        'rollback --key') echo 'text' ;;
        'rollback --collection') echo 'collection' ;;
        'rollback -C') echo 'collection' ;;
        'rollback --model') echo 'text' ;;
        'rollback --color') echo '=choice:auto,always,never' ;;
        'undo --upgrade') echo '=choice:vv' ;;
        'undo --password') echo '=text' ;;
        'undo --key') echo 'text' ;;
        'undo --collection') echo 'collection' ;;
        'undo -C') echo 'collection' ;;
        'undo --model') echo 'text' ;;
        'undo --color') echo '=choice:auto,always,never' ;;
        'cp --jsonid') echo 'text' ;;
        'cp --idprefix') echo 'text' ;;
        'cp --limit') echo 'text' ;;
        'cp --format') echo 'choice:json,jsonl,array,csv,tsv' ;;
        'cp --delimiter') echo 'text' ;;
        'cp --types') echo 'text' ;;
        'cp --validate') echo 'file' ;;
        'cp --new-password') echo '=text' ;;
        'cp --new-key') echo 'text' ;;
        'cp --user') echo 'text' ;;
        'cp --token') echo 'text' ;;
        'cp --cert') echo 'file' ;;
        'cp --key') echo 'file' ;;
        'cp --header') echo 'text' ;;
        'cp --cacert') echo 'file' ;;
        'cp --pin') echo 'file' ;;
        'cp --proxy') echo 'text' ;;
        'cp --interface') echo 'text' ;;
        'cp --heartbeat') echo 'text' ;;
        'cp --oidc-provider') echo 'text' ;;
        'cp --id-token') echo 'text' ;;
        'cp --login-token') echo 'text' ;;
        'cp --oauth') echo 'text' ;;
        'cp --remember') echo 'file' ;;
        'cp --log-dir') echo 'directory' ;;
        'cp --log-level') echo 'choice:verbose,info,warning,error' ;;
        'cp --filter') echo 'text' ;;
        'cp --push-filter') echo 'text' ;;
        'cp --conflict') echo 'text' ;;
        'cp --server-filter') echo 'text' ;;
        'cp --param') echo 'text' ;;
        'cp --channel') echo 'text' ;;
        'cp --doc-id') echo 'document' ;;
        'cp --pull-filter') echo 'text' ;;
        'cp --timeout') echo 'text' ;;
        'cp --upgrade') echo '=choice:vv' ;;
        'cp --password') echo '=text' ;;
        'cp --collection') echo 'collection' ;;
        'cp -C') echo 'collection' ;;
        'cp --model') echo 'text' ;;
        'cp --color') echo '=choice:auto,always,never' ;;
        'import --jsonid') echo 'text' ;;
        'import --idprefix') echo 'text' ;;
        'import --limit') echo 'text' ;;
        'import --format') echo 'choice:json,jsonl,array,csv,tsv' ;;
        'import --delimiter') echo 'text' ;;
        'import --types') echo 'text' ;;
        'import --validate') echo 'file' ;;
        'import --user') echo 'text' ;;
        'import --token') echo 'text' ;;
        'import --cert') echo 'file' ;;
        'import --key') echo 'file' ;;
        'import --header') echo 'text' ;;
        'import --cacert') echo 'file' ;;
        'import --pin') echo 'file' ;;
        'import --proxy') echo 'text' ;;
        'import --interface') echo 'text' ;;
        'import --heartbeat') echo 'text' ;;
        'import --oidc-provider') echo 'text' ;;
        'import --id-token') echo 'text' ;;
        'import --login-token') echo 'text' ;;
        'import --oauth') echo 'text' ;;
        'import --remember') echo 'file' ;;
        'import --log-dir') echo 'directory' ;;
        'import --log-level') echo 'choice:verbose,info,warning,error' ;;
        'import --filter') echo 'text' ;;
        'import --push-filter') echo 'text' ;;
        'import --conflict') echo 'text' ;;
        'import --server-filter') echo 'text' ;;
        'import --param') echo 'text' ;;
        'import --channel') echo 'text' ;;
        'import --doc-id') echo 'document' ;;
        'import --pull-filter') echo 'text' ;;
        'import --timeout') echo 'text' ;;
        'import --upgrade') echo '=choice:vv' ;;
        'import --password') echo '=text' ;;
        'import --collection') echo 'collection' ;;
        'import -C') echo 'collection' ;;
        'import --model') echo 'text' ;;
        'import --color') echo '=choice:auto,always,never' ;;
        'export --where') echo 'property' ;;
        'export --jsonid') echo 'text' ;;
        'export --idprefix') echo 'text' ;;
        'export --limit') echo 'text' ;;
        'export --format') echo 'choice:json,jsonl,array,csv,tsv' ;;
        'export --delimiter') echo 'text' ;;
        'export --types') echo 'text' ;;
        'export --validate') echo 'file' ;;
        'export --user') echo 'text' ;;
        'export --token') echo 'text' ;;
        'export --cert') echo 'file' ;;
        'export --key') echo 'file' ;;
        'export --header') echo 'text' ;;
        'export --cacert') echo 'file' ;;
        'export --pin') echo 'file' ;;
        'export --proxy') echo 'text' ;;
        'export --interface') echo 'text' ;;
        'export --heartbeat') echo 'text' ;;
        'export --oidc-provider') echo 'text' ;;
        'export --id-token') echo 'text' ;;
        'export --login-token') echo 'text' ;;
        'export --oauth') echo 'text' ;;
        'export --remember') echo 'file' ;;
        'export --log-dir') echo 'directory' ;;
        'export --log-level') echo 'choice:verbose,info,warning,error' ;;
        'export --filter') echo 'text' ;;
        'export --push-filter') echo 'text' ;;
        'export --conflict') echo 'text' ;;
        'export --server-filter') echo 'text' ;;
        'export --param') echo 'text' ;;
        'export --channel') echo 'text' ;;
        'export --doc-id') echo 'document' ;;
        'export --pull-filter') echo 'text' ;;
        'export --timeout') echo 'text' ;;
        'export --upgrade') echo '=choice:vv' ;;
        'export --password') echo '=text' ;;
        'export --collection') echo 'collection' ;;
        'export -C') echo 'collection' ;;
        'export --model') echo 'text' ;;
        'export --color') echo '=choice:auto,always,never' ;;
        'push --user') echo 'text' ;;
        'push --token') echo 'text' ;;
        'push --cert') echo 'file' ;;
        'push --key') echo 'file' ;;
        'push --header') echo 'text' ;;
        'push --cacert') echo 'file' ;;
        'push --pin') echo 'file' ;;
        'push --proxy') echo 'text' ;;
        'push --interface') echo 'text' ;;
        'push --heartbeat') echo 'text' ;;
        'push --oidc-provider') echo 'text' ;;
        'push --id-token') echo 'text' ;;
        'push --login-token') echo 'text' ;;
        'push --oauth') echo 'text' ;;
        'push --remember') echo 'file' ;;
        'push --log-dir') echo 'directory' ;;
        'push --log-level') echo 'choice:verbose,info,warning,error' ;;
        'push --filter') echo 'text' ;;
        'push --push-filter') echo 'text' ;;
        'push --conflict') echo 'text' ;;
        'push --server-filter') echo 'text' ;;
        'push --param') echo 'text' ;;
        'push --channel') echo 'text' ;;
        'push --doc-id') echo 'document' ;;
        'push --pull-filter') echo 'text' ;;
        'push --validate') echo 'file' ;;
        'push --timeout') echo 'text' ;;
        'push --upgrade') echo '=choice:vv' ;;
        'push --password') echo '=text' ;;
        'push --collection') echo 'collection' ;;
        'push -C') echo 'collection' ;;
        'push --model') echo 'text' ;;
        'push --color') echo '=choice:auto,always,never' ;;
        'pull --user') echo 'text' ;;
        'pull --token') echo 'text' ;;
        'pull --cert') echo 'file' ;;
        'pull --key') echo 'file' ;;
        'pull --header') echo 'text' ;;
        'pull --cacert') echo 'file' ;;
        'pull --pin') echo 'file' ;;
        'pull --proxy') echo 'text' ;;
        'pull --interface') echo 'text' ;;
        'pull --heartbeat') echo 'text' ;;
        'pull --oidc-provider') echo 'text' ;;
        'pull --id-token') echo 'text' ;;
        'pull --login-token') echo 'text' ;;
        'pull --oauth') echo 'text' ;;
        'pull --remember') echo 'file' ;;
        'pull --log-dir') echo 'directory' ;;
        'pull --log-level') echo 'choice:verbose,info,warning,error' ;;
        'pull --filter') echo 'text' ;;
        'pull --push-filter') echo 'text' ;;
        'pull --conflict') echo 'text' ;;
        'pull --server-filter') echo 'text' ;;
        'pull --param') echo 'text' ;;
        'pull --channel') echo 'text' ;;
        'pull --doc-id') echo 'document' ;;
        'pull --pull-filter') echo 'text' ;;
        'pull --validate') echo 'file' ;;
        'pull --timeout') echo 'text' ;;
        'pull --upgrade') echo '=choice:vv' ;;
        'pull --password') echo '=text' ;;
        'pull --collection') echo 'collection' ;;
        'pull -C') echo 'collection' ;;
        'pull --model') echo 'text' ;;
        'pull --color') echo '=choice:auto,always,never' ;;
        'sync --user') echo 'text' ;;
        'sync --token') echo 'text' ;;
        'sync --cert') echo 'file' ;;
        'sync --key') echo 'file' ;;
        'sync --header') echo 'text' ;;
        'sync --cacert') echo 'file' ;;
        'sync --pin') echo 'file' ;;
        'sync --proxy') echo 'text' ;;
        'sync --interface') echo 'text' ;;
        'sync --heartbeat') echo 'text' ;;
        'sync --oidc-provider') echo 'text' ;;
        'sync --id-token') echo 'text' ;;
        'sync --login-token') echo 'text' ;;
        'sync --oauth') echo 'text' ;;
        'sync --remember') echo 'file' ;;
        'sync --log-dir') echo 'directory' ;;
        'sync --log-level') echo 'choice:verbose,info,warning,error' ;;
        'sync --filter') echo 'text' ;;
        'sync --push-filter') echo 'text' ;;
        'sync --conflict') echo 'text' ;;
        'sync --server-filter') echo 'text' ;;
        'sync --param') echo 'text' ;;
        'sync --channel') echo 'text' ;;
        'sync --doc-id') echo 'document' ;;
        'sync --pull-filter') echo 'text' ;;
        'sync --validate') echo 'file' ;;
        'sync --timeout') echo 'text' ;;
        'sync --upgrade') echo '=choice:vv' ;;
        'sync --password') echo '=text' ;;
        'sync --collection') echo 'collection' ;;
        'sync -C') echo 'collection' ;;
        'sync --model') echo 'text' ;;
        'sync --color') echo '=choice:auto,always,never' ;;
        'serve --dir') echo 'directory' ;;
        'serve --config') echo 'file' ;;
        'serve --add-user') echo 'text' ;;
        'serve --role') echo 'choice:admin,replicate' ;;
        'serve --port') echo 'text' ;;
        'serve -p') echo 'text' ;;
        'serve --address') echo 'text' ;;
        'serve --user') echo 'text' ;;
        'serve --reader') echo 'text' ;;
        'serve --users') echo 'file' ;;
        'serve --identity') echo 'file' ;;
        'serve --cert') echo 'file' ;;
        'serve --key') echo 'file' ;;
        'serve --client-ca') echo 'file' ;;
        'serve --allow-host') echo 'text' ;;
        'serve --allow-origin') echo 'text' ;;
        'serve --collection') echo 'collection' ;;
        'serve -C') echo 'collection' ;;
        'serve --max-connections') echo 'text' ;;
        'serve --max-per-address') echo 'text' ;;
        'serve --advertise') echo '=text' ;;
        'serve --cacert') echo 'file' ;;
        'serve --heartbeat') echo 'text' ;;
        'serve --log-dir') echo 'directory' ;;
        'serve --log-level') echo 'choice:verbose,info,warning,error' ;;
        'serve --upgrade') echo '=choice:vv' ;;
        'serve --password') echo '=text' ;;
        'serve --model') echo 'text' ;;
        'serve --color') echo '=choice:auto,always,never' ;;
        'peers --timeout') echo 'text' ;;
        'peers --upgrade') echo '=choice:vv' ;;
        'peers --password') echo '=text' ;;
        'peers --key') echo 'text' ;;
        'peers --collection') echo 'collection' ;;
        'peers -C') echo 'collection' ;;
        'peers --model') echo 'text' ;;
        'peers --color') echo '=choice:auto,always,never' ;;
        'passwords --user') echo 'text' ;;
        'passwords --upgrade') echo '=choice:vv' ;;
        'passwords --password') echo '=text' ;;
        'passwords --key') echo 'text' ;;
        'passwords --collection') echo 'collection' ;;
        'passwords -C') echo 'collection' ;;
        'passwords --model') echo 'text' ;;
        'passwords --color') echo '=choice:auto,always,never' ;;
        'dump --collection') echo 'collection' ;;
        'dump -C') echo 'collection' ;;
        'dump --archive-password') echo '=text' ;;
        'dump --archive-key') echo 'text' ;;
        'dump --upgrade') echo '=choice:vv' ;;
        'dump --password') echo '=text' ;;
        'dump --key') echo 'text' ;;
        'dump --model') echo 'text' ;;
        'dump --color') echo '=choice:auto,always,never' ;;
        'restore --collection') echo 'collection' ;;
        'restore -C') echo 'collection' ;;
        'restore --archive-password') echo '=text' ;;
        'restore --archive-key') echo 'text' ;;
        'restore --upgrade') echo '=choice:vv' ;;
        'restore --password') echo '=text' ;;
        'restore --key') echo 'text' ;;
        'restore --model') echo 'text' ;;
        'restore --color') echo '=choice:auto,always,never' ;;
        'check --schema') echo 'file' ;;
        'check --salvage') echo 'database' ;;
        'check --upgrade') echo '=choice:vv' ;;
        'check --password') echo '=text' ;;
        'check --key') echo 'text' ;;
        'check --collection') echo 'collection' ;;
        'check -C') echo 'collection' ;;
        'check --model') echo 'text' ;;
        'check --color') echo '=choice:auto,always,never' ;;
        'mkindex --where') echo 'property' ;;
        'mkindex --language') echo 'text' ;;
        'mkindex --stopWords') echo 'text' ;;
        'mkindex --unnest') echo 'property' ;;
        'mkindex --predict') echo 'text' ;;
        'mkindex --outputs') echo 'text' ;;
        'mkindex --suggest') echo 'text' ;;
        'mkindex --dimensions') echo 'text' ;;
        'mkindex --centroids') echo 'text' ;;
        'mkindex --metric') echo 'choice:euclidean_squared,euclidean,cosine,dot' ;;
        'mkindex --encoding') echo 'text' ;;
        'mkindex --probes') echo 'text' ;;
        'mkindex --minTraining') echo 'text' ;;
        'mkindex --maxTraining') echo 'text' ;;
        'mkindex --upgrade') echo '=choice:vv' ;;
        'mkindex --password') echo '=text' ;;
        'mkindex --key') echo 'text' ;;
        'mkindex --collection') echo 'collection' ;;
        'mkindex -C') echo 'collection' ;;
        'mkindex --model') echo 'text' ;;
        'mkindex --color') echo '=choice:auto,always,never' ;;
        'rmindex --upgrade') echo '=choice:vv' ;;
        'rmindex --password') echo '=text' ;;
        'rmindex --key') echo 'text' ;;
        'rmindex --collection') echo 'collection' ;;
        'rmindex -C') echo 'collection' ;;
        'rmindex --model') echo 'text' ;;
        'rmindex --color') echo '=choice:auto,always,never' ;;
        'compact --prune') echo 'text' ;;
        'compact --upgrade') echo '=choice:vv' ;;
        'compact --password') echo '=text' ;;
        'compact --key') echo 'text' ;;
        'compact --collection') echo 'collection' ;;
        'compact -C') echo 'collection' ;;
        'compact --model') echo 'text' ;;
        'compact --color') echo '=choice:auto,always,never' ;;
        'embed --command') echo 'text' ;;
        'embed --url') echo 'text' ;;
        'embed --model-name') echo 'text' ;;
        'embed --header') echo 'text' ;;
        'embed --limit') echo 'text' ;;
        'embed --batch') echo 'text' ;;
        'embed --upgrade') echo '=choice:vv' ;;
        'embed --password') echo '=text' ;;
        'embed --key') echo 'text' ;;
        'embed --collection') echo 'collection' ;;
        'embed -C') echo 'collection' ;;
        'embed --model') echo 'text' ;;
        'embed --color') echo '=choice:auto,always,never' ;;
        'reindex --upgrade') echo '=choice:vv' ;;
        'reindex --password') echo '=text' ;;
        'reindex --key') echo 'text' ;;
        'reindex --collection') echo 'collection' ;;
        'reindex -C') echo 'collection' ;;
        'reindex --model') echo 'text' ;;
        'reindex --color') echo '=choice:auto,always,never' ;;
        'encrypt --new-password') echo '=text' ;;
        'encrypt --new-key') echo 'text' ;;
        'encrypt --upgrade') echo '=choice:vv' ;;
        'encrypt --password') echo '=text' ;;
        'encrypt --key') echo 'text' ;;
        'encrypt --collection') echo 'collection' ;;
        'encrypt -C') echo 'collection' ;;
        'encrypt --model') echo 'text' ;;
        'encrypt --color') echo '=choice:auto,always,never' ;;
        'rekey --new-password') echo '=text' ;;
        'rekey --new-key') echo 'text' ;;
        'rekey --upgrade') echo '=choice:vv' ;;
        'rekey --password') echo '=text' ;;
        'rekey --key') echo 'text' ;;
        'rekey --collection') echo 'collection' ;;
        'rekey -C') echo 'collection' ;;
        'rekey --model') echo 'text' ;;
        'rekey --color') echo '=choice:auto,always,never' ;;
        'decrypt --upgrade') echo '=choice:vv' ;;
        'decrypt --password') echo '=text' ;;
        'decrypt --key') echo 'text' ;;
        'decrypt --collection') echo 'collection' ;;
        'decrypt -C') echo 'collection' ;;
        'decrypt --model') echo 'text' ;;
        'decrypt --color') echo '=choice:auto,always,never' ;;
        'open --upgrade') echo '=choice:vv' ;;
        'open --password') echo '=text' ;;
        'open --key') echo 'text' ;;
        'open --collection') echo 'collection' ;;
        'open -C') echo 'collection' ;;
        'open --model') echo 'text' ;;
        'open --color') echo '=choice:auto,always,never' ;;
        'openremote --user') echo 'text' ;;
        'openremote --token') echo 'text' ;;
        'openremote --cert') echo 'file' ;;
        'openremote --key') echo 'file' ;;
        'openremote --header') echo 'text' ;;
        'openremote --cacert') echo 'file' ;;
        'openremote --pin') echo 'file' ;;
        'openremote --proxy') echo 'text' ;;
        'openremote --interface') echo 'text' ;;
        'openremote --heartbeat') echo 'text' ;;
        'openremote --oidc-provider') echo 'text' ;;
        'openremote --id-token') echo 'text' ;;
        'openremote --login-token') echo 'text' ;;
        'openremote --oauth') echo 'text' ;;
        'openremote --remember') echo 'file' ;;
        'openremote --filter') echo 'text' ;;
        'openremote --channel') echo 'text' ;;
        'openremote --doc-id') echo 'document' ;;
        'openremote --pull-filter') echo 'text' ;;
        'openremote --validate') echo 'file' ;;
        'openremote --timeout') echo 'text' ;;
        'openremote --upgrade') echo '=choice:vv' ;;
        'openremote --password') echo '=text' ;;
        'openremote --collection') echo 'collection' ;;
        'openremote -C') echo 'collection' ;;
        'openremote --model') echo 'text' ;;
        'openremote --color') echo '=choice:auto,always,never' ;;
        'databases --upgrade') echo '=choice:vv' ;;
        'databases --password') echo '=text' ;;
        'databases --key') echo 'text' ;;
        'databases --collection') echo 'collection' ;;
        'databases -C') echo 'collection' ;;
        'databases --model') echo 'text' ;;
        'databases --color') echo '=choice:auto,always,never' ;;
        'close --upgrade') echo '=choice:vv' ;;
        'close --password') echo '=text' ;;
        'close --key') echo 'text' ;;
        'close --collection') echo 'collection' ;;
        'close -C') echo 'collection' ;;
        'close --model') echo 'text' ;;
        'close --color') echo '=choice:auto,always,never' ;;
        'cd --upgrade') echo '=choice:vv' ;;
        'cd --password') echo '=text' ;;
        'cd --key') echo 'text' ;;
        'cd --collection') echo 'collection' ;;
        'cd -C') echo 'collection' ;;
        'cd --model') echo 'text' ;;
        'cd --color') echo '=choice:auto,always,never' ;;
        'history --upgrade') echo '=choice:vv' ;;
        'history --password') echo '=text' ;;
        'history --key') echo 'text' ;;
        'history --collection') echo 'collection' ;;
        'history -C') echo 'collection' ;;
        'history --model') echo 'text' ;;
        'history --color') echo '=choice:auto,always,never' ;;
        'again --upgrade') echo '=choice:vv' ;;
        'again --password') echo '=text' ;;
        'again --key') echo 'text' ;;
        'again --collection') echo 'collection' ;;
        'again -C') echo 'collection' ;;
        'again --model') echo 'text' ;;
        'again --color') echo '=choice:auto,always,never' ;;
        'save --upgrade') echo '=choice:vv' ;;
        'save --password') echo '=text' ;;
        'save --key') echo 'text' ;;
        'save --collection') echo 'collection' ;;
        'save -C') echo 'collection' ;;
        'save --model') echo 'text' ;;
        'save --color') echo '=choice:auto,always,never' ;;
        'saved --upgrade') echo '=choice:vv' ;;
        'saved --password') echo '=text' ;;
        'saved --key') echo 'text' ;;
        'saved --collection') echo 'collection' ;;
        'saved -C') echo 'collection' ;;
        'saved --model') echo 'text' ;;
        'saved --color') echo '=choice:auto,always,never' ;;
        'quit --upgrade') echo '=choice:vv' ;;
        'quit --password') echo '=text' ;;
        'quit --key') echo 'text' ;;
        'quit --collection') echo 'collection' ;;
        'quit -C') echo 'collection' ;;
        'quit --model') echo 'text' ;;
        'quit --color') echo '=choice:auto,always,never' ;;
        'tour --upgrade') echo '=choice:vv' ;;
        'tour --password') echo '=text' ;;
        'tour --key') echo 'text' ;;
        'tour --collection') echo 'collection' ;;
        'tour -C') echo 'collection' ;;
        'tour --model') echo 'text' ;;
        'tour --color') echo '=choice:auto,always,never' ;;
        'help --upgrade') echo '=choice:vv' ;;
        'help --password') echo '=text' ;;
        'help --key') echo 'text' ;;
        'help --collection') echo 'collection' ;;
        'help -C') echo 'collection' ;;
        'help --model') echo 'text' ;;
        'help --color') echo '=choice:auto,always,never' ;;
        'version --upgrade') echo '=choice:vv' ;;
        'version --password') echo '=text' ;;
        'version --key') echo 'text' ;;
        'version --collection') echo 'collection' ;;
        'version -C') echo 'collection' ;;
        'version --model') echo 'text' ;;
        'version --color') echo '=choice:auto,always,never' ;;
    esac
}

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

#!/usr/bin/env bash
# Whether the files of databases are opened in one place: what goes past FileAccess would go past locks, keys and the looks at what is no file.
set -euo pipefail
cd "$(dirname "$0")/.."

status=0
store=Sources/CBLStore/Files

# PATTERN, and the files that may have it. Where none of these has it, the pattern is out of date.
only() {
    local pattern=$1 places found=
    shift
    places=$(grep -rnE --include='*.swift' "$pattern" Sources | grep -vE '^[^:]+:[0-9]+: *//' || true)
    while IFS= read -r place; do
        [ -n "$place" ] || continue
        local allowed=
        for file in "$@"; do case ${place%%:*} in $file) allowed=1 found=1 ;; esac; done
        [ -n "$allowed" ] || { echo "$place" >&2; echo "    only in $*" >&2; status=1; }
    done <<< "$places"
    [ -n "$found" ] || { echo "Tests/files.sh: nothing matches $pattern in $*" >&2; status=1; }
}

only 'sqlite3_open' 'Sources/CBLSQLite/*'
# The index of views is no part of a bundle.
only '\bConnection(\.init)?\(path:' "$store/FileAccess.swift" 'Sources/CBLSQLite/*' Sources/CBLViews/Index/IndexFile.swift
only '\bdatabaseFile\b' "$store/DatabaseBundle.swift" "$store/FileAccess*.swift"
only '/db\.sqlite3' "$store/DatabaseBundle.swift"
only '\bRegularFile\(' "$store/Folder.swift" "$store/FileAccess*.swift"
only '\.(openFile|makeFile)\(' "$store/FileAccess*.swift" "$store/FileCopy.swift"
only '\bFileCopy\.copy\(' "$store/FileAccess*.swift"
# The journal's last bytes, for which there is no other way.
only '\.open\(\.(main|log|sharedMemory|rollbackJournal)' "$store/FileAccess*.swift" "$store/RollbackJournal.swift" \
    Sources/CBLStore/Connections/ReadAccess.swift

exit $status

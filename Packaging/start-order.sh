#!/usr/bin/env bash
# Writes anew which functions run when a short command does, in their order: Packaging/start-order.txt, by which the linker puts them side by side.
# Those that are not there any more do no harm, new ones are only farther away. Needs a release build, and valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
command -v valgrind > /dev/null || { echo "$0: valgrind is not installed" >&2; exit 1; }

# Valgrind reads the names of functions, and not all that a debugger may know.
objcopy --strip-debug .build/release/cblite "$place/cblite"
database=$place/travel.cblite2
"$place/cblite" generate sample "$database" > /dev/null
"$place/cblite" --writeable --collection inventory.hotel mkindex "$database" city city
"$place/cblite" --writeable --collection inventory.hotel mkindex --fts "$database" name name

number=0
# What is called by which function is written for each command, with the numbers of what was named before.
run() {
    number=$((number + 1))
    valgrind --tool=callgrind --demangle=no --callgrind-out-file="$place/calls.$(printf %02d $number)" "$place/cblite" "$@" > /dev/null 2> "$place/said" \
        || { cat "$place/said" >&2; exit 1; }
}
# The most frequent ones first: what each of the others needs beyond them stands behind.
run --version
run ls --limit 1 "$database"
run --collection inventory.hotel ls -l --limit 3 "$database"
run select "$database" "count(*) FROM inventory.hotel WHERE city = 'Bergen'"
run select "$database" "name FROM inventory.hotel ORDER BY name LIMIT 3"
run select "$database" "city, count(*) FROM inventory.hotel GROUP BY city"
run select "$database" "count(*) FROM inventory.hotel WHERE MATCH(name, 'rooms')"
run --collection inventory.hotel cat "$database" "$("$place/cblite" --collection inventory.hotel ls --limit 1 "$database" 2> /dev/null)"
run info "$database"
run --writeable put "$database" document '{"a": 1}'

for calls in "$place"/calls.*; do
    awk '
        { name = $2 }
        match($0, /\([0-9]+\)/) { id = substr($0, RSTART, RLENGTH) }
        /^c?ob=/ { if (NF > 1) object[id] = name; if (!/^c/) isOurs = object[id] ~ /\/cblite$/ }
        /^c?fn=/ { if (NF > 1) { sub(/\047[0-9]+$/, "", name); named[id] = name } if (!/^c/ && isOurs) print named[id] }
    ' "$calls"
done | awk '!seen[$0]++' | grep -vE '^(0x|\(below)' > Packaging/start-order.txt
echo "Packaging/start-order.txt: $(wc -l < Packaging/start-order.txt) functions"

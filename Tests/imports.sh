#!/usr/bin/env bash
# Whether every target declares what it imports, and imports what it declares. SwiftPM's own check passes over what a target could reach by way
# of another, and over system libraries.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# A line for each target, "NAME TYPE PATH", and one for each of its dependencies, "NAME DEPENDENCY".
swift package --ignore-lock describe --type text 2>"$place/errors" > "$place/description" || { cat "$place/errors" >&2; exit 1; }
awk -v place="$place" '
    /^[A-Z]/ { inTargets = /^Targets:/ }
    !inTargets { next }
    /^    [A-Z]/ { inDependencies = /^    Target dependencies:/ }
    /^    Name: / { name = $2 }
    /^    Type: / { type = $2 }
    /^    Path: / { print name, type, $2 > (place "/targets") }
    /^        / && inDependencies { print name, $1 > (place "/dependencies") }
' "$place/description"

status=0
complain() { echo "Package.swift: $1" >&2; status=1; }

while read -r name type path; do
    [ "$type" != system-target ] || continue
    grep -rhE --include='*.swift' '^ *(@[A-Za-z_]+(\([^)]*\))? +)*((public|package|internal|fileprivate|private) +)?import ' "$path" \
        | sed -E 's/.*import +((struct|class|enum|protocol|func|var|let|typealias) +)?([A-Za-z_0-9]+).*/\3/' | sort -u > "$place/words" || true
    # Only what is a target of ours, and not what is declared because the program has to be there when its tests run.
    awk '$2 != "executable" { print $1 }' "$place/targets" | sort > "$place/modules"
    comm -12 "$place/words" "$place/modules" > "$place/imported"
    awk -v name="$name" '$1 == name { print $2 }' "$place/dependencies" | sort | comm -12 - "$place/modules" > "$place/declared"
    for module in $(comm -23 "$place/imported" "$place/declared"); do complain "$name imports $module without declaring it"; done
    for module in $(comm -13 "$place/imported" "$place/declared"); do complain "$name declares $module and does not import it"; done
done < "$place/targets"

[ "$(wc -l < "$place/targets")" -gt 20 ] || complain "the list of targets cannot be read"
exit $status

#!/usr/bin/env bash
# Whether the programs in Examples build as those of a stranger do, against this package by URL and version, and do what their READMEs say.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$place"' EXIT

. Tests/release.sh

# All in one package, so that the library is built once. Its folder is the same each time, so that what is built stays.
guest=${EXAMPLES_BUILD:-$PWD/.build/examples}
mkdir -p "$guest/Sources"
rm -rf "$guest/Sources" && mkdir "$guest/Sources"
products=
for example in Todo:todo NotesServer:notes-server SensorLogger:sensor-logger; do
    # Each must be a package that can be read by itself.
    CBLITE_URL="file://$place/cblite" swift package --package-path "Examples/${example%%:*}" --scratch-path "$place/scratch" dump-package > /dev/null
    cp -r "Examples/${example%%:*}/Sources" "$guest/Sources/${example##*:}"
    products="$products .executableTarget(name: \"${example##*:}\", dependencies: [.product(name: \"CouchbaseLiteSwift\", package: \"cblite\")]),"
done
rm -f "$guest/Package.resolved"
cat > "$guest/Package.swift" <<END
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "examples", dependencies: [.package(url: "file://$place/cblite", from: "99.0.0")], targets: [$products])
END
swift=(--package-path "$guest" --cache-path "$place/cache" --config-path "$place/config" --security-path "$place/security")
swift build "${swift[@]}"
bin=$(swift build "${swift[@]}" --show-bin-path)

expect() { [ "$1" = "$2" ] || { printf 'expected: %s\nbut it is: %s\n' "$2" "$1" >&2; exit 1; }; }

export TODO_HOME="$place/todo" SENSOR_HOME="$place/sensors" NOTES_HOME="$place/notes" PORT=0
"$bin/todo" add "Water the plants"
"$bin/todo" add "Write a letter"
"$bin/todo" done 1
expect "$("$bin/todo")" $'1. [x] Water the plants\n2. [ ] Write a letter'
"$bin/todo" clear
expect "$("$bin/todo")" "1. [ ] Write a letter"
if "$bin/todo" sync nowhere 2> /dev/null; then echo "a sync with nobody succeeded" >&2; exit 1; fi

expect "$("$bin/sensor-logger" 0.05 3 | wc -l)" 3
expect "$("$bin/sensor-logger" 0.05 2 | tail -1 | cut -d ' ' -f 1)" 5

"$bin/notes-server" > "$place/address" &
server=$!
for _ in $(seq 100); do [ -s "$place/address" ] && break; sleep 0.1; done
address=$(cat "$place/address")
curl --silent --fail --data '{"text": "Buy bread and butter"}' "$address" > /dev/null
curl --silent --fail --request PUT --data '{"text": "Call home"}' "$address/call" > /dev/null
expect "$(curl --silent "$address/call")" '{"text":"Call home"}'
expect "$(curl --silent "${address%notes}search/bread" | grep -c butter)" 1
expect "$(curl --silent --output /dev/null --write-out '%{http_code}' --data '{' "$address")" 400
expect "$(curl --silent --output /dev/null --write-out '%{http_code}' "$address/nobody")" 404
echo "The examples build and work."

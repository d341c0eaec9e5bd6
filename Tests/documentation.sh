#!/usr/bin/env bash
# Makes the pages of the library's documentation in .build/docs, from the module that was built last. Fails if a public symbol has no comment,
# a link leads nowhere, or a type is on no page.
set -euo pipefail
cd "$(dirname "$0")/.."

module=CouchbaseLiteSwift
catalogue=Sources/$module/$module.docc
modules=$(swift build --show-bin-path)/Modules
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The core's modules import those of the system.
maps=()
for map in Sources/*/module.modulemap; do maps+=(-Xcc "-fmodule-map-file=$PWD/$map"); done
mkdir "$place/graph"
swift symbolgraph-extract -module-name $module -target "$(swift -print-target-info | sed -n 's/^ *"triple": "\(.*\)",/\1/p' | head -1)" \
    -I "$modules" "${maps[@]}" -minimum-access-level public -skip-synthesized-members -output-dir "$place/graph"
swift Tests/documentation.swift "$place/graph/$module.symbols.json" $catalogue/$module.md

rm -rf .build/docs
docc convert $catalogue --additional-symbol-graph-dir "$place/graph" --output-dir .build/docs --warnings-as-errors \
    --fallback-display-name $module --fallback-bundle-identifier $module --fallback-default-module-kind Library
echo "The documentation is in .build/docs: see docs/library.md for how to look at it."

#!/usr/bin/env bash
# Makes the pages of the library's documentation, of CouchbaseLiteSwift in .build/docs and of CouchbaseLiteClassic in .build/docs-classic, from what
# was built last. Fails if a public symbol has no comment,
# a link leads nowhere, or a type is on no page.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=$(swift build --show-bin-path)/Modules
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The core's modules import those of the system, and those in C, whose maps the build made.
maps=()
for map in Sources/*/module.modulemap $(swift build --show-bin-path)/CBL*.build/module.modulemap; do
    case $map in /*) ;; *) map=$PWD/$map ;; esac
    maps+=(-Xcc "-fmodule-map-file=$map")
done

# MODULE, the folder of its pages, and how many public symbols it has at least.
document() {
    local module=$1 output=$2 least=$3 catalogue=Sources/$1/$1.docc
    mkdir "$place/$module"
    swift symbolgraph-extract -module-name $module -target "$(swift -print-target-info | sed -n 's/^ *"triple": "\(.*\)",/\1/p' | head -1)" \
        -I "$modules" "${maps[@]}" -minimum-access-level public -skip-synthesized-members -output-dir "$place/$module"
    swift Tests/documentation.swift "$place/$module/$module.symbols.json" $catalogue/$module.md $least
    # What it adds to the types of others is in files of their own.
    for graph in "$place/$module/$module@"*; do
        [ ! -f "$graph" ] || swift Tests/documentation.swift "$graph" $catalogue/$module.md 1
    done

    rm -rf $output
    docc convert $catalogue --additional-symbol-graph-dir "$place/$module" --output-dir $output --warnings-as-errors \
        --fallback-display-name $module --fallback-bundle-identifier $module --fallback-default-module-kind Library
}

document CouchbaseLiteSwift .build/docs 1000
document CouchbaseLiteClassic .build/docs-classic 50
echo "The documentation is in .build/docs and .build/docs-classic: see docs/library.md for how to look at it."

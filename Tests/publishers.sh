#!/usr/bin/env bash
# Whether Extras/Publishers.swift does what it says in a program that depends on a module like Combine. Its place is the one argument: the checkout of
# a package OpenCombine, which this project does not depend on itself.
set -euo pipefail
[ $# = 1 ] || { echo "usage: Tests/publishers.sh PATH/TO/OpenCombine" >&2; exit 2; }
combine=$(realpath "$1")
cd "$(dirname "$0")/.."
cblite=$PWD

place=${PUBLISHERS_BUILD:-$PWD/.build/publishers}
rm -rf "$place/Sources" && mkdir -p "$place/Sources/checks"
cp Extras/Publishers.swift Tests/Publishers/*.swift "$place/Sources/checks"
cat > "$place/Package.swift" <<END
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "checks", dependencies: [.package(name: "cblite", path: "$cblite"), .package(name: "OpenCombine", path: "$combine")],
    targets: [
        .executableTarget(
            name: "checks",
            dependencies: [
                .product(name: "CouchbaseLiteSwift", package: "cblite"), .product(name: "OpenCombine", package: "OpenCombine"),
            ])
    ])
END
swift build --package-path "$place" --product checks
"$place/.build/debug/checks"

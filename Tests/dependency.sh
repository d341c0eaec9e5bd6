#!/usr/bin/env bash
# Whether another package can depend on this one by URL and version, as people do. SwiftPM asks more of such a dependency than of a package
# that is built where it lies: it takes no flags that it calls unsafe. Nothing of ours is compiled here, so this takes seconds.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

. Tests/release.sh

# One target uses what we offer; the other is there to be built: before SwiftPM builds anything, it looks at the whole graph.
mkdir -p "$place/guest/Sources/guest" "$place/guest/Sources/alone"
echo 'print("hello")' > "$place/guest/Sources/guest/main.swift"
echo 'let isThere = true' > "$place/guest/Sources/alone/alone.swift"
cat > "$place/guest/Package.swift" <<END
// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "guest",
    dependencies: [.package(url: "file://$place/cblite", from: "99.0.0")],
    targets: [
        .executableTarget(name: "guest", dependencies: [.product(name: "cblite", package: "cblite")]),
        .target(name: "alone"),
    ])
END

# Nothing is left in the folders of whoever runs this, nor taken from there.
swift=(--package-path "$place/guest" --cache-path "$place/cache" --config-path "$place/config" --security-path "$place/security")
swift package "${swift[@]}" resolve
swift package "${swift[@]}" show-dependencies --format flatlist | grep -qx cblite
swift build "${swift[@]}" --target alone
echo "A package can depend on this one by URL and version."

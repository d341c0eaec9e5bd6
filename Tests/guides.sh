#!/usr/bin/env bash
# Writes the code of the guides of the library's modules, of their first pages and of docs/library.md into tests, so that it is compiled and run:
# Tests/MODULETests/Guides/*Guide.swift.
#
# The blocks of a guide that begin with ```swift are one function, in their order. What stands behind
#     <!-- sample
# up to a line with --> is part of it and not seen by readers: set-up, and what the guide claims, as #expect. A block below
#     <!-- compiled only -->
# is not run: it needs a server.
set -euo pipefail
cd "$(dirname "$0")/.."

# MODULE GUIDE…
write() {
    local module=$1 guide name tests=Tests/$1Tests/Guides
    shift
    mkdir -p $tests
    rm -f $tests/*Guide.swift

    for guide in "$@"; do
        name=$(basename "$guide" .md)
        name=${name^}
        awk -v name="$name" -v guide="$guide" -v module="$module" '
            function emit(line) { body = body (line == "" ? "" : (isCompiledOnly ? "        " : "    ") line) "\n" }
            /^```swift *$/ {
                inside = "```"
                if (isCompiledOnly) body = body "    func compiledOnly" ++count "() async throws {\n"
                next
            }
            /^<!-- compiled only -->$/ { isCompiledOnly = 1; next }
            /^<!-- sample$/ { inside = "-->"; next }
            inside != "" && $0 == inside {
                if (isCompiledOnly) { body = body "    }\n"; isCompiledOnly = 0 }
                body = body "\n"
                inside = ""
                next
            }
            inside != "" && /^import / { if (!($0 in imports)) { imports[$0] = 1; text = text $0 "\n" }; next }
            inside != "" { emit($0) }
            END {
                if (inside != "") { print guide ": a block does not end" > "/dev/stderr"; exit 1 }
                if (body == "") { print guide ": there is no code in it" > "/dev/stderr"; exit 1 }
                sub(/\n+$/, "\n", body)
                print "// swift-format-ignore-file"
                print "// Generated from " guide " by `make docs`: change that one."
                if (!(("import " module) in imports)) print "import " module
                if (!("import Testing" in imports)) print "import Testing"
                printf "%s\n", text
                print "extension GuideTests {"
                print "    @Test func run" name "() async {"
                print "        await #expect(processExitsWith: .success) { try await runGuide(guide" name ") }"
                print "    }"
                print "}\n"
                print "private func guide" name "() async throws {"
                printf "%s", body
                print "}"
            }' "$guide" > "$tests/${name}Guide.swift"
    done
}

write CouchbaseLiteSwift docs/library.md Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/{*.md,Guides/*.md}
write CouchbaseLiteClassic Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/{*.md,Guides/*.md}

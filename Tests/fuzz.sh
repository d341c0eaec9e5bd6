#!/usr/bin/env bash
# Fuzzing guided by coverage: `make fuzz MINUTES=60`, of all readers or of those in READERS. Each gets its part of the time, on all processors
# (JOBS says how many). What it finds lies in .build/fuzz/found, and makes this fail; put it into Tests/CBLFuzzing/Cases with a line that says what
# it was. What reached more than was reached before is kept in Tests/CBLFuzzing/Corpus.
set -euo pipefail
cd "$(dirname "$0")/.."

swift=$(command -v "${SWIFT:-swift}")
runtime=$(find "$(dirname "$(readlink -f "$swift")")/../lib/clang" -name "libclang_rt.fuzzer_no_main-$(uname -m).a" | tail -1)
[ -n "$runtime" ] || { echo "this toolchain has no fuzzer" >&2; exit 1; }

# The fuzzer's own entry is not linked: the program calls it. Only the compiler is told to count, for the linker would put in an entry as well.
"$swift" build -c release --scratch-path .build/fuzz --product cblite-fuzz -Xswiftc -enable-testing -Xswiftc -use-ld=lld \
    -Xswiftc -sanitize=address -Xswiftc -Xfrontend -Xswiftc -sanitize=address,fuzzer \
    -Xlinker "$runtime" -Xlinker -lstdc++ -Xlinker --undefined=LLVMFuzzerRunDriver -Xlinker --export-dynamic-symbol=LLVMFuzzerRunDriver

fuzzer=$PWD/.build/fuzz/release/cblite-fuzz
work=$PWD/.build/fuzz/work
found=$PWD/.build/fuzz/found
mkdir -p "$work" "$found"
# What is kept for good is no leak, and a tracer of its own would be in the way.
export ASAN_OPTIONS=detect_leaks=0 SWIFT_BACKTRACE=enable=no

readers=${READERS:-$("$fuzzer" | awk '{ print $1 }')}
jobs=${JOBS:-$(nproc)}
seconds=$((${MINUTES:-10} * 60 * jobs / $(wc -w <<< "$readers")))
[ "$seconds" -gt 0 ] || seconds=1

fuzz() {
    local reader=$1 all="$work/$1/all" least="$work/$1/least"
    "$fuzzer" unpack "$reader" "$all"
    "$fuzzer" "$reader" "$all" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=3000 -artifact_prefix="$found/$reader-" \
        > "$work/$reader/log" 2>&1 || echo "$reader: $(grep -aE 'Fatal error|ERROR|SUMMARY' "$work/$reader/log" | head -1)"
    rm -rf "$least"
    mkdir -p "$least"
    # Which places were reached, not how often.
    "$fuzzer" "$reader" -merge=1 -use_counters=0 -timeout=10 -artifact_prefix="$work/$reader/" "$least" "$all" > "$work/$reader/merge.log" 2>&1 || true
    "$fuzzer" pack "$reader" "$least"
    echo "$reader: $(grep -aoE 'stat::number_of_executed_units: *[0-9]+|Done [0-9]+ runs' "$work/$reader/log" | tail -1), $(ls "$least" | wc -l) inputs kept"
}
export -f fuzz
export fuzzer work found seconds
tr ' ' '\n' <<< "$readers" | grep . | xargs -P "$jobs" -I{} bash -c 'mkdir -p "$work/{}" && fuzz {}'

[ -z "$(ls "$found")" ] || { echo "found:"; ls "$found"; exit 1; }

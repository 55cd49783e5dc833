#!/bin/sh
# Fuzzes each decoder for so many seconds (default 60), or only those that are named: dev/fuzz.sh SECONDS [TARGET…].
# Corpora grow in .build-fuzz/corpus; what makes a target trap, hang or hoard is kept in Fuzz/Cases, where tests replay it.
set -eu
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}
seconds=${1:-60}
[ $# -gt 0 ] && shift
# shellcheck disable=SC2046 # names of targets have no spaces
[ $# -gt 0 ] || set -- $(cd Fuzz/Sources && printf '%s\n' fuzz-* | sed 's/^fuzz-//')

corpus=.build-fuzz/corpus
mkdir -p "$corpus"
dev/build.sh --build-tests
ASSAY_FUZZ_SEEDS="$PWD/$corpus" "$swift" test --skip-build --disable-index-store --disable-xctest --filter FuzzTargetsTests.SeedTests/written >/dev/null
"$swift" build --package-path Fuzz --scratch-path .build-fuzz/build --sanitize=fuzzer -Xswiftc -sanitize=fuzzer

failed=""
for target in "$@"; do
    echo "== $target, $seconds s"
    mkdir -p "$corpus/$target" "Fuzz/Cases/$target"
    log=.build-fuzz/$target.log
    if .build-fuzz/build/debug/fuzz-"$target" "$corpus/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -max_len=16384 -print_final_stats=1 -artifact_prefix="Fuzz/Cases/$target/" >"$log" 2>&1; then
        grep -E 'number_of_executed_units|average_exec_per_sec|peak_rss_mb' "$log"
    else
        failed="$failed $target"
        tail -n 25 "$log"
    fi
done
find Fuzz/Cases -type d -empty -delete
[ -z "$failed" ] || { echo "fuzz: something was found by:$failed" >&2; exit 1; }
echo "fuzz: nothing was found"

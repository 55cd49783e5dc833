#!/bin/sh
# Runs the tests that `swift build --build-tests` built, one room after the other, so that the patience of one room's tests
# is not tried by the work of another's. Names of test targets as arguments run those only. Exit status 1 if a room failed.
set -u
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}

[ $# -gt 0 ] || set -- $(ls Tests | grep 'Tests$')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
summary=
for room in "$@"; do
    [ -d "Tests/$room" ] || { echo "there is no Tests/$room" >&2; exit 2; }
    echo "== $room"
    if "$swift" test --skip-build --disable-xctest --filter "^$room\." >"$log" 2>&1; then
        passed=$((passed + 1))
        word=passed
    else
        failed=$((failed + 1))
        word=FAILED
    fi
    # What failed and what was skipped, and the count; a failure of something else is shown whole.
    grep -E '✘|➜|Test run with|^skipped|is absent' "$log" || tail -n 40 "$log"
    summary="$summary
$word  $room: $(grep -o 'Test run with.*' "$log" | tail -n 1)"
done
echo
echo "rooms:$summary"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

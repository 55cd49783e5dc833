#!/bin/sh
# Runs the tests that `swift build --build-tests` built, one module after the other, so that one module's work does not slow
# down the timed tests of another. Arguments: names of test targets to run only those. Exit status 1 if a module failed.
set -u
cd "$(dirname "$0")/.."
swift=${SWIFT:-swift}

[ $# -gt 0 ] || set -- $(ls Tests | grep 'Tests$')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0
summary=
failures=
for module in "$@"; do
    [ -d "Tests/$module" ] || { echo "there is no Tests/$module" >&2; exit 2; }
    echo "== $module"
    if "$swift" test --skip-build --disable-xctest --filter "^$module\." >"$log" 2>&1; then
        passed=$((passed + 1))
        word=passed
    else
        failed=$((failed + 1))
        word=FAILED
        # Repeated below the summary, where the end of a long log shows it.
        failures="$failures
$module:
$(grep -E '✘|rror:|↳' "$log" | head -n 40)"
    fi
    # What failed and what was skipped, and the count; a failure of something else is shown whole.
    grep -E '✘|➜|Test run with|^skipped|is absent' "$log" || tail -n 40 "$log"
    summary="$summary
$word  $module: $(grep -o 'Test run with.*' "$log" | tail -n 1)"
done
echo
echo "modules:$summary"
[ -z "$failures" ] || printf '\nfailures:%s\n' "$failures"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

#!/bin/sh
# Tests the package for the iPhone, on Linux or macOS: check.sh. Its build is in a folder of its own (SCRATCH, by default .build of this one).
#
# The test against a daemon needs assayd and assay, of the folder that ASSAY_HOME names or of the PATH, and python3-protobuf; it is left
# out without them, and said.
set -eu
cd "$(dirname "$0")"
SWIFT=${SWIFT:-swift}
scratch=${SCRATCH:-.build}
command -v "$SWIFT" >/dev/null || { echo "clients/ios: left out: no Swift" >&2; exit 0; }
mkdir -p "$scratch"
log=$scratch/check.log
"$SWIFT" test --scratch-path "$scratch" -Xswiftc -warnings-as-errors >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
grep 'skipped' "$log" >&2 || true
echo "clients/ios: $(sed -n 's/.*Test run with \([0-9]* tests\).*passed.*/\1/p' "$log")"

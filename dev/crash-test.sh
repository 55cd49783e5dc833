#!/bin/sh
# Kills assayd under load again and again for so many seconds (default 60), with failing disks, stepping clocks and restored
# backups in between, and compares each time: dev/crash-test.sh [SECONDS [SEED]]. Exit status 1 if a promise was broken.
set -eu
cd "$(dirname "$0")/.."
dev/build.sh --product assayd
dev/build.sh --product crash-test
exec .build/debug/crash-test --seconds "${1:-60}" ${2:+--seed "$2"}

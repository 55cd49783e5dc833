#!/bin/sh
# Lets daemons, servers and the network of a shared PostgreSQL ledger fail under load for so many rounds (default: each fault once), and
# compares each time: dev/failover-test.sh [ROUNDS [SEED]]. Exit status 1 if a promise was broken.
set -eu
cd "$(dirname "$0")/.."
dev/build.sh --product assayd
dev/build.sh --product crash-test
exec .build/debug/crash-test failover ${1:+--rounds "$1"} ${2:+--seed "$2"}

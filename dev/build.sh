#!/bin/sh
# A debug build: dev/build.sh [ARGUMENTS of swift build]. Every one comes through here, since SwiftPM compiles everything again when a flag
# differs. No index of the sources is written: editors make their own, in another folder, and it takes a fifth of a build.
set -eu
cd "$(dirname "$0")/.."
exec "${SWIFT:-swift}" build --disable-index-store "$@"

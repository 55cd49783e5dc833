#!/bin/sh
# Checks what of a release needs no programs: that its notes can be cut from the changelog, and that every link of the pages that a package has,
# and of the tarball's README, leads to a place in the package.
. "$(dirname "$0")/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -B dev/package/notes.py "$version" "$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)" >"$work/notes.md" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
[ -s "$work/notes.md" ] || { echo "the release notes are empty" >&2; exit 1; }
python3 -B dev/package/materials.py "$work/stage" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
python3 -B dev/package/readme.py "assay-$version-$(uname -m)-linux" "$version" >"$work/stage/README.md" 2>"$work/said" || { cat "$work/said" >&2; exit 1; }
dev/check-links.sh "$work/stage" >/dev/null
echo "release: its notes, the README and the pages of its packages can be written, and their links hold"

#!/bin/bash
# Builds the tarball a second time, from a copy of the sources in another folder with a clean build folder, and compares it with the one in
# PACKAGES.
. "$(dirname "$0")/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
copy=$work/another/place
there=$(scratch_in "$copy")
mkdir -p "$there"
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents -a -t "$copy"
cp -a Package.resolved "$copy/"
# What was fetched already is not fetched again.
for part in checkouts repositories artifacts workspace-state.json; do
    if [ -e "$scratch/$part" ]; then cp -a "$scratch/$part" "$there/"; fi
done
original=$PWD
cd "$copy"
env -u PACKAGES dev/package/build.sh
env -u PACKAGES dev/package/tarball.sh
cd "$original"
dev/package/test-tarball.sh "$copy/.build/packages"

#!/bin/bash
# Makes a release in PACKAGES/release: Debian package, tarball, container image, debug files, SBOM, notes, install.sh, checksums, signature.
#
#     dev/package/release.sh            everything, from a clean tree
#     dev/package/release.sh --check    whether a release can be made of this tree, and nothing else
#     dev/package/release.sh --built    with the programs that are in PACKAGES already
#
# KEY       the releaser's OpenPGP key, as gpg names it (a fingerprint); without it the release is not signed, and says so
# ADDRESS   where the sources of this revision can be read, such as https://git.example.org/assay/src/v0.1.0: links to what no package has
# The version is the programs' (Sources/AssayCore/Primitives/Version.swift); a tag and the changelog have to agree with it.
# Exit status: 0 done; 1 something fails, or cannot be released; 64 wrong usage.
. "$(dirname "$0")/common.sh"
set -Eo pipefail
fail() { echo "release: $1" >&2; exit 1; }
built='' check=''
for argument in "$@"; do
    case $argument in
        --built) built=yes ;;
        --check) check=yes ;;
        *) echo "usage: dev/package/release.sh [--check | --built]" >&2; exit 64 ;;
    esac
done
# What one artifact may have, compressed: both programs, and all that comes with them.
limit=60000000
machine=$(uname -m)
date=$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y-%m-%d)
key=${KEY:-} address=${ADDRESS:-}

git rev-parse --git-dir >/dev/null 2>&1 || fail "this is no git work tree, whose revision a release could name"
dirty=$(git status --porcelain)
if [ -n "$dirty" ]; then
    head -n 10 <<<"$dirty" >&2
    fail "the tree is not clean: commit or remove these changes"
fi
revision=$(git rev-parse HEAD)
tag=$(git tag --points-at HEAD --list 'v[0-9]*')
[ "$(wc -w <<<"$tag")" -le 1 ] || fail "there are several tags here: $(tr '\n' ' ' <<<"$tag")"
notes=$(python3 -B dev/package/notes.py "$version" "$date" --tag "$tag" --address "$address")
fingerprint=''
if [ -n "$key" ]; then
    command -v gpg gpgv >/dev/null || fail "signing needs gpg and gpgv: apt-get install gnupg gpgv"
    fingerprint=$(gpg --batch --with-colons --list-secret-keys "$key" 2>/dev/null | awk -F: '$1 == "fpr" && !found++ { print $10 }') || true
    [ -n "$fingerprint" ] || fail "gpg has no secret key $key (KEY)"
fi
[ -z "$check" ] || { echo "release: $version can be released from $revision${tag:+, tag $tag}"; exit; }

if [ -z "$built" ]; then dev/package/build.sh; fi
for program in programs/assayd programs/assay static/assayd static/assay; do
    [ -x "$packages/$program" ] || fail "there is no $packages/$program"
done
export ADDRESS=$address
out=$packages/release
rm -rf "$out"
mkdir -p "$out"
dev/package/deb.sh >/dev/null
dev/package/tarball.sh >/dev/null
name=assay-$version-$machine-linux
package=assay_$version-${REVISION:-1}_$(dpkg --print-architecture).deb
mv "$packages/$package" "$packages/$name.$archive" "$out/"
rm -f "$packages/$name.$archive.sha256"
python3 -B dev/package/image.py "$packages/tarball/$name" deploy/container/Containerfile "$packages/image.tar" "$version" "$SOURCE_DATE_EPOCH" \
    "$revision"
pack <"$packages/image.tar" >"$out/assay-$version-$machine-image.tar.xz"
rm "$packages/image.tar"
cp "$packages/tarball/$name/share/assay/assay.cdx.json" "$out/$name.cdx.json"
if [ -d "$packages/debug" ]; then
    # Debuggers look in /usr/lib/debug, and gdb and lldb in folders that they are told.
    tar --create --directory "$packages" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
        --mtime="@$SOURCE_DATE_EPOCH" --transform 's,^debug,lib/debug/.build-id,' debug | xz -T0 -6 >"$out/assay-$version-$machine-debug.tar.xz"
else
    fail "there are no debug files in $packages/debug"
fi
sed -e "s/@VERSION@/$version/" -e "s/@FINGERPRINT@/$fingerprint/" dev/package/install.sh >"$out/install.sh"
chmod 755 "$out/install.sh"

# The notes say by what the release can be verified.
page=share/doc/assay/start/install.md
[ -z "$address" ] || page=$address/docs/start/install.md
{
    echo "$notes"
    printf '\n## Files\n\nMade from the revision %s. How to verify and install them: %s.\n\n' "$revision" "$page"
    if [ -n "$fingerprint" ]; then
        echo "The checksums are signed by the OpenPGP key $fingerprint."
    else
        echo "**This release is not signed.** Its checksums say whether a file is damaged, not who made it."
    fi
} >"$out/release-notes.md"
if [ -n "$fingerprint" ]; then gpg --batch --export "$fingerprint" >"$out/assay-release-key.gpg"; fi
(cd "$out" && find . -type f ! -name 'SHA256SUMS*' -printf '%f\n' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS)
if [ -n "$fingerprint" ]; then
    gpg --batch --yes --local-user "$fingerprint" --armor --detach-sign --output "$out/SHA256SUMS.asc" "$out/SHA256SUMS"
    gpgv --keyring "$(realpath "$out")/assay-release-key.gpg" "$out/SHA256SUMS.asc" "$out/SHA256SUMS" 2>/dev/null \
        || fail "the signature that was made does not verify"
fi

for file in "$out"/*; do
    size=$(stat -c %s "$file")
    printf 'release: %11d  %s\n' "$size" "$(basename "$file")"
    # Debug files are for those who look for them.
    case $file in *.deb | *-linux.tar.* | *-image.tar.*) [ "$size" -le $limit ] || fail "$file has more than $limit bytes" ;; esac
done
if [ -n "$fingerprint" ]; then echo "release: $version is in $out, signed by $fingerprint"
else echo "release: $version is in $out; it is NOT signed (KEY=FINGERPRINT signs it)"; fi

#!/bin/bash
# Makes a release of the last commit with the programs that are built, unsigned and signed by a key that the test makes; and installs it by
# install.sh below a prefix, from a folder and from a server on loopback, refuses what was changed, upgrades and uninstalls. gpg and gpgv are
# the real ones. The rest of what a release has is examined by test-image.sh. Exit status 77 if something is missing that the test needs.
. "$(dirname "$0")/common.sh"
set -Eo pipefail
trap 'echo "$0: line $LINENO fails" >&2' ERR
fail() { echo "test-release: $1" >&2; exit 1; }
for tool in git gpg gpgv gpgconf python3 sha256sum xz; do
    command -v $tool >/dev/null || { echo "test-release: needs $tool"; exit 77; }
done
git rev-parse --verify -q HEAD >/dev/null || { echo "test-release: needs a git work tree with a commit"; exit 77; }
work=$(mktemp -d)
server=''
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    GNUPGHOME=$work/gnupg gpgconf --kill all 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
checks=0
# refuses STATUS WORDS COMMAND…: the command ends with the status and says the words.
refuses() {
    local expected=$1 words=$2 status=0
    shift 2
    "$@" >"$work/said" 2>&1 || status=$?
    [ "$status" -eq "$expected" ] || { cat "$work/said" >&2; fail "$*: status $status, not $expected"; }
    grep -q -e "$words" "$work/said" || { cat "$work/said" >&2; fail "$*: does not say \"$words\""; }
    checks=$((checks + 1))
}
check() { checks=$((checks + 1)); "$@" || fail "$*"; }

# A clean tree of the last commit, and the programs.
git clone -q . "$work/tree" 2>/dev/null
cp Package.resolved "$work/tree/"
checkouts=${CHECKOUTS:-$scratch/checkouts}
[ -d "$checkouts" ] || checkouts=$PWD/.build/checkouts
CHECKOUTS=$(realpath "$checkouts")
export CHECKOUTS PACKAGES=$work/packages
mkdir -p "$PACKAGES"
cp -a "$packages/programs" "$packages/static" "$packages/debug" "$PACKAGES/"
cd "$work/tree"
release=$PACKAGES/release

# What cannot be released is said before anything is built.
echo more >>README.md
refuses 1 'README.md' dev/package/release.sh --check
git checkout -q README.md
touch new-file
refuses 1 'new-file' dev/package/release.sh --check
rm new-file
git tag v99.0.0
refuses 1 'the tag is v99.0.0' dev/package/release.sh --check
git tag -d v99.0.0 >/dev/null
refuses 1 'no secret key' env GNUPGHOME="$work/none" KEY=unknown@example.org dev/package/release.sh --check
refuses 64 usage dev/package/release.sh --sign

# The key of a releaser. A second one stands for an attacker's.
export GNUPGHOME=$work/gnupg
mkdir -m 700 "$GNUPGHOME"
for name in releaser other; do
    gpg --batch --quiet --passphrase '' --quick-generate-key "$name <$name@example.org>" ed25519 sign 1d 2>/dev/null
done
fingerprint() { gpg --batch --with-colons --list-secret-keys "$1" 2>/dev/null | awk -F: '$1 == "fpr" && !found++ { print $10 }'; }
key=$(fingerprint releaser@example.org) other=$(fingerprint other@example.org)
# Where gpg is told of a key by its address.
dev/package/release.sh --check >/dev/null
KEY=releaser@example.org dev/package/release.sh --built | tee "$work/release.txt"
grep -q "signed by $key" "$work/release.txt" || fail "it does not say by which key it is signed"
check grep -q "OpenPGP key $key" "$release/release-notes.md"
check grep -q "$(git rev-parse HEAD)" "$release/release-notes.md"
archive_name=assay-$version-$(uname -m)-linux.$archive
for file in "$archive_name" "assay_$version-1_$(dpkg --print-architecture).deb" "assay-$version-$(uname -m)-image.tar.xz" \
    "assay-$version-$(uname -m)-debug.tar.xz" "assay-$version-$(uname -m)-linux.cdx.json" install.sh release-notes.md assay-release-key.gpg; do
    check grep -q "^[0-9a-f]\{64\}  $file\$" "$release/SHA256SUMS"
done
(cd "$release" && sha256sum --quiet -c SHA256SUMS)
check gpgv -q --keyring "$release/assay-release-key.gpg" "$release/SHA256SUMS.asc" "$release/SHA256SUMS"
check [ "$(wc -l <"$release/install.sh")" -le 60 ]
[ -z "$(git status --porcelain)" ] || fail "the release leaves $(git status --porcelain)"

# For each program that is packed there are symbols, found by its build id.
mkdir "$work/debug"
tar -xf "$release/assay-$version-$(uname -m)-debug.tar.xz" -C "$work/debug"
for program in "$PACKAGES"/programs/* "$PACKAGES"/static/*; do
    id=$(readelf -n "$program" | sed -n 's/^ *Build ID: //p')
    file=$work/debug/lib/debug/.build-id/${id:0:2}/${id:2}.debug
    check [ -s "$file" ]
    check grep -q symtab <(readelf -SW "$file" 2>/dev/null)
done

# Installed below a prefix: from the folder, by the key that the script names, by one that is given, and from a server.
script=$release/install.sh
check [ "$(sh "$script" --version)" = "$version" ]
check grep -q 'usage: install.sh' <(sh "$script" --help)
refuses 64 'unknown option' sh "$script" --force
refuses 64 'needs a value' sh "$script" --prefix
sh "$script" --prefix "$work/one" >"$work/said"
check [ "$("$work/one/bin/assayd" --version)" = "$version" ]
check grep -q "$work/one/bin/assayd dev" "$work/said"
check [ -s "$work/one/etc/assay/assayd.yaml" ]
check [ ! -e "$work/one/LICENSE" ]
check [ ! -e "$work/one/README.md" ]
gpg --batch --export "$key" >"$work/key.gpg"
gpg --batch --export "$other" >"$work/other.gpg"
cp -a "$release" "$work/copy"
python3 -m http.server --bind 127.0.0.1 --directory "$work/copy" 0 >"$work/server.txt" 2>&1 &
server=$!
for attempt in $(seq 100); do
    port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server.txt" 2>/dev/null)
    if [ -n "$port" ]; then break; fi
    sleep 0.1
done
sh "$script" --from "http://127.0.0.1:$port" --prefix "$work/two" --key "$work/key.gpg" >/dev/null
diff -r "$work/one" "$work/two" || fail "a server gives something else than a folder"
refuses 66 'SHA256SUMS' sh "$script" --from "http://127.0.0.1:$port/nothing" --prefix "$work/three"

# What does not verify is not installed.
nothing() { [ ! -e "$work/three" ] || fail "something was installed"; checks=$((checks + 1)); }
from="sh $script --from $work/copy --prefix $work/three"
refuses 65 'does not verify' $from --key "$work/other.gpg"
refuses 65 'another key' $from --fingerprint "$other"
refuses 65 'another key' $from --fingerprint "${key:24}"
refuses 66 'no key' $from --key "$work/nothing.gpg"
nothing
printf 'x' | dd of="$work/copy/$archive_name" bs=1 seek=1000 conv=notrunc status=none
refuses 65 'does not have its checksum' $from
nothing
# With checksums that fit, but are not what was signed.
(cd "$work/copy" && sed -i "/$archive_name\$/d" SHA256SUMS && sha256sum "$archive_name" >>SHA256SUMS)
refuses 65 'does not verify' $from
# Signed by an attacker, whose key is put in the place of the releaser's, alone or beside it.
gpg --batch --yes --local-user "$other" --armor --detach-sign --output "$work/copy/SHA256SUMS.asc" "$work/copy/SHA256SUMS"
refuses 65 'does not verify' $from
gpg --batch --export "$other" >"$work/copy/assay-release-key.gpg"
refuses 65 'another key' $from
gpg --batch --export "$key" "$other" >"$work/copy/assay-release-key.gpg"
refuses 65 'another key' $from
rm "$work/copy/SHA256SUMS.asc"
refuses 65 'no signature' $from
nothing
rm -rf "$work/copy"
cp -a "$release" "$work/copy"
sed -i "/$archive_name\$/d" "$work/copy/SHA256SUMS"
refuses 65 'does not verify' $from
nothing

# An upgrade removes what the new version does not have, and keeps the configuration.
echo '# ours' >>"$work/one/etc/assay/assayd.yaml"
echo old >"$work/one/share/doc/assay/old-page.md"
echo share/doc/assay/old-page.md >>"$work/one/share/assay/files"
sh "$script" --prefix "$work/one" >/dev/null
check [ ! -e "$work/one/share/doc/assay/old-page.md" ]
check grep -q '# ours' "$work/one/etc/assay/assayd.yaml"
"$work/one/bin/assay" --version >/dev/null
sh "$script" --prefix "$work/one" --uninstall
left=$(cd "$work/one" && find . ! -type d | sort)
check [ "$left" = ./etc/assay/assayd.yaml ]
refuses 66 'nothing to remove' sh "$script" --prefix "$work/one" --uninstall

# The same release twice has the same files; without a key it says that it is not signed, and is installed only if that is said.
cp "$release/SHA256SUMS" "$work/first"
dev/package/release.sh --built >"$work/release.txt"
check grep -q 'NOT signed' "$work/release.txt"
check grep -q 'not signed' "$release/release-notes.md"
check [ ! -e "$release/SHA256SUMS.asc" ]
unlike='install.sh\|release-notes.md\|assay-release-key.gpg'
diff <(grep -v "$unlike" "$work/first") <(grep -v "$unlike" "$release/SHA256SUMS") || fail "the same programs give other packages"
refuses 65 'no signature' sh "$release/install.sh" --prefix "$work/four"
sh "$release/install.sh" --prefix "$work/four" --unsigned >/dev/null
check [ "$("$work/four/bin/assay" --version)" = "$version" ]

cd "$OLDPWD"
echo "test-release: made, signed, verified, refused, installed, upgraded and removed; $checks checks"
# The image belongs to the release; it is tested with the tarball of which it was made.
status=0
dev/package/test-image.sh "$release/assay-$version-$(uname -m)-image.tar.xz" || status=$?
[ "$status" -eq 77 ] || exit "$status"

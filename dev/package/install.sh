#!/bin/sh
# Installs Assay of a release, after the checksums and their signature are verified. `install.sh --help` says how.
set -eu
version=@VERSION@ fingerprint=@FINGERPRINT@ from=$(dirname "$0") prefix='' key='' unsigned='' uninstall='' list=share/assay/files
fail() { status=$1; shift; echo "install.sh: $*" >&2; exit "$status"; }
usage() { cat <<TEXT
usage: install.sh [--from FOLDER|URL] [--prefix FOLDER] [--key FILE | --fingerprint HEX | --unsigned]
Installs Assay $version. Nothing is installed unless the releaser's key has signed the checksums, and the files have them.
  --from FOLDER|URL  where the release is; default: the folder of this script
  --prefix FOLDER    install below this folder, without root; default: a Debian package where there is dpkg, else /usr/local
  --key FILE         the releaser's public key, as you have it from elsewhere
  --fingerprint HEX  or its fingerprint: the key is that of the release; default: ${fingerprint:-none, as it is not signed}
  --unsigned         install a release that is not signed: only the checksums are verified
  --uninstall        remove what this script put below --prefix or /usr/local; configuration and ledgers stay
  --version          print the version; --help prints this
Exit status: 0 done; 64 wrong usage; 65 a signature or a checksum does not verify; 66 a file of the release is not there;
69 a tool is missing; 73 the files cannot be written.
TEXT
}
while [ $# -gt 0 ]; do
    case $1 in
        --from | --prefix | --key | --fingerprint) [ -n "${2:-}" ] || fail 64 "$1 needs a value"; eval "${1#--}=\$2"; shift ;;
        --unsigned | --uninstall) eval "${1#--}=yes" ;;
        --version) echo "$version"; exit ;;
        --help) usage; exit ;;
        *) fail 64 "unknown option $1 (--help lists them)" ;;
    esac
    shift
done
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && trap 'exit 130' INT TERM
fetch() { case $from in *://*) curl -fsSL -o "$work/$1" "$from/$1" || wget -qO "$work/$1" "$from/$1" ;; *) cp "$from/$1" "$work/$1" ;; esac; }
need() { fetch "$1" 2>/dev/null || fail 66 "there is no $1 in $from"; }
remove() { cd "$prefix" && tr '\n' '\0' | xargs -0 rm -f && find share/*/assay share/assay libexec/assay -depth -type d -empty -delete 2>/dev/null; }
{ [ -z "$uninstall" ] && command -v dpkg >/dev/null; } || prefix=${prefix:-/usr/local}
[ ! -f "$prefix/$list" ] || cp "$prefix/$list" "$work/old"
[ -z "$uninstall" ] || { [ -f "$work/old" ] || fail 66 "there is no $prefix/$list: nothing to remove"; remove <"$work/old"; exit 0; }
need SHA256SUMS
if fetch SHA256SUMS.asc 2>/dev/null; then
    command -v gpgv >/dev/null || fail 69 "gpgv is missing, which verifies the signature (Debian, Ubuntu: apt-get install gpgv)"
    [ -n "$key$fingerprint" ] || fail 64 "name the releaser's key (--key) or its fingerprint (--fingerprint)"
    if [ -n "$key" ]; then cp "$key" "$work/key.gpg" || fail 66 "there is no key $key"; else need assay-release-key.gpg; fi
    ring=$work/assay-release-key.gpg && [ -z "$key" ] || ring=$work/key.gpg
    gpgv --homedir "$work" --keyring "$ring" --status-fd 1 "$work/SHA256SUMS.asc" "$work/SHA256SUMS" >"$work/status" 2>&1 &&
        grep -q '^\[GNUPG:\] GOODSIG' "$work/status" || fail 65 "the signature does not verify: $(grep '^gpgv' "$work/status" | tail -n 1)"
    [ -n "$key" ] || grep -q "^\[GNUPG:\] VALIDSIG .* $(printf %s "$fingerprint" | tr -d ' :' | tr a-f A-F)\$" "$work/status" ||
        fail 65 "the checksums are signed by another key than $fingerprint"
else
    [ -n "$unsigned" ] || fail 65 "the release has no signature (--unsigned installs it, by its checksums alone)"
fi
pattern="assay-$version-$(uname -m)-linux\.tar\.[gx]z"
[ -n "$prefix" ] || pattern="assay_$version-[0-9]*_$(dpkg --print-architecture)\.deb"
name=$(sed -n "s/^[0-9a-f]\{64\}  \($pattern\)\$/\1/p" "$work/SHA256SUMS") && [ -n "$name" ] || fail 66 "the release has nothing for this machine"
need "$name"
(cd "$work" && grep "  $name\$" SHA256SUMS | sha256sum -c >/dev/null 2>&1) || fail 65 "$name does not have its checksum"
case $name in *.deb) chmod 755 "$work" && apt-get install -y "$work/$name" || fail 73 "apt-get failed (it needs root)"; exit ;; esac
mkdir -p "$prefix" && unpack() { tar -xf "$work/$name" -C "$prefix" --strip-components=1 --no-same-owner "$@"; } &&
    unpack --exclude='*-linux/etc' --exclude='*-linux/LICENSE' --exclude='*-linux/README.md' && { [ -e "$prefix/etc/assay/assayd.yaml" ] || unpack --wildcards '*-linux/etc'; } ||
    fail 73 "$name cannot be unpacked below $prefix (root, or --prefix FOLDER; xz for .xz)"
[ ! -f "$work/old" ] || grep -vxFf "$prefix/$list" "$work/old" | remove || true
echo "Assay $version is installed below $prefix; to try it out: $prefix/bin/assayd dev"

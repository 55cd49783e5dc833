#!/bin/bash
# Examines the tarball: what it contains, what its programs load, its SBOM. With a folder as argument, in which another build of the same
# sources is: both tarballs must be equal.
. "$(dirname "$0")/common.sh"
set -Eo pipefail
trap 'echo "$0: line $LINENO fails" >&2' ERR
name=assay-$version-$(uname -m)-linux
tarball=$packages/$name.$archive
work=$(mktemp -d)
chmod 711 "$work"                       # plugins have another user where root runs this
trap 'rm -rf "$work"' EXIT
first=$(sha256sum <"$tarball" | cut -d' ' -f1)
fail() { echo "test-tarball: $1" >&2; exit 1; }

# Packed a second time from the same programs, with another folder and other times: the same bytes.
cp -a "$packages/static" "$work/static"
find "$work/static" -type f -exec touch {} +
mkdir -p "$work/packages" && mv "$work/static" "$work/packages/"
PACKAGES=$work/packages dev/package/tarball.sh >/dev/null
second=$(sha256sum <"$work/packages/$name.$archive" | cut -d' ' -f1)
[ "$first" = "$second" ] || fail "packing the same programs twice gives $first and $second"
if [ $# -gt 0 ]; then
    other=$(sha256sum <"$1/$name.$archive" | cut -d' ' -f1)
    [ "$first" = "$other" ] || fail "the other build gives $other, not $first"
    echo "test-tarball: two builds, one digest: $first"
fi

tar -xf "$tarball" -C "$work"
cd "$work/$name"
./bin/assayd --version | grep -qx "$version"
./bin/assay status --server unix:/nowhere 2>/dev/null && fail "a status without a daemon" || [ $? -eq 69 ]
for program in bin/assayd bin/assay; do
    loads_glibc_alone $program || fail "the programs need more than glibc"
    if readelf -S $program | grep -qE ' \.(debug_|symtab)'; then fail "$program is not stripped"; fi
done
objdump -p libexec/assay/assay-plugin-launcher | grep -q NEEDED && fail "the launcher is not static"
if grep -aq "$OLDPWD" bin/* libexec/assay/*; then fail "a program contains the folder in which it was built"; fi
# What it contains, for each kind of user, and what links in its pages lead to.
for file in share/man/man1/assay.1.gz share/man/man8/assayd.8.gz share/bash-completion/completions/assay \
    share/zsh/site-functions/_assay share/fish/vendor_completions.d/assay.fish lib/systemd/system/assayd.service etc/assay/assayd.yaml \
    share/doc/assay/index.md share/doc/assay/third-party-licences.txt share/doc/assay/openapi.yaml LICENSE README.md share/assay/files \
    share/assay/proto/assay/v1 share/assay/proto/assay/plugin/v1/plugin.proto share/assay/plugins/template-c/Makefile \
    share/assay/plugins/template-python/main.py share/assay/plugins/template-swift/Package.swift share/assay/plugins/sdk/c \
    share/assay/plugins/sdk/python share/assay/plugins/sdk/swift share/doc/assay/vectors share/doc/assay/examples/configurations \
    share/doc/assay/examples/python share/doc/assay/examples/systemd/assayd.yaml share/doc/assay/examples/kubernetes; do
    [ -s "$file" ] || fail "there is no $file"
done
# Clients are packaged as they come.
for client in "$OLDPWD"/clients/*/README.md; do
    [ ! -e "$client" ] || [ -s "share/assay/clients/$(basename "$(dirname "$client")")/README.md" ] || fail "there is no client of $client"
done
"$OLDPWD/dev/check-links.sh" "$PWD"
# Pages that messages, man pages and clients name are those of the release. The help is read to its end: a pipe that is closed early fails.
./bin/assay --experimental-dump-help | sed 's|\\/|/|g' | grep -F >/dev/null "$(realpath .)/share/doc/assay/operate/test-a-policy.md" || fail "help does not name the release's pages"
if zgrep -lE '(^|[^a-z])docs/' share/man/man*/*.gz; then fail "these man pages name paths of the sources"; fi
zgrep -q '^\.B share/doc/assay/$' share/man/man8/assayd.8.gz || fail "assayd.8 does not say where the documentation is"
texts="share/assay/clients share/assay/proto share/doc/assay/examples share/doc/assay/openapi.yaml share/doc/assay/assayd.example.yaml lib"
if grep -rnE '(^|[^a-z./-])docs/[a-z/-]+\.md' $texts; then fail "these lines name paths of the sources"; fi
for page in $(grep -rohE 'share/(doc/)?assay/[a-z][A-Za-z/-]*\.md' $texts | sort -u); do
    [ -s "$page" ] || fail "a client or a sample names $page, which is not there"
done
# A page that builds plugins, pasted as it stands; it writes nothing into the release, as what follows would find.
status=0
RELEASE=$PWD "$OLDPWD/dev/run-page.sh" share/doc/assay/start/captures.md bin || status=$?
[ "$status" -eq 0 ] || [ "$status" -eq 77 ] || fail "share/doc/assay/start/captures.md does not work from a release's folder"
# The README at the top: its links are checked, the folders that it names are there, and its commands are of this release.
mapfile -t folders < <(sed -n 's/^| `\(bin\|lib.*\|share.*\)` |.*/\1/p' README.md | sed 's/`, `/\n/g')
[ "${#folders[@]}" -ge 8 ] || fail "README.md names ${#folders[@]} folders"
for folder in "${folders[@]}"; do [ -e "$folder" ] || fail "README.md names $folder, which is not there"; done
grep -qx "# Assay $version" README.md || fail "README.md does not name the version"
mapfile -t commands < <(sed -n '/^```sh$/,/^```$/{/^```/!p}' README.md)
[ "${commands[0]}" = "tar -xf $name.$archive" ] && [ "${commands[1]}" = "$name/bin/assayd dev" ] || fail "README.md does not begin with this tarball"
case ${commands[2]} in gpgv*SHA256SUMS.asc*) ;; *) fail "README.md needs more than two commands, or does not say how to verify" ;; esac
find . ! -type d ! -path ./LICENSE ! -path ./README.md ! -path './etc/*' | sed 's|^\./||' | sort | diff - <(sort share/assay/files) || fail "share/assay/files is not what is installed"
# Nothing is built from a package: commands begin with the release's folder.
if grep -rFl --include='*.md' 'PATH="$PWD/.build/release' share/doc/assay; then fail "these pages begin with a build"; fi
grep -qF "export ASSAY_HOME=\"\$PWD/$(basename "$PWD")\"" share/doc/assay/start/production.md || fail "production.md does not name the release's folder"
found=$(find . -name __pycache__ -o -name .build -o -name vendor -o -name secrets -o -name '*.pyc')
[ -z "$found" ] || fail "what a build left is packaged: $found"
for shell in bash zsh fish; do
    case $shell in
        bash) file=share/bash-completion/completions/assay ;;
        zsh) file=share/zsh/site-functions/_assay ;;
        fish) file=share/fish/vendor_completions.d/assay.fish ;;
    esac
    if command -v $shell >/dev/null; then $shell -n $file || fail "$shell does not read $file"; fi
done
if command -v man >/dev/null; then
    for page in share/man/man*/*.gz; do
        said=$(man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || fail "$page: $said"
    done
fi

# The SBOM says what is in the tarball, and is valid.
python3 - share/assay/assay.cdx.json <<'PYTHON'
import hashlib, json, sys
bom = json.load(open(sys.argv[1]))
files = {c["name"]: c["hashes"][0]["content"] for c in bom["components"] if c["type"] == "file"}
assert len(files) == 3, files
for name, digest in files.items():
    assert hashlib.sha256(open(name, "rb").read()).hexdigest() == digest, name
references = {c["bom-ref"] for c in bom["components"]} | {"assay"}
used = {d["ref"] for d in bom["dependencies"]} | {r for d in bom["dependencies"] for r in d["dependsOn"]}
assert used == references, used ^ references
assert sum(c["bom-ref"].startswith("swift:") for c in bom["components"]) >= 20
# C libraries that Swift packages bring along, by which advisories are found, and those of the system that are linked.
bundled = {c["bom-ref"].removeprefix("bundled:"): c for c in bom["components"] if c["bom-ref"].startswith("bundled:")}
for name in ("swift-nio-ssl/boringssl", "swift-crypto/boringssl", "swift-nio/llhttp", "yams/libyaml", "swift-nio-extras/zlib"):
    assert bundled[name]["version"] and bundled[name]["licenses"] and bundled[name]["purl"], name
linked = {c["name"]: c.get("version") for c in bom["components"] if c["bom-ref"].startswith("system:")}
for name in ("libsqlite3", "zlib", "libstdc++", "libseccomp", "icu", "swift"):
    assert linked[name] not in (None, "", "unknown"), name
PYTHON
if python3 -m venv "$work/venv" >/dev/null 2>&1 && "$work/venv/bin/pip" -q install 'cyclonedx-python-lib[json-validation]' >/dev/null 2>&1; then
    "$work/venv/bin/python" - share/assay/assay.cdx.json <<'PYTHON'
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_6).validate_str(open(sys.argv[1]).read())
sys.exit(f"the SBOM is not valid: {error}" if error else 0)
PYTHON
    echo "test-tarball: the SBOM is valid CycloneDX 1.6"
else
    echo "test-tarball: cyclonedx-python-lib cannot be installed: the SBOM is not compared with the schema"
fi
echo "test-tarball: complete, without paths of this machine, packed twice with one digest"

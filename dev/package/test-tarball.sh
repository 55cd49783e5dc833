#!/bin/bash
# Examines the tarball: what it contains, what its programs load, its SBOM. With a folder as argument, in which another build of the same
# sources is: both tarballs must be equal.
. "$(dirname "$0")/common.sh"
set -Eo pipefail
trap 'echo "$0: line $LINENO fails" >&2' ERR
name=assay-$version-$(uname -m)-linux
tarball=$packages/$name.tar.gz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
first=$(sha256sum <"$tarball" | cut -d' ' -f1)
fail() { echo "test-tarball: $1" >&2; exit 1; }

# Packed a second time from the same programs, with another folder and other times: the same bytes.
cp -a "$packages/static" "$work/static"
find "$work/static" -type f -exec touch {} +
mkdir -p "$work/packages" && mv "$work/static" "$work/packages/"
PACKAGES=$work/packages dev/package/tarball.sh >/dev/null
second=$(sha256sum <"$work/packages/$name.tar.gz" | cut -d' ' -f1)
[ "$first" = "$second" ] || fail "packing the same programs twice gives $first and $second"
if [ $# -gt 0 ]; then
    other=$(sha256sum <"$1/$name.tar.gz" | cut -d' ' -f1)
    [ "$first" = "$other" ] || fail "the other build gives $other, not $first"
    echo "test-tarball: two builds, one digest: $first"
fi

tar -xzf "$tarball" -C "$work"
cd "$work/$name"
./bin/assayd --version | grep -qx "$version"
./bin/assay status --server unix:/nowhere 2>/dev/null && fail "a status without a daemon" || [ $? -eq 69 ]
# glibc is loaded, with the libgcc_s that it needs, and nothing else: docs/decisions/0084-packages.md says why.
for program in bin/assayd bin/assay; do
    loaded=$(objdump -p $program | awk '$1 == "NEEDED" { print $2 }' | grep -vE '^(libc|libm|libgcc_s|ld-linux-.*)\.so\.[0-9]+$' || true)
    [ -z "$loaded" ] || fail "$program loads $loaded"
    if readelf -S $program | grep -qE ' \.(debug_|symtab)'; then fail "$program is not stripped"; fi
done
objdump -p libexec/assay/assay-plugin-launcher | grep -q NEEDED && fail "the launcher is not static"
if grep -aq "$OLDPWD" bin/* libexec/assay/*; then fail "a program contains the folder in which it was built"; fi
for file in share/man/man1/assay.1.gz share/man/man8/assayd.8.gz share/bash-completion/completions/assay \
    share/zsh/site-functions/_assay share/fish/vendor_completions.d/assay.fish lib/systemd/system/assayd.service etc/assay/assayd.yaml \
    share/doc/assay/index.md share/doc/assay/third-party-licences.txt LICENSE; do
    [ -s "$file" ] || fail "there is no $file"
done

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

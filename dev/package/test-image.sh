#!/bin/bash
# Reads the image of a release as an engine does (every digest and size), compares its programs and folders with what the Containerfile makes
# of the same tarball, and runs it in a chroot as its user, on a root that cannot be written: test-image.sh IMAGE. Needs root. Skopeo and
# umoci read it too, where they are installed. Exit status 77 without root.
. "$(dirname "$0")/common.sh"
set -Eo pipefail
trap 'echo "$0: line $LINENO fails" >&2' ERR
fail() { echo "test-image: $1" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "test-image: needs root"; exit 77; }
image=$(realpath "${1:?test-image.sh IMAGE}")
if [ -z "${TEST_IMAGE_INSIDE:-}" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 755 "$work"
    TEST_IMAGE_INSIDE=$work exec_status=0
    export TEST_IMAGE_INSIDE
    # Without a network: nothing of the image is fetched, and nothing is asked.
    unshare --mount-proc --mount --pid --net --fork --kill-child "$0" "$image" || exec_status=$?
    exit $exec_status
fi
work=$TEST_IMAGE_INSIDE
root=$work/root
mkdir "$root" "$work/layout"

# Unpacks the layers in their order, each as an engine does, after its digests were compared.
case $image in *.xz) xz -dc "$image" >"$work/image.tar" && image=$work/image.tar ;; esac
tar -xf "$image" -C "$work/layout"
python3 - "$work/layout" "$root" "$version" >"$work/configuration" <<'PYTHON'
import hashlib, io, json, os, sys, tarfile
layout, root, version = sys.argv[1:]
def read(name):
    with open(os.path.join(layout, name), "rb") as file:
        return file.read()
used = set()
def blob(descriptor):
    kind, digest = descriptor["digest"].split(":")
    content = read("blobs/%s/%s" % (kind, digest))
    assert kind == "sha256" and hashlib.sha256(content).hexdigest() == digest, descriptor
    assert len(content) == descriptor["size"], descriptor
    used.add(digest)
    return content
assert json.loads(read("oci-layout")) == {"imageLayoutVersion": "1.0.0"}
index = json.loads(read("index.json"))
assert len(index["manifests"]) == 1
assert index["manifests"][0]["annotations"]["org.opencontainers.image.ref.name"] == version
manifest = json.loads(blob(index["manifests"][0]))
configuration = json.loads(blob(manifest["config"]))
assert len(manifest["layers"]) == len(configuration["rootfs"]["diff_ids"]) == len(configuration["history"])
for layer, difference in zip(manifest["layers"], configuration["rootfs"]["diff_ids"]):
    content = blob(layer)
    assert "sha256:" + hashlib.sha256(content).hexdigest() == difference
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        names = tar.getnames()
        assert names == sorted(set(names)), "not sorted, or twice"
        tar.extractall(root, numeric_owner=True)
assert used == set(os.listdir(os.path.join(layout, "blobs/sha256"))), "a blob that is in nothing"
docker = json.loads(read("manifest.json"))[0]
assert docker["Config"] == "blobs/sha256/" + manifest["config"]["digest"].split(":")[1]
assert docker["Layers"] == ["blobs/sha256/" + layer["digest"].split(":")[1] for layer in manifest["layers"]]
print(json.dumps(configuration["config"]))
PYTHON
if command -v skopeo >/dev/null; then
    skopeo inspect "oci-archive:$image" >/dev/null
    skopeo copy -q --insecure-policy "docker-archive:$image" "oci:$work/docker:$version"
    skopeo copy -q --insecure-policy "oci-archive:$image" "oci:$work/copy:$version"
    if command -v umoci >/dev/null; then umoci raw unpack --image "$work/copy:$version" "$work/unpacked"; fi
    [ ! -d "$work/unpacked" ] || diff -r --no-dereference "$root" "$work/unpacked" || fail "umoci unpacks something else"
    echo "test-image: Skopeo reads the layout$([ ! -d "$work/unpacked" ] || echo ', and umoci unpacks the same files')"
fi

# The programs and folders are those that the Containerfile makes.
name=assay-$version-$(uname -m)-linux
mkdir -p "$work/container/unpacked"
cp -a "$packages/tarball/$name" "$work/container/unpacked/"
sed -n '\|^RUN mkdir -p /image/|,/[^\\]$/p' deploy/container/Containerfile | sed -e '1s/^RUN //' -e 's/\\$//' | tr '\n' ' ' \
    | sed -e "s# /image/# $work/container/image/#g" -e "s# /unpacked/# $work/container/unpacked/#g" >"$work/commands"
sh -eu "$work/commands"
listed() { (cd "$1" && find usr/bin usr/libexec usr/share/assay usr/share/doc/assay etc/assay var/lib/assay run/assay -printf '%p %y %m %U:%G %s\n' | sed 's/ d \([0-9]* [0-9:]*\) .*/ d \1/' | sort); }
diff <(listed "$work/container/image") <(listed "$root") || fail "the image is not what the Containerfile makes"
cmp "$work/container/image/usr/bin/assayd" "$root/usr/bin/assayd"

# It runs: an empty ledger, the daemon, its health, a signal.
value() { python3 -c 'import json, sys; value = json.load(open(sys.argv[1]))[sys.argv[2]]; print(value if isinstance(value, str) else "\n".join(value))' "$work/configuration" "$1"; }
user=$(value User)
mapfile -t environment < <(value Env)
mapfile -t entry < <(value Entrypoint)
mapfile -t command < <(value Cmd)
mapfile -t health < <(python3 -c 'import json, sys; print("\n".join(json.load(open(sys.argv[1]))["Healthcheck"]["Test"][1:]))' "$work/configuration")
ip link set lo up 2>/dev/null || true
cat >"$root/etc/assay/assayd.yaml" <<'YAML'
listen:
  - unix: /run/assay/assayd.sock
store:
  path: /var/lib/assay/ledger.db
  key_file: /etc/assay/ledger.key
callers:
  known:
    - {name: health, unix_user: 65532, roles: [observe], apps: all}
apps:
  photos:
    app_attest:
      identities:
        - app_id: TEAMID1234.com.example.photos
YAML
(umask 077 && head -c 32 /dev/urandom >"$root/etc/assay/ledger.key")
chown 65532:65532 "$root/etc/assay/ledger.key"
mkdir -p "$work/volumes/var/lib/assay" "$work/volumes/run/assay"
chown 65532:65532 "$work/volumes/var/lib/assay" "$work/volumes/run/assay"
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
for volume in $(value Volumes); do mount --bind "$work/volumes$volume" "$root$volume"; done
inside() { env -i "${environment[@]}" "$(command -v chroot)" --userspec="$user" "$root" "$@"; }
inside "${entry[@]}" --version | grep -qx "$version"
inside /usr/bin/assay --version | grep -qx "$version"
inside "${entry[@]}" new-ledger --config /etc/assay/assayd.yaml >/dev/null
inside "${entry[@]}" "${command[@]}" 2>"$work/log" &
daemon=$!
for attempt in $(seq 300); do
    if grep -q 'unix:/run/assay/assayd.sock' "$work/log"; then break; fi
    sleep 0.1
done
inside "${health[@]}" >/dev/null || { cat "$work/log" >&2; fail "it is not healthy"; }
kill -TERM "$(pgrep -x assayd | head -n 1)"
wait $daemon || fail "it ends with $?"
# PostgreSQL's library and all that it loads are there: without a server the daemon gets as far as the connection.
umount "$root/proc" && mount -o remount,bind,rw "$root"
sed '/^store:/,/key_file/c\store:\n  postgresql:\n    hosts: ["127.0.0.1:1"]\n    database: assay\n    user: assay\n    writer: one\n  folder: /var/lib/assay\n  key_file: /etc/assay/ledger.key' \
    "$root/etc/assay/assayd.yaml" >"$root/etc/assay/shared.yaml"
mount -o remount,bind,ro "$root" && mount -t proc proc "$root/proc"
inside "${entry[@]}" migrate --config /etc/assay/shared.yaml 2>"$work/log" && fail "there is a server"
grep -q 'no connection to the database' "$work/log" || { cat "$work/log" >&2; fail "PostgreSQL's library is not loaded"; }
inside /bin/sh -c true 2>/dev/null && fail "there is a shell in the image"
for package in libc6 libpq5 libssl3; do [ -s "$root/var/lib/dpkg/status.d/$package" ] || fail "scanners do not see $package"; done
echo "test-image: every digest is right, the files are those of the Containerfile, and it runs on a read-only root as $user"

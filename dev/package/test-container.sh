#!/bin/bash
# Does what deploy/container/Containerfile says in a chroot, and runs the image's programs there as its user, on a root that cannot be
# written. No container engine is needed. The base of the image is the C library of this machine. Needs root.
. "$(dirname "$0")/common.sh"
set -Eo pipefail
trap 'echo "$0: line $LINENO fails" >&2' ERR
[ "$(id -u)" -eq 0 ] || { echo "test-container: needs root"; exit 77; }
name=assay-$version-$(uname -m)-linux
file=deploy/container/Containerfile
fail() { echo "test-container: $1" >&2; exit 1; }

if [ -z "${TEST_CONTAINER_INSIDE:-}" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    chmod 755 "$work"
    TEST_CONTAINER_INSIDE=$work exec_status=0
    export TEST_CONTAINER_INSIDE
    unshare --mount-proc --mount --pid --fork --kill-child "$0" || exec_status=$?
    exit $exec_status
fi
work=$TEST_CONTAINER_INSIDE

# The first stage: ADD unpacks the tarball, RUN moves its parts.
mkdir -p "$work/unpacked" "$work/stage"
grep -q '^ADD ${TARBALL} /unpacked/$' $file
tar -xf "$packages/$name.$archive" -C "$work/unpacked"
run() {
    sed -n "\\|^RUN $1|,/[^\\\\]\$/p" $file | sed -e '1s/^RUN //' -e 's/\\$//' | tr '\n' ' ' \
        | sed -e "s# /image/# $work/image/#g" -e "s# /unpacked/# $work/unpacked/#g" -e "s# /libraries/# $work/libraries/#g" >"$work/commands"
    (cd "$work/stage" && sh -eu "$work/commands")
}
run 'mkdir -p /image/'

# The second: the libraries of the package that the Containerfile installs, here this machine's.
grep -q '^RUN apt-get update && apt-get install --yes --no-install-recommends libpq5$' $file
run 'mkdir -p /libraries/'
ls "$work"/libraries/usr/lib/*/libpq.so.5 "$work"/libraries/usr/lib/*/libssl.so.3 >/dev/null

# The third: COPY onto the base.
grep -q '^COPY --from=unpacked /image/ /$' $file
grep -q '^COPY --from=libraries /libraries/ /$' $file
root=$work/root
mkdir -p "$root/etc/ssl/certs" "$root/proc" "$root/tmp" "$root/lib64"
for program in "$work/image/usr/bin/assayd" "$work/image/usr/bin/assay"; do
    for library in $(ldd "$program" | grep -o '/[^ ]*'); do install -D -m 755 "$library" "$root$library"; done
done
# The rest of the C library, which the base has whole.
for library in $(ldd "$work"/libraries/usr/lib/*/libpq.so.5 | grep -o '/[^ ]*' | grep -E '/(ld-linux|libc|libm|libresolv)[-.]'); do
    install -D -m 755 "$library" "$root$library"
done
printf 'root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' >"$root/etc/passwd"
cp -a "$work/image/." "$root/"
cp -a "$work/libraries/." "$root/"
user=$(sed -n 's/^USER //p' $file)
entry=$(sed -n 's/^ENTRYPOINT \["\(.*\)"\]$/\1/p' $file)
command=$(sed -n 's/^CMD \[\(.*\)\]$/\1/p' $file | tr -d '",')
health=$(sed -n 's/^HEALTHCHECK .* CMD \[\(.*\)\]$/\1/p' $file | tr -d '",')
server=$(sed -n 's/^ENV ASSAY_SERVER=//p' $file)
[ "$user" = 65532:65532 ] && [ -n "$entry" ] && [ -n "$command" ] && [ -n "$health" ] || fail "the Containerfile has another form"

# What is mounted into the container.
mkdir -p "$root/etc/assay/tls"
cp deploy/container/assayd.yaml "$root/etc/assay/assayd.yaml"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj /CN=assay -addext subjectAltName=DNS:assay.example.org \
    -addext extendedKeyUsage=serverAuth -addext basicConstraints=critical,CA:FALSE -keyout "$root/etc/assay/tls/server.key" -out "$root/etc/assay/tls/server.pem" 2>/dev/null
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=callers CA" -addext keyUsage=critical,keyCertSign \
    -keyout "$work/ca.key" -out "$root/etc/assay/tls/callers-ca.pem" 2>/dev/null
chown 65532:65532 "$root/etc/assay/tls/server.key"
(umask 077 && head -c 32 /dev/urandom >"$root/etc/assay/ledger.key")
chown 65532:65532 "$root/etc/assay/ledger.key"
mkdir -p "$work/volumes/ledger" "$work/volumes/run"
chown 65532:65532 "$work/volumes"/*
chmod 700 "$work/volumes/ledger"
sed -i "s/0.0.0.0:7443/127.0.0.1:0/" "$root/etc/assay/assayd.yaml"

mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
mount --bind "$work/volumes/ledger" "$root/var/lib/assay"
mount --bind "$work/volumes/run" "$root/run/assay"
inside() { chroot --userspec="$user" "$root" "$@"; }
wait_for() {
    for attempt in $(seq 300); do
        if grep -q 'unix:/run/assay/assayd.sock' "$work/log"; then return 0; fi
        sleep 0.1
    done
    cat "$work/log" >&2
    fail "the daemon does not listen"
}

# Without an empty ledger that was declared, a new key is refused; then it runs, is healthy, and stops as asked.
if inside $entry $command 2>"$work/log"; then fail "it starts without a ledger"; fi
grep -q 'new-ledger' "$work/log" || fail "the refusal does not say what to do"
inside /usr/bin/assayd new-ledger --config /etc/assay/assayd.yaml >/dev/null
inside $entry $command 2>"$work/log" &
daemon=$!
wait_for
inside /usr/bin/env true 2>/dev/null && fail "there is more in the image than it needs"
env -i "PATH=$PATH" ASSAY_SERVER="$server" chroot --userspec="$user" "$root" $health >/dev/null || fail "it is not healthy"
inside /usr/bin/assayd backup /var/lib/assay/backup.db --config /etc/assay/assayd.yaml >/dev/null
kill -TERM "$(pgrep -x assayd)"
wait $daemon || fail "it ends with $?"
env -i "PATH=$PATH" ASSAY_SERVER="$server" chroot --userspec="$user" "$root" $health >/dev/null 2>&1 && fail "it is healthy without a daemon"

# A ledger in a database: the library loads, and no server listens.
umount "$root/proc"
mount -o remount,bind,rw "$root"
sed -e '/^store:/,/^[a-z]/{/^store:/d;/^ /d}' "$root/etc/assay/assayd.yaml" >"$root/etc/assay/shared.yaml"
printf '\nstore:\n  postgresql:\n    hosts: ["127.0.0.1:1"]\n    database: assay\n    user: assay\n    writer: one\n  folder: /var/lib/assay\n  key_file: /etc/assay/ledger.key\n' \
    >>"$root/etc/assay/shared.yaml"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
inside /usr/bin/assayd migrate --config /etc/assay/shared.yaml 2>"$work/log" && fail "there is a server"
grep -q 'no connection to the database' "$work/log" || { cat "$work/log" >&2; fail "PostgreSQL's library is not loaded"; }

# As in Kubernetes: the key owned by root and readable by the pod's group, as a credential.
umount "$root/proc"
mount -o remount,bind,rw "$root"
mkdir -p "$root/run/credentials/assay"
install -m 440 -g 65532 "$root/etc/assay/ledger.key" "$root/run/credentials/assay/ledger.key"
sed -i "s#/etc/assay/ledger.key#/run/credentials/assay/ledger.key#" "$root/etc/assay/assayd.yaml"
mount -o remount,bind,ro "$root"
mount -t proc proc "$root/proc"
: >"$work/log"
CREDENTIALS_DIRECTORY=/run/credentials/assay chroot --userspec="$user" "$root" $entry $command 2>"$work/log" &
daemon=$!
wait_for
kill -TERM "$(pgrep -x assayd)"
wait $daemon
echo "test-container: the image's steps work, on a read-only root, as user $user"

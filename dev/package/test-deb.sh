#!/bin/bash
# Installs, upgrades, removes and purges the Debian package in a root of its own, with a daemon in it: test-deb.sh. Needs root,
# debootstrap and a mirror of Debian; ROOT names a folder with a Debian that exists already. Nothing is installed on this machine, and no
# init system is started. Exit status 77 if something is missing that the test needs.
. "$(dirname "$0")/common.sh"
. dev/package/debian-root.sh
set -Eo pipefail
trap 'echo "$0: line $LINENO fails" >&2' ERR
[ "$(id -u)" -eq 0 ] || { echo "test-deb: needs root"; exit 77; }
command -v unshare chroot >/dev/null || { echo "test-deb: needs unshare and chroot"; exit 77; }
machine=$(dpkg --print-architecture)
deb() { echo "$packages/assay_$version-${1}_$machine.deb"; }

if [ -z "${TEST_DEB_INSIDE:-}" ]; then
    # `make deb` has made the first. The second is the same with another number, and quickly packed.
    [ -e "$(deb 1)" ] || REVISION=1 dev/package/deb.sh
    REVISION=2 COMPRESSION="-Zgzip -z1" dev/package/deb.sh
    if command -v lintian >/dev/null; then
        # bad-distribution and the like are about uploads to Debian.
        lintian --allow-root --fail-on error --suppress-tags bad-distribution-in-changes-file "$(deb 1)" | tee "$packages/lintian.txt"
        echo "test-deb: lintian has no errors"
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    debian_root "$work/root"
    # Mounts and processes end with the namespaces.
    TEST_DEB_INSIDE=$work exec_status=0
    export TEST_DEB_INSIDE
    unshare --mount-proc --mount --pid --fork --kill-child "$0" || exec_status=$?
    exit $exec_status
fi

root=$TEST_DEB_INSIDE/root
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/run"
cp "$(deb 1)" "$(deb 2)" "$root/tmp/"
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
chmod 755 "$root/usr/sbin/policy-rc.d"
inside() { DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"; }
package() { echo "/tmp/$(basename "$(deb "$1")")"; }

checks=0
# is WHAT EXPECTED ACTUAL
is() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || { echo "test-deb: $1: want \"$2\", have \"$3\"" >&2; exit 1; }
}
mode() { inside stat -c '%U:%G %a' "$1"; }
there() { if [ -e "$root$1" ]; then echo yes; else echo no; fi; }
digest() { sha256sum <"$root$1" | cut -d' ' -f1; }

# Runs the daemon as the unit does, asks it for its status, and stops it.
run_daemon() {
    install -d -m 755 "$root/run/assay" "$root/run/credentials/assayd.service"
    inside chown assay:assay /run/assay
    install -m 440 "$root/etc/assay/ledger.key" "$root/run/credentials/assayd.service/ledger.key"
    inside chgrp assay /run/credentials/assayd.service/ledger.key
    inside runuser -u assay -- env CREDENTIALS_DIRECTORY=/run/credentials/assayd.service \
        assayd run --config /etc/assay/assayd.yaml 2>"$TEST_DEB_INSIDE/daemon.log" &
    for attempt in $(seq 300); do
        if grep -q 'address=' "$TEST_DEB_INSIDE/daemon.log"; then break; fi
        sleep 0.1
    done
    inside runuser -u watcher -- assay --server unix:/run/assay/assayd.sock status >"$TEST_DEB_INSIDE/status.txt" \
        || { cat "$TEST_DEB_INSIDE/daemon.log" >&2; exit 1; }
    inside runuser -u assay -- assayd backup /var/lib/assay/backup.db --config /etc/assay/assayd.yaml >/dev/null
    rm "$root/var/lib/assay/backup.db"
    kill -TERM "$(pgrep -x assayd | head -n 1)"
    wait
    checks=$((checks + 1))
}

# A first installation, as an operator makes it.
inside apt-get update -qq >/dev/null
inside apt-get install -y -qq --no-install-recommends "$(package 1)" >"$TEST_DEB_INSIDE/apt.txt" 2>&1 || { cat "$TEST_DEB_INSIDE/apt.txt"; exit 1; }
is "version" "$version" "$(inside assayd --version)"
is "the key" "root:root 600" "$(mode /etc/assay/ledger.key)"
is "the key's length" 32 "$(stat -c %s "$root/etc/assay/ledger.key")"
is "the configuration" "root:assay 640" "$(mode /etc/assay/assayd.yaml)"
is "the ledger's folder" "assay:assay 700" "$(mode /var/lib/assay)"
is "the plugins' folder" "assay:assay 700" "$(mode /var/lib/assay/plugins)"
is "the ledger" "assay:assay 600" "$(mode /var/lib/assay/ledger.db)"
is "the launcher" "root:root 755" "$(mode /usr/libexec/assay/assay-plugin-launcher)"
is "the unit" yes "$(there /usr/lib/systemd/system/assayd.service)"
is "nothing enabled" no "$(there /etc/systemd/system/multi-user.target.wants/assayd.service)"
is "a shell of the user" /usr/sbin/nologin "$(inside getent passwd assay | cut -d: -f7)"
for page in man1/assay.1.gz man1/assay-verify.1.gz man8/assayd.8.gz man8/assayd-backup.8.gz; do
    is "$page" yes "$([ -e "$root/usr/share/man/$page" ] || grep -q 'share/man' "$root"/etc/dpkg/dpkg.cfg.d/* 2>/dev/null && echo yes || echo no)"
done
is "debsums" "" "$(cd "$root" && md5sum --quiet -c var/lib/dpkg/info/assay.md5sums 2>&1 | grep -v ': OK' || true)"
key=$(digest /etc/assay/ledger.key)

# It runs with the sample configuration, whose monitoring is the user 1002.
inside useradd --uid 1002 --groups assay watcher
found=$(inside assayd check-config --user assay /etc/assay/assayd.yaml)
is "check-config" 0 "$(grep -c 'ledger_\|key_file' <<<"$found" || true)"
run_daemon
grep -q 'store' "$TEST_DEB_INSIDE/status.txt"
records=$(inside assayd audit verify /var/lib/assay/ledger.db | grep head)

# An upgrade keeps the key, the ledger and what the operator changed.
echo "# ours" >>"$root/etc/assay/assayd.yaml"
inside chmod 600 /etc/assay/assayd.yaml
inside chown assay /etc/assay/assayd.yaml
inside dpkg --install "$(package 2)" >/dev/null
is "the version after the upgrade" "$version-2" "$(inside dpkg-query -W -f '${Version}' assay)"
is "the key after the upgrade" "$key" "$(digest /etc/assay/ledger.key)"
is "the operator's change" "# ours" "$(tail -n 1 "$root/etc/assay/assayd.yaml")"
is "the operator's mode" "assay:assay 600" "$(mode /etc/assay/assayd.yaml)"
is "the ledger after the upgrade" "$records" "$(inside assayd audit verify /var/lib/assay/ledger.db | grep head)"
run_daemon

# Removed and installed again: everything is there.
inside dpkg --remove assay >/dev/null
is "the program after the removal" no "$(there /usr/bin/assayd)"
is "the key after the removal" "$key" "$(digest /etc/assay/ledger.key)"
inside dpkg --install "$(package 1)" >/dev/null
is "the key after the next installation" "$key" "$(digest /etc/assay/ledger.key)"
run_daemon

# A ledger without its key gets no other one.
mv "$root/etc/assay/ledger.key" "$root/root/kept.key"
inside dpkg --install "$(package 2)" >/dev/null 2>"$TEST_DEB_INSIDE/missing.txt"
is "a key that is missing" no "$(there /etc/assay/ledger.key)"
grep -q 'ledger.key is missing' "$TEST_DEB_INSIDE/missing.txt"
mv "$root/root/kept.key" "$root/etc/assay/ledger.key"

# A purge without an answer keeps what cannot be made again; one that is told to removes it.
inside dpkg --purge assay >/dev/null 2>"$TEST_DEB_INSIDE/purge.txt"
grep -q 'the ledger and its key stay' "$TEST_DEB_INSIDE/purge.txt"
is "the key after the purge" "$key" "$(digest /etc/assay/ledger.key)"
is "the ledger after the purge" yes "$(there /var/lib/assay/ledger.db)"
is "the configuration after the purge" no "$(there /etc/assay/assayd.yaml)"
inside dpkg --install "$(package 2)" >/dev/null
is "the key of the earlier installation" "$key" "$(digest /etc/assay/ledger.key)"
echo "assay assay/remove_ledger boolean true" | inside debconf-set-selections
inside dpkg --purge assay >/dev/null 2>&1
left=$(cd "$root" && find etc usr var run -path 'var/lib/dpkg' -prune -o -path 'var/cache' -prune -o -path 'var/log' -prune -o -name '*assay*' -print | grep -v '^run/' || true)
is "what a whole purge leaves" "" "$left"
echo "test-deb: installed, upgraded, removed and purged; $checks checks"

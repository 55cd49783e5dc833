#!/bin/bash
# Measures how long the tarball takes from its arrival to the first verdict: test-first-verdict.sh. In a Debian of its own (debian-root.sh)
# with nothing but what is essential and xz, no compiler and no network, as a user who is not root, by the three commands of the
# tarball's README: unpack, `assayd dev`, and a line that this prints. Then what else a user does with an installed package alone: a new
# plugin.
# Needs root. Exit status 77 if something is missing that the test needs.
. "$(dirname "$0")/common.sh"
. dev/package/debian-root.sh
set -Eo pipefail
trap 'echo "$0: line $LINENO fails" >&2' ERR
fail() { echo "test-first-verdict: $1" >&2; exit 1; }
[ "$(id -u)" -eq 0 ] || { echo "test-first-verdict: needs root"; exit 77; }
name=assay-$version-$(uname -m)-linux
limit=60

if [ -z "${TEST_VERDICT_INSIDE:-}" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    debian_root "$work/root"
    TEST_VERDICT_INSIDE=$work exec_status=0
    export TEST_VERDICT_INSIDE
    # Mounts and processes end with the namespaces.
    unshare --mount-proc --mount --pid --net --fork --kill-child "$0" || exec_status=$?
    exit $exec_status
fi
work=$TEST_VERDICT_INSIDE root=$TEST_VERDICT_INSIDE/root
ip link set lo up
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
for tool in cc gcc clang swift make python3 curl; do
    if chroot "$root" sh -c "command -v $tool" >/dev/null; then fail "there is $tool in the clean Debian"; fi
done
chroot "$root" useradd --create-home --shell /bin/sh newcomer
cp "$packages/$name.$archive" "$root/home/newcomer/"
as_newcomer() { chroot --userspec=newcomer "$root" env -i HOME=/home/newcomer PATH=/usr/bin:/bin sh -c "cd ~ && $1"; }

# The commands of the tarball's README.
mapfile -t commands < <(tar -xOf "$packages/$name.$archive" "$name/README.md" | sed -n '/^```sh$/,/^```$/{/^```/!p}')

begin=$(date +%s.%N)
# 1
as_newcomer "${commands[0]}"
# 2, which stays
as_newcomer "exec ${commands[1]}" >"$work/dev.txt" 2>"$work/dev.log" &
daemon=$!
for attempt in $(seq 600); do
    # The last of the three lines, whose program is in the tarball.
    line=$(sed -n 's/^ *\(\/.*assay verify --app .*\)$/\1/p' "$work/dev.txt")
    if [ -n "$line" ]; then break; fi
    kill -0 $daemon 2>/dev/null || { cat "$work/dev.txt" "$work/dev.log" >&2; fail "assayd dev has ended"; }
    sleep 0.05
done
[ -n "$line" ] || { cat "$work/dev.txt" "$work/dev.log" >&2; fail "assayd dev does not print what can be pasted"; }
# 3
as_newcomer "$line" >"$work/verdict.txt" || { cat "$work/verdict.txt" >&2; fail "the line that is printed does not end with a verdict that accepts"; }
end=$(date +%s.%N)
head -n 1 "$work/verdict.txt" | grep -qi accepted || { cat "$work/verdict.txt" >&2; fail "the verdict does not accept"; }
# The other line that needs no curl: a device registers, uploads, and is attacked.
session=$(sed -n 's/^ *\(\/.*assay simulate android session .*\)$/\1/p' "$work/dev.txt")
as_newcomer "$session" >"$work/session.txt" || { cat "$work/session.txt" >&2; fail "the session of the Android device fails"; }
kill -TERM "$(pgrep -x assayd | head -n 1)"
wait $daemon || fail "assayd dev ends with $?"
[ -z "$(ls -A "$root/tmp")" ] || fail "assayd dev leaves $(ls -A "$root/tmp")"

# What the package says of itself needs nothing else.
for language in c python swift; do
    as_newcomer "$name/bin/assay plugin new --language $language kiosk-$language" >"$work/plugin.txt" 2>&1 \
        || { cat "$work/plugin.txt" >&2; fail "assay plugin new finds no templates for $language"; }
    [ -s "$root/home/newcomer/kiosk-$language/assay/proto/assay/plugin/v1/plugin.proto" ] || fail "the plugin in $language has no proto"
    [ -s "$root/home/newcomer/kiosk-$language/assay/docs/reference/reason-codes.md" ] || fail "the plugin in $language has no reason codes"
done
seconds=$(awk "BEGIN { printf \"%.1f\", $end - $begin }")
awk "BEGIN { exit !($seconds <= $limit) }" || fail "from the tarball to the first verdict: $seconds s, more than $limit"
echo "test-first-verdict: $seconds s and 3 commands from the tarball to the first verdict, in a clean $(. "$root/etc/os-release" && echo "$PRETTY_NAME") without compiler and network"

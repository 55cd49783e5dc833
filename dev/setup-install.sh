#!/bin/sh
# Installs packages by apt-get, and starts and enables no service that comes with them: dev/setup-install.sh PACKAGE… (dev/setup.sh runs it, as root)
#
# Three things are there while apt-get runs, and none of them when this ends, however it ends: a policy-rc.d, by which Debian's packages ask
# whether they may start a service, unless there is one; a file that lets PostgreSQL make no cluster; a log. Units of systemd that have become
# enabled are disabled. What a killed run has left, the next one takes away.
# ASSAY_SETUP_ROOT is another folder for /, for the test.
set -eu
root=${ASSAY_SETUP_ROOT:-}
policy=$root/usr/sbin/policy-rc.d
clusters=$root/etc/postgresql-common/createcluster.d/assay-setup.conf
mark="Made by Assay's dev/setup-install.sh, and gone when it ends: process"

log=$(mktemp)
draft=""
folders=""
# The process that made the policy, if this script did.
maker() { [ ! -e "$policy" ] || sed -n "s|^# $mark \([0-9]*\)\$|\1|p" "$policy"; }
# shellcheck disable=SC2317 # called by traps
tidy() {
    status=$?
    trap - EXIT
    [ -z "$draft" ] || rm -f "$draft"
    [ "$(maker)" != $$ ] || rm -f "$policy"
    if [ -n "$folders" ]; then
        rm -f "$clusters"
        # shellcheck disable=SC2086 # the first is "-" and no folder
        rmdir ${folders#-} 2>/dev/null || true
    fi
    rm -f "$log"
    exit "$status"
}
# A shell acts on a signal when its child has ended: the policy stays as long as apt-get runs.
trap tidy EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Services that are here already may be started again: an update of a library asks for that.
services() {
    for folder in etc/init.d etc/systemd/system lib/systemd/system usr/lib/systemd/system; do
        ls "$root/$folder" 2>/dev/null || true
    done | sed -n 's/\.service$//; /^[A-Za-z0-9@._:-]*$/p' | sort -u | tr '\n' ' '
}

hold_services() {
    draft=$(mktemp "$policy.XXXXXX")
    cat >"$draft" <<POLICY
#!/bin/sh
# $mark $$
[ "\${1:-}" != --quiet ] || shift
service=\${1%.service}
case " $(services)" in *" \$service "*) exit 0 ;; esac
exit 101
POLICY
    chmod 755 "$draft"
    if [ -n "$(maker)" ]; then
        # Left by a killed run, whose apt-get may go on: at no moment without a policy.
        mv -f "$draft" "$policy"
    else
        # A link is made only where nothing is. The machine's own policy stays, and decides.
        ln "$draft" "$policy" 2>/dev/null || [ -e "$policy" ] || { echo "setup: cannot write $policy" >&2; exit 1; }
    fi
    rm -f "$draft"
    draft=""
}

# The file is read when a server is installed for the first time. Only folders that were not there are taken away.
hold_clusters() {
    [ ! -e "$clusters" ] || folders=-
    case " $* " in *" postgresql"*) ;; *) return 0 ;; esac
    folder=$(dirname "$clusters")
    folders=-
    for each in "$folder" "$(dirname "$folder")"; do
        [ -d "$each" ] || folders="$folders $each"
    done
    mkdir -p "$folder"
    echo "create_main_cluster = false" >"$clusters"
}

enabled() {
    [ -d "$root/run/systemd/system" ] && command -v systemctl >/dev/null || return 0
    systemctl list-unit-files --state=enabled --no-legend --no-pager 2>/dev/null | awk '{ print $1 }' | sort
}

# What these start may go on after this has ended, and must not keep the lock.
export DEBIAN_FRONTEND=noninteractive
fetch() { apt-get "$@" -qq >"$log" 2>&1 9<&-; }
install() { fetch install -y --no-install-recommends -o DPkg::Lock::Timeout=120 "$@"; }

# Two runs take turns: the folder of the policy is locked until this one ends, which leaves no file behind.
if [ -d "$root/usr/sbin" ]; then
    exec 9<"$root/usr/sbin"
    flock 9
    hold_services
fi
before=$(enabled)
hold_clusters "$@"
# The package lists of a fresh container are empty or old: fetch them only when the first attempt fails.
status=0
install "$@" || { fetch update && install "$@"; } || status=1
for unit in $(enabled); do
    case " $(echo "$before" | tr '\n' ' ')" in
        *" $unit "*) ;;
        *) systemctl disable --quiet --now "$unit" >>"$log" 2>&1 9<&- || echo "setup: $unit is enabled, and could not be disabled" >&2 ;;
    esac
done
[ "$status" -eq 0 ] || { tail -n 20 "$log" >&2; echo "setup: apt-get did not succeed (its last words are above)" >&2; }
exit "$status"

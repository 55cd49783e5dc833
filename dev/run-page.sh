#!/usr/bin/env bash
# Runs the code blocks of a page of the documentation, as they stand, one after the other in one shell in a temporary folder:
#
#     dev/run-page.sh docs/operate/callers.md [FOLDER]        with assayd and assay of FOLDER, by default .build/debug
#
# A comment in the line before a block says what is to become of it; readers do not see it:
#
#     <!-- run -->                     every command has to succeed
#     <!-- run: status N -->           the last command has to end with N
#     <!-- output -->                  what the block before it printed: … stands for anything in a line, on a line of its own for any lines
#     <!-- run: refused -->            every command has to fail: with the status, and saying the word, that its comment begins with
#     <!-- run: file NAME -->          the block is written into a file
#     <!-- run: until it listens -->   the last command is the daemon, which stays
#     <!-- run: the log says WORDS --> the commands are run, and the daemon's log has to have the words then
#     <!-- not run: REASON -->
#
# RELEASE names an unpacked release: its pages, whose commands begin with its folder, are run in a folder that has it.
#
# A page with the line <!-- continues NAME.md --> goes on where the page of that name, in its folder, ends: that one is run first.
#
# A block of shell or YAML without one is an error. What a page does to the machine stays below the temporary folder: its places are moved
# there, its ports are exchanged for free ones, and systemctl, sudo, useradd and pidof are played by functions below.
# Exit status: 0 all is as the page says; 1 something is not; 77 a program is missing that the page needs.
set -Eeuo pipefail
# A parent that takes signals in threads of its own starts its children with all signals blocked, and a program that a page ends with
# `kill` would stay.
if [ -z "${RUN_PAGE_SIGNALS:-}" ]; then
    RUN_PAGE_SIGNALS=unblocked exec python3 -c '
import os, signal, sys
signal.pthread_sigmask(signal.SIG_SETMASK, [])
os.execvp("bash", ["bash"] + sys.argv[1:])' "$0" "$@"
fi
# A make that runs this tells the makes of a page how to print.
unset MAKEFLAGS MFLAGS MAKELEVEL
repository=$(cd "$(dirname "$0")/.." && pwd)
page=$1
# The page, and before it those that it continues.
pages=("$page")
while before=$(sed -n 's/^<!-- continues \(.*\) -->$/\1/p' "${pages[0]}") && [ -n "$before" ]; do
    pages=("$(dirname "$page")/$before" "${pages[@]}")
done
bin=$(cd "${2:-$repository/.build/debug}" && pwd)
for program in assayd assay; do
    [ -x "$bin/$program" ] || { echo "there is no $program in $bin" >&2; exit 1; }
done
# Debian has servers there.
PATH=$PATH:/usr/sbin
for program in openssl sqlite3 softhsm2-util nginx curl node java; do
    case $program in
        nginx | curl | node | java) call="^$program " ;;
        *) call=$program ;;
    esac
    if grep -q "$call" "${pages[@]}" && ! command -v "$program" >/dev/null; then
        echo "there is no $program here: $page is not run"
        exit 77
    fi
done
# Plugins need their launcher, and a kernel that can enforce their sandbox.
launcher=$repository/.build/plugins/assay-plugin-launcher
[ -z "${RELEASE:-}" ] || launcher=$RELEASE/libexec/assay/assay-plugin-launcher
if grep -q "^make build plugins" "${pages[@]}" || { [ -n "${RELEASE:-}" ] && grep -q "assay plugin pin" "${pages[@]}"; }; then
    support=$("$launcher" --print-support 2>/dev/null) || true
    case $support in
        *"=landlock "[1-9]*"=seccomp allow-list"*) ;;
        *)
            echo "plugins are not built (make plugins), or their sandbox cannot be enforced here: $page is not run"
            exit 77
            ;;
    esac
fi
# The client in Python needs protobuf, which Debian's own Python has; a page about tokens needs a library for them.
python=$(command -v python3)
if grep -q "^python3 " "${pages[@]}"; then
    module=google.protobuf.internal.builder
    ! grep -q "^from joserfc" "${pages[@]}" || module=joserfc
    for python in "$python" /usr/bin/python3; do
        if "$python" -c "import $module" 2>/dev/null; then break; fi
        python=
    done
    [ -n "$python" ] || { echo "no python3 here has $module: $page is not run"; exit 77; }
fi

root=$(mktemp -d)
# Where root runs this, plugins have another user, who has to reach private copies below it.
chmod 711 "$root"
blocks=$(mktemp -d)
place=$page
daemon=
log=$root/daemon.log
output=$root/output
finish() {
    status=$?
    trap - EXIT
    if [ -n "$daemon" ]; then kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true; fi
    # What a page leaves in the background would keep the caller's files open.
    for job in $(jobs -p); do kill "$job" 2>/dev/null && wait "$job" 2>/dev/null || true; done
    if [ "$status" -ne 0 ]; then
        echo "$place: this is not as the page says (status $status)" >&2
        if [ -s "$output" ]; then sed 's/^/  printed: /' "$output" >&2; fi
        if [ -s "$log" ]; then sed 's/^/  the daemon: /' "$log" >&2; fi
    fi
    rm -rf "$root" "$blocks"
    [ "$status" -eq 0 ] || exit 1
}
trap finish EXIT

# No other test gets them while a process of this page has the other end of what claims them.
exec {ports}< <(exec python3 -B "$repository/dev/free_ports.py" 3)
read -r port web tls <&"$ports"

# Each block becomes a file PAGE-LINE.sh, and its mark PAGE-LINE.mark.
awk -v blocks="$blocks" '
    FNR == 1 { number++; inside = 0; mark = "" }
    !inside && /^ *```/ {
        inside = 1; indent = match($0, /`/) - 1; language = substr($0, indent + 4); first = FNR + 1
        name = sprintf("%s/%02d-%05d", blocks, number, first)
        if (mark != "") print mark > (name ".mark")
        else if (language ~ /^(sh|yaml)$/) { print FILENAME ":" FNR ": a block without a mark" > "/dev/stderr"; bad = 1 }
        kept = mark != "" && mark !~ /^not run/
        if (kept) printf "" > (name ".sh")
        next
    }
    inside && /^ *```$/ { inside = 0; mark = ""; next }
    inside { if (kept) print substr($0, indent + 1) > (name ".sh"); next }
    { mark = "" }
    /^ *<!-- ((not )?run.*|output) -->$/ { mark = $0; sub(/^ *<!-- /, "", mark); sub(/ -->$/, "", mark) }
    END { exit bad }' "${pages[@]}"
# Plugins read the system's cache of libraries.
sed -i -e "s#/\(etc\|usr/bin\|usr/share\|var/lib\|run\)/#$root/\1/#g" -e "s/7443/@framed@/g; s/8080/@web@/g; s/8443/@tls@/g" \
    -e "s/@framed@/$port/g; s/@web@/$web/g; s/@tls@/$tls/g" \
    -e "s#$root/etc/ld.so.cache#/etc/ld.so.cache#g" "$blocks"/*.sh

# MARK: What stands in for the machine

export PATH="$root/usr/bin:$bin:$PATH" TMPDIR=$root PYTHONDONTWRITEBYTECODE=1
mkdir -p "$root/etc" "$root/usr/bin" "$root/var/lib" "$root/run" "$root/page"
cd "$root/page"
# A program, and no function: in the background a function would be a shell that stays when its program is killed.
printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >"$root/usr/bin/python3"
# Builds by the page's commands, with all that they link and check, without optimisation and information for debuggers: most of the time of a
# page in Swift would be the optimisation of swift-protobuf.
if swift=$(command -v swift); then
    cat >"$root/usr/bin/swift" <<SWIFT
#!/bin/sh
[ "\${1:-}" != build ] || { shift; set -- build -Xswiftc -Onone -debug-info-format none "\$@"; }
exec "$swift" "\$@"
SWIFT
    chmod +x "$root/usr/bin/swift"
fi
chmod +x "$root/usr/bin/python3"
if [ -n "${RELEASE:-}" ]; then ln -s "$RELEASE" .; else ln -s "$repository/deploy" "$repository/docs" "$repository/examples" .; fi

make() {
    case ${1:-} in
        build) mkdir -p .build/release && cp "$bin/assayd" "$bin/assay" .build/release/ ;;
        dev) exec "$bin/assayd" dev ;;
        *) command make "$@"; return ;;
    esac
    case " $* " in
        *" plugins "*)
            mkdir -p .build/plugins && cp "$repository/.build/plugins/assay-plugin-launcher" .build/plugins/
            ln -s "$repository/plugins" . ;;
    esac
}
useradd() { :; }
usermod() { :; }
sudo() { [ "$1" = -u ] && shift 2; settle; "$@"; }
pidof() { echo "$daemon"; }

# Moves the places that the installed configuration names, and lets the one who runs this page observe.
settle() {
    local configuration=$root/etc/assay/assayd.yaml
    [ -e "$configuration" ] || return 0
    sed -i -e "s# /\(var/lib\|run\)/# $root/\1/#" -e "s/unix_user: 1002/unix_user: $(id -u)/" "$configuration"
}

# Without the groups that useradd would have made.
install() {
    local arguments=()
    while [ $# -gt 0 ]; do
        case $1 in
            -g | -o) shift ;;
            *) arguments+=("$1") ;;
        esac
        shift
    done
    # The name of a file or, with a slash at its end, of a folder.
    mkdir -p "$(dirname "${arguments[-1]}x")"
    command install "${arguments[@]}"
}

# What systemd does with the unit that the page installed.
systemctl() {
    local unit=$root/etc/systemd/system/assayd.service
    case $1 in
        daemon-reload) grep -q '^ExecStart=' "$unit" ;;
        enable | start)
            mkdir -p "$root/var/lib/assay" "$root/run/assay" "$root/run/credentials/assayd.service"
            cp "$root/etc/assay/ledger.key" "$root/run/credentials/assayd.service/"
            settle
            local command
            command=$(sed -n "s#^ExecStart=##p" "$unit" | sed "s# \?/\(usr/bin\|etc\)/# $root/\1/#g")
            listen env CREDENTIALS_DIRECTORY="$root/run/credentials/assayd.service" $command
            ;;
        stop)
            kill "$daemon"
            wait "$daemon"
            daemon=
            ;;
        reload) kill -HUP "$daemon" ;;
        status) [ -n "$daemon" ] && kill -0 "$daemon" ;;
        *) return 64 ;;
    esac
}

# MARK: What is done with blocks

# Runs a daemon that stays, and waits until it says where it listens.
listen() {
    : >"$log"
    "$@" >/dev/null 2>"$log" &
    daemon=$!
    says "address="
}

# Waits until the daemon's log has the words.
says() {
    local attempt
    for attempt in $(seq 600); do
        if grep -q -e "$1" "$log"; then return 0; fi
        if ! kill -0 "$daemon"; then return 1; fi
        sleep 0.05
    done
    return 1
}

# Every command of a block has to fail, as its comment says.
refused() {
    local line command comment status output expected word
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        command=${line%% # *}
        comment=${line##* # }
        expected=${comment%% *}
        word=${comment#* }
        word=${word%%:*}
        status=0
        output=$(eval "$command" </dev/null 2>&1) || status=$?
        if [ "$status" != "$expected" ] || ! grep -q -e "$word" <<<"$output"; then
            echo "$command: want status $expected and $word, have $status and: $output" >&2
            return 1
        fi
        echo "  refused: $command"
    done <"$1"
}

# What the last block printed has to be what the page shows.
printed() {
    python3 - "$1" "$output" <<'PYTHON'
import re, sys
shown, printed = (open(path, encoding="utf-8").read() for path in sys.argv[1:])
lines = ["(?:.*\n)*" if line == "…" else re.escape(line).replace("…", ".*") + "\n" for line in shown.splitlines()]
sys.exit(0 if re.fullmatch("".join(lines), printed) else 1)
PYTHON
}

count=0
for mark in "$blocks"/*.mark; do
    block=${mark%.mark}.sh
    kind=$(cat "$mark")
    name=$(basename "$mark" .mark)
    place=${pages[10#${name%-*} - 1]}:$((10#${name#*-}))
    case $kind in
        run) . "$block" </dev/null >"$output" 2>&1 ;;
        "run: status "*)
            status=0
            . "$block" </dev/null >"$output" 2>&1 || status=$?
            [ "$status" = "${kind#run: status }" ]
            ;;
        output) printed "$block" ;;
        "run: refused") refused "$block" ;;
        "run: file "*) cp "$block" "${kind#run: file }" ;;
        "run: until it listens")
            sed '$d' "$block" >"$block.first"
            . "$block.first" </dev/null
            listen $(tail -n 1 "$block" | sed 's/ # .*//')
            ;;
        "run: the log says "*)
            . "$block" || true
            says "${kind#run: the log says }"
            ;;
        "not run: "*) continue ;;
        *)
            echo "$place: unknown mark \"$kind\"" >&2
            exit 1
            ;;
    esac
    count=$((count + 1))
    echo "$place: good"
done
if [ -n "$daemon" ]; then
    place="$page, at the end"
    kill "$daemon"
    wait "$daemon"
    daemon=
fi
echo "$page: $count blocks are as they say"

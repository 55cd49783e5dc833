#!/bin/sh
# Installs what a bare Debian or Ubuntu with Swift lacks, for the groups that are named (default: build). Says what and why before it does;
# quiet and quick when nothing is missing.
#
#     dev/setup.sh [build] [plugins] [tests] [protos]        SETUP=no: only says what is missing
#
# A service that comes with a package is neither started nor enabled, and PostgreSQL makes no cluster: the tests start servers of their own.
# What holds that off is taken away again when apt-get has ended, also after a failure or an interrupt (dev/setup-install.sh).
set -eu
cd "$(dirname "$0")/.."

# GROUP|PACKAGE|WHAT FOR. libpq and modules of PKCS#11 are loaded by running daemons that need them, so that a build needs neither.
table() {
    cat <<'TABLE'
build|git|SwiftPM fetches sources with it
build|make|runs the targets of the Makefile
build|pkg-config|finds libraries
build|libsqlite3-dev|ledgers on SQLite
build|zlib1g-dev|compressed requests and status lists
plugins|make|builds plugins
plugins|gcc|the launcher of plugins, and plugins in C
plugins|libc6-dev|the launcher of plugins, and plugins in C
plugins|pkg-config|finds libraries
plugins|libseccomp-dev|the launcher's filter of system calls
plugins|libprotobuf-c-dev|the SDK for C
plugins|libssl-dev|plugins that verify signatures
plugins|libsodium-dev|the plugin that opens sealed payloads
plugins|zlib1g-dev|the plugin that reads depth maps
plugins|python3|plugins in Python
plugins|python3-protobuf|plugins in Python
tests|libssl-dev|the plugins in Swift, which the tests compile
tests|libjemalloc2|the compilers allocate with it, and are done sooner
tests|libpq5|ledgers on PostgreSQL
tests|postgresql|ledgers on PostgreSQL
tests|pgbouncer|ledgers on PostgreSQL behind a pooler
tests|haproxy|daemons behind a load balancer
tests|nginx-light|daemons behind a proxy
tests|curl|the interface over HTTP
tests|iproute2|networks that fail
tests|softhsm2|keys in tokens, by PKCS#11
tests|prometheus|metrics and alerts
tests|python3|clients and plugins in Python
tests|python3-protobuf|clients and plugins in Python
tests|python3-yaml|alerts and manifests
tests|python3-cryptography|evidence made by another library
tests|protobuf-compiler|whether generated code is fresh
tests|protobuf-c-compiler|whether generated C is fresh
protos|protobuf-compiler|generates code from proto/
protos|python3|describes the interface
protos|python3-protobuf|describes the interface
TABLE
}

groups=""
for argument in "$@"; do
    case $argument in
        build | plugins | tests | protos) groups="$groups $argument" ;;
        *) echo "usage: dev/setup.sh [build] [plugins] [tests] [protos]" >&2; exit 2 ;;
    esac
done
groups="${groups:- build} "
has_group() { case $groups in *" $1 "*) ;; *) return 1 ;; esac }

if has_group build && ! command -v swift >/dev/null; then
    echo "setup: there is no swift on the PATH; Assay needs Swift 6.3 or later, see https://www.swift.org/install" >&2
    exit 1
fi

if ! command -v dpkg-query >/dev/null; then
    # Not a Debian: nothing is installed, only looked for.
    missing=""
    need() { command -v "$1" >/dev/null || missing="$missing $1"; }
    library() { pkg-config --exists "$1" 2>/dev/null || missing="$missing $2"; }
    need make
    need pkg-config
    if has_group build; then
        need git
        library sqlite3 sqlite3-development-files
    fi
    if has_group plugins; then
        command -v cc >/dev/null || missing="$missing a-C-compiler"
        library libseccomp libseccomp-development-files
        library libprotobuf-c protobuf-c-development-files
        library libcrypto openssl-development-files
        library libsodium libsodium-development-files
    fi
    if has_group tests || has_group protos; then
        need python3
        need protoc
    fi
    [ -n "$missing" ] || exit 0
    [ "${SETUP:-}" != no ] || { echo "setup: missing, and left so (SETUP=no):$missing"; exit 0; }
    echo "setup: this system has no dpkg, so please install by hand:$missing" >&2
    exit 1
fi

wanted=$(table | while IFS='|' read -r group package _; do ! has_group "$group" || echo "$package"; done | sort -u)
# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted pkgconf 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ')
case " $installed " in *" pkgconf "*) installed="$installed pkg-config" ;; esac
missing=""
for package in $wanted; do
    case " $installed " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done
[ -n "$missing" ] || exit 0
[ "${SETUP:-}" != no ] || { echo "setup: missing, and left so (SETUP=no):$missing"; exit 0; }

# What is missing, in the first named group that wants it.
said=" "
for group in $groups; do
    title=""
    while IFS='|' read -r of package what; do
        [ "$of" = "$group" ] || continue
        case "$missing " in *" $package "*) ;; *) continue ;; esac
        case "$said" in *" $package "*) continue ;; esac
        if [ -z "$title" ]; then
            case $group in
                build) title="the build of the programs needs" ;;
                plugins) title="plugins need" ;;
                tests) title="the tests, which alone start these programs, need" ;;
                protos) title="generated code needs" ;;
            esac
            echo "setup: $title what this machine lacks:"
        fi
        printf '  %-21s %s\n' "$package" "$what"
        said="$said$package "
    done <<TABLE
$(table)
TABLE
done

fail() {
    echo "setup: $1" >&2
    echo "setup: these packages are missing:$missing" >&2
    exit 1
}
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || fail "installing needs root, and there is no sudo"
    as_root="sudo"
fi
command -v apt-get >/dev/null || fail "there is no apt-get"
echo "setup: they are installed by apt-get now"
# shellcheck disable=SC2086
$as_root dev/setup-install.sh $missing || fail "the packages were not installed"

#!/bin/sh
# Installs what a bare Debian or Ubuntu with Swift lacks for building and testing Assay. Quiet and quick when nothing is
# missing; `--proto` adds what `make proto` needs.
set -eu

# SwiftPM fetches with git; AssaySQLite links SQLite and AssayHTTP zlib, found by pkg-config; AssayPostgres loads libpq, and its tests start a
# PostgreSQL server of their own; the Python example speaks protobuf; tests of PKCS#11 use
# SoftHSM, and a page of the documentation uses nginx and curl; prometheus and PyYAML test metrics and alerts; all are skipped without
# them. The launcher of plugins is C over libseccomp; plugins in C (plugins/sdk/c) link libprotobuf-c, libcrypto and libsodium, those in Swift libcrypto, and their tests run protoc.
wanted="git make pkg-config libsqlite3-dev zlib1g-dev libpq5 postgresql python3 python3-protobuf python3-yaml python3-cryptography softhsm2 nginx-light haproxy pgbouncer iproute2 curl
prometheus gcc libc6-dev libseccomp-dev protobuf-compiler protobuf-c-compiler libprotobuf-c-dev libssl-dev libsodium-dev"
for argument in "$@"; do
    case $argument in
        --proto) wanted="$wanted protobuf-compiler" ;;
        *) echo "usage: dev/setup.sh [--proto]" >&2; exit 2 ;;
    esac
done

if ! command -v swift >/dev/null; then
    echo "setup: there is no swift on the PATH; Assay needs Swift 6.3 or later, see https://www.swift.org/install" >&2
    exit 1
fi

if ! command -v dpkg-query >/dev/null; then
    # Not a Debian: nothing is installed, only looked for.
    missing=""
    for tool in git make pkg-config python3; do command -v "$tool" >/dev/null || missing="$missing $tool"; done
    pkg-config --exists sqlite3 2>/dev/null || missing="$missing sqlite3-development-files"
    case " $wanted " in *" protobuf-compiler "*) command -v protoc >/dev/null || missing="$missing protoc" ;; esac
    [ -z "$missing" ] && exit 0
    echo "setup: this system has no dpkg, so please install by hand:$missing" >&2
    exit 1
fi

# shellcheck disable=SC2086
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' $wanted pkgconf 2>/dev/null | sed -n 's/^installed //p' | tr '\n' ' ')
case " $installed " in *" pkgconf "*) installed="$installed pkg-config" ;; esac
missing=""
for package in $wanted; do
    case " $installed " in *" $package "*) ;; *) missing="$missing $package" ;; esac
done
[ -z "$missing" ] && exit 0

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

echo "setup: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() {
    # shellcheck disable=SC2086
    $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends -o DPkg::Lock::Timeout=120 $missing >"$log" 2>&1
}
# The package lists of a fresh container are empty or old: fetch them only when the first attempt fails.
if ! install; then
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq >"$log" 2>&1 && install || {
        tail -n 20 "$log" >&2
        fail "apt-get did not succeed (its last words are above)"
    }
fi
# Debian starts the services of these packages where systemd runs. The tests start their own, and need none.
for service in nginx haproxy pgbouncer prometheus postgresql; do
    case " $missing " in
        *" $service"*)
            [ -d /run/systemd/system ] || continue
            echo "setup: Debian has started the service of $service, which Assay does not need: sudo systemctl disable --now $service"
            ;;
    esac
done

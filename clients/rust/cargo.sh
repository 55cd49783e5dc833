#!/bin/sh
# Runs cargo where crates.io is not reachable: the crates of the feature "tls" are those of Debian's packages, from
# /usr/share/cargo/registry if they are installed there, or fetched into ./.build-crates. Nothing is installed. With ASSAY_CRATES=crates.io, and where
# there is no apt-get, this is cargo as usual.
#
#   ./cargo.sh test --features tls
set -eu
folder=$(cd "$(dirname "$0")" && pwd)

packages="librust-autocfg-dev librust-bitflags-dev librust-cc-dev librust-cfg-if-dev librust-foreign-types-0.3-dev
librust-foreign-types-shared-0.1-dev librust-libc-dev librust-once-cell-dev librust-openssl-dev librust-openssl-macros-dev
librust-openssl-sys-dev librust-pkg-config-dev librust-proc-macro2-dev librust-quote-dev librust-syn-dev librust-unicode-ident-dev
librust-vcpkg-dev"

has_crates() {
    ls -d "$1"/openssl-0.10.* >/dev/null 2>&1
}

if [ "${ASSAY_CRATES:-}" = crates.io ]; then exec cargo "$@"; fi
registry=/usr/share/cargo/registry
if ! has_crates "$registry"; then
    registry=$folder/.build-crates/usr/share/cargo/registry
    if ! has_crates "$registry"; then
        command -v apt-get >/dev/null || exec cargo "$@"
        rm -rf "$folder/.build-crates" && mkdir "$folder/.build-crates" && cd "$folder/.build-crates"
        # Word splitting is meant: these are names of packages.
        apt-get download $packages >&2
        for package in *.deb; do dpkg-deb -x "$package" . && rm "$package"; done
        cd - >/dev/null
    fi
fi
exec cargo --offline --config 'source.crates-io.replace-with="debian"' --config "source.debian.directory=\"$registry\"" "$@"

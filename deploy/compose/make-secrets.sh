#!/bin/sh
# Makes the certificates, passwords and keys of compose.yaml that are missing, and leaves those that are there:
#
#     sudo sh make-secrets.sh [FOLDER]        by default `secrets` beside this script
#
# FOLDER/assay, /postgres and /balancer are for the containers, whose users own them; FOLDER/caller is a caller's certificate; FOLDER/ca has
# the keys of the CAs: keep it elsewhere. Without root the owners are not set, which suffices for secrets of Kubernetes.
# To replace a certificate remove it and its key, run this again, and restart what uses it. Needs openssl 1.1.1 or later.
set -eu
umask 077

# The name that callers connect to, further names, and those of the database's servers in compose.yaml and in Kubernetes.
names=${ASSAY_NAMES:-assay.example.org localhost}
database=${DATABASE_NAMES:-postgres-0 postgres-1 postgres-0.postgres postgres-1.postgres}
caller=${CALLER_URI:-spiffe://example.org/uploads}

folder=${1:-$(dirname "$0")/secrets}
mkdir -p "$folder/ca" "$folder/assay" "$folder/postgres" "$folder/balancer" "$folder/caller"
cd "$folder"

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1"; }

# authority NAME: ca/NAME.pem and its key
authority() {
    [ ! -e "ca/$1.pem" ] || return 0
    key "ca/$1.key"
    openssl req -x509 -new -key "ca/$1.key" -sha256 -days 3650 -subj "/CN=Assay $1 CA" \
        -addext "keyUsage=critical,keyCertSign,cRLSign" -out "ca/$1.pem"
}

# issue CA FILE USAGE NAMES
issue() {
    [ ! -e "$2.pem" ] || return 0
    key "$2.key"
    printf '%s\n' "basicConstraints=critical,CA:FALSE" "keyUsage=critical,digitalSignature" "extendedKeyUsage=$3" \
        "subjectAltName=$4" >ca/extensions
    openssl req -new -key "$2.key" -subj "/CN=$(basename "$2")" -out ca/request
    openssl x509 -req -in ca/request -CA "ca/$1.pem" -CAkey "ca/$1.key" -set_serial "0x$(openssl rand -hex 16)" -sha256 -days 365 \
        -extfile ca/extensions -out "$2.pem" 2>/dev/null
    rm ca/extensions ca/request
}

dns() {
    list=
    for name in "$@"; do
        case $name in
            *[!0-9.]*) list=${list:+$list,}DNS:$name ;;
            *) list=${list:+$list,}IP:$name ;;
        esac
    done
    echo "$list"
}

# password FILE: without a newline
password() {
    [ -e "$1" ] || printf %s "$(openssl rand -hex 24)" >"$1"
}

authority database
authority daemons
authority callers
# shellcheck disable=SC2086
issue database postgres/server serverAuth "$(dns $database)"
# shellcheck disable=SC2086
issue daemons assay/server serverAuth "$(dns $names)"
issue callers caller/uploads clientAuth "URI:$caller"
password postgres/daemon-password
password postgres/replication-password
# One for all daemons.
[ -e assay/ledger.key ] || openssl rand -out assay/ledger.key 32

cp postgres/daemon-password assay/database-password
cp ca/database.pem postgres/ca.pem
cp ca/database.pem assay/database-ca.pem
cp ca/callers.pem assay/callers-ca.pem
cp ca/daemons.pem balancer/daemons-ca.pem
cp ca/daemons.pem caller/ca.pem
chmod 600 assay/* postgres/* caller/*
chmod 644 balancer/*

# The users of the images: assayd (deploy/container), postgres of Debian, haproxy.
if [ "$(id -u)" -eq 0 ]; then
    chown -R 65532:65532 assay
    chown -R 999:999 postgres
    chown -R 99:99 balancer
else
    echo "make-secrets.sh: without root the files belong to $(id -un), and containers cannot read them" >&2
fi
echo "make-secrets.sh: the secrets are in $(pwd)"

# Sourced by the scripts here. Sets the repository as the folder, and:
#   version    of Sources/AssayCore/Primitives/Version.swift, the only place that has it
#   SOURCE_DATE_EPOCH    seconds since 1970: the release's date of the same file, unless it is set
#   packages   where packages are made
#   archive    how the name of the tarball ends
#   pack       compresses standard input. The two programs contain the same libraries, further apart than gzip sees, or xz by itself: the
#              dictionary spans a whole program, and unpacking takes as much memory. LEVEL is a preset of xz for trials, 6 unless it is set
#   scratch    where their programs are compiled: a folder whose path has 120 bytes wherever the repository is. Compiled code holds the
#              length of a source's path, though not the path, where it looks for closures that escape (withoutActuallyEscaping)
# shellcheck shell=sh
set -eu
build_folder=.build-package
cd "$(dirname "$0")/../.."
LC_ALL=C.UTF-8 TZ=UTC
export LC_ALL TZ
source=Sources/AssayCore/Primitives/Version.swift
version=$(sed -n 's/.*static let text = "\(.*\)"$/\1/p' $source)
[ -n "$version" ] || { echo "there is no version in $source" >&2; exit 1; }
: "${SOURCE_DATE_EPOCH:=$(sed -n 's/.*Timestamp(unixSeconds: \([0-9_]*\))$/\1/p' $source | tr -d _)}"
export SOURCE_DATE_EPOCH
packages=${PACKAGES:-.build/packages}
archive=tar.xz
pack() { xz -T1 --check=crc64 --lzma2="preset=${LEVEL:-6},dict=192MiB"; }
# For a repository in the folder $1.
scratch_in() {
    padding=$((118 - ${#1} - ${#build_folder}))
    [ "$padding" -gt 0 ] || { echo "the path of this folder is too long to build packages in: $1" >&2; return 1; }
    printf "%s/%s/%0${padding}d" "$1" "$build_folder" 0
}
# Whether the program $1 loads nothing but glibc, and the libgcc_s that it needs: docs/decisions/0084-packages.md says why. Says what else it loads.
loads_glibc_alone() {
    loaded=$(objdump -p "$1" | awk '$1 == "NEEDED" { print $2 }' | grep -vE '^(libc|libm|libgcc_s|ld-linux-.*)\.so\.[0-9]+$' || true)
    [ -z "$loaded" ] || { echo "$1 loads" $loaded >&2; return 1; }
}
scratch=$(scratch_in "$PWD")
umask 022

# Sourced by the scripts here. Sets the repository as the folder, and:
#   version    of Sources/AssayCore/Primitives/Version.swift, the only place that has it
#   SOURCE_DATE_EPOCH    seconds since 1970: the release's date of the same file, unless it is set
#   packages   where packages are made
# shellcheck shell=sh
set -eu
cd "$(dirname "$0")/../.."
LC_ALL=C.UTF-8 TZ=UTC
export LC_ALL TZ
source=Sources/AssayCore/Primitives/Version.swift
version=$(sed -n 's/.*static let text = "\(.*\)"$/\1/p' $source)
[ -n "$version" ] || { echo "there is no version in $source" >&2; exit 1; }
: "${SOURCE_DATE_EPOCH:=$(sed -n 's/.*Timestamp(unixSeconds: \([0-9_]*\))$/\1/p' $source | tr -d _)}"
export SOURCE_DATE_EPOCH
packages=${PACKAGES:-.build/packages}
umask 022

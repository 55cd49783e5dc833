# Sourced by tests that need a clean Debian. Sets the function:
#   debian_root FOLDER    makes FOLDER a Debian with nothing but what is essential, apt, and xz. It is a copy of ROOT, if that is set; else of
#                         PACKAGES/debian, which debootstrap makes once. The caller ends with 77 if debootstrap or a mirror is missing.
# shellcheck shell=bash
debian_root() {
    local from=${ROOT:-$packages/debian}
    if [ ! -d "$from" ]; then
        [ -z "${ROOT:-}" ] || { echo "$0: there is no $ROOT (ROOT)" >&2; return 1; }
        command -v debootstrap >/dev/null || { echo "$0: needs debootstrap"; exit 77; }
        local log=$packages/debootstrap.log codename
        codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
        rm -rf "$from.new"
        debootstrap --variant=minbase --include=xz-utils "$codename" "$from.new" >"$log" 2>&1 || { tail "$log"; rm -rf "$from.new"; exit 77; }
        mv "$from.new" "$from"
    fi
    cp -a "$from" "$1"
}

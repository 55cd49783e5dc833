#!/bin/sh
# Makes the program of a package of what the linker wrote: finish.sh LINKED PROGRAM DEBUG
# The program has no symbols, no debug information, no modules for debuggers, and no digests of the compiler's options, folders among them,
# which no program reads. Its build id is that of its own bytes, so that equal programs have equal ones. Symbols and lines stand in the folder
# DEBUG, below the name by which debuggers look for the build id.
set -eu
linked=$1 program=$2 debug=$3
# The place and the size of a section in a file, in bytes.
section() {
    readelf -SW "$1" 2>/dev/null | sed -n "s/.* $2  *[A-Z0-9_]*  *[0-9a-f]* \([0-9a-f]*\) \([0-9a-f]*\) .*/\1 \2/p" | while read -r at size; do
        echo "$((0x$at)) $((0x$size))"
    done
}
# Writes standard input over the bytes of a file from a place on.
overwrite() { dd of="$1" bs=64K oflag=seek_bytes seek="$2" conv=notrunc status=none; }

mkdir -p "$(dirname "$program")" "$debug"
strip --strip-all --remove-section=.comment --remove-section=.swift_ast -o "$program" "$linked"
place=$(section "$program" .swift_modhash)
[ -z "$place" ] || head -c "${place#* }" /dev/zero | overwrite "$program" "${place% *}"

place=$(section "$program" .note.gnu.build-id)
[ "${place#* }" = 36 ] || { echo "finish: $linked has no build id of 20 bytes" >&2; exit 1; }
# The id is what follows 16 bytes that say so. The digest is taken with zeros there.
head -c 20 /dev/zero | overwrite "$program" $((${place% *} + 16))
id=$(sha1sum <"$program" | cut -c 1-40)
bytes=$(printf %s "$id" | sed 's/../\\x&/g')
# shellcheck disable=SC2059
/usr/bin/printf "$bytes" | overwrite "$program" $((${place% *} + 16))

rest=${id#??}
file=$debug/${id%"$rest"}/$rest.debug
mkdir -p "$(dirname "$file")"
objcopy --only-keep-debug --compress-debug-sections=none --remove-section=.swift_modhash --remove-section=.comment "$linked" "$file"
place=$(section "$file" .note.gnu.build-id)
# shellcheck disable=SC2059
/usr/bin/printf "$bytes" | overwrite "$file" $((${place% *} + 16))
chmod 644 "$file"

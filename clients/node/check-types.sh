#!/bin/sh
# Checks the types of the client for Node: JavaScript by its comments, and the declarations against it. With the path of a tsconfig.json it checks
# that project, such as programs that use the client.
#
# It needs tsc (TypeScript 4.8 or later) on PATH, or TSC naming its bin/tsc, and the types of Node: @types/node in a folder above this one,
# or the folder that NODE_TYPES names. On Debian `apt-get install node-typescript` brings the first; the second comes with Debian's nodejs,
# in /usr/share/nodejs/@types. Exit status: 0 without an error, 1 with some, 69 if something is missing.
set -eu
project=${1:-tsconfig.json}
cd "$(dirname "$0")"

if [ -n "${TSC:-}" ]; then
    tsc() { node "$TSC" "$@"; }
elif ! command -v tsc >/dev/null; then
    echo "check-types: tsc is missing: apt-get install node-typescript, or TSC=/path/to/typescript/bin/tsc" >&2
    exit 69
fi
types=${NODE_TYPES:-}
for folder in node_modules/@types ../node_modules/@types ../../node_modules/@types /usr/share/nodejs/@types; do
    [ -z "$types" ] && [ -d "$folder/node" ] && types=$folder
done
if [ ! -d "$types/node" ]; then
    echo "check-types: the types of Node are missing: NODE_TYPES=/path/to/@types" >&2
    exit 69
fi
tsc --project "$project" --typeRoots "$types" || exit 1
echo "check-types: no error"

#!/bin/sh
# Compiles the library and its tests, and runs them; with assayd (ASSAY_HOME, PATH), the README's test of a handler too.
set -eu
cd "$(dirname "$0")"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export TMPDIR="$folder" # the daemon's folder too
# For lives of a second the first compiler is enough.
java="java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir=$folder"

javac -J-XX:TieredStopAtLevel=1 --release 11 -Xlint:all -Werror -d "$folder/classes" $(find src -name '*.java')
mkdir "$folder/stand-ins"
$java -cp "$folder/classes" assay.testing.LibraryTest ../stand_in.py "$folder/stand-ins"

[ "${1:-}" != --library ] || exit 0
awk -v folder="$folder" '
    /^<!-- file: / { file = folder "/" $3; next }
    /^```java$/ && file { writing = 1; next }
    /^```$/ { writing = 0; file = "" }
    writing { print > file }' README.md
javac -J-XX:TieredStopAtLevel=1 --release 11 -cp "$folder/classes" -d "$folder/classes" "$folder"/*.java
[ "$($java -cp "$folder/classes" UploadHandlerTest)" = passed ]
echo "the test of the README passed"
left=$(find "$folder" -name 'assay-test*')
[ -z "$left" ] || { echo "left behind: $left" >&2; exit 1; }

#!/bin/sh
# Compiles the library with warnings as errors, and runs its tests: check.sh [--assayd FILE] [--only-plain]. The end-to-end test needs assayd
# and assay in one folder (--assayd, ASSAY_HOME, PATH) and a Python with protobuf; without them it is left out, and said.
#
# The compiler is `kotlinc`, or the jars of a folder that KOTLIN_JARS names. Exit status 77: there is none.
set -eu
cd "$(dirname "$0")"
repository=$(cd ../.. && pwd)
assayd= plain=
while [ $# -gt 0 ]; do
    case $1 in
    --assayd) assayd=$(realpath "$2"); shift 2 ;;
    --only-plain) plain=yes; shift ;;
    *) echo "usage: clients/android/check.sh [--assayd FILE] [--only-plain]" >&2; exit 64 ;;
    esac
done

command -v javac >/dev/null || { echo "clients/android: there is no JDK (Debian: openjdk-17-jdk-headless): nothing was checked" >&2; exit 77; }
if [ -n "${KOTLIN_JARS:-}" ]; then
    library=$(ls "$KOTLIN_JARS"/kotlin-stdlib-[0-9]*.jar | head -n 1)
    compiler=$(printf '%s:' "$KOTLIN_JARS"/*.jar)
    kotlin() { java -Xss8m -XX:TieredStopAtLevel=1 -cp "$compiler" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect "$@"; }
elif command -v kotlinc >/dev/null; then
    library=$(dirname "$(realpath "$(command -v kotlinc)")")/../lib/kotlin-stdlib.jar
    [ -e "$library" ] || { echo "clients/android: kotlinc has no $library: name its folder in KOTLIN_JARS" >&2; exit 77; }
    kotlin() { kotlinc -no-stdlib -no-reflect "$@"; }
else
    cat >&2 <<'TEXT'
clients/android: there is no Kotlin compiler: nothing was checked. Install Kotlin 2 (kotlinc), or take the compiler in a package of PyPI:
  pip install --no-deps --target /tmp/kotlin kotlin-jupyter-kernel==0.19.0.944
  KOTLIN_JARS=/tmp/kotlin/run_kotlin_kernel/jars clients/android/check.sh
TEXT
    exit 77
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/stubs" "$folder/plain" "$folder/world"
javac -J-XX:TieredStopAtLevel=1 --release 11 -d "$folder/stubs" $(find src/test/stubs -name '*.java')
# Together: a compiler that starts once takes half the time.
kotlin -Werror -jvm-target 11 -cp "$library:$folder/stubs" -d "$folder/classes" src/main/kotlin src/test/kotlin
run() { java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp "$library:$folder/stubs:$folder/classes" "$@"; }

run assay.device.MainKt "$repository/docs/vectors/client-data-v1.json" "$folder/plain"
[ -z "$plain" ] || exit 0

[ -n "$assayd" ] || assayd=${ASSAY_HOME:+$ASSAY_HOME/bin/assayd}
[ -n "$assayd" ] || assayd=$(command -v assayd || true)
assay=$(dirname "${assayd:-.}")/assay
[ -x "${assayd:-/nothing}" ] && [ -x "$assay" ] || { echo "clients/android: there are no assayd and assay: the end-to-end test is left out" >&2; exit 0; }
python=
for each in python3 /usr/bin/python3; do
    if "$each" -c 'import google.protobuf' 2>/dev/null; then python=$each; break; fi
done
[ -n "$python" ] || { echo "clients/android: no Python has protobuf (Debian: python3-protobuf): the end-to-end test is left out" >&2; exit 0; }
run assay.device.EndToEndKt "$assayd" "$assay" "$repository" "$folder/world" "$python"

#!/bin/sh
# The compiler of a tree that is built once (dev/build.sh): the toolchain's, but for modules of other packages, which SwiftPM has no way to give
# options of their own.
#
#     dev/swiftc-once.sh --install FOLDER        copies itself to where SwiftPM finds the toolchain's libraries beside it, and prints the path
#
# A debug build of the parser of arguments checks the definitions of all commands at each start of a program, which was a fourteenth of what the tests
# take. Here it does not: CommandDefinitionTests check them once. SwiftNIO is optimised, with all checks at run time: the tests spend more in it than
# that takes.
set -eu
tools=$(dirname "$(readlink -f "$(command -v "${SWIFT:-swift}")")")

if [ "${1:-}" = --install ]; then
    mkdir -p "$2/usr/bin"
    ln -sfn "$tools/../lib" "$2/usr/lib"
    cp "$0" "$2/usr/bin/swiftc"
    echo "$(cd "$2" && pwd)/usr/bin/swiftc"
    exit
fi

before='' module=''
for argument do
    shift
    [ "$before" != -module-name ] || module=$argument
    before=$argument
    case "$module $argument" in
        "ArgumentParser -DDEBUG") ;;
        "NIOCore -Onone" | "NIOPosix -Onone") set -- "$@" -O -assert-config Debug ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec "$tools/swiftc" "$@"

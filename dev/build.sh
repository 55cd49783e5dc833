#!/bin/sh
# A debug build: dev/build.sh [ARGUMENTS of swift build]. Every one comes through here, since SwiftPM compiles everything again when a flag
# differs. No index of the sources is written: editors make their own, in another folder, and it takes a fifth of a build.
#
# ONCE=1 is for a tree that is built once and thrown away: each module is compiled as a whole, which takes a fifth less, and all of it again when
# one file changes; by one compiler, which checks it once, where usually a second one checks it beside, to have the module's interface earlier
# (a third of the time of a module of tests); without information for debuggers; linked by the toolchain's lld, which takes a third of the system
# linker's time; and the libraries in C are compiled with optimisation, since the tests spend more in unoptimised cryptography than that takes,
# as do the modules in Swift that Package.swift names. The headers of BoringSSL are read once, and not for each of its files. The compiler does not
# check its own intermediate code. It is called through dev/swiftc-once.sh, since some modules of other packages have options of their own.
#
# The compilers allocate without end and free little at a time. They have jemalloc, where it is installed (dev/setup.sh tests), with one arena and
# without giving memory back: that takes somewhat less than the C library's allocator. Huge pages are not asked for, which saves more: a virtual machine
# that reports its free memory to its host gets each of them back slowly (docs/decisions/0161-compilers-allocate-with-jemalloc.md).
set -eu
cd "$(dirname "$0")/.."
jemalloc=$(PATH="$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | sed -n 's/.*libjemalloc\.so\.2 .*=> //p' | head -n 1)
[ -z "$jemalloc" ] || export LD_PRELOAD="$jemalloc${LD_PRELOAD:+:$LD_PRELOAD}" MALLOC_CONF=narenas:1,dirty_decay_ms:-1,muzzy_decay_ms:-1
[ -n "${ONCE:-}" ] || exec "${SWIFT:-swift}" build --disable-index-store "$@"

headers=$(dev/cxx-headers.sh .build/once -O1)
export SWIFT_EXEC=$(dev/swiftc-once.sh --install .build/once)
build() {
    "${SWIFT:-swift}" build --disable-index-store -Xswiftc -disable-batch-mode -Xswiftc -whole-module-optimization -Xswiftc -num-threads -Xswiftc 1 \
        -Xswiftc -no-emit-module-separately-wmo -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify -Xswiftc -use-ld=lld -Xcc -O1 \
        -debug-info-format none ${headers:+-Xcxx -include -Xcxx "$headers"} "$@"
}
# AssayCore is compiled for most of a minute by one process, and all of Assay waits for it. SwiftPM begins modules by their names in reverse, so that
# all other libraries are done by then, and a processor is idle. Built first, it has what runs beside the build for a neighbour (dev/test.py --early).
[ -e .build/debug/AssayCore.build ] || build --target AssayCore
build "$@"

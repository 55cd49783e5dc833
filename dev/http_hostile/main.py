"""Runs the attacks on a daemon. Started by dev/http-hostile.sh."""

from __future__ import annotations

import argparse
import pathlib
import resource
import sys
import tempfile

from attacks import ATTACKS, run

# The order of the table.
import with_frames  # noqa: E402, F401
import with_headers  # noqa: E402, F401
import with_bodies  # noqa: E402, F401
import with_http1  # noqa: E402, F401
import with_connections  # noqa: E402, F401

from daemon import Daemon  # noqa: E402


CONNECTIONS = 20_600


def allow_files(count: int) -> None:
    """Lets this process and the daemon open so many files; as many as the system allows if that is fewer."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limit in (max(count, hard), hard):
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
            return
        except (OSError, ValueError):
            continue


def main() -> int:
    parser = argparse.ArgumentParser(prog="http-hostile", description=__doc__)
    parser.add_argument("--assayd", type=pathlib.Path, required=True)
    parser.add_argument("--slow", action="store_true", help="with those that take minutes or thousands of connections")
    parser.add_argument("--keep", type=pathlib.Path, help="a folder for the daemon's files")
    parser.add_argument("names", nargs="*", metavar="WORD", help="only attacks whose names have it")
    arguments = parser.parse_args()
    attacks = [
        each for each in ATTACKS
        if (any(word in each.name for word in arguments.names) if arguments.names else arguments.slow or not each.is_slow)]
    for program in (arguments.assayd, arguments.assayd.parent / "assay"):
        if not program.is_file():
            print(f"http-hostile: there is no {program}; build it, or name another with --assayd", file=sys.stderr)
            return 1
    allow_files(2 * CONNECTIONS)
    with tempfile.TemporaryDirectory(prefix="http-hostile-") as name:
        folder = arguments.keep or pathlib.Path(name)
        daemon = Daemon(arguments.assayd.resolve(), folder, connections=CONNECTIONS)
        try:
            daemon.start()
            failed = run(attacks, daemon)
            status = daemon.stop()
            if status:
                print(f"the daemon ended with {status}")
                failed += 1
        finally:
            daemon.kill()
        if failed:
            print("the daemon's last words:", daemon.last_words(), sep="\n", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

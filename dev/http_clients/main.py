"""Runs the checks of all clients against a daemon of its own. Started by dev/http-clients.sh."""

from __future__ import annotations

import argparse
import pathlib
import re
import shutil
import sys
import tempfile

from checks import CHECKS, run_all
from daemon import Daemon

# The order of the table.
import with_grpcio  # noqa: E402, F401
import with_reflection  # noqa: E402, F401
import with_grpcurl  # noqa: E402, F401
import with_connectrpc  # noqa: E402, F401
import with_buf  # noqa: E402, F401
import with_assay  # noqa: E402, F401
import with_curl  # noqa: E402, F401
import with_sockets  # noqa: E402, F401
import with_nginx  # noqa: E402, F401
import with_envoy  # noqa: E402, F401
import with_caddy  # noqa: E402, F401
import with_traefik  # noqa: E402, F401
import with_the_end  # noqa: E402, F401

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/reference/http.md"


def clients_of_the_page() -> list[str]:
    """The first column of the page's table of clients."""
    section = PAGE.read_text().partition("\n## Clients")[2].partition("\n## ")[0]
    return [name for name in re.findall(r"(?m)^\| `([^`]+)` \|", section)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="http-clients", description=__doc__)
    parser.add_argument("--assayd", type=pathlib.Path, required=True)
    parser.add_argument("--generated", type=pathlib.Path, required=True)
    parser.add_argument("--list", action="store_true", help="print the checks, and run none")
    parser.add_argument("clients", nargs="*", metavar="client")
    arguments = parser.parse_args()

    clients = list(dict.fromkeys(each.client for each in CHECKS))
    if unknown := [name for name in arguments.clients if name not in clients]:
        parser.error(f"there is no client {unknown[0]}; there are {', '.join(clients)}")
    if clients_of_the_page() != clients:
        print(f"docs/reference/http.md lists other clients than {', '.join(clients)}", file=sys.stderr)
        return 1
    checks = [each for each in CHECKS if not arguments.clients or each.client in arguments.clients]
    if arguments.list:
        for each in checks:
            print(f"{each.client:<18} {each.what}")
        return 0

    for program in (arguments.assayd, arguments.assayd.parent / "assay"):
        if not program.is_file():
            print(f"http-clients: there is no {program}; build it, or name another with --assayd", file=sys.stderr)
            return 1
    missing = [name for name in ("curl", "nginx", "buf", "grpcurl", "envoy", "caddy", "traefik") if not shutil.which(name)]
    if missing:
        print(f"not here, and skipped: {', '.join(missing)}")

    with tempfile.TemporaryDirectory(prefix="http-clients-") as name:
        daemon = Daemon(arguments.assayd.resolve(), pathlib.Path(name), arguments.generated)
        try:
            daemon.start()
            failed = run_all(checks, daemon)
            status = daemon.stop()
            if status:
                print(f"the daemon ended with {status}")
                failed += 1
        finally:
            if daemon.process is not None:
                daemon.process.kill()
                daemon.process.wait()
        if failed:
            print("the daemon's last words:", daemon.last_words(), sep="\n", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

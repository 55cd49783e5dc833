"""Runs Schemathesis over the document of a daemon. Started by dev/http-schema.sh."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from daemon import Daemon

HERE = pathlib.Path(__file__).resolve().parent
CHECKS = [
    "error_of_the_server", "error_has_a_code", "stream_has_an_end", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "unsupported_method",
]


def operations(text: bytes) -> int:
    verbs = {"get", "post", "put", "delete", "patch", "head", "options"}
    return sum(len(verbs & item.keys()) for item in json.loads(text)["paths"].values())


def main() -> int:
    parser = argparse.ArgumentParser(prog="http-schema", description=__doc__)
    parser.add_argument("--assayd", type=pathlib.Path, required=True)
    parser.add_argument("--cases", type=int, required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--reports", type=pathlib.Path)
    arguments = parser.parse_args()
    for program in (arguments.assayd, arguments.assayd.parent / "assay"):
        if not program.is_file():
            print(f"http-schema: there is no {program}; build it, or name another with --assayd", file=sys.stderr)
            return 1

    with tempfile.TemporaryDirectory(prefix="http-schema-") as name:
        folder = pathlib.Path(name)
        daemon = Daemon(arguments.assayd.resolve(), folder)
        try:
            daemon.start()
            document = folder / "openapi.json"
            document.write_text(daemon.assay("openapi", "--format", "json"))
            failed = check(daemon, document, arguments)
            status = daemon.stop()
            if status:
                print(f"the daemon ended with {status}")
                failed = True
        finally:
            daemon.kill()
        if failed:
            print("the daemon's last words:", daemon.last_words(), sep="\n", file=sys.stderr)
    return 1 if failed else 0


def check(daemon: Daemon, document: pathlib.Path, arguments: argparse.Namespace) -> bool:
    """Whether something failed."""
    counts = daemon.folder / "counts.json"
    each = -(-arguments.cases // operations(document.read_bytes()))
    command: list[object] = [
        pathlib.Path(sys.executable).parent / "schemathesis", "--config-file", HERE / "schemathesis.toml", "run", document,
        "--url", f"http://{daemon.plain}", "--checks", ",".join(CHECKS), "--max-examples", each, "--workers", 2,
        "--phases", "examples,coverage,fuzzing", "--continue-on-failure", "--no-color", "--request-timeout", 20,
        "--generation-database", "none", "--suppress-health-check", "all", "--warnings", "off",
    ]
    if arguments.seed is not None:
        command += ["--seed", arguments.seed]
    if arguments.reports:
        command += ["--report", "ndjson", "--report-dir", arguments.reports]
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "HTTP_SCHEMA_COUNTS": str(counts), "PYTHONPATH": str(HERE)}
    done = subprocess.run([str(word) for word in command], cwd=daemon.folder, env=environment, check=False)
    have: dict[str, int] = json.loads(counts.read_text()) if counts.exists() else {}
    statuses: dict[str, int] = {}
    for key, count in have.items():
        statuses[key.rsplit(" ", 1)[1]] = statuses.get(key.rsplit(" ", 1)[1], 0) + count
    total = sum(have.values())
    print(f"{total} cases:", ", ".join(f"{status}: {count}" for status, count in sorted(statuses.items())))
    for key in sorted(have):
        if key.rsplit(" ", 1)[1].startswith("5") and not key.endswith(" 504"):
            print(f"  {have[key]} of {key}")
    if total < arguments.cases:
        print(f"fewer cases than the {arguments.cases} that were asked for")
    return done.returncode != 0 or total < arguments.cases


if __name__ == "__main__":
    sys.exit(main())

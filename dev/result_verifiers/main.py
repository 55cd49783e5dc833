"""Verifies tokens of every shape with libraries of others. Started by dev/result-verifiers.sh."""

from __future__ import annotations

import argparse
import os
import pathlib
import re
import sys
import tempfile
import time

from checks import CHECKS, check, equal, expect, run_all
from forging import forgeries
from issuer import ISSUER, SHAPES, SHORT_LIVED, Issuer, Shape, decoded, until
from keys import renamed
from readers import READERS, Reader

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/reference/results.md"
LISTS = [Shape("status-list-jwt", "statuslist+jwt", issuer=False, audience=False, nonce=None),
         Shape("status-list-cwt", "application/statuslist+cwt", issuer=False, audience=False, nonce=None)]
# Prints why each forgery is refused.
VERBOSE = bool(os.environ.get("ASSAY_VERBOSE"))
# 131,072 places of 2 bits.
LIST_BYTES = 32_768


def reads(reader: Reader, shape: Shape) -> bool:
    return reader.reads_binary if shape.is_binary else reader.reads_text


def add_checks() -> None:
    """One for each reader and shape that it reads, and one for each form of a status list."""
    for reader in READERS:
        for shape in [*SHAPES, *SHORT_LIVED]:
            if reads(reader, shape):
                check(reader.name, f"{shape.token}: verifies; refused changed, unsigned, under an HMAC, under other keys, as another type")(
                    lambda issuer, reader=reader, shape=shape: verify(issuer, reader, shape))
        for shape in LISTS:
            if reads(reader, shape):
                check(reader.name, f"{shape.name}: verifies, and its bits say what is known of both devices; refused as above")(
                    lambda issuer, reader=reader, shape=shape: verify_list(issuer, reader, shape))


def refused(reader: Reader, shape: Shape, what: str, token: bytes, keys: dict) -> None:
    try:
        claims = reader.read(token, shape, keys)
    except (NameError, ImportError, AttributeError):  # faults of these checks
        raise
    except Exception as error:  # each library has errors of its own
        if VERBOSE:
            print(f"  {reader.name} {shape.name}: {what}: {type(error).__name__}: {' '.join(str(error).split())[:100]}")
        return
    raise AssertionError(f"{what} verifies: {str(claims)[:200]}")


def refuses(issuer: Issuer, reader: Reader, shape: Shape, token: bytes) -> None:
    for what, forgery in forgeries(shape, token, issuer.keys):
        expect(forgery != token, f"{what} is the token itself")
        refused(reader, shape, what, forgery, issuer.keys)
    refused(reader, shape, "the token by another key", token, renamed(issuer.keys, issuer.other_keys))
    refused(reader, shape, "the token by the keys of another issuer", token, issuer.other_keys)
    for other in [*SHAPES, *LISTS]:
        if other.typ != shape.typ and other.is_binary == shape.is_binary:
            refused(reader, other, f"the token as {other.name}", token, issuer.keys)


def verify(issuer: Issuer, reader: Reader, shape: Shape) -> None:
    token = issuer.tokens[shape.token]
    shape.check(reader.read(token, shape, issuer.keys))
    refuses(issuer, reader, shape, token)


def place(issuer: Issuer, name: str) -> dict:
    """`status_list` of a session token."""
    status = READERS[0].read(issuer.tokens[name], next(shape for shape in SHAPES if shape.name == "session"), issuer.keys)["status"]
    return status["status_list"]


def verify_list(issuer: Issuer, reader: Reader, shape: Shape) -> None:
    good, blocked = place(issuer, "session"), place(issuer, "iphone")
    equal(good["uri"], blocked["uri"])
    token = issuer.status_list(good["uri"], shape.typ if shape.is_binary else "application/statuslist+jwt")
    claims = reader.read(token, shape, issuer.keys)
    equal((claims["sub"], claims["ttl"], claims["status_list"]["bits"]), (good["uri"], 15, 2))
    expect(claims["iat"] <= time.time() + 1 and time.time() < claims["exp"], claims)
    compressed = claims["status_list"]["lst"]
    bits = reader.inflate(compressed if isinstance(compressed, bytes) else decoded(compressed))
    equal(len(bits), LIST_BYTES)
    values = {index: bits[index // 4] >> 2 * (index % 4) & 3 for index in range(4 * LIST_BYTES)}
    equal((values[good["idx"]], values[blocked["idx"]]), (0, 2))
    equal({index for index, value in values.items() if value}, {blocked["idx"]}, "places that say something")
    refuses(issuer, reader, shape, token)


def await_the_block(issuer: Issuer) -> None:
    """Until the published list has the block."""
    blocked = place(issuer, "iphone")
    shape = LISTS[0]

    def shows() -> bool:
        claims = READERS[0].read(issuer.status_list(blocked["uri"], "application/statuslist+jwt"), shape, issuer.keys)
        bits = READERS[0].inflate(decoded(claims["status_list"]["lst"]))
        return bits[blocked["idx"] // 4] >> 2 * (blocked["idx"] % 4) & 3 == 2

    begun = time.monotonic()
    until("the block is in the list", shows)
    print(f"the block was in the published list after {time.monotonic() - begun:.1f} s")


def table() -> dict[str, list[str]]:
    """Which reader verifies which shape, as the checks have it."""
    return {shape.token: [reader.name for reader in READERS if reads(reader, shape)] for shape in [*SHAPES, *SHORT_LIVED, *LISTS]}


def table_of_the_page() -> dict[str, list[str]]:
    section = PAGE.read_text().partition("\n## Verified by\n")[2].partition("\n## ")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in section.splitlines() if line.startswith("| ")]
    if len(rows) < 2:
        return {}
    readers = rows[0][1:]
    return {
        name: [reader for reader, cell in zip(readers, cells, strict=True) if cell == "yes"]
        for row in rows[1:] for names, *cells in [row] for name in re.findall(r"`([^`]+)`", names)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="result-verifiers", description=__doc__)
    parser.add_argument("--assayd", type=pathlib.Path, required=True)
    parser.add_argument("--list", action="store_true", help="print the checks, and run none")
    parser.add_argument("readers", nargs="*", metavar="reader")
    arguments = parser.parse_args()

    names = [reader.name for reader in READERS]
    if unknown := [name for name in arguments.readers if name not in names]:
        parser.error(f"there is no reader {unknown[0]}; there are {', '.join(names)}")
    add_checks()
    if table_of_the_page() != table():
        print(f"the table of docs/reference/results.md has {table_of_the_page()}, the checks have {table()}", file=sys.stderr)
        return 1
    chosen = [each for each in CHECKS if not arguments.readers or each.client in arguments.readers]
    if arguments.list:
        for each in chosen:
            print(f"{each.client:<18} {each.what}")
        return 0

    for program in (arguments.assayd, arguments.assayd.parent / "assay"):
        if not program.is_file():
            print(f"result-verifiers: there is no {program}; build it, or name another with --assayd", file=sys.stderr)
            return 1
    with tempfile.TemporaryDirectory(prefix="result-verifiers-") as folder:
        issuer = Issuer(arguments.assayd.resolve(), pathlib.Path(folder))
        try:
            issuer.start()
            issuer.sign_everything()
            expect(issuer.keys["keys"] and ISSUER, "no keys are published")
            await_the_block(issuer)
            failed = run_all(chosen, issuer)
            if status := issuer.stop():
                print(f"the daemon ended with {status}")
                failed += 1
        finally:
            if issuer.process is not None:
                issuer.process.kill()
                issuer.process.wait()
        if failed:
            print("the daemon's last words:", issuer.last_words(), sep="\n", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3 -B
"""Changes the evidence of accepted cases, and finds what a plugin accepts although the device signed something else.

    changes.py [--count COUNT] [--seed SEED] CASES COMMAND...

For plugins whose evidence is signed to the last byte, such as a document or a map whose SHA-256 the device signed: every changed body is one that
no device signed, and so is every changed document of the signals. CASES is a file in the form of README.md; COUNT changes, by default 20000, are spread over
its accepted cases. The exit status is 1 if one was accepted.
"""
import argparse
import base64
import collections
import json
import random
import sys

from host import Host
from judgement import b64, judged

PIECES = [b",", b"}", b"{", b"[", b"]", b'"', b"\\u0000", b" ", b"\xff", b"=", b"\x00", b"\x1f\x8b", b"0", b"-", b"e9"]


def changed(chance, body):
    data = bytearray(body)
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        at, kind = chance.randrange(len(data) or 1), chance.randrange(6)
        if kind == 0 and data:
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1 and data:
            data[at] = chance.randrange(256)
        elif kind == 2:
            del data[at:at + chance.choice((1, 2, 44, 4096))]
        elif kind == 3:
            data[at:at] = chance.choice(PIECES)
        elif kind == 4:
            data[at:at] = data[at:at + chance.randrange(1, 60)]
        elif data:
            other = chance.randrange(len(data))
            data[at], data[other] = data[other], data[at]
    return bytes(data)


def mutant_of(chance, case):
    """The case with a changed body, or with changed signals; None if the change is none."""
    expected = case["expected"]
    if "signals_b64" in expected and chance.randrange(4) == 0:
        signals = b64(expected["signals_b64"])
        other = changed(chance, signals)
        return None if other == signals else {**case, "expected": {**expected, "signals_b64": base64.b64encode(other).decode()}}
    body = b64(case["body_b64"])
    other = changed(chance, body)
    return None if other == body else {**case, "body_b64": base64.b64encode(other).decode()}


def run(cases, command, count, seed):
    """The sentences of what is wrong, and how often each reason was given."""
    chance, wrong, reasons = random.Random(seed), [], collections.Counter()
    for case in cases:
        with Host(command) as host:
            description = host.describe()
            host.configure(case["configuration"])
            if judged(host, description, case).verdict != "ACCEPTED":
                wrong.append(f"{case['id']}: the case itself is not accepted")
            for _ in range(-(-count // len(cases))):
                mutant = mutant_of(chance, case)
                verdict = mutant and judged(host, description, mutant)
                reasons[verdict.reason if mutant else "unchanged"] += 1
                if mutant and verdict.verdict == "ACCEPTED":
                    wrong.append(f"{case['id']}: accepted: {mutant['body_b64'][:200]}")
    return wrong, reasons


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=145)
    parser.add_argument("cases")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    with open(options.cases, encoding="utf-8") as file:
        accepted = [case for case in json.load(file)["cases"] if case["expect"]["verdict"] == "ACCEPTED"]
    wrong, reasons = run(accepted, options.command, options.count, options.seed)
    print("\n".join(wrong[:20]))
    print(f"{sum(reasons.values())} changes of {len(accepted)} cases: {len(wrong)} wrong; " + ", ".join(f"{name} {times}" for name, times in reasons.most_common()))
    sys.exit(1 if wrong or not accepted else 0)

"""Compiles and runs every request of a language as the pages show it, and compares what arrives with the requests of the pages."""

from __future__ import annotations

import os
import pathlib
import tempfile
import time

from .languages import LANGUAGES
from .program import Broken, Program
from .recorder import Recorder

KEY = "assay_0123456789"


def trial(language, document):
    """The problems of a language, and what could not be tried."""
    with tempfile.TemporaryDirectory(prefix="assay-rpc-") as name:
        folder = pathlib.Path(name)
        with Recorder(document.calls, folder / "assay.sock") as recorder:
            calls = [(method.title, language.snippet(method)) for method in document.calls]
            environment = {**os.environ, "ASSAY": recorder.unix, "ASSAY_API_KEY": KEY}
            (folder / "program").mkdir()
            problems, left_out = [], None
            try:
                left_out = language.run(Program(folder / "program", calls, environment, recorder.http))
            except Broken as error:
                problems.append(str(error))
        key = f"Bearer {KEY}" if language.SENDS_KEY else None
        for method, taken in zip(document.calls, recorder.taken):
            found = taken.problem(document.schemas, method, key)
            problems += [f"{method.title}: {found}"] if found else []
        if len(recorder.taken) != len(document.calls):
            problems.append(f"{len(recorder.taken)} requests came in place of {len(document.calls)}")
        return problems, left_out


def run(document, keys):
    """Tries the languages, or all. Returns whether all went well: a language that is named has to be here."""
    is_well = True
    for language in LANGUAGES:
        if keys and language.KEY not in keys:
            continue
        missing = language.missing()
        if missing:
            print(f"rpc pages: {language.KEY}: not run: {missing} is not there")
            is_well = is_well and not keys
            continue
        start = time.monotonic()
        problems, left_out = trial(language, document)
        if problems:
            print("\n".join(f"rpc pages: {language.KEY}: FAILED: {problem}" for problem in problems))
            is_well = False
            continue
        also = f"; {left_out}" if left_out else ""
        print(f"rpc pages: {language.KEY}: {len(document.calls)} requests are sent as the pages have them{also} ({time.monotonic() - start:.1f} s)")
    return is_well

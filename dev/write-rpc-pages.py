#!/usr/bin/env python3
"""Writes docs/reference/rpc/, the reference of the methods, from docs/openapi.yaml, which is made from the declared methods and the comments of
the .proto files (`make openapi`):

    dev/write-rpc-pages.py                     writes the pages
    dev/write-rpc-pages.py --check             says whether they are as they would be written
    dev/write-rpc-pages.py --try URL           posts every request that the pages show to a daemon, and says which one it cannot read
    dev/write-rpc-pages.py --run [LANGUAGE…]   compiles every request that the pages show in a language, runs it, and says which one sends
                                               anything else than the page's JSON. Without names: each language whose tools are here

Each method has its request as a curl command and in each language of dev/rpc_pages/languages. Without PyYAML (Debian: python3-yaml) --check
compares the digests that the pages were made from, and finds no page that was changed by hand; the others end with 77."""

import hashlib
import json
import pathlib
import sys
import urllib.error
import urllib.request

sys.dont_write_bytecode = True

from rpc_pages.document import Document  # noqa: E402
from rpc_pages.languages import LANGUAGES  # noqa: E402
from rpc_pages.languages.typed import Unwritten  # noqa: E402
from rpc_pages.pages import Pages  # noqa: E402
from rpc_pages.program import ROOT  # noqa: E402
from rpc_pages.trial import run  # noqa: E402

SOURCE = ROOT / "docs/openapi.yaml"
FOLDER = ROOT / "docs/reference/rpc"


def digest_line():
    here = pathlib.Path(__file__).resolve()
    generator = hashlib.sha256(b"".join(path.read_bytes() for path in [here, *sorted(here.parent.glob("rpc_pages/**/*.py"))]))
    return f"<!-- openapi.yaml {hashlib.sha256(SOURCE.read_bytes()).hexdigest()}, generator {generator.hexdigest()} -->"


def document():
    import yaml

    # The reader in C, where PyYAML has it, takes a tenth of the time.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return Document(yaml.load(SOURCE.read_text(encoding="utf-8"), Loader=loader))


def check():
    try:
        pages = Pages(document()).all(digest_line())
    except ImportError:
        return [] if digest_line() in (FOLDER / "README.md").read_text(encoding="utf-8") else ["README.md"]
    there = {path.name for path in FOLDER.glob("*.md")}
    return sorted([name for name, text in pages.items() if name not in there or (FOLDER / name).read_text(encoding="utf-8") != text]
                  + list(there - set(pages)))


def attempt(methods, url):
    """The requests that the daemon cannot read."""
    unread = []
    for method in methods:
        request = urllib.request.Request(url.rstrip("/") + method.path, json.dumps(method.request).encode(), {"content-type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=20).read()
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            if answer["code"] in ("invalid_argument", "unimplemented"):
                unread.append(f"{method.title}: {answer['code']}: {answer['message']}")
    return unread


def main(arguments):
    if arguments == ["--check"]:
        stale = check()
        if stale:
            sys.exit("rpc pages: stale: " + ", ".join(stale) + "; run dev/write-rpc-pages.py and commit what it writes")
        print("rpc pages: they are what docs/openapi.yaml says")
        return
    keys = [language.KEY for language in LANGUAGES]
    if arguments[:1] == ["--run"] and not set(arguments[1:]) <= set(keys):
        print(f"rpc pages: --run takes languages of {', '.join(keys)}", file=sys.stderr)
        sys.exit(64)
    try:
        read = document()
    except ImportError:
        print("rpc pages: PyYAML (Debian: python3-yaml) is not installed")
        sys.exit(77)
    if arguments[:1] == ["--run"]:
        sys.exit(0 if run(read, arguments[1:]) else 1)
    if len(arguments) == 2 and arguments[0] == "--try":
        unread = attempt(read.calls, arguments[1])
        if unread:
            sys.exit("\n".join(unread))
        print(f"rpc pages: the daemon reads all {len(read.calls)} requests")
        return
    if arguments:
        sys.exit(__doc__)
    pages = Pages(read).all(digest_line())
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in pages.items():
        (FOLDER / name).write_text(text, encoding="utf-8")


try:
    main(sys.argv[1:])
except Unwritten as error:
    sys.exit(f"rpc pages: {error}")

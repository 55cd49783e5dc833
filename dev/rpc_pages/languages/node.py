"""The client for Node, in JavaScript that is TypeScript too."""

from __future__ import annotations

import json
import shutil

from ..layout import Group, Notation, Style, written
from ..program import CLIENTS, Broken, indented
from ..values import Name, Octets, Record, Wide
from .typed import TYPED, evidence, without_key

KEY, TITLE, FENCE = "node", "Node", "js"
SENDS_KEY = True
SETUP = """import { AssayClient, Evidence } from 'assay-client';

const { ASSAY = '', ASSAY_API_KEY } = process.env;
const client = new AssayClient({ url: ASSAY, apiKey: ASSAY_API_KEY });"""
STYLE = Style(step="    ")


class Script(Notation):
    def text(self, text):
        return f"'{text}'" if "'" not in text and json.dumps(text) == f'"{text}"' else json.dumps(text)

    def object(self, members):
        return Group("{", [("" if key == value else f"{key}: ", value) for key, value in members], "}", space=" ", end=",")

    def list(self, items):
        return Group("[", [("", item) for item in items], "]", end=",")


SCRIPT = Script()


def snippet(method):
    if method.title in TYPED:
        name, answer = TYPED[method.title]
        members, key = without_key(method.record)
        asked = SCRIPT.object([(key, value(member)) for key, member in members.items()]) if members else ""
        options = f", {{ idempotencyKey: {SCRIPT.text(key)} }}" if key else ""
        return written([f"const {answer} = await client.{name}(", asked, f"{options});"], STYLE)
    options = ", { idempotent: true }" if method.idempotency == "idempotent" else ""
    start = f"const answer = await client.call('{method.service}', '{method.name}', "
    return written([start, SCRIPT.of(method.request), f"{options});"], STYLE)


def value(member):
    if isinstance(member, Octets):
        return f"Buffer.from({SCRIPT.text(member.text)})" if member.text else f"Buffer.from('{member.base64}', 'base64')"
    if isinstance(member, Name):
        return SCRIPT.text(member.name)
    if isinstance(member, Wide):
        return f"{member.number}n"
    if isinstance(member, list):
        return SCRIPT.list([value(each) for each in member])
    if isinstance(member, Record) and member.kind == "Evidence":
        kind, parts = evidence(member)
        return Group(f"Evidence.{kind}(", [("", value(part)) for part in parts], ")", end=",")
    if isinstance(member, Record):
        return SCRIPT.object([(key, value(part)) for key, part in member.members.items()])
    return SCRIPT.of(member)


def missing():
    return None if shutil.which("node") else "node"


def run(program):
    blocks = [f"// {title}\n{{\n{indented(text, '    ')}\n}}" for title, text in program.calls]
    program.write("calls.mjs", "\n".join([SETUP, *blocks, "client.close();"]) + "\n")
    (program.folder / "node_modules").mkdir()
    (program.folder / "node_modules/assay-client").symlink_to(CLIENTS / "node")
    program.run("node", "calls.mjs")
    settings = json.loads((CLIENTS / "node/tsconfig.json").read_text())
    # Answers are not used here, and the types of Node are not ours to check.
    settings["compilerOptions"].update({"noUnusedLocals": False, "skipLibCheck": True})
    project = program.write("tsconfig.json", json.dumps({**settings, "include": ["calls.mjs"]}))
    try:
        program.run(CLIENTS / "node/check-types.sh", project)
    except Broken as error:
        if error.status != 69:
            raise
        return "types are not checked, without TypeScript"
    return None

"""curl, and grpcurl for streams."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

KEY, TITLE, FENCE = "curl", "curl", "sh"
SENDS_KEY = True
SETUP = """export ASSAY=https://assay.example.org:8443
export ASSAY_API_KEY=assay_…"""


def as_json(value, indent=""):
    """JSON with a line for each member of an object. Lists of texts have one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        members = [f'{inner}"{key}": {as_json(member, inner)}' for key, member in value.items()]
        return "{\n" + ",\n".join(members) + "\n" + indent + "}"
    if isinstance(value, list) and any(isinstance(member, (dict, list)) for member in value):
        return "[\n" + ",\n".join(inner + as_json(member, inner) for member in value) + "\n" + indent + "]"
    return json.dumps(value, ensure_ascii=False)


def snippet(method):
    if method.is_stream:
        return ("grpcurl -H \"authorization: Bearer $ASSAY_API_KEY\" -d '" + as_json(method.request) + "' \"${ASSAY#https://}\" "
                + method.grpc.strip("/"))
    # As a shell takes it between single quotes.
    body = as_json(method.request).replace("'", "'\\''")
    return f"curl -sS -H \"authorization: Bearer $ASSAY_API_KEY\" --json '{body}' \"$ASSAY{method.path}\""


def missing():
    if not shutil.which("curl"):
        return "curl"
    version = re.match(r"curl (\d+)\.(\d+)", subprocess.run(["curl", "--version"], stdout=subprocess.PIPE, text=True, check=False).stdout)
    return None if version and (int(version[1]), int(version[2])) >= (7, 82) else "curl 7.82, for --json,"


def run(program):
    lines = ["set -eu", *(f"{text} >/dev/null" for _, text in program.calls)]
    program.write("calls.sh", "\n".join(lines) + "\n")
    program.run("sh", "calls.sh", ASSAY=program.http, no_proxy="*", CURL_HOME=str(program.folder))

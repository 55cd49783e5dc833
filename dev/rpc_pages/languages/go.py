"""The client for Go."""

from __future__ import annotations

import json
import shutil

from ..layout import Group, Notation, Style, written
from ..program import CLIENTS, Broken, indented
from ..values import Name, Octets, Record
from .typed import TYPED, binding, evidence, pascal, without_key, words

KEY, TITLE, FENCE = "go", "Go", "go"
SENDS_KEY = True
CALLS = "\t// a call of these pages\n"
SETUP = """package main

import (
	"context"
	"encoding/base64"
	"log"
	"os"

	"assay"
)

func main() {
	client, err := assay.New(os.Getenv("ASSAY"), assay.WithAPIKey(os.Getenv("ASSAY_API_KEY")))
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	ctx := context.Background()
	// a call of these pages
}

func decoded(text string) []byte {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		log.Fatal(err)
	}
	return data
}"""
STYLE = Style(step="\t")
# Words that Go's names have in capitals.
INITIALISMS = {"csr", "cwt", "ear", "gps", "id", "json", "jws", "jwt", "sha256", "ttl"}


class Literals(Notation):
    def text(self, text):
        return json.dumps(text, ensure_ascii=False)

    def object(self, members):
        return Group("map[string]any{", [(f'"{key}": ', value) for key, value in members], "}", end=",", is_aligned=True)

    def list(self, items):
        kind = "string" if all(isinstance(item, str) and item.startswith('"') for item in items) else "any"
        return Group(f"[]{kind}{{", [("", item) for item in items], "}", end=",")


LITERALS = Literals()


def snippet(method):
    if method.title not in TYPED:
        options = ", assay.Idempotent()" if method.idempotency == "idempotent" else ""
        start = f'answer, err := client.Call(ctx, "{method.service}", "{method.name}", '
        return written([start, LITERALS.of(method.request), f"{options})"], STYLE)
    name, answer = TYPED[method.title]
    members, key = without_key(method.record)
    asked = [", ", struct(f"{pascal_go(name)}Request", members)] if method.title != "Operations/WhoAmI" else []
    options = f", assay.WithIdempotencyKey({LITERALS.text(key)})" if key else ""
    return written([f"{answer}, err := client.{pascal_go(name)}(ctx", *asked, f"{options})"], STYLE)


def pascal_go(name):
    return "".join(word.upper() if word in INITIALISMS else word.capitalize() for word in words(name))


def struct(kind, members):
    return Group(f"assay.{kind}{{", [(f"{pascal_go(name)}: ", value(part)) for name, part in members.items()], "}", end=",", is_aligned=True)


def value(member):
    if isinstance(member, Octets):
        return f"[]byte({LITERALS.text(member.text)})" if member.text else f'decoded("{member.base64}")'
    if isinstance(member, Name):
        return f"assay.{member.kind.replace('.', '')}{pascal_go(member.name)}"
    if isinstance(member, list):
        return listed(member)
    if isinstance(member, Record):
        return message(member)
    return LITERALS.of(member)


def listed(members):
    parts = [value(each) for each in members]
    for part in parts:
        if part.close == "}":
            # The list names the type already.
            part.open = "{"
    return Group(f"[]assay.{members[0].kind}{{", [("", part) for part in parts], "}", end=",")


def message(record):
    if record.kind == "Evidence":
        kind, (*parts, last) = evidence(record)
        parts += last if isinstance(last, list) else [last]
        return Group(f"assay.{pascal(kind)}Evidence(", [("", value(part)) for part in parts], ")", end=",")
    if record.kind == "Binding":
        name, part = binding(record)
        return Group("assay." + {"payloadSha256": "BindPayload", "uploadId": "BindUpload"}[name] + "(", [("", value(part))], ")", end=",")
    whole = struct(record.kind, record.members)
    # Alone a message is a pointer, in a list it is none.
    return whole if record.kind == "ResultRequest" else ["&", whole]


def missing():
    return next((name for name in ("go", "gofmt") if not shutil.which(name)), None)


def run(program):
    blocks = []
    for title, text in program.calls:
        answer = text.partition(",")[0]
        after = f'\nif err != nil {{\n\tlog.Fatal("{title}: ", err)\n}}\n_ = {answer}'
        blocks.append("\t{\n" + indented(text + after, "\t\t") + "\n\t}\n")
    program.write("go.mod", f"module calls\n\ngo 1.21\n\nrequire assay v0.0.0\n\nreplace assay => {CLIENTS / 'go'}\n")
    program.write("calls.go", SETUP.replace(CALLS, "".join(blocks)) + "\n")
    environment = {"GOTOOLCHAIN": "local", "GOPROXY": "off", "GOFLAGS": "-mod=mod"}
    if program.run("gofmt", "-l", "."):
        raise Broken("gofmt would write it otherwise:\n" + program.run("gofmt", "-d", "."))
    program.run("go", "vet", ".", **environment)
    program.run("go", "run", ".", **environment)

"""The pages."""

from __future__ import annotations

import re

from .languages import LANGUAGES
from .languages.curl import as_json
from .program import ROOT
from .values import reference

MADE = "<!-- Made from docs/openapi.yaml by dev/write-rpc-pages.py; do not edit. -->"
REPEATABLE = {
    "idempotent": "may be repeated", "idempotent_with_key": "may be repeated with an idempotency key",
    "not_idempotent": "is not repeated by clients: it may have been done"}


class Pages:
    def __init__(self, document):
        self.schemas, self.methods, self.tags = document.schemas, document.methods, document.tags
        self.services = list(dict.fromkeys(method.service for method in self.methods))
        self.uses = {}
        for method in self.methods:
            for name in self.reached([method.takes, method.gives]):
                self.uses.setdefault(name, set()).add(method.service)

    def reached(self, names):
        seen, waiting = [], [name for name in names if name in self.schemas]
        while waiting:
            name = waiting.pop(0)
            if name not in seen:
                seen.append(name)
                waiting += [each for each in named(self.schemas[name]) if each in self.schemas]
        return seen

    def place(self, name):
        services = self.uses.get(name, set())
        return file_name(next(iter(services))) if len(services) == 1 else "messages.md"

    def link(self, name, page):
        at = self.place(name)
        return f"[`{name}`]({'' if at == page else at}#{anchor(name)})"

    def kind(self, schema, page):
        if reference(schema):
            return self.link(reference(schema), page)
        kind = schema.get("type")
        if kind == "array":
            return "list of " + self.kind(schema["items"], page)
        if isinstance(schema.get("additionalProperties"), dict):
            return "object, each member " + self.kind(schema["additionalProperties"], page)
        if schema.get("contentEncoding") == "base64":
            return "bytes"
        if isinstance(kind, list):
            return "integer of 64 bits"
        return {"string": "text"}.get(kind, kind or "any")

    def message(self, name, page):
        schema, lines = self.schemas[name], []
        text = schema.get("description", "")
        if "enum" in schema:
            meaning = dict(re.findall(r"(?m)^- `(\w+)`: (.*(?:\n  .*)*)", text))
            lines += [prose(re.sub(r"(?ms)^- `.*", "", text)), "", "| value | |", "|---|---|"]
            lines += [f"| `{value}` | {cell(meaning.get(value, ''))} |" for value in schema["enum"]]
            return lines
        lines += [prose(text), ""] if text else []
        properties = schema.get("properties", {})
        if not properties:
            return lines + ["It has no members." if schema.get("type") == "object" else f"A {self.kind(schema, page)}."]
        lines += ["| member | type | |", "|---|---|---|"]
        return lines + [f"| `{key}` | {self.kind(value, page)} | {cell(value.get('description', ''))} |" for key, value in properties.items()]

    def service(self, service):
        page = file_name(service)
        lines = [f"# {service}", MADE, "", prose(self.tags.get(service, "")), ""]
        mine = [method for method in self.methods if method.service == service]
        lines += ["| method | |", "|---|---|"]
        lines += [f"| [{m.name}](#{anchor(m.name)}) | {cell(m.summary)} |" for m in mine] + [""]
        for method in mine:
            lines += [f"## {method.name}", "", prose(method.text), ""]
            lines += ["| | |", "|---|---|"]
            lines += [f"| path | `{method.path}`" + ("" if method.is_stream else f", or `{method.grpc}`") + " |"]
            lines += ["| roles | " + ", ".join(f"`{role}`" for role in method.roles) + " |"]
            lines += [f"| if no answer comes | {REPEATABLE[method.idempotency]} |"]
            lines += [f"| takes | {self.link(method.takes, page)} |"] if method.takes in self.schemas else []
            lines += [f"| gives | {self.link(method.gives, page)}{', as a stream' if method.is_stream else ''} |"] if method.gives in self.schemas else []
            lines.append("")
            lines += requests(method)
            for name, answer in method.answers:
                lines += ["The answer:" if len(method.answers) == 1 else f"The answer ({name.replace('_', ' ')}):", "", "```json"]
                lines += [as_json(answer), "```", ""]
        own = [name for name in self.reached([n for m in mine for n in (m.takes, m.gives)]) if self.place(name) == page]
        lines += ["## Messages", ""] if own else []
        for name in own:
            lines += [f"### {name}", "", *self.message(name, page), ""]
        return "\n".join(lines)

    def shared(self):
        lines = ["# Messages of several services", MADE, ""]
        for name in sorted(name for name in self.uses if self.place(name) == "messages.md"):
            lines += [f"## {name}", "", *self.message(name, "messages.md"), ""]
        return "\n".join(lines)

    def index(self, digests):
        lines = ["# Methods", MADE, digests, "", introduction(), "| service | |", "|---|---|"]
        for service in self.services:
            lines.append(f"| [{service}]({file_name(service)}) | {cell(self.tags.get(service, ''))} |")
        lines += ["", "| method | roles | |", "|---|---|---|"]
        for m in self.methods:
            roles = ", ".join(f"`{role}`" for role in m.roles) if len(m.roles) < 7 else "any"
            lines.append(f"| [{m.service}/{m.name}]({file_name(m.service)}#{anchor(m.name)}) | {roles} | {cell(m.summary)} |")
        return "\n".join(lines) + "\n"

    def all(self, digests):
        pages = {"README.md": self.index(digests), "messages.md": self.shared()}
        pages |= {file_name(service): self.service(service) for service in self.services}
        return {name: re.sub(r"\n{3,}", "\n\n", text).rstrip("\n") + "\n" for name, text in pages.items()}


INTRODUCTION = """Every method, with its request as a command and in the languages of the [clients](../../../clients/README.md). [Over HTTP](../http.md) describes forms, header fields and errors, [`openapi.yaml`](../../openapi.yaml) says the same for programs, and
`assay openapi` prints it. Members that are left out have their default: 0, false, empty.

Commands and programs take the daemon's address and an [API key](../../operate/roles-and-keys.md#api-keys) from variables; in commands a certificate (`--cert`, `--key`) or a Unix socket (`--unix-socket`) takes the place of the key. `--json` needs curl 7.82.

```sh
{shell}
```

A client has functions for the methods that most programs need, and `call`, which takes any method that answers once: its request and answer are JSON, with bytes in Base64. The requests on these pages stand in one of these programs, where bytes that are no text are decoded from the same Base64:

{programs}
`make rpc-pages` compiles and runs every request in each language.
"""
STREAM = "The clients call methods that answer once. A stream is taken by gRPC, as here, or in one of [Connect's forms](../http.md#forms)."


def introduction():
    curl, *others = LANGUAGES
    return INTRODUCTION.format(shell=curl.SETUP, programs="\n".join(line for each in others for line in folded(each, each.SETUP)))


def requests(method):
    """A method's request: the command, and folded the languages."""
    curl, *others = LANGUAGES
    lines = [f"{'grpcurl' if method.is_stream else curl.TITLE}:", "", f"```{curl.FENCE}", curl.snippet(method), "```", ""]
    if method.is_stream:
        return lines + [STREAM, ""]
    return lines + [line for each in others for line in folded(each, each.snippet(method))]


def folded(language, code):
    return [f"<details><summary>{language.TITLE}</summary>", "", f"```{language.FENCE}", code, "```", "", "</details>", ""]


def named(schema):
    """The schemas that a schema names."""
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "$ref":
                yield value.rpartition("/")[2]
            else:
                yield from named(value)
    elif isinstance(schema, list):
        for each in schema:
            yield from named(each)


def file_name(service):
    return service.lower() + ".md"


def anchor(name):
    return re.sub(r"[^a-z0-9_-]", "", name.lower())


def linked(text):
    """Pages that a comment names by their path, as links."""
    def link(match):
        path = match[0][len("docs/"):]
        return f"[{path}](../../{path})" if (ROOT / match[0]).exists() else match[0]
    return re.sub(r"docs/[a-z/-]+\.md", link, text)


def prose(text):
    return linked(text.strip())


def cell(text):
    return linked(re.sub(r"\s+", " ", text.strip()).replace("|", "\\|"))

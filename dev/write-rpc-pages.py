#!/usr/bin/env python3
"""Writes docs/reference/rpc/, the reference of the methods, from docs/openapi.yaml, which is made from the declared methods and the comments of
the .proto files (`make openapi`):

    dev/write-rpc-pages.py              writes the pages
    dev/write-rpc-pages.py --check      says whether they are as they would be written
    dev/write-rpc-pages.py --try URL    posts every request that the pages show to a daemon, and says which one it cannot read

Each method has its request as a curl command and in each language of FORMS. A further language is a function there. Without PyYAML
(Debian: python3-yaml) --check compares the digests that the pages were made from, and finds no page that was changed by hand."""

import hashlib
import json
import pathlib
import re
import sys
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "docs/openapi.yaml"
FOLDER = ROOT / "docs/reference/rpc"
MADE = "<!-- Made from docs/openapi.yaml by dev/write-rpc-pages.py; do not edit. -->"

DEVICE = "1gAxc5Y5ynLQNPRapnxaOQ=="
HASH = "9d6yOlsirPzWDlYWnkmLLwJGs5fshv10KCAxqj57QKI="
# Requests of the methods for which the declarations have none.
REQUESTS = {
    "Devices/Unblock": {"app": "photos", "target": {"deviceId": DEVICE}},
    "Devices/ListBlocks": {"app": "photos"},
    "Devices/Flag": {"app": "photos", "deviceId": DEVICE, "flag": "under_review", "reason": "ticket 4711"},
    "Devices/Unflag": {"app": "photos", "deviceId": DEVICE, "flag": "under_review", "reason": "ticket 4711"},
    "Devices/Forget": {"app": "photos", "deviceId": DEVICE, "reason": "ticket 4711"},
    "Devices/Import": {"app": "photos", "devices": [{"subject": "dXNlci00Mg==", "appAttest": {
        "publicKey": "BGsX0fLhLEJH+Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT+NC4v4af5uO5+tKfA+eFivOM1drMV7Oy7ZAaDe/UfU=",
        "appId": "TEAMID1234.com.example.photos", "environment": "production", "counter": 41}}]},
    "Operations/Status": {},
    "Operations/Metrics": {},
    "Operations/Watch": {},
    "Keys/List": {},
    "Keys/Revoke": {"name": "uploads-abroad", "reason": "ticket 4711"},
    "Webhooks/List": {},
    "Webhooks/Resend": {"name": "moderation"},
    "Audit/GetClaims": {"app": "photos", "number": "4711"},
    "Audit/ForgetClaims": {"app": "photos", "deviceId": DEVICE},
    "Feeds/List": {},
    "Feeds/Read": {"feed": "android-attestation-status"},
    "Feeds/Load": {"feed": "android-attestation-status", "list": "eyJlbnRyaWVzIjp7fX0="},
    "Plugins/List": {},
    "Plugins/Enable": {"id": "scene-depth"},
    "Plugins/Disable": {"id": "scene-depth"},
    "Plugins/Reload": {},
    "Plugins/ListQuarantine": {},
    "Plugins/ReadQuarantine": {"digest": HASH},
    "Plugins/ReleaseQuarantine": {"digest": HASH},
    "Provisioning/Renew": {
        "app": "photos", "challenge": "bSLlDG/spL1orNW87mRBS/QDNZAtfkT+LFrN8qg6zGGXs4paX6JVN00/CvuyvDQQA+wdnVrk",
        "signature": {"keyId": HASH, "algorithm": "ALGORITHM_ECDSA_P256_SHA256", "signature": "MEUCIQ=="}, "csr": "MIIBCg=="},
    "Provisioning/GetCertificate": {"app": "photos", "serial": "T8MjkGq1Yw=="},
    "Provisioning/ListCertificates": {"app": "photos", "deviceId": DEVICE},
    "Provisioning/GetRevocationList": {},
    "Provisioning/AddEnrolments": {"app": "cameras", "serials": ["CAM-0042", "CAM-0043"]},
    "Provisioning/ReadmitDevice": {"app": "cameras", "deviceSerial": "CAM-0042", "reason": "repaired, ticket 4711"},
    "Provisioning/RemoveEnrolment": {"app": "cameras", "serial": "CAM-0042"},
    "Provisioning/ListEnrolments": {"app": "cameras"},
    "Verdicts/List": {"app": "photos", "decision": "DECISION_REJECTED", "reason": "patch_level_too_old"},
    "Policies/List": {"app": "photos"},
    "Policies/Get": {"digest": "VipqZ50mSUd28eIlPS+2t31IZ6tY24fl8sSl5YsQrbI="},
    "Policies/ListRecordings": {"app": "photos"},
    "Policies/DeleteRecordings": {"app": "photos", "deviceId": DEVICE},
    "Policies/ListDifferences": {"app": "photos"},
    "Results/ListKeys": {},
    "Results/GetStatusList": {"list": 1, "form": "STATUS_LIST_FORM_JWT"},
}
REPEATABLE = {
    "idempotent": "may be repeated", "idempotent_with_key": "may be repeated with an idempotency key",
    "not_idempotent": "is not repeated by clients: it may have been done"}


# MARK: Languages

def curl(method, request):
    if method.is_stream:
        return "sh", ("grpcurl -H \"authorization: Bearer $ASSAY_API_KEY\" -d '" + as_json(request) + "' \"${ASSAY#https://}\" "
                      + method.grpc.strip("/"))
    # As a shell takes it between single quotes.
    body = as_json(request).replace("'", "'\\''")
    return "sh", f"curl -sS -H \"authorization: Bearer $ASSAY_API_KEY\" --json '{body}' \"$ASSAY{method.path}\""


def python(method, request):
    if method.is_stream:
        return None
    words = {True: "True", False: "False", None: "None"}
    return "python", f'client.call("{method.service}", "{method.name}", {literal(request, words, ",")})'


FORMS = [("curl", curl), ("Python", python)]


def literal(value, words, comma="", step="    ", indent=""):
    """A value of JSON as a language writes it. `words` are its true, false and null; `comma` stands behind a last member."""
    inner = indent + step
    if isinstance(value, dict) and value:
        members = [f'{inner}"{key}": {literal(member, words, comma, step, inner)}' for key, member in value.items()]
        return "{\n" + ",\n".join(members) + comma + "\n" + indent + "}"
    if isinstance(value, list) and any(isinstance(member, (dict, list)) for member in value):
        members = [inner + literal(member, words, comma, step, inner) for member in value]
        return "[\n" + ",\n".join(members) + comma + "\n" + indent + "]"
    if value is None or isinstance(value, bool):
        return words[value]
    if isinstance(value, list):
        return "[" + ", ".join(literal(member, words) for member in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def as_json(value):
    return literal(value, {True: "true", False: "false", None: "null"}, step="  ")


# MARK: The document

class Method:
    def __init__(self, path, declared):
        self.path, self.grpc = path, declared["x-assay-grpc-path"]
        self.service, self.name = re.fullmatch(r"/assay\.v1\.(\w+)/(\w+)", self.grpc).groups()
        self.roles, self.idempotency = declared["x-assay-roles"], declared["x-assay-idempotency"]
        # The last paragraph says what the table of the page does.
        self.text = declared["description"].rpartition("\n\n")[0]
        self.summary = re.match(r"(?s)(.*?\.)?(?=\s|$)", self.text)[0]
        content = declared["requestBody"]["content"]
        self.is_stream = not path.startswith("/v1/")
        taken = next(iter(content.values()))
        given = next(iter(declared["responses"]["200"]["content"].values()))
        self.takes, self.gives = reference(taken.get("schema")), reference(given.get("schema"))
        examples = [each["value"] for each in taken.get("examples", {}).values()]
        self.request = examples[0] if examples and not self.is_stream else REQUESTS[f"{self.service}/{self.name}"]
        self.answers = [] if self.is_stream else [(name, each["value"]) for name, each in given.get("examples", {}).items()]


def reference(schema):
    return (schema or {}).get("$ref", "").rpartition("/")[2]


def methods(document):
    declared = [(path, item["post"]) for path, item in document["paths"].items() if "x-assay-grpc-path" in item.get("post", {})]
    return [Method(path, post) for path, post in declared]


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


def problem(schemas, name, value, place):
    """Where a request is not what its schema says: members that do not exist, values of enumerations that do not."""
    schema = schemas[name]
    if "enum" in schema and value not in schema["enum"]:
        return f"{place}: {name} has no {value}"
    for key, member in value.items() if isinstance(value, dict) else []:
        declared = schema.get("properties", {}).get(key)
        if declared is None:
            return f"{place}: {name} has no {key}"
        for each in member if isinstance(member, list) else [member]:
            inner = reference(declared) or reference(declared.get("items"))
            found = problem(schemas, inner, each, f"{place}.{key}") if inner else None
            if found:
                return found
    return None


# MARK: Pages

class Pages:
    def __init__(self, document):
        self.schemas = document["components"]["schemas"]
        self.methods = methods(document)
        self.tags = {tag["name"]: tag["description"] for tag in document["tags"]}
        self.services = list(dict.fromkeys(method.service for method in self.methods))
        self.uses = {}
        for method in self.methods:
            for name in self.reached([method.takes, method.gives]):
                self.uses.setdefault(name, set()).add(method.service)
        for name, value in ((f"{m.service}/{m.name}", m) for m in self.methods):
            found = problem(self.schemas, value.takes, value.request, name) if value.takes in self.schemas else None
            if found:
                sys.exit(f"{found}: correct REQUESTS in dev/write-rpc-pages.py")

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
            for title, form in FORMS:
                made = form(method, method.request)
                if made:
                    lines += [f"{title}:", "", f"```{made[0]}", made[1], "```", ""]
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
        lines = ["# Methods", MADE, digests, "", INTRODUCTION, "| service | |", "|---|---|"]
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


INTRODUCTION = """Every method, with its request as a command and as code. [Over HTTP](../http.md) describes forms, header fields and errors, [`openapi.yaml`](../../openapi.yaml) says the same for programs, and
`assay openapi` prints it. Members that are left out have their default: 0, false, empty.

The commands take the daemon's address and an [API key](../../operate/roles-and-keys.md#api-keys) from variables; a certificate (`--cert`, `--key`) or a Unix socket (`--unix-socket`) takes the place of the key. `--json` needs curl 7.82.

```sh
ASSAY=https://assay.example.org:8443
ASSAY_API_KEY=assay_…
```

The Python form is that of the client for Python, whose `call` takes any method:

```python
from assay import Client

client = Client("https://assay.example.org:8443", api_key=key)
```
"""


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


# MARK: Commands

def digest_line():
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (SOURCE, pathlib.Path(__file__))]
    return f"<!-- openapi.yaml {digests[0]}, generator {digests[1]} -->"


def check():
    try:
        import yaml
    except ImportError:
        if digest_line() in (FOLDER / "README.md").read_text(encoding="utf-8"):
            return []
        return ["README.md"]
    pages = Pages(yaml.safe_load(SOURCE.read_text(encoding="utf-8"))).all(digest_line())
    there = {path.name for path in FOLDER.glob("*.md")}
    return sorted([name for name, text in pages.items() if name not in there or (FOLDER / name).read_text(encoding="utf-8") != text]
                  + list(there - set(pages)))


def attempt(pages, url):
    """The requests that the daemon cannot read."""
    unread = []
    for method in pages.methods:
        if method.is_stream:
            continue
        request = urllib.request.Request(url.rstrip("/") + method.path, json.dumps(method.request).encode(), {"content-type": "application/json"})
        try:
            urllib.request.urlopen(request, timeout=20).read()
        except urllib.error.HTTPError as error:
            answer = json.load(error)
            if answer["code"] in ("invalid_argument", "unimplemented"):
                unread.append(f"{method.service}/{method.name}: {answer['code']}: {answer['message']}")
    return unread


def main():
    if sys.argv[1:] == ["--check"]:
        stale = check()
        if stale:
            sys.exit("rpc pages: stale: " + ", ".join(stale) + "; run dev/write-rpc-pages.py and commit what it writes")
        print("rpc pages: they are what docs/openapi.yaml says")
        return
    try:
        import yaml
    except ImportError:
        print("rpc pages: PyYAML (Debian: python3-yaml) is not installed")
        sys.exit(77)
    pages = Pages(yaml.safe_load(SOURCE.read_text(encoding="utf-8")))
    if len(sys.argv) == 3 and sys.argv[1] == "--try":
        unread = attempt(pages, sys.argv[2])
        if unread:
            sys.exit("\n".join(unread))
        print(f"rpc pages: the daemon reads all {sum(not m.is_stream for m in pages.methods)} requests")
        return
    if sys.argv[1:]:
        sys.exit(__doc__)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.md"):
        old.unlink()
    for name, text in pages.all(digest_line()).items():
        (FOLDER / name).write_text(text, encoding="utf-8")


main()

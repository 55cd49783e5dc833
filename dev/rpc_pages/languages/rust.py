"""The client for Rust."""

from __future__ import annotations

import json
import shutil

from ..layout import Group, Notation, Style, written
from ..program import CLIENTS, indented
from ..values import Name, Octets, Record
from .typed import TYPED, binding, evidence, pascal, snake, without_key

KEY, TITLE, FENCE = "rust", "Rust", "rust"
SENDS_KEY = True
CALLS = "    // a call of these pages\n"
SETUP = """use assay_client::*;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (url, key) = (std::env::var("ASSAY")?, std::env::var("ASSAY_API_KEY")?);
    let client = Client::new(ClientOptions::new(url).api_key(key))?;
    // a call of these pages
    Ok(())
}

fn decoded(text: &str) -> Vec<u8> {
    base64_decode(text).expect("it is Base64")
}"""
STYLE = Style(step="    ")
# Members whose place in a request has another name or type.
TARGETS = {"deviceId": "DeviceId", "subject": "Subject", "keyId": "KeyId", "deviceSerial": "Serial"}
KEYS = {"csr": "Csr", "publicKey": "PublicKey"}
# Requests that have all of their members, and no default.
WHOLE = {"GetDeviceRequest", "BlockRequest", "UnblockRequest"}


class Objects(Notation):
    def text(self, text):
        return f"{json.dumps(text, ensure_ascii=False)}.into()"

    def number(self, number):
        return f"{number}u32.into()"

    def boolean(self, value):
        return f"{super().boolean(value)}.into()"

    def object(self, members):
        return Group("Json::object([", [("", [f'("{key}", ', value, ")"]) for key, value in members], "])", end=",")

    def list(self, items):
        return Group("Json::List(vec![", [("", item) for item in items], "])", end=",")


OBJECTS = Objects()


def snippet(method):
    if method.title not in TYPED:
        options = "idempotent: true, ..Default::default()" if method.idempotency == "idempotent" else ""
        lines = [written(["let message = ", OBJECTS.of(method.request), ";"], STYLE)]
        lines += [f"let options = CallOptions {{ {options} }};"] if options else []
        given = "&options" if options else "&CallOptions::default()"
        return "\n".join([*lines, f'let answer = client.call("{method.service}", "{method.name}", &message, {given})?;'])
    name, answer = TYPED[method.title]
    start = f"let {answer} = client.{snake(name)}("
    if method.title == "Results/GetKeys":
        return f"{start}{str(method.request.get('simulated', False)).lower()})?;"
    if method.title == "Operations/WhoAmI":
        return f"{start})?;"
    request = written(["let request = ", struct(f"{pascal(name)}Request", members(method)), ";"], STYLE)
    return f"{request}\n{start}&request)?;"


def members(method):
    """The members of a request, as the crate has them."""
    given, key = without_key(method.record)
    items = []
    for name, part in given.items():
        if method.title == "Devices/Get" and name in TARGETS:
            items.append(("by", tuple_of(f"DeviceName::{TARGETS[name]}", [part])))
        elif method.title == "Provisioning/Issue" and name in KEYS:
            items.append(("key", ["Some(", tuple_of(f"CertificateKey::{KEYS[name]}", [part]), ")"]))
        elif isinstance(part, Record) and part.kind == "Binding":
            items.append((snake(name), ["Some(", value(part), ")"]))
        else:
            items.append((snake(name), value(part)))
    return items + ([("idempotency_key", f"Some({value(key)})")] if key else [])


def struct(kind, items, is_whole=False):
    parts = [("" if name == part else f"{name}: ", part) for name, part in items]
    if not is_whole and kind not in WHOLE:
        parts.append(("", "..Default::default()"))
        return Group(f"{kind} {{", parts, "}", space=" ")
    return Group(f"{kind} {{", parts, "}", space=" ", end=",")


def tuple_of(function, parts):
    return Group(f"{function}(", [("", value(part)) for part in parts], ")", end=",")


def value(member):
    if isinstance(member, Octets):
        return f"b{json.dumps(member.text)}.to_vec()" if member.text else f'decoded("{member.base64}")'
    if isinstance(member, Name):
        kind = {"Device.State": "DeviceState", "VerifyRequest.Report": "Report"}.get(member.kind, member.kind)
        return f"{kind}::{pascal(member.name)}"
    if isinstance(member, list):
        return Group("vec![", [("", value(each)) for each in member], "]", end=",")
    if isinstance(member, Record):
        return message(member)
    return OBJECTS.text(member) if isinstance(member, str) else json.dumps(member)


def message(record):
    if record.kind == "Evidence":
        kind, parts = evidence(record)
        items = [["&", Group("[", [("", value(each)) for each in part], "]", end=",") if isinstance(part, list) else value(part)] for part in parts]
        return Group(f"Evidence::{snake(kind)}(", [("", item) for item in items], ")", end=",")
    if record.kind == "Binding":
        name, part = binding(record)
        return struct("Binding::" + {"payloadSha256": "ClientData", "uploadId": "Upload"}[name], [(snake(name), value(part))], is_whole=True)
    if record.kind == "BlockTarget":
        (name, part), = record.members.items()
        return tuple_of(f"BlockTarget::{TARGETS[name]}", [part])
    return struct(record.kind, [(snake(name), value(part)) for name, part in record.members.items()], record.is_whole)


def missing():
    return None if shutil.which("cargo") else "cargo"


def run(program):
    blocks = []
    for title, text in program.calls:
        answer = text.rpartition("let ")[2].partition(" ")[0]
        blocks.append(f"    // {title}\n    {{\n{indented(text, ' ' * 8)}\n        drop({answer});\n    }}\n")
    program.write("Cargo.toml", f"""[package]
name = "calls"
version = "0.0.0"
edition = "2021"

[dependencies]
assay-client = {{ path = {json.dumps(str(CLIENTS / "rust"))} }}

[workspace]
""")
    program.write("src/main.rs", "#![deny(warnings)]\n" + SETUP.replace(CALLS, "".join(blocks)) + "\n")
    cargo = CLIENTS / "rust/cargo.sh"
    program.run(cargo, "run", "--quiet", CARGO_TARGET_DIR=str(CLIENTS / "rust/target/rpc-pages"))

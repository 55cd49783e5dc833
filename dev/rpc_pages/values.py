"""JSON of a message as values of the types that its schema declares: the same for every way in which the JSON may be written."""

from __future__ import annotations

import base64
import binascii
import os
import re
from dataclasses import dataclass
from typing import Any, Dict


@dataclass(frozen=True)
class Octets:
    """Bytes."""

    data: bytes

    @property
    def text(self):
        """The bytes as visible ASCII; None if they are not that."""
        return self.data.decode("ascii") if re.fullmatch(rb"[ -~]+", self.data) else None

    @property
    def base64(self):
        return base64.b64encode(self.data).decode("ascii")


@dataclass(frozen=True)
class Name:
    """A value of an enumeration, without the enumeration's prefix."""

    kind: str
    name: str


@dataclass(frozen=True)
class Wide:
    """An integer of 64 bits."""

    number: int


@dataclass(frozen=True)
class Record:
    """A message. Its members are texts, numbers, booleans, lists, and the types above."""

    kind: str
    members: Dict[str, Any]
    is_whole: bool
    """No member of the schema is left out."""


class Mismatch(Exception):
    """A value is not what its schema says."""


def reference(schema):
    return (schema or {}).get("$ref", "").rpartition("/")[2]


def record(schemas, kind, value, place=""):
    """A message. Raises Mismatch for members, types and names of enumerations that the schema does not have."""
    if not isinstance(value, dict):
        raise Mismatch(f"{place or kind} is not an object")
    properties = schemas[kind].get("properties", {})
    members = {}
    for key, member in value.items():
        inner = f"{place}.{key}".lstrip(".")
        if key not in properties:
            raise Mismatch(f"{kind} has no {inner}")
        members[key] = typed(schemas, properties[key], member, inner)
    return Record(kind, members, set(members) == set(properties))


def typed(schemas, schema, value, place):
    kind = reference(schema)
    if kind and "enum" in schemas[kind]:
        return name(kind, schemas[kind]["enum"], value, place)
    if kind and "properties" in schemas[kind]:
        return record(schemas, kind, value, place)
    declared = schemas[kind].get("type") if kind else schema.get("type")
    if declared == "array" and isinstance(value, list):
        return [typed(schemas, schema["items"], each, f"{place}[{index}]") for index, each in enumerate(value)]
    if schema.get("contentEncoding") == "base64" and isinstance(value, str):
        return Octets(octets(value, place))
    if isinstance(declared, list) and re.fullmatch(r"-?[0-9]+", str(value)):
        return Wide(int(value))
    kinds = {"string": str, "boolean": bool, "integer": int, "number": (int, float), "object": dict}
    if isinstance(declared, str) and declared in kinds and isinstance(value, kinds[declared]) and (declared == "boolean") == isinstance(value, bool):
        return value
    raise Mismatch(f"{place} is not {declared}")


def octets(text, place):
    try:
        return base64.b64decode(text.replace("-", "+").replace("_", "/"), validate=True)
    except (binascii.Error, ValueError):
        raise Mismatch(f"{place} is not Base64") from None


def name(kind, names, value, place):
    """A value of an enumeration, whose names are read with or without their prefix."""
    prefix = os.path.commonprefix(names).rpartition("_")[0] + "_"
    full = value if value in names else f"{prefix}{value}"
    if full not in names:
        raise Mismatch(f"{place}: {kind} has no {value}")
    return Name(kind, full[len(prefix):])

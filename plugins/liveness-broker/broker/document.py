"""Members of JSON documents by their paths, such as result.score."""
from __future__ import annotations

import copy
import re
from typing import Any

PATH = re.compile(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+){0,7}")


def is_path(text: str) -> bool:
    return PATH.fullmatch(text) is not None


def member(document: Any, path: str) -> Any:
    """The member; None if there is none."""
    for name in path.split("."):
        if not isinstance(document, dict):
            return None
        document = document.get(name)
    return document


def with_members(constants: dict[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """The constants with a member at each path; a constant that is in the way is replaced."""
    document = copy.deepcopy(constants)
    for path, value in members.items():
        place, *names = document, *path.split(".")
        for name in names[:-1]:
            if not isinstance(place.get(name), dict):
                place[name] = {}
            place = place[name]
        place[names[-1]] = value
    return document

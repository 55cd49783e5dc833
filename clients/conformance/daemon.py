"""The cases against a daemon: `assayd dev`."""

from __future__ import annotations

from typing import List


def daemon_case_names() -> List[str]:
    return []


class DaemonCases:
    pass

"""What a language is given to compile and run."""

from __future__ import annotations

import pathlib
import subprocess
from dataclasses import dataclass
from typing import Dict, List, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLIENTS = ROOT / "clients"
SECONDS = 600


class Broken(Exception):
    """A program cannot be compiled, or fails. `status` is that of the command."""

    def __init__(self, text, status=None):
        super().__init__(text)
        self.status = status


@dataclass
class Program:
    """A program of calls."""

    folder: pathlib.Path
    calls: List[Tuple[str, str]]
    """The method's title and its snippet."""
    environment: Dict[str, str]
    """With the recorder's address as ASSAY, and a key as ASSAY_API_KEY."""
    http: str
    """The recorder's address without a Unix socket."""

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, *command, folder=None, **environment):
        """The output of a command that ends with status 0. A variable that is None is not set."""
        given = {name: value for name, value in {**self.environment, **environment}.items() if value is not None}
        try:
            ended = subprocess.run(
                [str(part) for part in command], cwd=folder or self.folder, env=given, stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Broken(f"{command[0]} does not end within {SECONDS} s") from None
        output = ended.stdout.decode(errors="replace")
        if ended.returncode:
            raise Broken(f"{command[0]} ends with status {ended.returncode}:\n{output[-4000:].rstrip()}", ended.returncode)
        return output


def indented(text, indent):
    return "".join(indent + line if line.strip() else line for line in text.splitlines(keepends=True))

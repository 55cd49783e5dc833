"""What the plugin writes to its output, which becomes lines of the daemon's log."""
from __future__ import annotations

import sys
import traceback

FRAME_LIMIT, CAUSE_LIMIT = 12, 4


def complain(plugin: str, sentence: str) -> None:
    try:
        sys.stderr.write(f"{plugin}: {sentence}\n")
        sys.stderr.flush()
    except OSError:
        pass  # the log is gone, and there is no other


def report(plugin: str, method: str, error: BaseException) -> None:
    """Says what was raised and where, without the exception's own text: it may hold evidence or secrets."""
    found: BaseException | None = error
    lines: list[str] = []
    for _ in range(CAUSE_LIMIT):
        if found is None:
            break
        lines.append(f"{method}: {type(found).__name__}" if not lines else f"after {type(found).__name__}")
        lines += [f"  {step.filename}:{step.lineno} in {step.name}: {step.line}" for step in traceback.extract_tb(found.__traceback__)[-FRAME_LIMIT:]]
        found = found.__cause__ or found.__context__
    complain(plugin, "\n".join(lines))

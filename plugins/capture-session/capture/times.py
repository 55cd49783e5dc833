"""Times as text."""
from __future__ import annotations

from datetime import datetime, timedelta, timezone

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def time_text(time_ms: int) -> str:
    """RFC 3339 in UTC with milliseconds: 2025-01-01T00:00:00.000Z"""
    return (EPOCH + timedelta(milliseconds=time_ms)).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time_ms % 1000:03d}Z"

"""The process: how it starts, and the status with which it ends."""
from __future__ import annotations

import os
import signal
import sys
from typing import Any, NoReturn

from .declaration import Plugin
from .report import complain
from .session import Session

COOKIE = "1b5f6a40-assay-plugin-v1"
SOCKET = 3
OK, FAILURE, BY_HAND = 0, 1, 64


def run(plugin: Plugin[Any]) -> NoReturn:
    """Serves the daemon until it ends the connection, and ends the process."""
    sys.exit(serve(plugin))


def serve(plugin: Plugin[Any]) -> int:
    if os.environ.get("ASSAY_PLUGIN_COOKIE") != COOKIE:
        complain(plugin.name, "this is a plugin of Assay: it is started by assayd, which finds it in plugins.d, and does nothing by hand.")
        return BY_HAND
    # The end of the daemon is seen as an error of write.
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    session = Session(plugin, SOCKET)
    if session.run():
        return OK
    complain(plugin.name, session.connection.fault)
    return FAILURE

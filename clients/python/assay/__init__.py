"""A client of assayd over HTTP, with nothing beyond the standard library.

`Client` makes calls and waits for them; `AsyncClient` is the same for asyncio. Both take the options and have the methods that
clients/README.md lists for every language.
"""

from ._version import __version__
from .aio import AsyncClient
from .client import Client
from .errors import AssayError
from .evidence import Binding, BlockTarget, Evidence, ResultRequest
from .messages import (
    Blocked,
    Caller,
    Challenge,
    Device,
    DevicePage,
    Finding,
    FoundVerdict,
    FoundVerdicts,
    IssuedCertificate,
    ProvisionedDevice,
    ResultKeys,
    SignedResult,
    Unblocked,
    Verdict,
    WouldReject,
)
from .retrying import Timing

__all__ = [
    "AssayError",
    "AsyncClient",
    "Binding",
    "BlockTarget",
    "Blocked",
    "Caller",
    "Challenge",
    "Client",
    "Device",
    "DevicePage",
    "Evidence",
    "Finding",
    "FoundVerdict",
    "FoundVerdicts",
    "IssuedCertificate",
    "ProvisionedDevice",
    "ResultKeys",
    "ResultRequest",
    "SignedResult",
    "Timing",
    "Unblocked",
    "Verdict",
    "WouldReject",
    "__version__",
]

"""Tests of services that call Assay: a daemon of its own, and evidence of virtual phones for every case.

    from assay_testing import TestServer

    with TestServer() as assay:
        upload = assay.evidence("replayed", payload=b"a photo")
        upload.request          # the body of POST /v1/attestation/verify
        upload.expected.reason  # "counter_not_increasing"

With pytest, the fixture ``assay`` is such a server, and nothing has to be imported.
"""

from ._program import ProgramNotFound
from ._server import CaseError, Evidence, Expected, ServerError, TestServer

__all__ = ["CaseError", "Evidence", "Expected", "ProgramNotFound", "ServerError", "TestServer"]

"""Fixtures for pytest.

``assay_server``  one daemon for all tests of the run
``assay``         the same, for a test: its devices are new ones
"""

import uuid

import pytest

from ._program import ProgramNotFound
from ._server import TestServer


def pytest_addoption(parser):
    group = parser.getgroup("assay")
    group.addoption("--assayd", metavar="FILE", default=None, help="the program assayd; default: ASSAY_HOME, then the PATH")
    parser.addini("assay_app", "the name of the app, as the service names it (default: photos)", default="photos")


@pytest.fixture(scope="session")
def assay_server(pytestconfig):
    """A daemon with virtual devices, for all tests of the run."""
    try:
        server = TestServer(pytestconfig.getini("assay_app"), program=pytestconfig.getoption("--assayd"))
    except ProgramNotFound as error:
        pytest.fail(str(error), pytrace=False)
    try:
        yield server
    finally:
        server.close()


class Assay:
    """The daemon as one test sees it: its devices are shared with no other test."""

    def __init__(self, server):
        self._server = server
        self._scope = uuid.uuid4().hex

    def __getattr__(self, name):
        return getattr(self._server, name)

    def evidence(self, case="accepted", **parameters):
        """As `TestServer.evidence`, with devices of this test's own."""
        return self._server.evidence(case, **{"scope": self._scope, **parameters})


@pytest.fixture
def assay(assay_server):
    """The daemon, with devices of this test's own."""
    return Assay(assay_server)

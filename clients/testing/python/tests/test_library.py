"""What the library does with a server that misbehaves. The program is a stand-in, chosen by STAND_IN."""

import os
import threading
import time

import pytest

from assay_testing import CaseError, ProgramNotFound, ServerError, TestServer

STAND_IN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "stand_in.py")


@pytest.fixture
def start(monkeypatch):
    servers = []

    def start(kind, **options):
        monkeypatch.setenv("STAND_IN", kind)
        server = TestServer(program=STAND_IN, **options)
        servers.append(server)
        return server

    yield start
    for server in servers:
        server.close()


def runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_it_asks_as_it_is_told_and_reads_the_reply(start):
    server = start("honest", app="films")
    assert server.app == "films"
    made = server.evidence("expired", payload=b"x", subject="alice", context=b"\1", challenge="AAAA", device="phone-2", scope="s")
    assert made.request["echo"] == {
        "case": "expired", "device": "phone-2", "scope": "s", "challenge": "AAAA", "context": "AQ==", "subject": "YWxpY2U=",
        "payloadSha256": "LXEWQrcmsEQBYnyp+6wy9chTD7GQPMTbAiWHF5IaSIE=",  # of "x"
    }
    assert (made.expected.accepted, made.expected.reason, made.expected.retry) == (False, "expired", "new_challenge")
    assert (made.kind, made.key_id, made.body, made.challenge) == ("appAttestAssertion", b"\1\2", b"\3\4", b"\0\0\0")
    with pytest.raises(ValueError, match="not both"):
        server.evidence(payload=b"x", payload_sha256=b"y" * 32)


def test_a_case_that_there_is_not_is_an_error_with_its_code_and_the_next_one_is_made(start):
    server = start("honest")
    with pytest.raises(CaseError, match="no case") as raised:
        server.evidence("refused")
    assert raised.value.code == "unknown_case"
    assert server.evidence("other").expected.reason == "other"


def test_a_server_that_does_not_start_says_why(start):
    with pytest.raises(ServerError, match="status 78: assayd: there is a configuration for real devices"):
        start("fails")


def test_a_server_that_does_not_listen_is_stopped_in_time(start):
    began = time.monotonic()
    with pytest.raises(ServerError, match="did not listen in time"):
        start("silent", start_timeout=0.3)
    assert time.monotonic() - began < 20


def test_a_server_of_another_kind_is_told_apart(start):
    with pytest.raises(ServerError, match="not JSON: b'hello"):
        start("babbles")


def test_a_server_that_ends_says_why(start):
    server = start("ends")
    with pytest.raises(ServerError, match="status 1: out of memory"):
        server.evidence()
    with pytest.raises(ServerError, match="has ended"):
        server.evidence()


def test_a_late_reply_is_not_taken_for_that_of_the_next_call(start):
    server = start("late", timeout=2)
    with pytest.raises(ServerError, match="in time"):
        server.evidence("slow")
    assert server.evidence("next").expected.reason == "next"


def test_threads_get_their_own_replies(start):
    server = start("honest")
    found = {}

    def ask(name):
        found[name] = [server.evidence(name).expected.reason for _ in range(20)]

    threads = [threading.Thread(target=ask, args=(f"case{index}",)) for index in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == {f"case{index}": [f"case{index}"] * 20 for index in range(8)}


def test_it_ends_with_the_object_also_against_its_will(start):
    for kind, limit in (("honest", 20), ("ignores", 20)):
        server = start(kind, stop_timeout=2)
        pid, began = server._process.pid, time.monotonic()
        server.close()
        assert not runs(pid) and time.monotonic() - began < limit
        server.close()


def test_the_program_is_looked_for_where_the_message_says(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ASSAY_HOME", raising=False)
    with pytest.raises(ProgramNotFound, match="not on the PATH, and ASSAY_HOME is not set"):
        TestServer()
    monkeypatch.setenv("ASSAY_HOME", str(tmp_path))
    with pytest.raises(ProgramNotFound, match=f"ASSAY_HOME is {tmp_path}.*bin/assayd"):
        TestServer()
    with pytest.raises(ProgramNotFound, match="nothing is not a program"):
        TestServer(program=tmp_path / "nothing")
    (tmp_path / "bin").mkdir()
    os.symlink(os.path.abspath(STAND_IN), tmp_path / "bin" / "assayd")
    monkeypatch.setenv("STAND_IN", "honest")
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with TestServer() as server:
        assert server.app == "photos"

#!/usr/bin/python3 -B
"""A plugin in Swift inside the sandbox of plugins/launcher: it starts, is configured, judges, and ends.

    test_sandbox.py LAUNCHER CASES COMMAND

It is given what it needs and no more: nothing if it is static; the dynamic loader and the folders of its libraries if it is not.
"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

PLUGINS = pathlib.Path(__file__).resolve().parents[3]
LAUNCHER, CASES, COMMAND = sys.argv[1:]
os.environ["ASSAY_TEST_BUILD"] = str(pathlib.Path(LAUNCHER).resolve().parent)
sys.path[:0] = [str(PLUGINS / "launcher/tests"), str(PLUGINS / "sdk/tests")]

from host import COOKIE, framed                                 # noqa: E402
from judgement import request_for                               # noqa: E402
from launch import LauncherTest, memory_file, read_file         # noqa: E402
from messages import frames, messages                           # noqa: E402


def powers():
    """What a dynamic executable needs: its loader, and the folders of its libraries."""
    listed = subprocess.run(["ldd", COMMAND], capture_output=True, text=True)
    if listed.returncode != 0:
        return []
    words = listed.stdout.split()
    libraries = [os.path.realpath(word) for before, word in zip(words, words[1:]) if before == "=>" and word.startswith("/")]
    loader = next(word for word in words if word.startswith("/") and "/ld-" in word)
    folders = sorted({os.path.dirname(library) for library in libraries})
    return ["--rx", loader, *(option for folder in folders for option in ("--ro", folder))]


class Sandbox(LauncherTest):
    def start_plugin(self, options):
        executable = memory_file(read_file(COMMAND))
        self.addCleanup(os.close, executable)
        environment = {"ASSAY_PLUGIN_COOKIE": COOKIE, "ASSAY_PLUGIN_PROTOCOLS": "1", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no"}
        for name, value in environment.items():
            options = ["--env", f"{name}={value}", *options]
        return self.start(["--limit", f"as={512 << 20}", "--limit", "nofile=16", *options], ["plugin"], executable=executable)

    def test_judges_its_first_accepted_case(self):
        with open(CASES) as file:
            case = next(case for case in json.load(file)["cases"] if case["expect"]["verdict"] == "ACCEPTED")
        plugin = self.start_plugin(powers())
        self.assertIsNone(plugin.failure(), plugin.status)
        self.assertEqual("allow-list", plugin.state("seccomp"))
        configuration = json.dumps(case["configuration"]).encode()
        requests = [("Describe", messages.DescribeRequest(protocol_versions=[1])),
                    ("Configure", messages.ConfigureRequest(protocol_version=1, configuration=configuration)),
                    ("Appraise", request_for(case, None))]
        for number, (method, request) in enumerate(requests):
            call = frames.Call(method=f"/assay.plugin.v1.Plugin/{method}", message=request.SerializeToString())
            plugin.connection.sendall(framed(frames.Frame(call_id=number + 1, call=call)))
        answers = self.answers(plugin, len(requests))
        self.assertTrue(messages.DescribeResponse.FromString(answers[1]).name)
        self.assertEqual([], list(messages.ConfigureResponse.FromString(answers[2]).problems))
        findings = messages.AppraiseResponse.FromString(answers[3]).findings
        self.assertEqual({messages.OUTCOME_PASS}, {finding.outcome for finding in findings})
        plugin.connection.shutdown(1)
        self.assertEqual((0, ""), (plugin.wait(), plugin.output()))

    def answers(self, plugin, count):
        """The plugin's replies by id. What it asks of the host is answered with nothing found."""
        plugin.connection.settimeout(20)
        received, answers = b"", {}
        while len(answers) < count:
            part = plugin.connection.recv(65536)
            self.assertTrue(part, "the plugin ended")
            received += part
            while len(received) >= 4 and len(received) >= 4 + int.from_bytes(received[:4], "big"):
                size = 4 + int.from_bytes(received[:4], "big")
                frame = frames.Frame.FromString(received[4:size])
                received = received[size:]
                if frame.WhichOneof("kind") == "reply":
                    self.assertEqual(0, frame.reply.status.code, frame.reply.status.message)
                    answers[frame.call_id] = frame.reply.message
                else:
                    answer = frames.Reply(message=b"\x0a\x01\0")     # FindUsed: one token, not used
                    plugin.connection.sendall(framed(frames.Frame(call_id=frame.call_id, reply=answer)))
        return answers

    def test_is_refused_what_it_was_not_given(self):
        if not powers():
            self.skipTest("a static executable needs nothing")
        plugin = self.start_plugin([])
        self.assertNotEqual(0, plugin.wait() if not plugin.failure() else 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

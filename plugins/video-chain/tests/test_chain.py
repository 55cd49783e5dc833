"""What is not in a verdict: measurements, sentences, sizes, and many changes. Run by plugins/sdk/tests/suite.py --more."""
import hashlib
import os
import pathlib
import subprocess
import sys

import suite
from host import CallFailed
from judgement import request_for
from messages import messages
from recording import SCENE, b64, final_hash, frame_digest, map_digest, recording, sha256, written
from vectors import ONE, ONE_PAYLOAD, OLD, PARTIAL, case, other_byte

PASS, UNAVAILABLE = messages.OUTCOME_PASS, messages.OUTCOME_UNAVAILABLE
MUTANTS = os.environ.get("MUTANTS", "20000")


class ChainTests(suite.PluginTestCase):
    def answer(self, document, signs="final_hash", **configuration):
        one = case("", document, "ACCEPTED", signs=signs, **configuration)
        host, _ = self.configured(one)
        return host.call("Appraise", request_for(one, host))

    def measurement(self, document, **more):
        found, = self.answer(document, **more).measurements
        return found.signal.decode(), found.outcome, found.detail

    # MARK: The chain

    def test_a_chain_of_two_frames_by_hand_is_that_of_the_readme(self):
        first = hashlib.sha256(frame_digest(1) + bytes(32) + bytes.fromhex("0000000000000000")).digest()
        # 1/30 is 3FA1111111111111.
        second = hashlib.sha256(frame_digest(2) + bytes(32) + bytes.fromhex("111111111111a13f") + first).digest()
        document = recording(2, times=[0, 1 / 30])
        self.assertEqual(b64(second), document["final_hash"])
        self.assertEqual(b64(first + second), document["hashes"])
        page = (pathlib.Path(__file__).parent.parent / "README.md").read_text()
        self.assertIn(written(document).decode(), page.replace("\n ", ""))
        self.assertIn(sha256(second).hex(), page)
        self.assertEqual(sha256(second), self.answer(document).verified_payload_sha256)

    def test_says_which_payload_it_belongs_to(self):
        self.assertEqual(ONE_PAYLOAD, self.answer(ONE).verified_payload_sha256)
        self.assertEqual(sha256(written(ONE)), self.answer(ONE, signs="document").verified_payload_sha256)

    def test_names_the_frame_and_both_hashes_of_a_broken_link(self):
        changed = {**ONE, "frame_digests": other_byte(ONE["frame_digests"], 4 * 32)}
        finding = self.answer(changed).findings[-1]
        # The fifth frame is no keyframe.
        previous = bytes(suite.b64(ONE["hashes"]))[3 * 32:4 * 32]
        digest = bytearray(frame_digest(5))
        digest[0] ^= 1
        expected = sha256(bytes(digest) + bytes(32) + bytes.fromhex("111111111111c13f") + previous)
        stated = bytes(suite.b64(ONE["hashes"]))[4 * 32:5 * 32]
        self.assertEqual(("links", "link_mismatch"), (finding.check.decode(), finding.code.decode()))
        self.assertEqual(f"hashes: expected the hash of frame 5 to be {expected.hex()}, found {stated.hex()}", finding.detail)

    def test_numbers_of_a_keyframe_are_part_of_its_link(self):
        document, numbers = recording(3), bytes.fromhex(
            "9a99999999990140" "1f85eb51b81ef53f" "0000000000000840" "54e3a59bc420d83f" "9a9999999999e93f" "0000000000001040")
        depth = sha256(map_digest(3) + numbers)
        hashes = bytes(suite.b64(document["hashes"]))
        self.assertEqual(final_hash(document), sha256(frame_digest(3) + depth + bytes.fromhex("111111111111b13f") + hashes[32:64]))

    def test_the_note_of_an_interrupted_recording_says_what_is_the_apps_word(self):
        note = next(finding for finding in self.answer(PARTIAL).findings if finding.outcome == messages.OUTCOME_NOTE)
        self.assertEqual(("verified_prefix", "10 s of 12 s: 300 of 360 frames, of which the whole length is the app's word"),
                         (note.code.decode(), note.detail))
        note = next(found for found in self.answer(PARTIAL, signs="document").findings if found.outcome == messages.OUTCOME_NOTE)
        self.assertEqual("10 s of 12 s: 300 of 360 frames", note.detail)

    # MARK: Depth over time

    def test_a_measurement_has_its_numbers_and_the_thresholds(self):
        self.assertEqual(
            ("depth_over_time", PASS, "consistency 1.0000 (at least 0.7), coherence 1.0000 (at least 0.6), stability 1.0000 (at least 0.8), "
             "largest jump 0.0000 m (at most 2 m)"), self.measurement(ONE))
        self.assertEqual("lidar", self.measurement(ONE, depth_signal="lidar")[0])

    def test_what_cannot_be_measured_says_why(self):
        for document, words in (
                (recording(depth=None), "the chain has no numbers of depth"), (recording(has_depth=False), "the chain has no numbers of depth"),
                (OLD, "does not cover numbers of depth"), (recording(3), "expected at least 2 keyframes, found 1")):
            _, outcome, detail = self.measurement(document)
            self.assertEqual(UNAVAILABLE, outcome)
            self.assertIn(words, detail)
        self.assertEqual(PASS, self.measurement(OLD, signs="document")[1])

    # MARK: Bounds and configuration

    def test_the_largest_chain_fits_and_what_is_above_the_limit_is_not_judged(self):
        long = [{name: value if name == "layers" else value + number / 7919 for name, value in SCENE.items()} for number in range(150)]
        largest = written(recording(450, depth=long, times=[1_764_579_600 + number / 30 for number in range(450)]))
        self.assertLess(len(largest), 98_304)
        self.assertEqual("", self.answer(largest, signs="document").findings[-1].code.decode())
        self.answer(largest + b" " * (98_304 - len(largest)), signs="document")
        with self.assertRaises(CallFailed):
            self.answer(largest + b" " * (98_305 - len(largest)), signs="document")

    def test_a_wrong_configuration_is_told_with_its_places(self):
        host = self.host()
        host.describe()
        for wrong, path in (
                ({"versions": []}, "versions"), ({"versions": [3]}, "versions[0]"), ({"versions": [True]}, "versions[0]"),
                ({"versions": [1, 2, 2]}, "versions"), ({"signed": "hash"}, "signed"), ({"partial": "no"}, "partial"),
                ({"depth_signal": "moire"}, "depth_signal"), ({"other": 1}, "other")):
            self.assertEqual([path], [problem.path for problem in host.validate(wrong)], wrong)
        self.assertEqual([], list(host.validate({"versions": [2], "signed": "document", "partial": False, "depth_signal": "lidar"})))

    # MARK: Changes

    def test_accepts_no_change_of_what_the_device_signed(self):
        script = pathlib.Path(__file__).parent / "mutants.py"
        ended = subprocess.run([sys.executable, "-B", script, MUTANTS], capture_output=True, text=True, timeout=3600)
        self.assertEqual(0, ended.returncode, ended.stdout + ended.stderr)
        self.assertIn(f"{MUTANTS} changes: 0 wrongly accepted", ended.stdout)

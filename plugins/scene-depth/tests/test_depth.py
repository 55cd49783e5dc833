"""Golden values, comparisons with the definitions, notes, and the cost of a map. Run by plugins/sdk/tests/suite.py --more."""
import os
import pathlib
import random
import struct
import subprocess
import sys
import time

import maps
import suite
from judgement import judged, request_for
from messages import messages
from vectors import case

# From the specification of the format: deviation, layers, edge coherence, and the outcome in both modes.
GOLDEN = {
    "flat": (maps.flat, "0.0000", 1, "0.0000", "fail", "fail"), "bands": (maps.bands, "1.3218", 3, "0.3765", "pass", "fail"),
    "checker": (maps.checker, "1.3199", 3, "0.9986", "pass", "pass"), "ramp": (maps.ramp, "0.0289", 6, "0.0000", "fail", "fail"),
}
NAMES = ("valid", "min", "max", "mean", "median", "share", "deviation", "layers", "coherence", "quadrants")


def set_up(cases, sandbox):
    # A map takes far more than the calls of other plugins.
    suite.PluginTestCase.repetitions = 2000


def scenes(chance):
    """Maps of several kinds, some with pixels of any bits, as (values, width, height)."""
    for index in range(24):
        width, height = chance.choice([(256, 192), (246, 182), (266, 202), (251, 199)])
        kind = index % 6
        if kind == 0:
            values = [chance.uniform(0, 21) for _ in range(width * height)]
        elif kind == 1:
            values = [chance.gauss(1.2, 0.03) for _ in range(width * height)]
        elif kind == 2:
            tile, depths = chance.randrange(3, 40), [chance.uniform(0.3, 6) for _ in range(chance.randrange(1, 7))]
            values = maps.drawn(lambda x, y: depths[(x // tile * 7 + y // tile * 3) % len(depths)] + chance.gauss(0, 0.01), width, height)
        elif kind == 3:
            values = maps.drawn(lambda x, y: 0.5 + 4 * x / width + 2 * y / height, width, height)
        elif kind == 4:
            values = [chance.choice([0.1, 0.45, 1.0, 1.05, 1.2, 1.5, 20.0]) for _ in range(width * height)]
        else:
            values = maps.bands(width, height)
        if index % 2:
            for _ in range(chance.randrange(1, width * height)):
                bits = chance.randrange(1 << 32).to_bytes(4, "little")
                values[chance.randrange(len(values))] = struct.unpack("<f", bits)[0] if chance.random() < 0.5 else chance.choice([0.0, float("nan")])
        yield values, width, height


class DepthTests(suite.PluginTestCase):
    def findings(self, **more):
        """The outcome, code and sentence of each finding, by its check."""
        one = case("", **more)
        host, _ = self.configured(one)
        response = host.call("Appraise", request_for(one, host))
        return {found.check.decode(): (messages.Outcome.Name(found.outcome)[8:], found.code.decode(), found.detail) for found in response.findings}

    def test_golden_values(self):
        for name, (values, deviation, layers, coherence, outcome, strict) in GOLDEN.items():
            for is_strict, expected in ((False, outcome), (True, strict)):
                good = case(name, values(), configuration={"strict": is_strict})
                host, description = self.configured(good)
                verdict = judged(host, description, good)
                claims = verdict.claims
                found = (f"{claims['deviation_um'] / 1e6:.4f}", claims["layers"], f"{claims['edge_coherence_millionths'] / 1e6:.4f}",
                         verdict.measurements["lidar"])
                self.assertEqual((deviation, layers, coherence, expected), found, name)

    def test_has_the_numbers_of_the_definitions_for_random_maps(self):
        given = list(scenes(random.Random(3)))
        packed = [maps.zipped(values, 1) for values, _, _ in given]
        feed = b"".join(struct.pack("<III", width, height, len(body)) + body for (_, width, height), body in zip(given, packed))
        program = pathlib.Path(self.command[0]).with_name("numbers")
        lines = subprocess.run([program], input=feed, capture_output=True, check=True, timeout=120).stdout.decode().splitlines()
        self.assertEqual(len(given), len(lines))
        for index, ((values, width, height), line) in enumerate(zip(given, lines)):
            expected, found = maps.numbers(values, width, height), [float(word) for word in line.split()]
            self.assertEqual(0, found[0])
            for name, number in zip(NAMES, found[1:]):
                self.assertAlmostEqual(expected[name], number, delta=1e-9, msg=f"map {index}: {name}")
            self.assertEqual([maps.screen_like(expected), maps.likely_real(expected), maps.likely_real(expected, True)], found[11:], f"map {index}")

    def test_notes_a_screen_and_alike_quadrants(self):
        found = self.findings(body=maps.flat())
        self.assertEqual(("NOTE", "depth_screen_like"), found["screen"][:2])
        self.assertIn("range 0.0000 m, 100.0 % of the pixels within 5 cm of the median, mean 0.4500 m", found["screen"][2])
        self.assertEqual(("NOTE", "depth_quadrants_alike"), found["quadrants"][:2])
        self.assertNotIn("quadrants", self.findings(body=maps.bands()))
        self.assertEqual("PASS", self.findings(body=maps.bands())["screen"][0])

    def test_notes_quadrants_from_a_tenth_of_a_metre_down(self):
        for value, is_noted in ((maps.neighbour(1.2, -1), True), (1.2, False)):
            values = maps.drawn(lambda x, y: 1.0 if x < 128 else value)
            self.assertEqual(is_noted, "quadrants" in self.findings(body=values))

    def test_notes_a_map_without_a_valid_pixel(self):
        found = self.findings(body=maps.flat(0.0))
        self.assertEqual(("NOTE", "depth_no_valid_pixel"), found["pixels"][:2])
        self.assertEqual("SKIPPED", found["screen"][0])

    def test_notes_numbers_of_the_document_that_differ_from_the_maps(self):
        same = {"variance": 1.3218, "layers": 3, "edge_coherence": 0.3765, "min": 0.8, "max": 4.0, "is_likely_real_scene": True}
        self.assertNotIn("numbers", self.findings(body=maps.bands(), **same))
        # The app judges by the ordinary constant.
        self.assertNotIn("numbers", self.findings(body=maps.bands(), configuration={"strict": True}, **same))
        for name, value, sentence in (
                ("variance", 1.3318, "variance 1.3318 (computed 1.3218)"), ("layers", 4, "layers 4 (computed 3)"),
                ("layers", 2.5, "layers 2.5000 (computed 3.0000)"), ("edge_coherence", 0.36, "edge_coherence 0.3600 (computed 0.3765)"),
                ("min", 0.82, "min 0.8200 (computed 0.8000)"), ("max", -1e300, "max -1e+300 (computed 4.0000)"),
                ("is_likely_real_scene", False, "is_likely_real_scene false (computed true)")):
            found = self.findings(body=maps.bands(), **{**same, name: value})["numbers"]
            self.assertEqual(("NOTE", "depth_numbers_differ", f"the signed document has other numbers than its map: {sentence}"), found)
        # Just within, and just beyond, a hundredth.
        for value, is_noted in ((0.80999, False), (0.81001, True)):
            self.assertEqual(is_noted, "numbers" in self.findings(body=maps.bands(), **{**same, "min": value}))
        every = self.findings(body=maps.bands(), variance=-999999.9, layers=999999.25, edge_coherence=-1e308, min=-1e308, max=-1e308,
                              is_likely_real_scene=False)["numbers"][2]
        self.assertEqual(6, every.count("(computed "))

    def test_says_what_is_malformed_with_both_sizes(self):
        for body, sentence in (
                (maps.zipped(maps.bands()[:-1]), "expected 196608 bytes for 256 x 192 pixels, 196604 come out"),
                (maps.zipped(maps.bands() + [1.0]), "expected 196608 bytes for 256 x 192 pixels, more come out"),
                (maps.zipped(maps.bands())[:-1], "is cut: its"), (maps.zipped(maps.bands()) + b"x", "more bytes follow its end"),
                (b"depth", "the 5 bytes are not a gzip member")):
            self.assertIn(sentence, self.findings(body=body)["map"][2])
        wrong = self.findings(body=maps.bands(), map_sha256="ab" * 32)["map_digest"][2]
        self.assertRegex(wrong, f"^expected a map with the SHA-256 {'ab' * 32}, found [0-9a-f]{{64}}$")

    def test_measures_with_a_sentence(self):
        good = case("", maps.bands())
        host, _ = self.configured(good)
        response = host.call("Appraise", request_for(good, host))
        self.assertEqual(
            ["likely a real scene: deviation 1.3218 m (above 0.5), 3 layers (at least 3), edge coherence 0.3765 (above 0.3), not screen-like "
             "(range 3.2000 m, 33.2 % within 5 cm of the median, mean 2.2734 m)"], [measurement.detail for measurement in response.measurements])

    def test_reports_what_is_wrong_with_a_configuration(self):
        host = self.host()
        for name in ("strict", "reject_screens"):
            for value in (0, "true", []):
                self.assertEqual([name], [problem.path for problem in host.validate({name: value})])
        self.assertFalse(host.validate({}))

    def test_shows_the_cost_of_a_map(self):
        """Prints, and compares with nothing: the machine decides. The processor's time is that of the plugin's process, whole calls included."""
        chance = random.Random(4)
        noise = [chance.uniform(0.1, 20) for _ in range(maps.WIDTH * maps.HEIGHT)]
        for name, values in (("bands", maps.bands()), ("noise", noise)):
            # A sanitizer makes the time meaningless.
            good, calls = case("", values), 2 if self.sanitized else 200
            host, _ = self.configured(good)
            request = request_for(good, host)
            before, began = self.processor_seconds(host), time.monotonic()
            for _ in range(calls):
                host.call("Appraise", request)
            spent, waited = self.processor_seconds(host) - before, time.monotonic() - began
            print(f"scene-depth: {name}: {spent / calls * 1e3:.2f} ms of CPU a map, {waited / calls * 1e3:.2f} ms a call, {calls} calls", file=sys.stderr)

    @staticmethod
    def processor_seconds(host):
        fields = pathlib.Path(f"/proc/{host.process}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

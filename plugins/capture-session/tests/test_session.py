"""Sessions, signatures, and what is true of all documents. Run by plugins/sdk/tests/suite.py --more."""
import copy
import hashlib
import itertools
import json
import pathlib
import random
import sys
import unittest

import mutants
import suite
from captures import DEVICE, NOW_MS, ORDER, SESSION_KEY, document, face, image, salt_binding, signed, token
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from judgement import b64, judged, request_for
from messages import messages
from vectors import case, forms, rejected

FOLDER = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(FOLDER), str(FOLDER / "vendor")]

from assay_plugin import Refusal  # noqa: E402
from capture.document import read_document  # noqa: E402
from capture.session import Session, session_of  # noqa: E402

REFUSED = {"country_unknown", "country_not_accepted"}


class ReadingTests(unittest.TestCase):
    """The readers alone, on what a process would take too long for."""

    ODD = (None, True, False, 0, -1, 1, 2**63, 10**18, 0.5, -0.0, 1e308, "", "x", "x" * 5000, "\u0000", "ios", "17.2", [], {}, [[]], [{}], {"side": "front"}, "\u202e")

    def places(self, value):
        """Each container and key within a document."""
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            if isinstance(value[key], (dict, list)):
                yield from self.places(value[key])

    def test_changed_documents_are_read_or_refused(self):
        chance, counts = random.Random(4), {True: 0, False: 0}
        good = (document(salt_binding=salt_binding()), face(spoof_detected=False))
        for index in range(20_000):
            body = copy.deepcopy(good[index % 2])
            for _ in range(chance.randrange(1, 3)):
                container, key = chance.choice(list(self.places(body)))
                container[key] = copy.deepcopy(chance.choice(self.ODD))
            data = bytearray(json.dumps(body).encode())
            if chance.randrange(4) == 0:
                data[chance.randrange(len(data))] = chance.randrange(256)
            try:
                read_document(bytes(data))
                counts[True] += 1
            except Refusal as refusal:
                self.assertEqual("malformed", refusal.code)
                self.assertIn("expected" if "JSON" not in refusal.detail else "JSON", refusal.detail)
                counts[False] += 1
        self.assertGreater(min(counts.values()), 100)

    def test_changed_tokens_are_of_no_session(self):
        chance, good = random.Random(5), token()
        self.assertIsInstance(session_of(good, SESSION_KEY, "app"), Session)
        for _ in range(20_000):
            changed = list(good)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(changed))
                changed[at:at + chance.randrange(2)] = chance.choice(("", "A", ".", "=", "\u00e9", "\n", changed[at] * 2))
            if "".join(changed) != good:
                self.assertIsNone(session_of("".join(changed), SESSION_KEY, "app"))


    def test_changed_documents_and_tokens_are_not_accepted(self):
        """More of them: tests/mutants.py COUNT."""
        self.assertEqual([], mutants.run(10_000, 145))


class SessionTests(suite.PluginTestCase):
    def prepare(self, host, body, app=b"app", now_ms=NOW_MS):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return host.call("Prepare", messages.PrepareRequest(call_token=b"x" * 16, format=b"capture-session", app=app, body=data, now_unix_ms=now_ms))

    def prepared(self, host, body, **more):
        answer = self.prepare(host, body, **more)
        self.assertFalse(answer.HasField("refusal"), answer)
        return json.loads(answer.body)

    # MARK: Cases

    def test_each_case_is_signed_by_the_device_over_its_payload(self):
        for one in self.cases:
            expected = one["expected"]
            client_data = b64(expected["client_data_b64"])
            DEVICE.public_key().verify(b64(expected["signature_b64"]), client_data, ec.ECDSA(hashes.SHA256()))
            self.assertEqual(93, len(client_data))
            self.assertEqual(b64(expected["payload_sha256_b64"]), client_data[61:])
            if one["expect"]["verdict"] == "ACCEPTED" and "signals_b64" not in expected:
                self.assertEqual(hashlib.sha256(b64(one["body_b64"])).digest(), client_data[61:])

    def test_lists_all_errors_and_notes_of_each_case(self):
        hosts = {}
        for found in self.cases:
            with self.subTest(found["id"]):
                name = repr(found["configuration"])
                host, _ = hosts.get(name) or hosts.setdefault(name, self.configured(found))
                response = host.call("Appraise", request_for(found, host))
                failed = [finding for finding in response.findings if finding.outcome == messages.OUTCOME_FAIL]
                self.assertEqual(found["expect"]["errors"], sorted(finding.code.decode() for finding in failed))
                self.assertTrue(all(finding.detail for finding in failed))
                notes = [finding.code.decode() for finding in response.findings if finding.outcome == messages.OUTCOME_NOTE]
                if found["expect"]["verdict"] == "ACCEPTED":
                    self.assertEqual([*found["expect"]["notes"], "words_of_the_app"], notes)
                    self.assertEqual(b64(found["expected"]["payload_sha256_b64"]), response.verified_payload_sha256)

    def test_refuses_documents_of_another_form(self):
        host, description = self.configured()
        for found in forms():
            with self.subTest(found["id"]):
                verdict = judged(host, description, found)
                self.assertEqual((found["expect"]["verdict"], [verdict.reason] if verdict.reason else []), (verdict.verdict, found["expect"]["reasons"]))
                if verdict.reason:
                    self.assertEqual(("form", True), (verdict.check, bool(verdict.detail)))

    def test_each_code_that_is_declared_is_given(self):
        _, description = self.configured()
        given = {code for found in self.cases for code in found["expect"]["errors"]}
        self.assertEqual({code.code.decode() for code in description.formats[0].codes}, given | REFUSED)

    def test_sentences_name_the_place_and_the_values(self):
        host, description = self.configured()
        for body, sentence in (
                (document(images=[image("front"), image("back", sharpness=31)]), "expected images[1] (back) with a sharpness of at least 50 of 100, found 31"),
                (document(images=[image("front", width=600), image("back")]), "expected images[0] (front) with a short side of at least 720 px, found 600 px"),
                (face(met=ORDER[::-1]), f"expected {', '.join(ORDER)}, found {', '.join(ORDER[::-1])}"),
                (document(images=[image("front")]), "expected one image each of front, back for identity_card, found front"),
                (document(os_version="12.4"), "expected iOS 13 or later, found iOS 12.4"),
                (document(images=[image("front", width="1")]), "expected images[0].width as an integer from 1 to 100000")):
            self.assertEqual(sentence, judged(host, description, rejected("", body)).detail)

    # MARK: Prepare

    def test_prepares_a_session_that_it_accepts(self):
        host, description = self.configured()
        answer = self.prepare(host, {"capture": "liveness", "preset": "fast"})
        made = json.loads(answer.body)
        self.assertEqual(NOW_MS + 1000 + 3500 + 60_000, answer.expiry_unix_ms)
        self.assertEqual(("2025-12-01T09:00:00.000Z", "2025-12-01T09:01:04.500Z"), (made["prepared_at"], made["expires_at"]))
        self.assertEqual(("liveness", None, "fast", 1000, 720, ["face"]), tuple(made[name] for name in ("capture", "country", "preset", "duration_ms", "quality", "sides")))
        self.assertEqual(sorted(ORDER), sorted(made["challenges"]))
        body = face(session_token=made["session_token"], met=made["challenges"], at_ms=(100, 300, 500, 900), recording={"duration_ms": 1000, "quality": 720})
        self.assertEqual("ACCEPTED", judged(host, description, case("", body, claims={"session_id": made["session_id"]})).verdict)
        late = case("", body, now_ms=answer.expiry_unix_ms)
        self.assertEqual("session_expired", judged(host, description, late).reason)

    def test_a_session_is_of_one_app_and_one_key(self):
        host, description = self.configured()
        made = self.prepared(host, {"capture": "identity_card", "country": "DE"}, app=b"another")
        self.assertEqual("session_invalid", judged(host, description, rejected("", document(session_token=made["session_token"]))).reason)
        other, _ = self.configured(case("", document(), session_key="ff" * 32))
        made = self.prepared(other, {"capture": "identity_card", "country": "DE"})
        self.assertEqual("session_invalid", judged(host, description, rejected("", document(session_token=made["session_token"]))).reason)

    def test_orders_of_challenges_are_random(self):
        host, _ = self.configured()
        orders = [tuple(self.prepared(host, {"capture": "liveness"})["challenges"]) for _ in range(600)]
        # All 24, none of them more than four times as often as it should be.
        self.assertEqual(set(itertools.permutations(ORDER)), set(orders))
        self.assertLess(max(orders.count(order) for order in set(orders)), 100)

    def test_sessions_have_ids_of_their_own(self):
        host, _ = self.configured()
        made = [self.prepared(host, {"capture": "selfie"})["session_id"] for _ in range(100)]
        self.assertEqual(100, len(set(made)))
        self.assertTrue(all(len(session_id) == 32 for session_id in made))

    def test_the_request_overrides_the_configuration_and_a_duration_the_preset(self):
        host, _ = self.configured(case("", document(), preset="fast", quality=1080, network_seconds=5))
        for request, duration_ms, quality in (({}, 1000, 1080), ({"preset": "substantial"}, 3000, 1080), ({"duration_ms": 2500}, 2500, 1080),
                                              ({"preset": "substantial", "duration_ms": 500, "quality": 144}, 500, 144), ({"duration_ms": 60_000, "quality": 2160}, 60_000, 2160)):
            answer = self.prepare(host, {"capture": "selfie", **request})
            made = json.loads(answer.body)
            self.assertEqual((duration_ms, quality, NOW_MS + duration_ms + 3500 + 5000), (made["duration_ms"], made["quality"], answer.expiry_unix_ms))

    def test_faces_meet_as_many_challenges_as_the_request_says(self):
        host, _ = self.configured()
        for request, count in (({"capture": "selfie"}, 0), ({"capture": "selfie", "challenges": 2}, 2), ({"capture": "liveness"}, 4), ({"capture": "liveness", "challenges": 1}, 1),
                               ({"capture": "passport", "country": "FR"}, 0), ({"capture": "passport", "country": "FR", "challenges": 0}, 0)):
            found = self.prepared(host, request)["challenges"]
            self.assertEqual(count, len(set(found)))
            self.assertEqual(count, len(found))

    def test_countries_are_those_of_iso_3166(self):
        host, _ = self.configured()
        for country in ("DE", "US", "NG", "XK", "AN", "UK", "EU", "de", "DEU", "ZZ", ""):
            answer = self.prepare(host, {"capture": "passport", "country": country})
            expected = b"" if country in ("DE", "US", "NG") else b"malformed" if not country else b"country_unknown"
            self.assertEqual(expected, answer.refusal.code, country)
        self.assertEqual("DE", self.prepared(host, {"capture": "selfie", "country": "DE"})["country"])
        self.assertEqual(b"malformed", self.prepare(host, {"capture": "identity_card"}).refusal.code)
        host, _ = self.configured(case("", document(), countries=["FR", "DE"]))
        self.assertEqual("FR", self.prepared(host, {"capture": "passport", "country": "FR"})["country"])
        self.assertEqual(b"country_not_accepted", self.prepare(host, {"capture": "passport", "country": "US"}).refusal.code)

    def test_refuses_to_prepare_for_other_bodies(self):
        host, _ = self.configured()
        good = {"capture": "liveness"}
        for body in (b"", b"{", b"[]", b"\xff", b'{"capture":"liveness","capture":"selfie"}', {}, {"capture": "Liveness"}, {"capture": 1}, {**good, "user": "x"}, {**good, "preset": "slow"},
                     {**good, "duration_ms": 499}, {**good, "duration_ms": 60_001}, {**good, "duration_ms": 1000.0}, {**good, "quality": 1081}, {**good, "quality": 0}, {**good, "quality": "720"},
                     {**good, "challenges": 5}, {**good, "challenges": -1}, {**good, "challenges": True}, {"capture": "passport", "country": "DE", "challenges": 1},
                     {**good, "country": 5}, {**good, "country": "D\0"}):
            answer = self.prepare(host, body)
            self.assertEqual((b"malformed", b""), (answer.refusal.code, answer.body), body)
            self.assertIn("expected" if b"JSON" not in answer.refusal.detail.encode() else "JSON", answer.refusal.detail)

    # MARK: Configurations

    def test_reports_what_is_wrong_with_a_configuration(self):
        key = SESSION_KEY.hex()
        wrong = {
            "session_key": [{}, {"session_key": key[:-2]}, {"session_key": "g" * 64}, {"session_key": 5}],
            "network_seconds": [{"network_seconds": -1}, {"network_seconds": 3601}, {"network_seconds": 1.5}],
            "preset": [{"preset": "slow"}], "quality": [{"quality": 721}, {"quality": 4320}, {"quality": "720"}],
            "countries": [{"countries": []}, {"countries": ["DE", "XX"]}, {"countries": ["de"]}, {"countries": "DE"}],
            "minimum_sharpness": [{"minimum_sharpness": 101}, {"minimum_sharpness": "50"}],
            "minimum_brightness": [{"minimum_brightness": 201}, {"minimum_brightness": -1}], "maximum_brightness": [{"maximum_brightness": 256}, {"minimum_brightness": 60, "maximum_brightness": 50}],
            "minimum_short_side": [{"minimum_short_side": 0}], "minimum_ios": [{"minimum_ios": 12}, {"minimum_ios": 14.5}], "minimum_api_level": [{"minimum_api_level": 25}],
        }
        host = self.host()
        for path, configurations in wrong.items():
            for configuration in configurations:
                with self.subTest(configuration=configuration):
                    whole = configuration if path == "session_key" else {"session_key": key, **configuration}
                    problems = host.validate(whole)
                    self.assertEqual([path], [problem.path for problem in problems])
                    self.assertNotIn(key[:16], problems[0].sentence)
        self.assertEqual([], list(host.validate({"session_key": key, "minimum_brightness": 0, "maximum_brightness": 0, "countries": ["DE"], "quality": 2160})))

    def test_a_document_is_judged_alike_as_often_as_it_comes(self):
        """What keeps it from being accepted twice is the piece that binds it."""
        host, description = self.configured()
        body = json.dumps(document()).encode()
        self.assertEqual({"ACCEPTED"}, {judged(host, description, {**case("", body), "expected": signed(body)}).verdict for _ in range(3)})

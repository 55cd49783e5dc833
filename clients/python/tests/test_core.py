"""What stands below the calls: readers, pauses, options, and the types."""

import inspect
import json
import random
import re
import select
import socket
import ssl
import tempfile
import threading
import time
import unittest
from pathlib import Path

import support
from assay import AsyncClient, Client, ResultRequest, SignedResult, Verdict, calls, details, errors
from assay.answers import Fields, decode_base64, parse_object
from assay.client import _Connection
from assay.errors import AssayError
from assay.retrying import pause_after
from assay.wire import AnswerReader, request_bytes
from certificates import Certificates

ROOT = support.PACKAGE.parent.parent


class AnswerReaderTests(unittest.TestCase):
    def read(self, parts, limit=1000):
        reader = AnswerReader(limit)
        for part in parts:
            reader.feed(part)
        return reader

    def test_gives_the_same_answer_however_its_bytes_are_split(self):
        chunked = b"HTTP/1.1 200 OK\r\ncontent-type: a/b\r\ntransfer-encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nt: u\r\n\r\n"
        plain = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 No\r\ncontent-length: 13\r\n\r\nabc0123456789"
        chance = random.Random(1)
        for data, status in ((chunked, 200), (plain, 503)):
            for _ in range(200):
                cuts = sorted(chance.sample(range(len(data)), 5))
                reader = self.read(data[a:b] for a, b in zip([0, *cuts], [*cuts, len(data)]))
                self.assertTrue(reader.is_whole and reader.keeps_alive)
                self.assertEqual((reader.status, reader.body), (status, b"abc0123456789"))

    def test_no_prefix_of_an_answer_is_whole(self):
        data = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello"
        for end in range(1, len(data)):
            reader = self.read([data[:end]])
            self.assertFalse(reader.is_whole)
            with self.assertRaises(AssayError) as raised:
                reader.end()
            self.assertEqual(raised.exception.reason, "connection_lost")

    def test_bytes_behind_an_answer_end_the_connection(self):
        reader = self.read([b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}HTTP/1.1 200 OK"])
        self.assertTrue(reader.is_whole)
        self.assertFalse(reader.keeps_alive)

    def test_made_up_bytes_raise_nothing_but_errors_of_calls(self):
        chance = random.Random(2)
        words = [b"HTTP/1.1 ", b"200", b" OK", b"\r\n", b"\r\n\r\n", b"content-length: ", b"transfer-encoding: chunked", b"5", b"0", b"ffffffffff", b":", b"\x00", b"\xff", b"a"]
        for _ in range(5000):
            try:
                self.read([b"".join(chance.choices(words, k=chance.randrange(1, 12))) for _ in range(2)])
            except AssayError:
                pass


class RequestTests(unittest.TestCase):
    def test_no_value_ends_a_header_field(self):
        for value in ("a\r\nb: c", "a\n", "a\x00", "é", "\x7f"):
            with self.assertRaises(AssayError):
                request_bytes("/", [("x", value)], b"")

    def test_what_is_given_stands_in_the_message(self):
        made = calls.verify(
            "a", "REGISTER", [], signals=b"{}", replaces_device_id=b"\0", results=[ResultRequest("SESSION", "b")], source_address="::1"
        )
        self.assertEqual(json.loads(made.body), {
            "app": "a", "purpose": "REGISTER", "signals": "e30=", "replacesDeviceId": "AA==", "sourceAddress": "::1",
            "results": [{"shape": "RESULT_SHAPE_SESSION", "audience": "b"}],
        })
        made = calls.issue_certificate("a", [], expected_device_id=b"\1", source_address="::1")
        self.assertEqual(json.loads(made.body), {"app": "a", "expectedDeviceId": "AQ==", "sourceAddress": "::1"})
        made = calls.list_devices("a", device_serial="C-1", flag="f")
        self.assertEqual(json.loads(made.body), {"app": "a", "deviceSerial": "C-1", "flag": "f"})


class DetailTests(unittest.TestCase):
    def test_made_up_bytes_raise_nothing_but_value_errors(self):
        chance = random.Random(3)
        for _ in range(5000):
            data = bytes(chance.randrange(256) for _ in range(chance.randrange(40)))
            for read in (details.error_info, details.retry_delay, details.help_link):
                try:
                    read(data)
                except ValueError:
                    pass


class FieldsTests(unittest.TestCase):
    def test_integers_have_at_most_64_bits(self):
        for value in ("9223372036854775807", "-9223372036854775808", "18446744073709551615", 0, -1, 2.0):
            self.assertEqual(Fields({"a": value}).integer("a"), int(value))
        for value in ("18446744073709551616", "-9223372036854775809", "1e3", " 1", "", "٣", True, 1.5, [], {}, float(10**300)):
            with self.assertRaises(AssayError, msg=repr(value)):
                Fields({"a": value}).integer("a")

    def test_base64_has_either_alphabet_and_any_padding(self):
        self.assertEqual({decode_base64(text) for text in ("+/8=", "+/8", "-_8=", "-_8")}, {b"\xfb\xff"})
        for text in ("A", "AAAAA", "A=AA", "AA===", "AA AA", "AAA*", "é"):
            with self.assertRaises(ValueError, msg=text):
                decode_base64(text)

    def test_json_of_many_digits_is_read_in_no_time(self):
        self.assertEqual(parse_object(b'{"a": ' + b"9" * 2_000_000 + b"}"), {"a": float("inf")})


class ConnectionTests(unittest.TestCase):
    def test_says_which_alert_ended_the_connection_though_the_write_failed_first(self):
        with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as listener:
            certificates = Certificates(Path(folder))
            refusal = threading.Thread(target=self.refuse, args=(listener, certificates.server("mutual")))
            refusal.start()
            context = ssl.create_default_context(cafile=str(certificates.ca))
            context.load_cert_chain(f"{folder}/self-signed.pem", f"{folder}/self-signed.key")
            with context.wrap_socket(socket.create_connection(listener.getsockname()), server_hostname="localhost") as sock:
                ended = select.poll()
                ended.register(sock, 0)
                ended.poll(10_000)
                with self.assertRaises(AssayError) as raised:
                    _Connection(sock).exchange(b"GET / HTTP/1.1\r\n\r\n", time.monotonic() + 10, 1000)
            refusal.join()
        self.assertEqual(raised.exception.reason, "tls_failed")
        self.assertIn("ALERT", str(raised.exception))

    @staticmethod
    def refuse(listener, context):
        """Takes no certificate of a client. Closes with unread bytes, so that the connection is reset."""
        peer, _ = listener.accept()
        try:
            context.wrap_socket(peer, server_side=True)
        except ssl.SSLError:
            pass


class PauseTests(unittest.TestCase):
    def test_doubles_up_to_30_seconds_and_is_a_fifth_longer_or_shorter(self):
        self.assertEqual([pause_after(n, None, 0.5) for n in range(1, 8)], [1, 2, 4, 8, 16, 30, 30])
        self.assertAlmostEqual(pause_after(1, None, 0), 0.8)
        self.assertAlmostEqual(pause_after(9, None, 1), 36)

    def test_is_never_before_the_daemons_time(self):
        for chance in (0, 0.5, 1):
            self.assertGreaterEqual(pause_after(1, 10, chance), 10)
            self.assertGreaterEqual(pause_after(5, 1, chance), 1)


class ErrorTests(unittest.TestCase):
    def test_every_link_leads_to_a_heading(self):
        pages = set(errors._PAGES.values()) | {errors.page(""), errors.page("upload_x"), errors.page("chunk_x")}
        for link in pages:
            file, _, anchor = link.partition("#")
            text = (ROOT / file).read_text()
            headings = {re.sub("[^a-z0-9 _-]", "", each.lower()).replace(" ", "-") for each in re.findall("^#+ +(.*)$", text, re.M)}
            self.assertTrue(not anchor or anchor in headings, link)

    def test_reads_as_one_line(self):
        error = AssayError("unavailable", "a\nb\x1b[0m", reason="shutting_down")
        self.assertEqual(str(error), "unavailable (shutting_down): a b [0m [retry: later; see docs/reference/http.md#errors]")


class ResultTests(unittest.TestCase):
    def test_a_request_for_a_result_leaves_out_what_is_not_given(self):
        self.assertEqual(ResultRequest("EAR_JWT", "a").json, {"shape": "RESULT_SHAPE_EAR_JWT", "audience": "a"})
        self.assertEqual(ResultRequest("PLAIN_COSE", "a", b"\0").json["nonce"], "AA==")

    def test_a_verdict_has_its_results(self):
        results = [
            {"shape": "RESULT_SHAPE_EAR_JWT", "audience": "a", "text": "e.y.J", "expiresAtUnixMs": "5"},
            {"shape": "RESULT_SHAPE_OF_TOMORROW", "binary": "AAEC"},
            {"problem": {"code": "key_unavailable", "sentence": "The key is away."}},
        ]
        first, second, third = Verdict.read(Fields({"results": results})).results
        self.assertEqual(first, SignedResult("EAR_JWT", "a", "e.y.J", b"", "", 5))
        self.assertEqual((second.shape, second.binary), ("OF_TOMORROW", b"\0\1\2"))
        self.assertEqual((third.problem, third.text, third.binary), ("key_unavailable", "", b""))


class SurfaceTests(unittest.TestCase):
    def test_both_clients_have_the_same_options_and_methods(self):
        def surface(client):
            return {name: str(inspect.signature(value)) for name, value in vars(client).items() if callable(value) and not name.startswith("_")}

        self.assertEqual(surface(Client), surface(AsyncClient))
        self.assertEqual(str(inspect.signature(Client)).replace("Client", ""), str(inspect.signature(AsyncClient)).replace("Client", ""))
        self.assertTrue(all(inspect.getdoc(value) for name, value in vars(Client).items() if callable(value) and not name.startswith("_")))

    def test_secrets_are_not_printed(self):
        from assay import ProvisionedDevice

        made = ProvisionedDevice.read(Fields({"deviceSecret": "c2VjcmV0", "devicePrivateKey": "cHJpdmF0ZQ=="}))
        self.assertEqual((made.device_secret, made.device_private_key), (b"secret", b"private"))
        self.assertNotRegex(repr(made), "secret'|private'|c2VjcmV0")
        client = Client("http+unix:/x", api_key="assay_secret")
        self.assertNotIn("assay_secret", repr(client) + repr(client._core))


if __name__ == "__main__":
    unittest.main()

"""What a caller is told whose address is not that of the daemon's HTTP."""

import socket
import threading
import unittest

import support  # noqa: F401
from assay import AssayError, Client


class MistakenAddressTests(unittest.TestCase):
    def failure(self, scheme, answer):
        """The failure of a call to a server that answers so, read or unread."""
        listener = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(listener.close)

        def serve():
            connection, _ = listener.accept()
            with connection:
                connection.recv(65536)
                connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        self.addCleanup(thread.join)
        with self.assertRaises(AssayError) as raised, Client(f"{scheme}://127.0.0.1:{listener.getsockname()[1]}", timeout=30, tries=1) as client:
            client.who_am_i()
        return raised.exception

    def test_an_address_that_is_not_set_is_a_wrong_option(self):
        for url in (None, b"http://127.0.0.1", 5):
            with self.assertRaises(AssayError) as raised:
                Client(url)
            self.assertEqual((raised.exception.code, raised.exception.reason), ("invalid_argument", "bad_option"))
            self.assertIn("url", raised.exception.message)

    def test_https_to_a_server_in_clear_asks_for_http(self):
        failure = self.failure("https", b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        self.assertEqual((failure.reason, failure.retry), ("tls_failed", "contact_operator"))
        self.assertIn("is its address http://?", failure.message)

    def test_the_port_of_another_protocol_asks_whether_it_is_that_of_frames(self):
        failure = self.failure("http", b"\0\0\0\4 frames\r\n\r\n")
        self.assertEqual(failure.reason, "protocol_broken")
        self.assertIn("the port of the framed protocol?", failure.message)


if __name__ == "__main__":
    unittest.main()

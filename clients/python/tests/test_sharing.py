"""Clients that many threads or tasks share."""

import asyncio
import gc
import os
import threading
import unittest
import warnings

import support  # noqa: F401
from assay import AssayError, AsyncClient, Client
from scripted import ScriptedServer, hang, ok

ME = {"name": "me"}


class ThreadTests(unittest.TestCase):
    def test_threads_share_a_client(self):
        server = ScriptedServer([ok(ME)] * 200)
        self.addCleanup(server.close)
        names = []
        with Client(f"http://127.0.0.1:{server.port}") as client:
            threads = [threading.Thread(target=lambda: names.extend(client.who_am_i().name for _ in range(20))) for _ in range(10)]
            for each in threads:
                each.start()
            for each in threads:
                each.join()
        self.assertEqual(names, ["me"] * 200)
        self.assertLessEqual(server.connections, 30)

    def test_a_forked_process_has_connections_of_its_own(self):
        server = ScriptedServer([ok(ME)] * 3)
        self.addCleanup(server.close)
        with Client(f"http://127.0.0.1:{server.port}") as client:
            client.who_am_i()
            child = os.fork()
            if child == 0:
                code = 1
                try:
                    code = 0 if client.who_am_i().name == "me" else 2
                finally:
                    os._exit(code)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
            client.who_am_i()
        self.assertEqual([each.connection for each in server.requests], [1, 2, 1])

    def test_a_closed_client_refuses_calls(self):
        client = Client("http://127.0.0.1:1")
        client.close()
        with self.assertRaises(AssayError) as raised:
            client.who_am_i()
        self.assertEqual(raised.exception.reason, "bad_request")


class TaskTests(unittest.IsolatedAsyncioTestCase):
    async def test_tasks_share_a_client(self):
        server = ScriptedServer([ok(ME)] * 30)
        self.addCleanup(server.close)
        async with AsyncClient(f"http://127.0.0.1:{server.port}") as client:
            callers = await asyncio.gather(*(client.who_am_i() for _ in range(30)))
        self.assertEqual([each.name for each in callers], ["me"] * 30)

    async def test_a_cancelled_call_leaves_no_connection_behind(self):
        server = ScriptedServer([hang(), ok(ME)])
        self.addCleanup(server.close)
        async with AsyncClient(f"http://127.0.0.1:{server.port}") as client:
            task = asyncio.create_task(client.who_am_i())
            while not server.requests:
                await asyncio.sleep(0.005)
            task.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await task
            self.assertEqual((await client.who_am_i()).name, "me")
        self.assertEqual([each.connection for each in server.requests], [1, 2])

    async def test_a_closed_client_refuses_calls(self):
        client = AsyncClient("http://127.0.0.1:1")
        await client.close()
        with self.assertRaises(AssayError):
            await client.who_am_i()


class LoopTests(unittest.TestCase):
    def test_a_client_works_in_one_loop_after_another(self):
        # The first loop ends without having closed its connection.
        warnings.simplefilter("ignore", ResourceWarning)
        self.addCleanup(warnings.resetwarnings)
        server = ScriptedServer([ok(ME)] * 2)
        self.addCleanup(server.close)
        client = AsyncClient(f"http://127.0.0.1:{server.port}")

        async def ask():
            return (await client.who_am_i()).name

        self.assertEqual([asyncio.run(ask()), asyncio.run(ask())], ["me", "me"])
        del client, ask
        gc.collect()


if __name__ == "__main__":
    unittest.main()

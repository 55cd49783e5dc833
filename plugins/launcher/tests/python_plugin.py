"""A program in Python that uses what plugins use, and then answers on the connection."""

import asyncio
import hashlib
import os
import socket
import ssl
import subprocess
import sys
import threading
import time

from google.protobuf import struct_pb2


def attempt(name, action):
    try:
        action()
        print(f"{name}: done")
    except OSError as error:
        print(f"{name}: {type(error).__name__} {error.errno}")
    except Exception as error:
        print(f"{name}: {type(error).__name__}")


def use_threads():
    found = []
    threads = [threading.Thread(target=found.append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == list(range(8))


def use_asyncio():
    async def main():
        assert await asyncio.to_thread(hashlib.sha256, b"") is not None
        await asyncio.sleep(0.001)

    asyncio.run(main())


def use_protobuf():
    message = struct_pb2.Struct()
    message["name"] = "value"
    assert struct_pb2.Struct.FromString(message.SerializeToString()) == message


def take_memory():
    return bytearray(1 << 30)


attempt("threads", use_threads)
attempt("asyncio", use_asyncio)
attempt("protobuf", use_protobuf)
attempt("ssl", lambda: ssl.create_default_context(cadata=None, purpose=ssl.Purpose.CLIENT_AUTH))
attempt("hosts", lambda: open("/etc/hosts", encoding="utf-8"))
attempt("environ", lambda: open(f"/proc/{os.getppid()}/environ", "rb"))
attempt("write", lambda: open("/tmp/assay-launcher-test", "xb"))
attempt("tcp", lambda: socket.create_connection(("127.0.0.1", 9)))
attempt("fork", os.fork)
attempt("subprocess", lambda: subprocess.run(["/bin/true"], check=True))
attempt("signal", lambda: os.kill(os.getppid(), 0))
attempt("memory", take_memory)
sys.stdout.flush()

connection = socket.socket(fileno=3)
while request := connection.recv(4096):
    connection.sendall(request.upper())

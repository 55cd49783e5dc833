"""The vectors of proto/README.md, for make.py: written from the text of that page, not from the Swift code.

Frames are put together by hand, so that they can be broken by hand.
"""
import struct


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])


def field(number: int, value: bytes | int) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def wire(body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + body


def string_value(text: str) -> bytes:
    return field(1, text.encode())


def call(call_id: int | None, method: str | bytes, message: bytes = b"", timeout_ms: int = 0, metadata: int = 0) -> bytes:
    inner = field(1, method.encode() if isinstance(method, str) else method)
    inner += field(2, message) if message else b""
    inner += field(3, timeout_ms) if timeout_ms else b""
    for number in range(metadata):
        inner += field(4, field(1, b"key%d" % number) + field(2, b"value"))
    return (b"" if call_id is None else field(1, call_id)) + field(2, inner)


def cancel(call_id: int) -> bytes:
    return (field(1, call_id) if call_id else b"") + field(6, b"")


PING, PONG = field(7, b""), field(8, b"")
ECHO, HOLD, COUNT = "/test.Test/Echo", "/test.Test/Hold", "/test.Test/Count"
HI = string_value("hi")


def go_away(reason: str) -> bytes:
    return field(9, field(1, reason.encode()))


def says(body: bytes) -> dict:
    """The client sends a frame."""
    return {"client_hex": wire(body).hex()}


def raw(data: bytes) -> dict:
    return {"client_hex": data.hex()}


def sent_away(reason: str) -> list[dict]:
    """The server says why and ends its side."""
    return [{"server": {"kind": "go_away", "reason": reason}, "server_hex": wire(go_away(reason)).hex()}, {"server_ends": True}]


def refused(call_id: int, code: int, reason: str) -> dict:
    """A reply with a status. Its sentence for people is not laid down, so neither are its bytes."""
    return {"server": {"kind": "reply", "call_id": call_id, "code": code, "reason": reason}}


def replied(call_id: int, message: bytes = HI) -> dict:
    body = field(1, call_id) + field(3, field(2, message))
    return {"server": {"kind": "reply", "call_id": call_id, "code": 0}, "server_hex": wire(body).hex()}


# That the connection goes on, and that nothing came before.
ALIVE = [says(PING), {"server": {"kind": "pong"}, "server_hex": wire(PONG).hex()}]


def server_vectors() -> list[dict]:
    vectors = []

    def add(name: str, why: str, *steps: dict, limits: dict | None = None) -> None:
        vectors.append({"id": name, "why": why, "limits": limits or {}, "steps": list(steps)})

    def undecodable(name: str, why: str, body: bytes) -> None:
        add("undecodable-" + name, why, says(body), *sent_away("undecodable_frame"))

    add("echo", "a call and its reply", says(call(1, ECHO, HI, 15000)), replied(1))
    add("largest-call-id", "ids have 64 bits", says(call(2**64 - 1, ECHO, HI)), replied(2**64 - 1))
    add("id-again", "an id is free when its last frame has come", says(call(1, ECHO, HI)), replied(1), says(call(1, ECHO, HI)), replied(1))
    add("stream", "items in order, then an end", says(call(3, COUNT, field(1, 2))),
        *({"server": {"kind": "item", "call_id": 3}, "server_hex": wire(field(1, 3) + field(4, field(1, field(1, n)))).hex()} for n in (1, 2)),
        {"server": {"kind": "end", "call_id": 3, "code": 0}, "server_hex": wire(field(1, 3) + field(5, b"")).hex()})
    add("ping", "pongs in the order of pings", *ALIVE, *ALIVE)

    add("empty-frame", "length 0", raw(bytes(4)), *sent_away("empty_frame"))
    add("frame-too-large", "1 MiB and a byte, judged by the length alone", raw(struct.pack(">I", (1 << 20) + 1)), *sent_away("frame_too_large"))
    add("frame-far-too-large", "the largest length", raw(b"\xff" * 4), *sent_away("frame_too_large"))
    undecodable("varint", "a number without an end", b"\x08\xff")
    undecodable("long-varint", "a number of eleven bytes", b"\x08" + b"\x80" * 10 + b"\x01")
    undecodable("length", "a field that ends behind the frame", b"\x12\x05ab")
    undecodable("field-zero", "field number 0", field(0, b"x"))
    undecodable("group", "a group", bytes([12 << 3 | 3, 12 << 3 | 4]))
    undecodable("wire-type", "wire type 6", bytes([12 << 3 | 6]))
    undecodable("two-kinds", "two kinds", field(1, 1) + PING + PONG)
    undecodable("kind-twice", "one kind, twice", PING + PING)
    undecodable("method-twice", "a call with two methods", field(1, 1) + field(2, field(1, b"/a") + field(1, b"/b")))
    undecodable("message-twice", "a call with two messages", field(1, 1) + field(2, field(1, ECHO.encode()) + field(2, HI) + field(2, HI)))
    undecodable("method-text", "a method that is not UTF-8", call(1, b"/\xff"))
    undecodable("metadata-text", "metadata that are not UTF-8",
                field(1, 1) + field(2, field(1, ECHO.encode()) + field(4, field(1, b"k") + field(2, b"\xff"))))

    add("call-id-zero", "a call with id 0", says(call(0, ECHO, HI)), *sent_away("call_id_zero"))
    add("call-id-absent", "a call without an id", says(call(None, ECHO, HI)), *sent_away("call_id_zero"))
    add("cancel-id-zero", "a cancel with id 0", says(cancel(0)), *sent_away("call_id_zero"))
    add("duplicate-call-id", "the id of a call in flight. What is in flight is still answered, or shutting_down when patience ends",
        says(call(1, HOLD)), says(call(1, ECHO, HI)),
        {"server": {"kind": "go_away", "reason": "duplicate_call_id"}, "server_hex": wire(go_away("duplicate_call_id")).hex()},
        refused(1, 14, "shutting_down"), {"server_ends": True}, limits={"drain_timeout_ms": 50})
    add("after-a-fault", "what comes behind a fault is thrown away", raw(bytes(4) + wire(call(1, ECHO, HI)) + wire(PING)), *sent_away("empty_frame"))

    add("unknown-kind", "a frame of a kind that is not known is ignored, whatever its id", says(field(1, 0) + field(31, b"x")), says(field(31, b"x")), *ALIVE)
    add("no-kind", "a frame without a kind is ignored", says(field(1, 7)), *ALIVE)
    add("kinds-of-servers", "kinds that a client does not send are ignored",
        says(field(1, 1) + field(3, b"")), says(field(1, 1) + field(4, b"")), says(field(1, 1) + field(5, b"")), says(PONG), *ALIVE)
    add("unknown-fields", "fields that are not known are stepped over, of each wire type",
        says(field(15, 1) + varint(16 << 3 | 1) + bytes(8) + field(1, 1) + field(2, field(1, ECHO.encode()) + field(2, HI) + field(9, b"x"))
             + varint(17 << 3 | 5) + bytes(4)), replied(1))

    add("unknown-method", "no such method", says(call(1, "/no")), refused(1, 12, "unknown_method"), *ALIVE)
    add("no-method", "a call without a method", says(call(1, "")), refused(1, 12, "unknown_method"), *ALIVE)
    add("too-much-metadata", "33 entries; 32 are taken", says(call(1, ECHO, HI, metadata=33)), refused(1, 3, "too_much_metadata"),
        says(call(2, ECHO, HI, metadata=32)), replied(2))
    add("order-of-answers", "an unknown method is said before too much metadata", says(call(1, "/no", metadata=33)), refused(1, 12, "unknown_method"))
    add("undecodable-message", "a message that is not the method's", says(call(1, ECHO, b"\x0a\xff")), refused(1, 3, "undecodable_message"), *ALIVE)
    add("too-many-calls", "more calls than a connection may have in flight", says(call(1, HOLD)), says(call(2, ECHO, HI)),
        refused(2, 8, "too_many_calls"), *ALIVE, limits={"max_calls_per_connection": 1})
    add("overloaded", "more calls than all connections may have in flight", says(call(1, HOLD)), says(call(2, ECHO, HI)),
        refused(2, 8, "overloaded"), *ALIVE, limits={"max_calls": 1})

    add("cancel", "the last frame comes at once", says(call(1, HOLD)), says(cancel(1)), refused(1, 1, "cancelled"), *ALIVE)
    add("cancel-too-late", "a cancel of a call that is not in flight is ignored", says(cancel(5)), says(call(1, ECHO, HI)), replied(1), says(cancel(1)), *ALIVE)
    add("deadline", "a deadline that passes", says(call(1, HOLD, timeout_ms=20)), refused(1, 4, "deadline_exceeded"), *ALIVE)

    leaving = {"server": {"kind": "go_away", "reason": "client_leaving"}, "server_hex": wire(go_away("client_leaving")).hex()}
    add("client-leaves", "a client may say GoAway", says(go_away("bye")), leaving, {"server_ends": True})
    add("call-after-go-away", "a call after the server's GoAway was not begun", says(call(1, HOLD)), says(go_away("bye")), leaving,
        says(call(2, ECHO, HI)), refused(2, 14, "going_away"), refused(1, 14, "shutting_down"), {"server_ends": True},
        limits={"drain_timeout_ms": 3000})
    add("half-close", "calls in flight are answered after the client shut its side",
        says(call(1, ECHO, HI)), {"client_ends": True}, replied(1), {"server_ends": True})
    add("half-frame", "a frame that is not whole when the client ends is dropped, without a GoAway",
        raw(wire(call(1, ECHO, HI))[:-1]), {"client_ends": True}, {"server_ends": True})
    add("nothing-said", "no whole frame since the connection was made", *sent_away("first_frame_timeout"), limits={"first_frame_timeout_ms": 50})
    add("idle", "no frame for long, and nothing in flight", *ALIVE, *sent_away("idle_timeout"), limits={"idle_timeout_ms": 50})
    return vectors


def client_vectors() -> list[dict]:
    """What a server may say to the call 1 of Echo, and what a client makes of it."""
    vectors = []
    good = field(1, 1) + field(3, field(2, HI))

    def status(code: int, reason: str = "") -> bytes:
        return field(1, 1) + field(3, field(1, field(1, code) + field(2, b"words") + (field(3, reason.encode()) if reason else b"")))

    def add(name: str, why: str, *bodies: bytes, ends: bool = False, data: bytes | None = None, **client: object) -> None:
        heard = b"".join(map(wire, bodies)) if data is None else data
        vectors.append({"id": name, "why": why, "server_hex": heard.hex(), "server_ends": ends, "client": client})

    taken = {"message_hex": HI.hex()}
    add("reply", "the answer", good, **taken)
    add("empty-status", "OK may be written out", field(1, 1) + field(3, field(1, b"") + field(2, HI)), **taken)
    add("empty-reply", "a reply without a field is an OK with an empty message", field(1, 1) + field(3, b""), message_hex="")
    add("other-ids", "last frames and items of calls that are not in flight are ignored",
        field(1, 9) + field(3, b""), field(1, 9) + field(4, b""), field(1, 9) + field(5, b""), good, **taken)
    add("unknown-kind", "frames of kinds that are not known are ignored", field(31, b"x"), field(1, 1) + field(31, b"x"), field(1, 1), good, **taken)
    add("unknown-fields", "fields that are not known are stepped over", field(15, 1) + good + field(16, b"x"), **taken)
    add("ping", "a ping is answered", PING, good, **taken, sends_hex=wire(PONG).hex())
    add("reply-after-go-away", "what is in flight is still answered", go_away("a_reason_to_come"), good, **taken)
    add("status", "a status ends the call", status(14, "shutting_down"), code=14, reason="shutting_down")
    add("status-not-begun", "a status that says that nothing was begun", status(8, "overloaded"), code=8, reason="overloaded", begun=False)
    add("status-unknown", "a code that is not in the table is UNKNOWN", status(99, "from_the_future"), code=2, reason="from_the_future")
    add("go-away-and-end", "the call was not begun", go_away("shutting_down"), ends=True, code=14, begun=False)
    add("end", "nothing is known about the call", ends=True, code=14)
    add("half-a-reply", "nothing is known about the call", data=wire(good)[:-1], ends=True, code=14)
    add("empty-frame", "a server that breaks the protocol", data=bytes(4), closes=True)
    add("frame-too-large", "a length above what the client takes, here 1 MiB", data=struct.pack(">I", (1 << 20) + 1), closes=True)
    add("undecodable-frame", "what is not a frame", b"\x08\xff", closes=True)
    return vectors


def document() -> dict:
    note = (
        "Conversations of framed RPC; proto/README.md. Made by make.py. `server`: each on a connection of its own, step by step: what the "
        "client sends (client_hex, client_ends: it shuts its side), what the server answers (its fields, and its bytes where they are laid "
        "down), server_ends: an orderly end. /test.Test/Echo answers with its message, a google.protobuf.StringValue; Hold does not answer; "
        "Count(n) streams 1 to n as google.protobuf.UInt32Value. Limits that are not named are the defaults. `client`: the client has called "
        "Echo with the StringValue \"hi\" as call 1 and hears these bytes; then the server ends its side if server_ends. What the client "
        "makes of it: the message, or a status code with its reason; begun: false where it is certain that the call was not begun; closes: "
        "it closes the connection, and nothing is known about the call; sends_hex: what it sends meanwhile.")
    return {"note": note, "server": server_vectors(), "client": client_vectors()}

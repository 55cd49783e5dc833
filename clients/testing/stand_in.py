#!/usr/bin/env python3
"""A program that behaves as assayd must not, by the variable STAND_IN: what the library says then is tested."""

import json
import os
import sys
import time

kind = os.environ["STAND_IN"]
READY = {"url": "http://127.0.0.1:1", "framed": "127.0.0.1:2", "app": sys.argv[sys.argv.index("--app") + 1], "version": "0", "devices": {"pid": os.getpid()}}

if kind == "fails":
    print("assayd: there is a configuration for real devices", file=sys.stderr)
    sys.exit(78)
if kind == "silent":
    sys.stdin.read()
    sys.exit(0)
if kind == "babbles":
    print("hello", flush=True)
    sys.stdin.read()
    sys.exit(0)
if kind == "ignores":
    import signal

    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print(json.dumps({"ready": READY}), flush=True)
replies = []
for line in sys.stdin:
    request = json.loads(line)
    case = request["params"].get("case")
    if kind == "ends":
        print("out of memory", file=sys.stderr)
        sys.exit(1)
    if case == "refused":
        reply = {"error": {"code": "unknown_case", "message": "there is no case \"refused\""}}
    else:
        made = {"device": "phone-1", "platform": "iphone", "purpose": "assert", "challenge": "AAAA", "needs": [],
                "request": {"evidence": [{"appAttestAssertion": {"keyId": "AQI=", "assertion": "AwQ="}}], "echo": request["params"]},
                "expected": {"decision": "DECISION_REJECTED", "reason": case, "retry": "RETRY_CLASS_NEW_CHALLENGE"}}
        reply = {"result": made}
    replies.append({"id": request["id"], **reply})
    if kind == "late" and case == "slow":
        continue  # answered with the next one
    while replies:
        print(json.dumps(replies.pop(0)), flush=True)
if kind == "ignores":
    time.sleep(3600)

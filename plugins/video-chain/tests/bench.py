#!/usr/bin/python3 -B
"""Measures the CPU time of the plugin's own work on a chain of 450 frames, without the process and its socket. Needs the SDK in vendor/ (make).

    bench.py [COUNT [BELOW]]

With BELOW the exit status is 1 unless the median of each chain of version 2 is below so many milliseconds.
"""
import statistics
import sys
import time

from in_process import appraised, is_accepted
from recording import SCENE, final_hash, recording, sha256, written

DEPTH = [{name: value if name == "layers" else value + number / 7919 for name, value in SCENE.items()} for number in range(150)]
SUBJECTS = [
    ("version 2, depth with numbers", recording(450, depth=DEPTH)),
    ("version 2, depth without numbers", recording(450, depth=None)),
    ("version 2, no depth", recording(450, has_depth=False)),
    ("version 1, depth with numbers", recording(450, version=1, depth=DEPTH)),
]

if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    below, above = float(sys.argv[2]) if len(sys.argv) > 2 else None, []
    for name, document in SUBJECTS:
        body, payload = written(document), sha256(final_hash(document))
        taken = []
        for _ in range(count):
            began = time.thread_time()
            response = appraised(body, payload)
            taken.append((time.thread_time() - began) * 1000)
            assert is_accepted(response)
        taken.sort()
        print(f"{name}: {len(body)} bytes, {statistics.median(taken):.2f} ms (p50), {taken[len(taken) * 99 // 100]:.2f} ms (p99), "
              f"{taken[0]:.2f} ms (least)")
        if below is not None and document["version"] == 2 and statistics.median(taken) >= below:
            above.append(name)
    sys.exit(f"not below {below} ms: {'; '.join(above)}" if above else 0)

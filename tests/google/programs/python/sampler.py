# SPDX-License-Identifier: Apache-2.0
"""A sampling profiler as Cloud Profiler's agent for Python is one: a signal
after every 10 ms of CPU time, or of wall time, looks at the main thread."""
import json
import os
import queue
import signal
import threading
import time
from collections import Counter

INTERVAL_S = 0.01
OWN = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.dirname(os.__file__)


def place(file):
    """Where the file would lie in a container's image."""
    if file.startswith(OWN):
        return "/app/" + os.path.basename(file)
    if file.startswith(LIBRARY):
        return "/usr/lib/python3" + file[len(LIBRARY):]
    return file


class Sampler:
    def __init__(self):
        self.stacks = {"CPU": Counter(), "WALL": Counter()}

    def start(self):
        for name, timer, kind in (
                ("CPU", signal.ITIMER_PROF, signal.SIGPROF),
                ("WALL", signal.ITIMER_REAL, signal.SIGALRM)):
            counts = self.stacks[name]
            signal.signal(kind, lambda _, frame, c=counts: take(c, frame))
            signal.siginterrupt(kind, False)
            signal.setitimer(timer, INTERVAL_S, INTERVAL_S)

    def stop(self):
        for timer in (signal.ITIMER_PROF, signal.ITIMER_REAL):
            signal.setitimer(timer, 0)

    def taken(self):
        """Stacks since the last call: type -> [[frames, count], ...]."""
        out = {}
        for name, counts in self.stacks.items():
            # In one step: a signal may come between two of Python's.
            found = list(counts.items())
            counts.clear()
            out[name] = sorted(
                [[f"{what} {place(file)}:{line or 0}" for what, file, line in s],
                 n]
                for s, n in found)
        return out


def take(counts, frame):
    stack = []
    while frame:
        code = frame.f_code
        stack.append((code.co_name, code.co_filename, frame.f_lineno))
        frame = frame.f_back
    counts[tuple(reversed(stack))] += 1


class Requests(queue.Queue):
    """Another thread puts in one every interval, as a server's listener."""

    def __init__(self, interval_s):
        super().__init__(maxsize=1)
        self.interval_s = interval_s
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self):
        while True:
            time.sleep(self.interval_s)
            self.put(None)


def run(serve, interval_s, folder, count, profile_s=10):
    """Calls serve every interval; writes a file of stacks every 10 s."""
    sampler = Sampler()
    sampler.start()
    requests = Requests(interval_s)
    for n in range(count):
        begun = time.monotonic()
        while time.monotonic() < begun + profile_s:
            requests.get()
            serve()
        found = sampler.taken()
        found["duration_ns"] = int((time.monotonic() - begun) * 1e9)
        with open(f"{folder}/{n:03}.json", "w", encoding="utf-8") as file:
            json.dump(found, file)
    sampler.stop()

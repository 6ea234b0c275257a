# SPDX-License-Identifier: Apache-2.0
"""A server on the loopback that has the profiles of one service over a time, and
adds up what lies in a range as a Pyroscope does."""
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from draws import Run, pprof

SERVICE = "drawn"
MINUTES = 15  # of a quarter of a window
FROM_S = 1_764_000_000  # where the earlier window begins


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def read_numbers(data):
    """The numbers of a message, by field."""
    at, numbers = 0, {}
    while at < len(data):
        key, at = read_varint(data, at)
        value, at = read_varint(data, at)
        if key & 7 == 2:
            at += value
        else:
            numbers[key >> 3] = value
    return numbers


def by_minute(rng, quarters):
    """The samples of each quarter, dealt to its minutes."""
    minutes = []
    for run in quarters:
        dealt = [Counter() for _ in range(MINUTES)]
        for stack, count in run.counts.items():
            for at in rng.choices(range(MINUTES), k=count):
                dealt[at][stack] += 1
        minutes += dealt
    return minutes


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        kind = "application/json"
        if self.path.endswith("/SelectMergeProfile"):
            wanted = read_numbers(body)
            body, kind = self.merge(wanted[3], wanted[4]), "application/proto"
        elif self.path.endswith("/LabelValues"):
            body = b'{"names":["%s"]}' % SERVICE.encode()
        else:
            body = b'{"labelsSet":[],"series":[]}'
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def merge(self, from_ms, to_ms):
        """Minutes whose middle lies in the range."""
        middle_ms = 1000 * FROM_S + 30_000
        counts = Counter()
        for at, minute in enumerate(self.server.minutes):
            if from_ms <= middle_ms + 60_000 * at <= to_ms:
                counts.update(minute)
        length_ns = (to_ms - from_ms + 1) * 1_000_000
        return pprof(Run(counts, from_ms * 1_000_000, length_ns,
                         self.server.period_ns))


class Server:
    """Serves one pair of windows at a time."""

    def __init__(self):
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def serve(self, rng, pair):
        """Words of a command that asks for the later window."""
        self.http.minutes = by_minute(rng, pair.before + pair.after)
        self.http.period_ns = pair.before[0].period_ns
        middle_s = FROM_S + 60 * MINUTES * len(pair.before)
        end_s = middle_s + 60 * MINUTES * len(pair.after)
        url = f"http://127.0.0.1:{self.http.server_address[1]}"
        return ["--service", SERVICE, "--profiles-url", url, "--no-cache",
                "--from", str(middle_s), "--to", str(end_s)]

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Talks to `tracefind mcp` while servers are slow: progress, cancelling, calls
that wait, and how it ends. With the library of the protocol's makers, where that
is installed (pip install mcp), their client asks as well.

usage: talk.py TRACEFIND
"""
import asyncio
import http.server
import json
import os
import selectors
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

TESTDATA = Path(os.environ.get(
    "TESTDATA", Path(__file__).resolve().parents[2] / "testdata"))
CASE = TESTDATA / "cases" / "n-plus-one.har.gz"
TRACE = "bc3c20d5b1e18038e8dba50f99cc6d1d"
PATIENCE_S = 30
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


class Slow(http.server.BaseHTTPRequestHandler):
    """Says what it is at once, and of traces that there are none, late."""

    def do_GET(self):
        if "/search" in self.path:
            self.server.asked.set()
            self.server.released.wait(self.server.delay_s)
        body = b'{"traces":[]}' if "/search" in self.path else b"echo"
        try:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # who asked has gone

    def log_message(self, *args):
        pass


class Server:
    def __init__(self, delay_s):
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Slow)
        self.http.delay_s = delay_s
        self.http.asked = threading.Event()
        self.http.released = threading.Event()
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.released.set()
        self.http.shutdown()
        self.http.server_close()


class Talk:
    def __init__(self, program, *args):
        env = {k: v for k, v in os.environ.items()
               if not k.startswith("TRACEFIND_")}
        self.process = subprocess.Popen(
            [program, "mcp", *args], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=env)
        self.wait = selectors.DefaultSelector()
        self.wait.register(self.process.stdout, selectors.EVENT_READ)
        self.bytes = b""

    def say(self, method, params=None, ident=None):
        message = {"jsonrpc": "2.0", "method": method,
                   "params": params or {}}
        if ident is not None:
            message["id"] = ident
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def call(self, ident, tool, arguments, **meta):
        self.say("tools/call", {"name": tool, "arguments": arguments,
                                "_meta": {**META, **meta}}, ident)

    def hear(self, seconds=PATIENCE_S):
        """The next message; None: there is none so soon, or no more."""
        end = time.monotonic() + seconds
        while b"\n" not in self.bytes:
            left = end - time.monotonic()
            if left <= 0 or not self.wait.select(left):
                return None
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                return None
            self.bytes += chunk
        line, self.bytes = self.bytes.split(b"\n", 1)
        return json.loads(line)

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(PATIENCE_S)
        self.wait.close()
        self.process.stdout.close()
        return status


def check_progress(tap, program):
    server = Server(2)
    talk = Talk(program, "--traces-url", f"tempo+{server.url}")
    talk.call(1, "find_slow_traces", {"service": "a"}, progressToken="t")
    told = []
    while (message := talk.hear()) and "method" in message:
        told.append(message)
    tap.check(told and all(m["method"] == "notifications/progress" and
                           m["params"]["progressToken"] == "t" for m in told),
              "progress is told", told)
    steps = [m["params"]["progress"] for m in told]
    tap.equal(steps, sorted(set(steps)), "and grows")
    tap.check(message and message["id"] == 1 and
              message["result"]["isError"], "then the answer", message)
    tap.equal(talk.end(), 0, "ends when its input does")
    server.close()


def check_cancel(tap, program):
    server = Server(PATIENCE_S)
    talk = Talk(program, "--traces-url", f"tempo+{server.url}")
    talk.call(1, "find_slow_traces", {"service": "a"})
    server.http.asked.wait(PATIENCE_S)
    talk.call(3, "explain_trace", {"trace_id": "no"})
    message = talk.hear()
    tap.equal(message and message["id"], 3, "others are refused meanwhile")
    talk.call(4, "list_profile_types", {"since": "x"})
    message = talk.hear()
    tap.equal(message and message["id"], 4, "and run meanwhile")
    for more in ("m1", "m2", "m3"):
        talk.call(more, "find_slow_traces", {"service": "c"})
    talk.call(2, "find_slow_traces", {"service": "b"})
    talk.say("notifications/cancelled", {"requestId": 2})
    talk.say("notifications/cancelled", {"requestId": 77})
    talk.say("notifications/cancelled", {"requestId": 1})
    for more in ("m1", "m2", "m3"):
        talk.say("notifications/cancelled", {"requestId": more})
    talk.call("p", "list_profile_types", {"since": "x"})
    message = talk.hear()
    tap.equal(message and message["id"], "p",
              "a cancelled call ends at once, and the next one runs")
    tap.equal(talk.hear(0.5), None, "it gets no answer, nor does one that "
              "was waiting")
    tap.equal(talk.end(), 0, "ends after that")
    server.close()


def check_gone(tap, program):
    """The client goes away while a call runs."""
    server = Server(PATIENCE_S)
    talk = Talk(program, "--traces-url", f"tempo+{server.url}")
    talk.call(1, "find_slow_traces", {"service": "a"})
    server.http.asked.wait(PATIENCE_S)
    talk.process.terminate()
    began = time.monotonic()
    talk.process.wait(PATIENCE_S)
    tap.check(time.monotonic() - began < 5, "ends at once when it is told to")
    talk.end()
    talk = Talk(program, "--traces-url", f"tempo+{server.url}")
    server.http.asked.clear()
    talk.call(1, "find_slow_traces", {"service": "a"})
    server.http.asked.wait(PATIENCE_S)
    talk.process.stdin.close()
    talk.process.stdout.close()
    began = time.monotonic()
    talk.process.wait(PATIENCE_S)
    tap.check(time.monotonic() - began < 5, "ends when nobody reads it")
    server.close()


def check_client(tap, program):
    what = "a client of the protocol's makers"
    try:
        from mcp import ClientSession, StdioServerParameters
        from mcp.client.stdio import stdio_client
    except ImportError:
        tap.skip(what, "no mcp: pip install mcp")
        return

    async def ask():
        server = StdioServerParameters(
            command=program, args=["mcp", "--replay", str(CASE)])
        async with stdio_client(server) as (read, write):
            async with ClientSession(read, write) as session:
                await session.initialize()
                listed = await session.list_tools()
                # It holds the answer against the tool's schema.
                answer = await session.call_tool("explain_trace",
                                                 {"trace_id": TRACE})
                return len(listed.tools), answer.content[0].text

    count, text = asyncio.run(ask())
    tap.check(count > 5, f"{what}: tools", count)
    tap.check("FindByEmail took 576 ms" in text, f"{what}: answer", text)


def main():
    program = str(Path(sys.argv[1]).resolve())
    tap = Tap()
    check_progress(tap, program)
    check_cancel(tap, program)
    check_gone(tap, program)
    check_client(tap, program)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What tests of whole runs share: a scripted server, one that answers as a
recorded one did, a terminal, and a TAP report."""
import fcntl
import gzip
import json
import os
import struct
import sys
import tempfile
import termios
from pathlib import Path
from urllib.parse import urlsplit

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "server")]
import server  # noqa: E402
from tap import Tap, checks_of, open_terminal  # noqa: E402


class Server:
    """A server with this script (tests/server/server.py), an object, JSON or
    the path of a file, for as long as the block runs: its address, and the
    requests it got when there is a log. It lives in threads of this process,
    since starting Python costs more than most tests do."""

    def __init__(self, script, *options, log=None, now=None):
        self.log = log and Path(log)
        if not isinstance(script, (str, Path)):
            script = json.dumps(script)
        self.listener = server.begin(server.arguments(
            [*([] if isinstance(script, Path) else ["--script"]), str(script),
             *(["--log", str(log)] if log else []), *map(str, options)]), now)
        self.host = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.url = "http://" + self.host

    def __enter__(self):
        return self

    def __exit__(self, *_):
        server.end(self.listener)

    def requests(self):
        return [json.loads(line) for line in
                self.log.read_text(encoding="utf-8").splitlines()]


def read_case(path):
    """The log of a recorded case."""
    data = Path(path).read_bytes()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    return json.loads(data)["log"]


def content_of(response):
    content = response["content"]
    if content.get("encoding") == "base64":
        return {"base64": content["text"]}
    return {"text": content.get("text", "")}


def route_of(entry, **reply):
    request, response = entry["request"], entry["response"]
    url = urlsplit(request["url"])
    route = {"method": request["method"],
             "path": url.path + ("?" + url.query if url.query else ""),
             "reply": {"status": response["status"],
                       "headers": {h["name"]: h["value"]
                                   for h in response["headers"]
                                   if h["name"] == "Content-Type"},
                       **content_of(response), **reply}}
    posted = request.get("postData")
    if posted and posted.get("_encoding") == "base64":
        route["body_base64"] = posted["text"]
    elif posted:
        route["body"] = posted["text"]
    return route


def script_of(case, folder, **reply):
    """A file in folder with the script of a server that answers as those of
    the case (read_case) did; reply: what all answers have besides, as
    delay_ms=100. A file, because an argument has less room."""
    path = Path(folder, "script.json")
    path.write_text(json.dumps(
        {"routes": [route_of(entry, **reply) for entry in case["entries"]]}))
    return path


def terminal(columns):
    """Both ends of one that is so wide, ours first."""
    ours, theirs = open_terminal()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ,
                struct.pack("HHHH", 50, columns, 0, 0))
    return ours, theirs


def read_all(ours):
    """All that a terminal shows until nobody writes any more; closes it."""
    data = b""
    try:
        while part := os.read(ours, 65536):
            data += part
    except OSError:  # the last writer is gone
        pass
    os.close(ours)
    return data


def check(is_so, text):
    if not is_so:
        raise AssertionError(text)


def report(names):
    """Runs each check_...(program, folder) of a module; the exit status."""
    program, tap = str(Path(sys.argv[1]).resolve()), Tap()
    for what, one in checks_of(names):
        with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
            tap.attempt(what, one, program, folder)
    return tap.end()

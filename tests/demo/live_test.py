#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What ./dev live says, and that it stops all that it started, with servers and
services that only answer that they are ready.

usage: live_test.py DEMO
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

DEMO = Path(sys.argv[1]).resolve()
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tap import Tap  # noqa: E402

WAIT_S = 60
# Notes its pid, and answers everything at the port that a variable names.
READY = """#!{python} -B
import http.server, os
open(os.path.join({pids!r}, {name!r} + str(os.getpid())), "w").close()
class Ready(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{{}}")
    def log_message(self, *_):
        pass
http.server.ThreadingHTTPServer(
    ("127.0.0.1", int(os.environ[{port!r}])), Ready).serve_forever()
"""
ENDS = "#!/bin/sh\necho 'listen: no such address' >&2\nexit 3\n"
ANSWERS = """#!/bin/sh
[ "$1" != profile ] || exit 0
for word; do case $word in json=*) file=${word#json=} ;; esac; done
echo 'ANSWER' >"$file"
exit STATUS
"""
SERVERS = {"tempo": "TEMPO_PORT", "pyroscope": "PYROSCOPE_PORT"}
SERVICES = 4
LEAK = 10


class Place:
    """A folder with programs to start."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.bin, self.pids = self.folder / "bin", self.folder / "pids"
        venv = self.folder / "made" / "venv"
        for made in (self.bin, self.pids, venv / "bin"):
            made.mkdir(parents=True)
        for name, port in SERVERS.items():
            self.program(self.bin / name, self.ready(name, port))
        self.program(venv / "bin" / "python", self.ready("service", "PORT"))
        (venv / "requirements.txt").write_text(
            (DEMO / "requirements.txt").read_text())
        self.answer("supplier_of")

    def ready(self, name, port):
        return READY.format(python=sys.executable, pids=str(self.pids),
                            name=f"{name}-", port=port)

    @staticmethod
    def program(path, text):
        path.write_text(text)
        path.chmod(0o755)

    def answer(self, function, span="GET", grows="noise", status=0):
        """What tracefind is to name; no function: only the span."""
        answer = {"functions": [{"name": function}] if function else [],
                  "memory": {"functions": [
                      {"name": "work", "verdict": "noise"},
                      {"name": f"{function}.<locals>.<listcomp>",
                       "verdict": grows}]},
                  "span": {"path": ["web GET /", f"auth {span}", "auth GET"]}}
        self.program(self.folder / "tracefind",
                     ANSWERS.replace("ANSWER", json.dumps(answer))
                     .replace("STATUS", str(status)))

    def start(self, *args):
        return subprocess.Popen(
            [sys.executable, "-B", DEMO / "live.py", *args, "--tracefind",
             self.folder / "tracefind", "--folder", self.folder / "made"],
            env={"PATH": str(self.bin), "HOME": str(self.folder)}, text=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)

    def run(self, *args):
        """Status and the lines on standard error."""
        process = self.start(*args)
        _, err = process.communicate(timeout=WAIT_S)
        return process.returncode, err.splitlines()

    def started(self):
        return sorted(path.name for path in self.pids.iterdir())

    def left(self):
        """Programs that still run, folders that are still there."""
        pids = [int(name.rpartition("-")[2]) for name in self.started()]
        return ([pid for pid in pids if Path(f"/proc/{pid}").exists()] +
                list((self.folder / "made").glob("run-*")))


def check_missing(tap, place):
    os.rename(place.bin / "tempo", place.folder / "tempo")
    status, lines = place.run("cpu")
    tap.equal((status, len(lines)), (1, 1), "without tempo: one line")
    tap.check(lines[0].startswith("./dev live: no tempo in PATH: "),
              "it names what is missing", lines)
    os.rename(place.folder / "tempo", place.bin / "tempo")


def check_server_ends(tap, place):
    place.program(place.bin / "pyroscope", ENDS)
    status, lines = place.run("cpu")
    tap.equal((status, lines),
              (1, ["./dev live: pyroscope ended: listen: no such address"]),
              "a server that ends is told with what it said")
    tap.equal((len(place.started()), place.left()), (1, []),
              "and the other is stopped")


def check_run(tap, place):
    args = "n_plus_one", "--healthy", "4", "--faulty", "4", "--rate", "400"
    status, lines = place.run(*args)
    tap.equal((status, lines[-1]),
              (0, "the fault is in supplier_of(): found in the profile"),
              "a whole run")
    names = [name.rpartition("-")[0] for name in place.started()]
    tap.equal(names, ["pyroscope"] + ["service"] * (SERVICES + 1) + ["tempo"],
              "the service with the fault started twice")
    tap.equal(place.left(), [], "all is stopped at the end")
    place.answer("listed")
    status, lines = place.run(*args)
    tap.equal((status, lines[-1]),
              (1, "the fault is in supplier_of(): not found"),
              "another function is not right")
    place.answer("", span="supplier_of")
    status, lines = place.run(*args)
    tap.equal((status, lines[-1]),
              (0, "the fault is in supplier_of(): found in the trace; it waits"),
              "a span is right where no function is blamed")
    place.answer("", span="listed")
    tap.equal(place.run(*args)[0], 1, "another span is not")


def check_leak(tap, place):
    args = "--minutes", "0.02", "--rate", "100"
    for grows, status, found in (("endless", LEAK, True), ("noise", LEAK, False),
                                 ("endless", 0, False)):
        place.answer("new_session", grows=grows, status=status)
        tap.equal(place.run("leak", *args)[0], 0 if found else 1,
                  f"leak: {grows} and status {status}")
    tap.equal(place.run("none", *args)[0], 0, "none: no leak is called")
    place.answer("new_session", status=LEAK)
    tap.equal(place.run("none", *args)[0], 1, "none: a leak is called")


def check_interrupted(tap, place, number):
    process = place.start("n_plus_one", "--healthy", "100", "--rate", "5")
    # Until it loads, which it says.
    for line in process.stderr:
        if "sent" in line:
            break
    process.send_signal(number)
    _, err = process.communicate(timeout=WAIT_S)
    name = signal.Signals(number).name
    tap.equal((process.returncode, err.splitlines()[-1]),
              (130, "./dev live: interrupted; all is stopped"),
              f"{name} ends it")
    tap.equal((len(place.started()), place.left()),
              (SERVICES + len(SERVERS), []), f"{name} leaves nothing")


def main():
    tap = Tap()
    checks = [check_missing, check_server_ends, check_run, check_leak,
              lambda *of: check_interrupted(*of, signal.SIGINT),
              lambda *of: check_interrupted(*of, signal.SIGTERM)]
    for check in checks:
        with tempfile.TemporaryDirectory() as folder:
            check(tap, Place(folder))
    status, _ = subprocess.getstatusoutput(
        f"{sys.executable} -B {DEMO / 'live.py'} nosuch")
    tap.equal(status, 2, "an unknown fault is a wrong argument")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

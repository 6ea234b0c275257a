# SPDX-License-Identifier: Apache-2.0
"""What tests of whole runs share: a scripted server, and a TAP report."""
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SERVER = Path(__file__).resolve().parent.parent / "server" / "server.py"
STOP_S = 20


class Server:
    """A server with this script (tests/server/server.py) for as long as the
    block runs: its address, and the requests it got when there is a log."""

    def __init__(self, script, *options, log=None, env=None):
        self.log = log and Path(log)
        self.process = subprocess.Popen(
            [sys.executable, str(SERVER), "--script",
             script if isinstance(script, str) else json.dumps(script),
             *(["--log", str(log)] if log else []), *map(str, options)],
            env={**os.environ, **(env or {})}, stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True)
        self.url = f"http://127.0.0.1:{self.process.stdout.readline().strip()}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(STOP_S)
        self.process.stdout.close()

    def requests(self):
        return [json.loads(line) for line in
                self.log.read_text(encoding="utf-8").splitlines()]


def check(is_so, text):
    if not is_so:
        raise AssertionError(text)


def report(names):
    """Runs each check_...(program, folder) of a module and tells in TAP;
    returns the exit status."""
    program = str(Path(sys.argv[1]).resolve())
    checks = [(name, check) for name, check in names.items()
              if name.startswith("check_")]
    failed = 0
    print(f"1..{len(checks)}")
    for number, (name, check) in enumerate(checks, 1):
        with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
            try:
                check(program, folder)
                print(f"ok {number} - {name}")
            except (AssertionError, OSError,
                    subprocess.SubprocessError) as error:
                failed += 1
                print(f"not ok {number} - {name}\n#   {error}")
    return 1 if failed else 0

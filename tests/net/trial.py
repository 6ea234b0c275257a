# SPDX-License-Identifier: Apache-2.0
"""One run of the program against a server of wire.py, and what is asked of
every run, whatever was done to it."""
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
import wire  # noqa: E402
import figures  # noqa: E402
from tap import Tap  # noqa: E402

TESTDATA = Path(os.environ.get(
    "TESTDATA", wire.HERE.parent.parent / "testdata"))
LIMIT_S = 2.0
# A run is over by then, or it never is.
HANG_S = 40
PARALLEL = 12
MIB = 1 << 20
# libasan keeps what is freed, and shadows it.
RSS_FACTOR = 12 if os.environ.get("TRIAL_SANITIZED") else 1
# And takes a tenth of a second or two to look for leaks at the end.
TIME_FACTOR = 1.5 if os.environ.get("TRIAL_SANITIZED") else 1.1

GOOD, USAGE, DENIED, NONE, UNREACHABLE, BAD = 0, 2, 3, 5, 6, 7


class Outcome:
    def __init__(self, status, stdout, stderr, seconds, rss_bytes):
        self.status, self.seconds = status, seconds
        self.stdout = stdout.decode("utf-8", "backslashreplace")
        self.stderr = stderr.decode("utf-8", "backslashreplace")
        self.rss_bytes = rss_bytes


def environment(now, **more):
    env = {"PATH": os.environ.get("PATH", ""), "TZ": "UTC",
           "LC_ALL": "C.UTF-8", "HOME": "/nonexistent",
           "GCE_METADATA_HOST": "127.0.0.1:1", "TRACEFIND_NOW": now, **more}
    return {**env, **{name: os.environ[name] for name in
                      ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LLVM_PROFILE_FILE")
                      if name in os.environ}}


def run(program, host, args, env, cwd=None, stdin=b""):
    """To the end of the run, with its time and the most memory it had; the
    server's address is put as HOST."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, \
            tempfile.TemporaryFile() as given:
        given.write(stdin)
        given.seek(0)
        begun = time.monotonic()
        process = subprocess.Popen([program, *args], env=env, cwd=cwd,
                                   stdin=given, stdout=out, stderr=err)
        killer = threading.Timer(HANG_S, process.kill)
        killer.start()
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begun
        killer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        mask = host.encode()
        return Outcome(process.returncode, out.read().replace(mask, b"HOST"),
                       err.read().replace(mask, b"HOST"), seconds,
                       usage.ru_maxrss * 1024)


def told(outcome):
    """What is wrong with how a failure is told, or None."""
    lines = [line for line in outcome.stderr.splitlines()
             if not line.startswith("tracefind: note: ")]
    if outcome.stdout:
        return f"status {outcome.status}, but an answer as well"
    if len(lines) != 1 or not lines[0].startswith("tracefind: "):
        return f"{len(lines)} lines of error: {lines[:3]}"
    if len(lines[0].encode()) > 800:
        return f"an error of {len(lines[0])} characters"
    if re.search(r"[^ -~\u00a1-\ud7ff\U00010000-\U0001ffff]", lines[0]):
        return f"an error with controls: {lines[0]!r}"
    return None


def try_all(name, trials, judge, parallel=PARALLEL):
    """Runs judge(trial), which gives what is wrong or None, for each of
    (title, trial); tells in TAP, keeps the figures; the exit status. What is
    wrong and has to do with time is tried again alone: the machine may have
    been busy."""
    tap = Tap()

    def attempt(trial):
        try:
            return judge(trial[1])
        except Exception as error:  # one trial's, not the others'
            return f"{type(error).__name__}: {error}"
    with ThreadPoolExecutor(parallel) as pool:
        wrong = list(pool.map(attempt, trials))
    skipped = 0
    for (title, trial), what in zip(trials, wrong):
        for _ in range(3):
            if what and what.startswith("took"):
                what = judge(trial)
        if what and what.startswith("SKIP "):
            skipped += 1
            tap.skip(title, what[5:])
        else:
            tap.check(not what, title, what)
    status = tap.end()
    print(f"# {tap.count - tap.failed - skipped} passed, {tap.failed} failed, "
          f"{skipped} skipped", flush=True)
    figures.record(name, tap.count - skipped, tap.failed,
                   **({"skipped": skipped} if skipped else {}))
    return status

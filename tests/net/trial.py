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

TESTDATA = Path(os.environ.get(
    "TESTDATA", wire.HERE.parent.parent / "testdata"))
LIMIT_S = 2.0
# A run is over by then, or it never is.
HANG_S = 40
PARALLEL = 12
MIB = 1 << 20
# libasan keeps what is freed, and shadows it.
RSS_FACTOR = 12 if os.environ.get("TRIAL_SANITIZED") else 1

GOOD, OTHER, USAGE, DENIED, NONE, UNREACHABLE, BAD = 0, 1, 2, 3, 5, 6, 7


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
    lines = outcome.stderr.splitlines()
    if outcome.stdout:
        return f"status {outcome.status}, but an answer as well"
    if len(lines) != 1 or not lines[0].startswith("tracefind: "):
        return f"{len(lines)} lines of error: {lines[:3]}"
    if len(lines[0].encode()) > 800:
        return f"an error of {len(lines[0])} characters"
    if re.search(r"[^ -~\u00a1-\ud7ff\U00010000-\U0001ffff]", lines[0]):
        return f"an error with controls: {lines[0]!r}"
    return None


def tap(name, trials, judge, parallel=PARALLEL):
    """Runs judge(trial), which gives what is wrong or None, for each of
    (title, trial); tells in TAP, keeps the figures; the exit status. What is
    wrong and has to do with time is tried again alone: the machine may have
    been busy."""
    print(f"1..{len(trials)}", flush=True)
    with ThreadPoolExecutor(parallel) as pool:
        wrong = list(pool.map(lambda trial: judge(trial[1]), trials))
    failed = skipped = 0
    for number, (title, trial) in enumerate(trials, 1):
        what = wrong[number - 1]
        for _ in range(3):
            if what and what.startswith("took"):
                what = judge(trial)
        is_skip = bool(what) and what.startswith("SKIP")
        skipped += is_skip
        failed += bool(what) and not is_skip
        print(f"{'not ok' if what and not is_skip else 'ok'} {number} - "
              f"{title}{' # ' + what if is_skip else ''}")
        if what and not is_skip:
            print(f"#   {what}")
    print(f"# {len(trials) - failed - skipped} passed, {failed} failed, "
          f"{skipped} skipped", flush=True)
    figures.record(name, len(trials) - skipped, failed, skipped=skipped)
    return 1 if failed else 0

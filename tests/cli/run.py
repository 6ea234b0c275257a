#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program on cases that are only data. Standard library only.

usage: run.py TRACEFIND [--topic TOPIC] [--update] [CASE...]
       run.py --topics

A case is a folder tests/cli/<topic>-<case>/ with

    cmd           the arguments, in shell quoting; several lines are one
    before        arguments of a run before that, the only one with the server
                  when it is there; its status must be 0
    stdin         what the program reads (default: nothing)
    env           NAME=VALUE lines added to an empty environment, in which
                  there is no metadata server of Google Cloud
    home/         files put into {tmp} before, "dot-" at the start of a name
                  being "."; expected in files/ only when they change
    modes         lines "0644 NAME": permissions of such files, else 0600
    server.json   script of tests/server/server.py, served as {url}, which is
                  https when it says "tls"
    mask          lines "REGEX => TEXT": volatile output, replaced
    status        expected exit status (default: 0)
    stdout        expected standard output (default: empty)
    stderr        expected standard error (default: empty)
    files/        expected files in {tmp}, no more and no fewer, except for
                  case.har and case.har.gz, which hold times, .cache/ and
                  packed profiles (.pb.gz): how they pack is the library's;
                  pages (.html) are read by tests/html

In cmd, before, env, home/ and server.json {url}, {host}, {testdata}, {case} and {tmp}
stand for the server, its address and port, the test data, the case's folder
and an empty folder, which is also the working directory; {robot_key} stands for
testdata/google/keys/robot.key.pem as it is written within a JSON text. In the
output they are put back.
--update writes what came out as what is expected: read the difference.

Output is TAP, with a diff below each failure.
"""
import argparse
import contextlib
import difflib
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import scripted  # noqa: E402
from tap import Tap  # noqa: E402

HERE = Path(__file__).resolve().parent
NOW = "2026-11-21T12:00:00Z"  # soon after the recorded answers
TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
ROBOT_KEY = TESTDATA / "google" / "keys" / "robot.key.pem"
# What -v says of it is the kernel's to decide (tests/safety/sandbox.py).
SANDBOX = re.compile(r"^tracefind: sandbox: .*\n", re.M)
LIMIT_S = 30
PARALLEL = 4
# What sanitizers need to be told passes through; nothing else does.
KEPT = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS")


class Failure(Exception):
    """The case itself cannot be run."""


def all_cases():
    return sorted(p.parent for p in HERE.glob("*/cmd"))


def topic_of(case):
    return case.name.split("-")[0]


@contextlib.contextmanager
def served(case, names):
    """The case's server, if it has one, for as long as the block runs."""
    script = case / "server.json"
    if not script.is_file():
        yield
        return
    text = fill(script.read_text(encoding="utf-8"), names)
    with scripted.Server(text, "--root", TESTDATA,
                         now=now_of(case)) as server:
        scheme = "https" if json.loads(text).get("tls") else "http"
        names["{host}"] = server.host
        names["{url}"] = f"{scheme}://{server.host}"
        yield


def now_of(case):
    """The clock of the program, for a server that has one, too."""
    found = re.search(r"^TRACEFIND_NOW=(.*)$", read(case / "env"), re.M)
    return found[1] if found else NOW


def fill(text, names):
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def put_back(text, names):
    """The longest values first: {tmp} may lie below {testdata}."""
    for name, value in sorted(names.items(), key=lambda n: -len(n[1])):
        text = text.replace(value, name)
    return text


def read(path, default=""):
    if not path.is_file():
        return default
    return path.read_bytes().decode("utf-8", "backslashreplace")


def robot_key():
    return read(ROBOT_KEY).replace("\n", "\\n")


def masks(case):
    for line in read(case / "mask").splitlines():
        pattern, _, text = line.partition(" => ")
        yield re.compile(pattern, re.M), text


def environment(case, names, tmp):
    env = {"PATH": os.environ.get("PATH", ""), "HOME": tmp, "TZ": "UTC", "TRACEFIND_NOW": NOW,
           "LC_ALL": "C.UTF-8", "GCE_METADATA_HOST": "127.0.0.1:1"}
    env.update({k: os.environ[k] for k in KEPT if k in os.environ})
    for line in fill(read(case / "env"), names).splitlines():
        name, _, value = line.partition("=")
        env[name] = value
    return env


def start(program, line, case, names, tmp):
    """One run of the program to its end."""
    stdin = case / "stdin"
    try:
        return subprocess.run(
            [program, *shlex.split(fill(line, names), comments=True)], cwd=tmp,
            input=stdin.read_bytes() if stdin.is_file() else b"",
            env=environment(case, names, tmp), timeout=LIMIT_S,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Failure(f"ran longer than {LIMIT_S} s") from None


def furnish(case, names, tmp):
    """Returns what was put into the folder: path -> text."""
    texts = {}
    home = case / "home"
    for path in sorted(home.rglob("*")):
        if not path.is_file():
            continue
        parts = [re.sub("^dot-", ".", part)
                 for part in path.relative_to(home).parts]
        target = Path(tmp, *parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        texts[target] = fill(read(path), names)
        target.write_text(texts[target], encoding="utf-8", newline="")
        target.chmod(0o600)
    for line in read(case / "modes").splitlines():
        mode, name = line.split(" ", 1)
        Path(tmp, name).chmod(int(mode, 8))
    return texts


def run_program(program, case, names, tmp, texts):
    """The run that counts, with the server unless another had it."""
    before = case / "before"
    with served(case, names):
        texts.update(furnish(case, names, tmp))
        if not before.is_file():
            return start(program, read(case / "cmd"), case, names, tmp)
        done = start(program, read(before), case, names, tmp)
    if done.returncode:
        raise Failure(f"before: status {done.returncode}: " +
                      done.stderr.decode("utf-8", "backslashreplace"))
    return start(program, read(case / "cmd"), case, names, tmp)


def outcome_of(program, case, names, tmp):
    """Returns what came out: name of the expectation -> text."""
    texts = {}
    done = run_program(program, case, names, tmp, texts)
    outcome = {
        "status": f"{done.returncode}\n",
        "stdout": done.stdout.decode("utf-8", "backslashreplace"),
        "stderr": SANDBOX.sub("", done.stderr.decode("utf-8",
                                                     "backslashreplace")),
    }
    for path in sorted(Path(tmp).rglob("*")):
        if (path.is_file() and not Path(tmp, ".cache") in path.parents and
                not path.name.startswith("case.har") and
                not path.name.endswith((".pb.gz", ".html")) and
                texts.get(path) != read(path)):
            outcome[f"files/{path.relative_to(tmp).as_posix()}"] = read(path)
    for name in outcome:
        if name != "status":
            outcome[name] = put_back(outcome[name], names)
        for pattern, text in masks(case):
            outcome[name] = pattern.sub(text, outcome[name])
    return outcome


def expectation(case):
    wanted = {"status": read(case / "status", "0\n"),
              "stdout": read(case / "stdout"),
              "stderr": read(case / "stderr")}
    for path in sorted((case / "files").rglob("*")):
        if path.is_file():
            name = path.relative_to(case / "files").as_posix()
            wanted[f"files/{name}"] = read(path)
    return wanted


def differences(wanted, found):
    for name in sorted(set(wanted) | set(found)):
        if wanted.get(name) == found.get(name):
            continue
        if name not in wanted or name not in found:
            yield f"{name}: " + ("missing" if name in wanted else "unexpected")
        yield from difflib.unified_diff(
            wanted.get(name, "").splitlines(),
            found.get(name, "").splitlines(),
            f"expected {name}", f"actual {name}", lineterm="")


def update(case, wanted, found):
    defaults = {"status": "0\n", "stdout": "", "stderr": ""}
    for name in set(wanted) - set(found):
        (case / name).unlink()
    for name, text in found.items():
        path = case / name
        if text == defaults.get(name):
            path.unlink(missing_ok=True)
        elif read(path, None) != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")


@contextlib.contextmanager
def places():
    """Where cases and test data are for the program: paths as long wherever the
    sources lie, since tables and lines of words are as wide as paths, and without
    a character that Markdown escapes."""
    folder = Path(tempfile.gettempdir(), f"tracefind-{secrets.token_hex(4)}")
    folder.mkdir(0o700)
    cases, testdata = folder / "c", folder / "d"
    try:
        cases.symlink_to(HERE)
        testdata.symlink_to(TESTDATA)
        yield cases, testdata
    finally:
        shutil.rmtree(folder)


def run_case(program, case, at, is_update):
    """Returns the lines of a diff; none when all is as expected. at: places()."""
    cases, testdata = at
    with tempfile.TemporaryDirectory(prefix="tracefind-") as tmp:
        names = {"{tmp}": os.path.realpath(tmp), "{case}": str(cases / case.name),
                 "{testdata}": str(testdata),
                 "{robot_key}": robot_key()}
        try:
            found = outcome_of(program, case, names, tmp)
        except (Failure, ValueError, OSError) as error:
            return [str(error)]
    wanted = expectation(case)
    if is_update:
        update(case, wanted, found)
        return []
    return list(differences(wanted, found))


def select(options):
    cases = all_cases()
    if options.topic:
        cases = [c for c in cases if topic_of(c) == options.topic]
    if options.cases:
        names = {Path(name).name for name in options.cases}
        cases = [c for c in cases if c.name in names]
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--topic")
    parser.add_argument("--topics", action="store_true")
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    if options.topics:
        print("\n".join(sorted({topic_of(c) for c in all_cases()})))
        return 0
    if not options.program:
        parser.error("which program?")
    program = str(Path(options.program).resolve())
    cases = select(options)
    tap = Tap()
    with places() as at, ThreadPoolExecutor(PARALLEL) as pool:
        results = pool.map(
            lambda c: run_case(program, c, at, options.update), cases)
        for case, lines in zip(cases, results):
            tap.check(not lines, case.name, "\n".join(lines))
    print(f"# {len(cases) - tap.failed} passed, {tap.failed} failed")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

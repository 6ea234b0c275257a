#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the program on cases that are only data: tests/cli/TOPIC.cases, whose
form cases.py tells. Standard library only.

usage: run.py TRACEFIND [--update] [TOPIC[/CASE]...]
       run.py TRACEFIND --tenth
       run.py --topics

Topics and cases may be patterns of the shell: 'check*', 'tls/*-insecure'.
--update writes what came out as what is expected: read the difference. --tenth
runs every tenth case, of all topics, from number $TENTH (0 to 9) on.

Output is TAP, with a diff below each failure.
"""
import argparse
import contextlib
import difflib
import fnmatch
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
import cases  # noqa: E402
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


def names_for(tmp, inputs=cases.INPUTS, testdata=TESTDATA):
    """What the words in braces stand for, without a server."""
    return {"{tmp}": os.path.realpath(tmp), "{inputs}": str(inputs),
            "{testdata}": str(testdata), "{robot_key}": robot_key()}


@contextlib.contextmanager
def served(case, names):
    """The case's server, if it has one, for as long as the block runs."""
    if case.server is None:
        yield
        return
    text = fill(case.server, names)
    with scripted.Server(text, "--root", TESTDATA,
                         now=now_of(case)) as server:
        scheme = "https" if json.loads(text).get("tls") else "http"
        names["{host}"] = server.host
        names["{url}"] = f"{scheme}://{server.host}"
        yield


def now_of(case):
    """The clock of the program, for a server that has one, too."""
    return next((line.partition("=")[2] for line in case.environment
                 if line.startswith("TRACEFIND_NOW=")), NOW)


def fill(text, names):
    for name, value in names.items():
        text = text.replace(name, value)
    return text


def put_back(text, names):
    """The longest values first: {tmp} may lie below {testdata}."""
    for name, value in sorted(names.items(), key=lambda n: -len(n[1])):
        text = text.replace(value, name)
    return text


def read(path):
    if not path.is_file():
        return ""
    return path.read_bytes().decode("utf-8", "backslashreplace")


def robot_key():
    return read(ROBOT_KEY).replace("\n", "\\n")


def environment(case, names, tmp):
    env = {"PATH": os.environ.get("PATH", ""), "HOME": tmp, "TZ": "UTC", "TRACEFIND_NOW": NOW,
           "LC_ALL": "C.UTF-8", "GCE_METADATA_HOST": "127.0.0.1:1"}
    env.update({k: os.environ[k] for k in KEPT if k in os.environ})
    for line in case.environment:
        name, _, value = fill(line, names).partition("=")
        env[name] = value
    return env


def words_of(line, names):
    return shlex.split(fill(line, names))


def start(program, line, case, names, tmp):
    """One run of the program to its end."""
    try:
        return subprocess.run(
            [program, *words_of(line, names)], cwd=tmp, input=case.stdin,
            env=environment(case, names, tmp), timeout=LIMIT_S,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except subprocess.TimeoutExpired:
        raise Failure(f"ran longer than {LIMIT_S} s") from None


def furnish(case, names, tmp):
    """Returns what was put into the folder: path -> text."""
    texts = {}
    for name, text in case.given.items():
        target = Path(tmp, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        texts[target] = fill(text, names)
        target.write_text(texts[target], encoding="utf-8", newline="")
        target.chmod(0o600)
    for mode, name in case.modes:
        Path(tmp, name).chmod(int(mode, 8))
    return texts


def run_program(program, case, names, tmp, texts):
    """The run that counts, with the server unless another had it."""
    with served(case, names):
        texts.update(furnish(case, names, tmp))
        if case.before is None:
            return start(program, case.command, case, names, tmp)
        done = start(program, case.before, case, names, tmp)
    if done.returncode:
        raise Failure(f"before: status {done.returncode}: " +
                      done.stderr.decode("utf-8", "backslashreplace"))
    return start(program, case.command, case, names, tmp)


def outcome_of(program, case, names, tmp):
    """Returns what came out: name of the expectation -> text."""
    texts = {}
    done = run_program(program, case, names, tmp, texts)
    outcome = {
        "status": str(done.returncode),
        "stdout": done.stdout.decode("utf-8", "backslashreplace"),
        "stderr": SANDBOX.sub("", done.stderr.decode("utf-8",
                                                     "backslashreplace")),
    }
    for path in sorted(Path(tmp).rglob("*")):
        if (path.is_file() and not Path(tmp, ".cache") in path.parents and
                not path.name.startswith("case.har") and
                not path.name.endswith((".pb.gz", ".html")) and
                texts.get(path) != read(path)):
            outcome[f"file {path.relative_to(tmp).as_posix()}"] = read(path)
    for name in outcome:
        if name != "status":
            outcome[name] = put_back(outcome[name], names)
            for pattern, text in case.masks:
                outcome[name] = pattern.sub(text, outcome[name])
    return outcome


def differences(wanted, found):
    for name in sorted(set(wanted) | set(found)):
        if wanted.get(name) == found.get(name):
            continue
        if name not in wanted or name not in found:
            yield f"{name}: " + ("missing" if name in wanted else "unexpected")
        lines = list(difflib.unified_diff(
            wanted.get(name, "").splitlines(),
            found.get(name, "").splitlines(),
            f"expected {name}", f"actual {name}", lineterm=""))
        yield from lines or [f"{name}: lines end otherwise"]


@contextlib.contextmanager
def places():
    """Where inputs and test data are for the program: paths as long wherever the
    sources lie, since tables and lines of words are as wide as paths, and without
    a character that Markdown escapes."""
    folder = Path(tempfile.gettempdir(), f"tracefind-{secrets.token_hex(4)}")
    folder.mkdir(0o700)
    inputs, testdata = folder / "i", folder / "d"
    try:
        inputs.symlink_to(cases.INPUTS)
        testdata.symlink_to(TESTDATA)
        yield inputs, testdata
    finally:
        shutil.rmtree(folder)


def run_case(program, case, at):
    """What came out, or {"failure": why}. at: places()."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as tmp:
        try:
            return outcome_of(program, case, names_for(tmp, *at), tmp)
        except (Failure, OSError, ValueError, RuntimeError) as error:
            return {"failure": f"{error}\n"}


def is_chosen(case, patterns):
    return not patterns or any(fnmatch.fnmatchcase(one, pattern)
                               for pattern in patterns
                               for one in (case.topic, case.name))


def run_all(program, topics, patterns, is_update=False, share=slice(None)):
    """Runs what is chosen of the topics, and tells; the exit status."""
    chosen = [(topic, case) for topic in topics for case in topic.cases
              if is_chosen(case, patterns)][share]
    tap = Tap()
    with places() as at, ThreadPoolExecutor(PARALLEL) as pool:
        outcomes = pool.map(lambda one: run_case(program, one[1], at), chosen)
        for (topic, case), found in zip(chosen, outcomes):
            if is_update and "failure" not in found:
                topic.expect(case, found)
            lines = list(differences(case.expected(), found))
            if found.keys() == {"failure"}:
                lines = found["failure"].splitlines()
            tap.check(not lines, case.name, "\n".join(lines))
    print(f"# {len(chosen) - tap.failed} passed, {tap.failed} failed")
    return tap.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", nargs="?")
    parser.add_argument("cases", nargs="*")
    parser.add_argument("--topics", action="store_true")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--tenth", action="store_true")
    options = parser.parse_args()
    if options.topics:
        print("\n".join(cases.names()))
        return 0
    if not options.program:
        parser.error("which program?")
    wanted = [one.split("/")[0] for one in options.cases] or ["*"]
    topics = [cases.load(name) for name in cases.names()
              if any(fnmatch.fnmatchcase(name, one) for one in wanted)]
    share = slice(None)
    if options.tenth:
        share = slice(int(os.environ.get("TENTH", "0")), None, 10)
        print(f"# TENTH={share.start}")
    status = run_all(str(Path(options.program).resolve()), topics,
                     options.cases, options.update, share)
    for topic in topics if options.update else []:
        cases.path_of(topic.name).write_text(
            cases.written(topic.parts), encoding="utf-8", newline="")
    return status


if __name__ == "__main__":
    sys.exit(main())

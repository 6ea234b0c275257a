#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a run may still do once it reads answers.

usage: sandbox.py TRACEFIND PROBE.SO

The library (probe.c) tries from within to read and to write files that were not
named, to start a program, to listen, to be traced and to type on the terminal;
and those things that must go on. Runs are of kernels that have all of Landlock
and seccomp, older ones of each, and none: nothing may fail because of them, and
-v tells what is on. Output is TAP; skipped where the kernel has no Landlock.
"""
import ctypes
import errno
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "cli")]
import figures  # noqa: E402
from scripted import Server  # noqa: E402

TESTDATA = Path(os.environ.get("TESTDATA", HERE.parent.parent / "testdata"))
CASE = str(TESTDATA / "cases" / "n-plus-one.har.gz")
PROFILE = TESTDATA / "pprof" / "go-process_cpu-incident.pb.gz"
LIMIT_S = 30
REFUSED = (errno.EACCES, errno.EPERM)
NAMES = """{"routes": [{"reply": {"headers": {"Content-Type":
    "application/json"}, "json": {"names": ["cart"], "labelsSet": [],
    "series": []}}}]}"""


def kernel_version():
    """Of Landlock; 0: none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, libc.syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint(1)))


class Run:
    """A run in a folder of its own; found: {what was tried: errno}."""

    def __init__(self, program, library, words, *, home=None, env=None,
                 wrap=()):
        self.folder = tempfile.TemporaryDirectory(prefix="tracefind-")
        at = Path(self.folder.name)
        for name in ("home", "out", "elsewhere"):
            (at / name).mkdir()
        (at / "out" / "deep").mkdir()
        for place in ("elsewhere", "out", "out/deep"):
            (at / place / "secret").write_text("secret")
        (at / "input.pb.gz").write_bytes(PROFILE.read_bytes())
        report = at / "report"
        report.touch()
        for name, text in (home or {}).items():
            path = at / "home" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            path.chmod(0o600)
        environment = {
            "PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8",
            "TZ": "UTC", "HOME": str(at / "home"), "LD_PRELOAD": library,
            "PROBE_REPORT": str(report), "GCE_METADATA_HOST": "127.0.0.1:1",
            "PROBE_READ": str(at / "elsewhere" / "secret"),
            "PROBE_READ_BESIDE": str(at / "out" / "secret"),
            "PROBE_READ_BELOW": str(at / "out" / "deep" / "secret"),
            "PROBE_NAMED": str(at / "input.pb.gz"),
            "PROBE_WRITE": str(at / "elsewhere" / "made"),
            "PROBE_BESIDE": str(at / "out" / "beside"), **(env or {})}
        self.done = subprocess.run(
            [*wrap, program, *(word.format(at=at) for word in words), "-v"],
            cwd=at / "home", env=environment, timeout=LIMIT_S,
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.found = {name: int(number) for name, number in
                      (line.split() for line in report.read_text().splitlines())}
        said = re.findall("^tracefind: sandbox: (.*)$", self.done.stderr, re.M)
        self.said = said[0] if len(said) == 1 else repr(self.done.stderr)
        self.files = {str(path.relative_to(at)): path.read_bytes()
                      for path in at.rglob("*") if path.is_file()}
        self.answer = self.done.stdout.replace(str(at), "")
        self.folder.cleanup()

    def differs(self, *, refused=(), passed=(), says, status=0):
        """What is wrong, or None."""
        if self.done.returncode != status:
            return f"status {self.done.returncode}: {self.done.stderr}"
        for name in refused:
            if self.found.get(name) not in REFUSED:
                return f"{name}: {self.found.get(name)}"
        for name in passed:
            if self.found.get(name) != 0:
                return f"{name}: {self.found.get(name)}, not passed"
        return None if says in self.said else f"it says {self.said}"


FILE = ["profile", "{at}/input.pb.gz", "-o", "table", "-o",
        "svg={at}/out/flame.svg"]
PROGRAMS = ("exec", "trace", "type")
# An output's folder is written to, not read.
READS = ("read", "read-beside", "read-below")
VERSION = kernel_version()


def in_memory(run):
    """They lie below /dev, where nothing else is made."""
    if not os.access("/dev/shm", os.W_OK):
        return None
    with tempfile.TemporaryDirectory(prefix="tracefind-",
                                     dir="/dev/shm") as folder:
        path = Path(folder, "flame.svg")
        return run([*FILE, "-o", f"svg={path}"]).differs(
            refused=(*READS, "write"), says="files (landlock") or (
            None if path.is_file() else "no picture")


def loaded(run, env=None):
    """Where a run that asks a server has libcurl from: a path or None."""
    done = run(["show", "1", "--traces-url", "tempo+http://127.0.0.1:1",
                "--retry", "0"], env={"LD_DEBUG": "libs", **(env or {})}).done
    found = re.findall(r"calling init: (/\S+/libcurl\.so\S*)", done.stderr)
    return found[0] if found else None


def linked_library(run):
    """A folder of LD_LIBRARY_PATH has a link that leads out of it."""
    usual = loaded(run)
    if not usual:
        return None  # linked statically, or no LD_DEBUG
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        links, real = Path(folder, "links"), Path(folder, "real", "lib")
        links.mkdir()
        real.mkdir(parents=True)
        name = "libcurl.so.4"
        (real / name).write_bytes(Path(usual).read_bytes())
        (links / name).symlink_to(real / name)
        found = loaded(run, {"LD_LIBRARY_PATH": str(links)})
    return None if found == str(links / name) else f"it took {found}"


def assistant(program, library, leads_to, env):
    """What a call of an assistant says of a folder with a profile and a link:
    (whether that is a refusal, its words)."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        root = Path(folder, "root")
        root.mkdir()
        for path in (root / "a.pb.gz", Path(folder, "outside.pb.gz")):
            path.write_bytes(PROFILE.read_bytes())
        (root / "b.pb.gz").symlink_to(leads_to.format(at=folder))
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "check_change", "arguments":
                {"file": str(root), "against": "a.pb.gz"}, "_meta": {
                    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                    "io.modelcontextprotocol/clientCapabilities": {}}}}
        done = subprocess.run(
            [program, "mcp", "--root", root], input=json.dumps(call),
            env={"LC_ALL": "C.UTF-8", "HOME": folder, "LD_PRELOAD": library,
                 **env}, timeout=LIMIT_S, capture_output=True, text=True)
        result = json.loads(done.stdout)["result"]
        return result["isError"], result["content"][0]["text"]


def stays_below(program, library, env):
    """Every file that a call opens lies below --root."""
    for leads_to, is_refused in (("../outside.pb.gz", True),
                                 ("{at}/outside.pb.gz", True),
                                 ("a.pb.gz", False),
                                 ("{at}/root/a.pb.gz", False)):
        refused, text = assistant(program, library, leads_to, env)
        if refused != is_refused or refused != ("Permission denied" in text):
            return f"a link to {leads_to}: {text[:200]}"
    return None


def trials(program, library):
    """(name, what is wrong or None)"""
    def run(words, **how):
        return Run(program, library, words, **how)

    net = ("listen",) if VERSION >= 4 else ()
    whole = run(FILE)
    yield "files that were not named", whole.differs(
        refused=(*READS, "write", *PROGRAMS, *net), passed=("named", "beside"),
        says=f"programs (seccomp); files (landlock {VERSION})")
    yield "outputs are written", None if whole.files.get(
        "out/flame.svg", b"").startswith(b"<?xml") else "no picture"
    yield "an output among the files in memory", in_memory(run)
    yield "a library behind a link", linked_library(run)
    for seeming in range(1, VERSION):
        older = run(FILE, env={"PROBE_VERSION": str(seeming)})
        yield f"version {seeming} of Landlock", older.differs(
            refused=(*READS, "write", *PROGRAMS), passed=("named", "beside"),
            says=f"(landlock {seeming})") or (
            None if older.answer == whole.answer else "another answer")
    yield "without Landlock", run(FILE, env={"PROBE_VERSION": "0"}).differs(
        refused=PROGRAMS, passed=(*READS, "write"),
        says="programs (seccomp); no files, without landlock: Function not")
    yield "without seccomp", run(FILE, env={"PROBE_SECCOMP": "none"}).differs(
        refused=(*READS, "write", "exec"), passed=("named", "trace", "type"),
        says="no seccomp filter; files (landlock")
    yield "with nothing", run(FILE, env={"PROBE_VERSION": "0",
                                         "PROBE_SECCOMP": "none"}).differs(
        passed=(*READS, "write", "exec", "trace"),
        says="no seccomp filter; no files, without landlock")
    yield "sources that a profile names", run(
        ["profile", "{at}/input.pb.gz", "--list", "main"]).differs(
        refused=("write", *PROGRAMS), passed=READS, says="--list reads")
    none = {"PROBE_VERSION": "0"}
    for what, env in (("", {}), (", no Landlock", none),
                      (", no openat2() either",
                       {**none, "PROBE_OPENAT2": "none"})):
        yield f"links below --root{what}", stays_below(program, library, env)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = {"PROBE_PORT": str(server.getsockname()[1])}
        replay = run(["--replay", CASE], env=port)
        yield "a replay has no network", replay.differs(
            refused=(*READS, "write", *PROGRAMS, *net,
                     *(("connect",) if net else ())), says="files (landlock")
    with Server(NAMES) as server:
        # It writes nothing: what was tried, was before the first answer.
        yield "a server is asked", run(
            ["services", "--profiles-url", f"pyroscope+{server.url}"]).differs(
            refused=(*READS, "write", *PROGRAMS, *net), status=5,
            says="files (landlock")
        config = (f"profiles-url = pyroscope+{server.url}\n"
                  "profiles-token-command = echo token\n")
        yield "a token-command is run", run(
            ["services"], home={".config/tracefind/config": config}).differs(
            status=5, says="none, token-command may start any program")
        cached = run(["services", "--cache", "--profiles-url",
                      f"pyroscope+{server.url}"])
        yield "the cache is written", cached.differs(
            status=5, says="files (landlock") or (
            None if any(".cache/tracefind/" in name for name in cached.files)
            else "no file in it")
        recorded = run(["services", "--record", "{at}/out/case.har",
                        "--profiles-url", f"pyroscope+{server.url}"])
        yield "a case is written", recorded.differs(
            status=5, says="files (landlock") or (
            None if "out/case.har" in recorded.files else "no case")


def main():
    program, library = (str(Path(word).resolve()) for word in sys.argv[1:3])
    if not VERSION:
        print("1..0 # SKIP the kernel has no Landlock")
        return 0
    tried = failed = 0
    for tried, (name, what) in enumerate(trials(program, library), 1):
        failed += bool(what)
        print(f"{'not ok' if what else 'ok'} {tried} - {name}")
        if what:
            print(f"#   {what}", flush=True)
    print(f"1..{tried}")
    figures.record("sandbox", tried, failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

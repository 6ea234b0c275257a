#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The tests of the program on other processors: one whose bytes are the other
way round, and one of 32 bits.

usage: cross.py BUILD_FOLDER [TARGET...]

Needs for each target what Debian calls gcc-TRIPLET and the libraries' packages
of that architecture (dpkg --add-architecture), and for a processor that this
machine does not have qemu-user or qemu-user-static. Builds in
BUILD_FOLDER/cross-TARGET, and runs there the unit tests and the cases of the
command line of TOPICS. Cases leave out files that are packed or pages: all RUNS
of same.py, to standard output and to files, have to give the bytes that the
program of BUILD_FOLDER gives (an emulator needs some seconds for them, so none
is left out; what is packed has the same bytes because libdeflate has one way to
pack for all processors). Under an emulator those of LONG are left out, which are
told as skipped, as are those that take longer there than they are given, and
those that skip themselves: none of them counts as tried. Status 77: no target
can be had here. Output is TAP, a line a unit test or topic, and one for all
RUNS.
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE)]
import figures  # noqa: E402
import introspect  # noqa: E402
import same  # noqa: E402

SKIPPED = 77
# Results that say nothing of the program.
WHY_SKIPPED = {"SKIP": "not for this target", "TIMEOUT": "too slow here"}
# Times what a test is given on a processor of its own.
PATIENCE = 20
# Minutes each under an emulator: what makes them long are hundreds of thousands
# of turns of the same, whose bytes are met by other tests, too.
LONG = {"unit/analyze/false_discovery", "unit/analyze/flame",
        "unit/analyze/stats", "unit/base/gz", "unit/decode/altered_json",
        "unit/decode/flamebearer", "unit/decode/folded", "unit/decode/pprof",
        "unit/model/trace", "unit/render/hostile", "unit/tui/explorer"}
# Files, case files and every format; those with servers wait for real time,
# which an emulated processor has less of.
TOPICS = "bad file form help replay usage version view".split()


@dataclass
class Target:
    name: str
    triplet: str  # of its compiler
    libraries: str  # its folder of libraries
    family: str
    endian: str
    emulators: tuple


TARGETS = [
    Target("i386", "i686-linux-gnu", "i386-linux-gnu", "x86", "little", ()),
    Target("s390x", "s390x-linux-gnu", "s390x-linux-gnu", "s390x", "big",
           ("qemu-s390x-static", "qemu-s390x")),
]


def emulator(target):
    """The program to run others with, "" when none is needed, None: missing."""
    if not target.emulators:
        return ""
    return next((name for name in target.emulators if shutil.which(name)), None)


def missing(target):
    """What keeps us from it, or None."""
    if not shutil.which(target.triplet + "-gcc"):
        return f"no {target.triplet}-gcc"
    if not Path("/usr/lib", target.libraries, "pkgconfig",
                "libcurl.pc").is_file():
        return f"no libraries for {target.name}"
    return None if emulator(target) is not None else "no emulator"


def description(target):
    """meson's of a machine."""
    wrapper = emulator(target)
    return f"""[binaries]
c = '{target.triplet}-gcc'
ar = '{target.triplet}-ar'
strip = '{target.triplet}-strip'
pkgconfig = 'pkg-config'
{f"exe_wrapper = '{wrapper}'" if wrapper else ""}
[properties]
pkg_config_libdir = '/usr/lib/{target.libraries}/pkgconfig:/usr/share/pkgconfig'
needs_exe_wrapper = {'true' if wrapper else 'false'}
[host_machine]
system = 'linux'
cpu_family = '{target.family}'
cpu = '{target.name}'
endian = '{target.endian}'
"""


def build(target, folder):
    machine = folder.with_suffix(".ini")
    machine.write_text(description(target))
    if not (folder / "build.ninja").is_file():
        subprocess.run(["meson", "setup", "--cross-file", machine, folder,
                        "-Dcompletions=disabled", "-Dman=disabled",
                        "-Dbuildtype=debugoptimized"], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder], check=True,
                   stdout=subprocess.DEVNULL)


def unit_tests(target, folder):
    """{name: "OK", "SKIP", "TIMEOUT" or another}"""
    names = introspect.unit_tests(folder)
    left_out = LONG & set(names) if target.emulators else set()
    subprocess.run(["meson", "test", "-C", folder, "--no-rebuild", "-t",
                    str(PATIENCE), *(n for n in names if n not in left_out)],
                   stdout=subprocess.DEVNULL)
    return {**{test["name"].rpartition(" / ")[2]: test["result"]
               for test in introspect.last_run(folder)},
            **{name: "TIMEOUT" for name in left_out}}


def program(target, folder):
    """What runs the program here: a file, as the runner of cases wants one."""
    wrapper = emulator(target)
    if not wrapper:
        return folder / "src" / "tracefind"
    script = folder / "tracefind"
    script.write_text(f'#!/bin/sh\nexec {wrapper} {folder}/src/tracefind "$@"\n')
    script.chmod(0o755)
    return script


def topics(target, folder):
    """{topic: "OK" or the cases that failed}"""
    runner = program(target, folder)
    found = {}
    for topic in TOPICS:
        done = subprocess.run(
            [sys.executable, ROOT / "tests/cli/run.py", runner, f"{topic}*"],
            capture_output=True, text=True, env={**os.environ, "TZ": "UTC"})
        bad = [line for line in done.stdout.splitlines()
               if line.startswith(("not ok", "#   "))]
        # A topic without cases is one too few to say anything.
        if "# 0 passed" not in done.stdout:
            found["cli/" + topic] = "\n".join(bad) or "OK"
    return found


def to_files(runs):
    """Those of an output, which goes to a file of its own."""
    return [[*words[:-1], f"{words[-1]}={number}.{words[-1]}"]
            for number, words in enumerate(runs) if words[-2:-1] == ["-o"]]


def answers(runner, runs):
    """{run or file: what it gives}; runs that give no answer are not there."""
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        asked = same.Asked(str(runner), folder, 1)
        given = {same.told(words): asked.answer(words)
                 for words in [*runs, *to_files(runs)]}
        written = {path.name: hashlib.sha256(path.read_bytes()).digest()
                   for path in Path(folder).iterdir() if path.is_file()}
    return {**{name: (out, err) for name, (status, out, err) in given.items()
               if not status}, **written}


def same_answers(runner, runs, wanted):
    """{what is told: "OK" or what differs}; wanted: answers() here."""
    found = answers(runner, runs)
    number = len(runs) + 2 * len(to_files(runs))
    bad = [name for name in sorted({*wanted, *found})
           if wanted.get(name) != found.get(name)]
    # What gives no answer here, either.
    if len(wanted) < number:
        bad.append(f"{number - len(wanted)} of {number} have no answer here")
    return {f"same answers as here, {number}": "\n".join(bad) or "OK"}


def not_run(done):
    """As figures tell it."""
    return {target.name: "not run" for target in TARGETS
            if target.name not in done}


def main():
    place = Path(sys.argv[1]).resolve()
    chosen = [t for t in TARGETS if not sys.argv[2:] or t.name in sys.argv[2:]]
    ready = [t for t in chosen if not missing(t)]
    number = failed = skipped = 0
    # Answers tell where their files lie.
    inputs = tempfile.TemporaryDirectory(prefix="tracefind-")
    runs = same.runs(inputs.name)
    done = []
    here = answers(place / "src" / "tracefind", runs) if ready else {}
    for target in ready:
        folder = place / f"cross-{target.name}"
        done.append(target.name)
        build(target, folder)
        for name, result in {**unit_tests(target, folder),
                             **topics(target, folder),
                             **same_answers(program(target, folder), runs,
                                            here)}.items():
            number += 1
            # Whoever takes so long without an emulator never ends.
            is_stuck = result == "TIMEOUT" and not target.emulators
            why = None if is_stuck else WHY_SKIPPED.get(result)
            is_bad = not why and result != "OK"
            skipped, failed = skipped + bool(why), failed + is_bad
            print(f"{'not ok' if is_bad else 'ok'} {number} - {target.name}: "
                  f"{name}{f' # SKIP {why}' if why else ''}")
            for line in result.splitlines() if is_bad else ():
                print(f"#   {line}", flush=True)
        # After each: an emulator takes long, and may be ended early.
        figures.record("cross", number - skipped, failed, skipped=skipped,
                       targets=done, **not_run(done))
    print(f"1..{number}")
    for target in chosen:
        if missing(target):
            print(f"# {target.name}: not run, {missing(target)}")
    if not ready:
        return SKIPPED
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

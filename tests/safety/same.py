#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The same answer always: byte for byte, whatever is around.

usage: same.py TRACEFIND [--all COMPILER...]

Each of runs() is made 20 times (hash keys and addresses are others each time),
without the kernel's shuffling of addresses, in six time zones by four locales,
with one processor, in another folder, and with other limits of the stack; and,
with --all, by the programs that these compilers make. Without it each way makes
one in SHARE of the runs, by turns. A time zone or a locale that is not there is
skipped, and said. Output is TAP, a line a way.
"""
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent)]
import figures  # noqa: E402
from tap import lack  # noqa: E402

TESTDATA = Path(os.environ.get("TESTDATA", ROOT / "testdata")).resolve()
LIMIT_S = 60
TIMES = 20
SHARE = 4
CASE = TESTDATA / "cases" / "n-plus-one.har.gz"
PROFILES = [str(TESTDATA / "pprof" / f"go-process_cpu-{which}.pb.gz")
            for which in ("normal", "incident")]
TRACE = str(TESTDATA / "otlp" / "b.json")


def large(folder, value):
    """Folded stacks of so many functions that threads share them; a file."""
    path = Path(folder, f"{value}.folded")
    path.write_text("".join(
        f"main;shop/p{i // 4}.Do;{'runtime' if i % 3 else 'app'}.f{i} "
        f"{20 + i % 37 * (value if i % 900 == 0 else 1)}\n"
        for i in range(24000)))
    return str(path)


def forms(words, names):
    return [[*words, "-o", name] for name in names.split()]


def runs(folder):
    return [
        *forms(["--replay", str(CASE)], "table json html"),
        *forms(["show", TRACE], "table json chrome otlp svg"),
        *forms(["diff", *PROFILES],
               "table json difffolded pprof speedscope dot svg term"),
        ["profile", PROFILES[1], "--tree"], ["types", "--guide"],
        ["diff", large(folder, 1), large(folder, 30), "-n", "0"],
    ]


ZONES = ("UTC", "America/New_York", "Asia/Kolkata", "Pacific/Auckland",
         "Pacific/Apia", "America/St_Johns")
# Of which tr_TR has another upper case of i, de_DE another decimal point, ja_JP
# more bytes a character.
LOCALES = ("C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8", "ja_JP.UTF-8")
# Ways that setarch and taskset make.
OF_UTIL_LINUX = ("addresses as they are", "one processor")


def told(words):
    return " ".join(word.rpartition("/")[2] for word in words)


class Asked:
    """Runs of the program, and what they must give: that of the first."""

    def __init__(self, program, folder, share):
        self.program, self.folder, self.share = program, folder, share
        self.runs = runs(folder)
        self.wanted, self.answers, self.ways = [], 0, 0

    def answer(self, words, *, program=None, before=(), env=None, cwd=None,
               limit=None):
        def limited():
            resource.setrlimit(resource.RLIMIT_STACK, limit)
        done = subprocess.run(
            [*before, program or self.program, *words],
            cwd=cwd or self.folder, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=LIMIT_S,
            preexec_fn=limited if limit else None,
            env={"PATH": os.environ.get("PATH", ""), "HOME": self.folder,
                 "TZ": "UTC", "LC_ALL": "C.UTF-8",
                 "TRACEFIND_NOW": "2026-11-21T12:00:00Z", **(env or {})})
        return (done.returncode, hashlib.sha256(done.stdout).digest(),
                done.stderr)

    def learn(self):
        """What the runs give; those that give no answer, which would be the
        same nothing everywhere."""
        self.wanted = [self.answer(words) for words in self.runs]
        return [told(words) for words, (status, _, _) in
                zip(self.runs, self.wanted) if status]

    def differing(self, **how):
        """The runs that gave something else."""
        turn = self.ways % self.share
        self.ways += 1
        chosen = list(zip(self.runs, self.wanted))[turn::self.share]
        self.answers += len(chosen)
        return [told(words) for words, wanted in chosen
                if self.answer(words, **how) != wanted]


def has_locale(name):
    listed = subprocess.run(["locale", "-a"], capture_output=True,
                            text=True).stdout.lower().replace("-", "")
    return name.lower().replace("-", "") in listed.split()


def make_locales(folder):
    """Those that the system has the sources of; the environment for them."""
    if shutil.which("localedef"):
        for name in LOCALES[1:]:
            language, code = name.split(".")
            subprocess.run(["localedef", "-i", language, "-f", code,
                            f"{folder}/{name}"], capture_output=True)
    return {"LOCPATH": folder}


def places(folder):
    """(name, environment or None) for zones and locales."""
    made = make_locales(folder)
    for locale in LOCALES:
        # localedef leaves an empty folder where it has no sources.
        is_made = Path(folder, locale, "LC_CTYPE").is_file()
        for zone in ZONES:
            is_there = (is_made or has_locale(locale)) and \
                Path("/usr/share/zoneinfo", zone).is_file()
            yield f"{zone}, {locale}", {
                "TZ": zone, "LC_ALL": locale, "LANGUAGE": locale[:2],
                **(made if is_made else {})} if is_there else None


def build(compiler, folder):
    """The program that a compiler makes, or None when it is not there."""
    if not shutil.which(compiler):
        return None
    subprocess.run(["meson", "setup", folder, "-Dtests=disabled",
                    "-Dman=disabled", "-Dcompletions=disabled",
                    "-Dbuildtype=release"], cwd=ROOT, check=True,
                   env={**os.environ, "CC": compiler},
                   stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", folder, "src/tracefind"], check=True,
                   stdout=subprocess.DEVNULL)
    return str(Path(folder, "src", "tracefind"))


def has_sanitizers(program):
    """Then its frames are some times as large."""
    data = Path(program).read_bytes()
    return any(name in data for name in
               (b"__asan_init", b"__tsan_init", b"__ubsan_handle"))


def ways(asked, folder, compilers):
    """(name, the runs that differ, or None: not possible here)"""
    yield "an answer each", asked.learn()
    for number in range(1, TIMES + 1):
        yield f"run {number}", asked.differing()
    fixed = shutil.which("setarch")
    yield "addresses as they are", asked.differing(
        before=("setarch", "-R")) if fixed else None
    yield "one processor", asked.differing(
        before=("taskset", "-c", "0")) if shutil.which("taskset") else None
    yield "another folder", asked.differing(cwd="/")
    size = 1 << 20 if has_sanitizers(asked.program) else 1 << 18
    yield "a small stack", asked.differing(limit=(size, size))
    for name, env in places(folder):
        yield name, asked.differing(env=env) if env else None
    for compiler in compilers:
        with tempfile.TemporaryDirectory(prefix="tracefind-") as where:
            program = build(compiler, where)
            yield f"built by {compiler}", asked.differing(
                program=program) if program else None


def why_not(name):
    """What a way that is not possible here lacks."""
    _, _, compiler = name.partition("built by ")
    if compiler:
        return lack(compiler)
    if name in OF_UTIL_LINUX:
        return lack("util-linux")
    return "no such locale or zone: apt-get install locales tzdata"


def main():
    program, is_all = str(Path(sys.argv[1]).resolve()), sys.argv[2:3]
    tried = failed = skipped = 0
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        asked = Asked(program, folder, 1 if is_all else SHARE)
        number = 0
        for number, (name, bad) in enumerate(ways(asked, folder,
                                                  sys.argv[3:]), 1):
            skipped += bad is None
            tried += bad is not None
            failed += bool(bad)
            print(f"{'not ok' if bad else 'ok'} {number} - {name}"
                  f"{'' if bad is not None else f' # SKIP {why_not(name)}'}",
                  flush=True)
            for what in bad or ():
                print(f"#   {what}", flush=True)
        print(f"1..{number}")
    print(f"# {tried} ways with {asked.answers} answers, {skipped} skipped")
    figures.record("determinism", tried, failed, skipped=skipped,
                   answers=asked.answers)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

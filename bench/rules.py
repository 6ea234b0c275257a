#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tells which test holds each rule of analyze/ and investigate/: builds the
program once, in a copy of the source in which every rule can be turned off from
outside, and runs the tests that meet a rule without it until one is red. Prints
the rules that none holds.

A rule is the condition of a guard (without it nothing is left out), a condition
of several in what a predicate answers (without it the others decide), or all
that a predicate asks (without it the answer is no).

usage: rules.py [OPTIONS] [WORD...]

Of rules whose names (FILE:FUNCTION: CONDITION) have one of the words; without
words, of all. What no test holds may be implied by something else, may guard
against what no test brings, or lacks its case.
"""
import argparse
import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "tests" / "cli"))
import cases  # noqa: E402
import run as cli  # noqa: E402

FOLDERS = ("src/analyze", "src/investigate")
PROGRAMS = ("analyze", "investigate", "report")
MAKES_A_TABLE = "code_index_make"  # when the program is built
MOST = 8192  # rules
# A rule that ends a loop leaves it without end.
LIMIT_S = 10

SWITCH = r"""
/* Added by bench/rules.py. */
extern unsigned char *audit_met;
extern int audit_off;
#define RULE_UNLESS_OFF(n, without, asked) \
	(audit_met[n] = 1, audit_off == (n) ? (without) : (asked))
"""
SWITCHBOARD = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned char nowhere[%d];
unsigned char *audit_met = nowhere;
int audit_off = -1;

/* Before the program locks itself in. */
__attribute__((constructor)) static void audit_begin(void)
{
	const char *off = getenv("RULE_OFF"), *met = getenv("RULES_MET");
	int fd = met ? open(met, O_RDWR) : -1;
	void *seen = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof nowhere,
		PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (off)
		audit_off = atoi(off);
	if (seen != MAP_FAILED)
		audit_met = seen;
	if (fd >= 0)
		close(fd);
}
""" % MOST


# ---- the rules of a file ----

def blank(text):
    """The same without comments and strings, byte for byte as long."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda m: re.sub(r"[^\n]", "_" if m[0][0] != "/" else " ",
                                   m[0]), text, flags=re.S)


def closing(text, at):
    """The place behind the bracket that closes the one at this place."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "([{") - (text[i] in ")]}")
        if not depth:
            return i + 1
    raise ValueError("brackets")


def operands(text, begin, end):
    """The operator and the parts of an expression that it joins."""
    for operator in ("||", "&&"):
        parts, depth, first = [], 0, begin
        for i in range(begin, end):
            depth += (text[i] in "([{") - (text[i] in ")]}")
            if not depth and text[i] == "?":
                return "", [(begin, end)]
            if not depth and text.startswith(operator, i):
                parts.append((first, i))
                first = i + 2
        if parts:
            return operator, [*parts, (first, end)]
    return "", [(begin, end)]


FUNCTION = re.compile(r"^(?!\s|#|/|\})([^;{}=#]*?)\b(\w+)(\([^;{}]*\))\n\{",
                      re.M)
GUARD = re.compile(r"\bif \(")
LEAVES = re.compile(r"\s*\{?\s*(return|continue|break)\b([^;]*);")
FALLIBLE = re.compile(r"\berr\b|[^=!<>]=[^=]|_fail\(|\+\+|--|error_")


class Rule:
    """name, where its condition stands, and what stands for it when off."""

    def __init__(self, file, function, kind, span, without, lines):
        self.file, self.function, self.kind = file, function, kind
        self.span, self.without, self.lines = span, without, lines
        self.text = ""
        self.number = 0

    @property
    def name(self):
        return f"{self.file}:{self.function}: {self.text}"


def rules_of(file, text):
    plain = blank(text)
    for m in FUNCTION.finditer(plain):
        begin = m.end() - 1
        end = closing(plain, begin)
        lines = plain.count("\n", m.start(), end) + 1
        answers = re.search(r"\bbool\b", m[1]) and "struct error" not in m[3]
        for g in GUARD.finditer(plain, begin, end):
            stop = closing(plain, g.end() - 1)
            leaves = LEAVES.match(plain, stop)
            span = (g.end(), stop - 1)
            if not leaves or FALLIBLE.search(plain[span[0]:span[1]]) or \
                    FALLIBLE.search(leaves[2]):
                continue
            operator, parts = operands(plain, *span)
            if operator == "||":
                for part in parts:
                    yield Rule(file, m[2], "guard", part, "0", lines)
            else:
                yield Rule(file, m[2], "guard", span, "0", lines)
        if not answers:
            continue
        for r in re.finditer(r"\breturn\s+([^;]+);", plain[begin:end]):
            span = (begin + r.start(1), begin + r.end(1))
            body = plain[span[0]:span[1]]
            if FALLIBLE.search(body) or body in ("true", "false"):
                continue
            operator, parts = operands(plain, *span)
            without = {"&&": "1", "||": "0", "": "0"}[operator]
            for part in parts:
                yield Rule(file, m[2], "answer", part, without, lines)


def turned(text, rules):
    """The text in which each rule can be turned off."""
    for rule in sorted(rules, key=lambda r: -r.span[0]):
        begin, end = rule.span
        text = (f"{text[:begin]} RULE_UNLESS_OFF({rule.number}, {rule.without}, "
                f"({text[begin:end].strip()})){text[end:]}")
    return text


# ---- the copy ----

def copied(tree):
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-z"],
                            capture_output=True, check=True).stdout
    tar = subprocess.run(["tar", "-C", str(ROOT), "--null", "-T", "-", "-c"],
                         input=listed, capture_output=True, check=True).stdout
    subprocess.run(["tar", "-C", str(tree), "-x"], input=tar, check=True)


def built(tree):
    """Copies and builds with a switch for each rule; returns the rules."""
    copied(tree)
    rules = []
    for folder in FOLDERS:
        for path in sorted((tree / folder).glob("*.c")):
            if path.stem == MAKES_A_TABLE:
                continue
            name = path.relative_to(tree / "src").as_posix()
            text = path.read_text()
            found = []
            for rule in rules_of(name, text):
                rule.number = len(rules) + len(found)
                rule.text = " ".join(
                    text[rule.span[0]:rule.span[1]].split())
                found.append(rule)
            rules += found
            path.write_text(SWITCH + turned(text, found))
    if len(rules) > MOST:
        sys.exit(f"rules: more than {MOST}")
    board = tree / "src/base/mem.c"
    board.write_text(board.read_text() + SWITCHBOARD)
    run("meson", "setup", tree / "build", tree, "-Dtests=enabled",
        "-Dwerror=false", "-Dwarning_level=0")
    run("ninja", "-j2", "-k0", "-C", tree / "build", "src/tracefind",
        *(f"tests/unit/{p}/unit-{p}" for p in PROGRAMS))
    return rules


def run(*args):
    done = subprocess.run(list(map(str, args)), capture_output=True, text=True,
                          check=False)
    if done.returncode:
        sys.exit("\n".join((done.stdout + done.stderr).splitlines()[-30:]))


# ---- the tests ----

class Unit:
    def __init__(self, tree, program, group):
        self.name = f"unit/{program}/{group}"
        self.args = [str(tree / "build/tests/unit" / program /
                         f"unit-{program}"), group]
        self.env = {**os.environ, "TESTDATA": str(tree / "testdata"),
                    "SERVER": str(tree / "tests/server/server.py"),
                    "LC_ALL": "C", "TZ": "UTC"}
        self.took = 0

    def is_green(self, env):
        try:
            return not subprocess.run(
                self.args, env={**self.env, **env}, timeout=LIMIT_S,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                check=False).returncode
        except subprocess.TimeoutExpired:
            return False


class Cli:
    def __init__(self, tree, at, case):
        self.name = f"cli/{case.name}"
        self.program, self.at, self.case = str(tree / "build/src/tracefind"), at, case
        self.took = 0

    def is_green(self, env):
        os.environ.update(env)
        found = cli.run_case(self.program, self.case, self.at)
        for name in env:
            del os.environ[name]
        return not list(cli.differences(self.case.expected(), found))


def unit_groups(tree, program):
    listed = re.findall(r"UNIT_TESTS\((\w+)\)", "\n".join(
        p.read_text() for p in (tree / "tests/unit" / program).glob("*.c")))
    return sorted(g for g in listed
                  if g not in ("equal_runs", "false_discovery", "fleet_growth"))


def measured(tests, rules, folder):
    """rule number -> tests that meet it, the quick ones first"""
    met = {r.number: [] for r in rules}
    for test in tests:
        seen = Path(folder, "met")
        seen.write_bytes(bytes(MOST))
        begin = time.monotonic()
        if not test.is_green({"RULES_MET": str(seen)}):
            print(f"# red with all rules: {test.name}", file=sys.stderr)
            continue
        test.took = time.monotonic() - begin
        for number, is_met in enumerate(seen.read_bytes()):
            if is_met and number in met:
                met[number].append(test)
    for found in met.values():
        found.sort(key=lambda t: (t.name.startswith("cli/"), t.took))
    return met


def holder(rule, tests, most_s):
    """The first test that is red without the rule, how many were tried."""
    begin = time.monotonic()
    for tried, test in enumerate(tests):
        if time.monotonic() - begin > most_s:
            return None, tried
        if not test.is_green({"RULE_OFF": str(rule.number)}):
            return test.name, tried + 1
    return None, len(tests)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("words", nargs="*", help="parts of names of rules")
    parser.add_argument("--tree", type=Path, default=HERE / "cache/rules")
    parser.add_argument("--again", action="store_true",
                        help="the copy is built already")
    parser.add_argument("--topics", default="slow*,replay*,google-slow,file-slow,diff*,"
                        "view*,check*,alert*,cost*,leak*,when*,search*,slo*,"
                        "profile*,show*,dash*,services*,export*,recipe*")
    parser.add_argument("--seconds", type=float, default=60,
                        help="that the tests of one rule may take")
    parser.add_argument("--json", type=Path, help="all outcomes")
    options = parser.parse_args()
    cli.KEPT = (*cli.KEPT, "RULE_OFF", "RULES_MET")
    kept = options.tree.with_suffix(".rules")
    tree = options.tree.resolve()
    if options.again:
        rules = []
        for fields in json.loads(kept.read_text()):
            rule = Rule(*fields[:6])
            rule.text, rule.number = fields[6:]
            rules.append(rule)
    else:
        rules = built(tree)
        kept.write_text(json.dumps(
            [[r.file, r.function, r.kind, r.span, r.without, r.lines, r.text,
              r.number] for r in rules]))
    print(f"# {len(rules)} rules", file=sys.stderr)
    wanted = [r for r in rules if not options.words or
              any(word in r.name for word in options.words)]
    tests = [Unit(tree, p, g) for p in PROGRAMS for g in unit_groups(tree, p)]
    topics = [n for n in cases.names() if any(
        fnmatch.fnmatchcase(n, p) for p in options.topics.split(","))]
    outcomes = []
    with tempfile.TemporaryDirectory() as folder, cli.places() as at:
        tests += [Cli(tree, at, case) for name in topics
                  for case in cases.load(name).cases]
        met = measured(tests, wanted, folder)
        print(f"# {len(tests)} tests, {sum(t.took for t in tests):.0f} s",
              file=sys.stderr, flush=True)
        for rule in sorted(wanted, key=lambda r: (-r.lines, r.number)):
            found, tried = holder(rule, met[rule.number], options.seconds)
            outcomes.append([rule.name, rule.kind, rule.lines, found, tried,
                             len(met[rule.number])])
            if not found:
                print(f"{rule.name}\t{rule.kind}\t{tried} of "
                      f"{len(met[rule.number])}", flush=True)
            if options.json:
                options.json.write_text(json.dumps(outcomes, indent=0))


if __name__ == "__main__":
    main()

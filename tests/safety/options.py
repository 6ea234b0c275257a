#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Gives each option what it was not made for.

usage: options.py TRACEFIND OPTIONS-TABLE [--all]

The trials are made of the table of options (completions/options_table.c): each
form of an option, its letter, its variable and its key of the configuration,
with a value that is missing, empty, repeated, very long, no UTF-8, of another
type, below zero; misspelled, and with a command that does not take it. With
--all each is tried with every command; without, one in SHARE is tried, with
one command, by turns.

A run must end by itself, in time and without a signal. What can only be wrong
ends with status 2; a message is one line of text that names the option, the
variable or the key. A value that is right for some commands may end as any
run does. No server is asked. Output is TAP, a line an option.

One word of a command line cannot be longer than 128 KiB (Linux,
MAX_ARG_STRLEN): 1 MiB is what a configuration file gives.
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(ROOT / "completions")]
sys.dont_write_bytecode = True
import figures  # noqa: E402
from option_table import SIDES, Table  # noqa: E402

TESTDATA = Path(os.environ.get("TESTDATA", ROOT / "testdata"))
LIMIT_S = 20
PARALLEL = 2
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PROFILE = str(TESTDATA / "pprof" / "go-block-normal.pb.gz")
DRY = ["--dry-run", "--traces-url=tempo+http://127.0.0.1:1",
       "--profiles-url=pyroscope+http://127.0.0.1:1"]
# A run of each command that ends well without a server.
RUNS = {
    "slow": ["slow", TRACE, *DRY], "diff": ["diff", PROFILE, PROFILE],
    "show": ["show", str(TESTDATA / "otlp" / "b.json")],
    "search": ["search", *DRY], "profile": ["profile", PROFILE],
    "services": ["services", *DRY], "types": ["types", *DRY],
    "doctor": ["doctor", *DRY], "config": ["config", "view"],
    "check": ["check", PROFILE, "--against", PROFILE, "--allow-empty"],
    "when": ["when", "--service", "x", *DRY],
    "leak": ["leak", "--service", "x", *DRY],
    "dash": ["dash", "-o", "grafana", "--platform", "otel", "x"],
    "alert": ["alert", "-o", "prometheus", "--platform", "otel", "x"],
    "slo": ["slo", "--service", "x", "--objective", "99.9", *DRY],
    "cost": ["cost", PROFILE],
    "export": ["export", "--to-traces", "otlp+http://127.0.0.1:1", *DRY],
    "convert": ["convert", PROFILE, "-o", "json"],
    "mcp": ["mcp"],
    "help": ["help"], "version": ["version"],
}
# base/limits.h: LIMIT_OPTION_VALUE_BYTES.
VALUE_BYTES = 64 * 1024
LONGEST_WORD_BYTES = 128 * 1024 - 64
SHARE = 3
# More than any option may be repeated.
OFTEN = 70
MIB = 1024 * 1024
# LIMIT_CONFIG_BYTES.
CONFIG_BYTES = 64 << 10
MESSAGE_BYTES = 4096


@dataclass
class Trial:
    what: str
    words: list
    names: list  # of which a message has one
    is_wrong: bool = False  # and not only where it does not fit
    status: int = 2  # of what is wrong
    env: dict = field(default_factory=dict)
    config: bytes = None


def good_value(option):
    """One that the option takes, for all that the table says."""
    if option.words:
        return option.words[0]
    if option.kind == "number":
        return "1s" if option.metavar == "DURATION" else "1"
    return {"output": "json", "map": "a=b", "header": "A: b"}.get(
        option.name.split("-")[-1], "x")


# (what, value, kinds for which it can only be wrong)
TEXT = {"string", "open", "word", "number"}
VALUES = [
    ("empty", "", TEXT | {"file"}),
    ("not UTF-8", b"\xff\xfe", TEXT),
    ("cut UTF-8", b"a\xe2\x82", TEXT),
    ("a control character", "a\x1b[31mb", TEXT),
    ("a word", "no-such-thing", {"word", "number"}),
    ("below zero", "-1", {"word", "number"}),
    ("beyond 64 bits", "18446744073709551616", {"word", "number"}),
    ("a directive", "%s%n%999999d", {"word", "number"}),
    ("as long as may be", "1" * VALUE_BYTES, {"word", "number"}),
    ("one byte longer", "1" * (VALUE_BYTES + 1), TEXT | {"file"}),
    ("the longest word", "1" * LONGEST_WORD_BYTES, TEXT | {"file"}),
]


def names_of(option):
    """How a message may call it: of both sides, or by its letter."""
    bare = option.name
    for side in SIDES[1:]:
        if option.is_sided and bare.startswith(side):
            bare = bare[len(side):]
    return ["--" + option.name, "--" + bare] + (
        [f" -{option.letter} ", f"(-{option.letter} "] if option.letter else [])


def joined(head, value):
    return os.fsencode(head) + os.fsencode(value)


def spellings(option, run, table):
    """Misspelled names, and a command that does not take it."""
    dashed = "--" + option.name
    known = {"--" + o.name for o in table.options}
    known |= {"--" + o.name for o in table.keys}
    for what, name in (("sibling", dashed + "x"), ("abbreviation", dashed[:-1]),
                       ("of no side", "--pages-" + option.name)):
        if name not in known and len(name) > 3:
            yield Trial(what, [*run, name + "=1"], [name], True)
    yield Trial("no-", [*run, "--no-" + option.name],
                ["--no-" + option.name, *names_of(option)])
    for command, words in RUNS.items():
        if command not in option.commands:
            value = [] if option.kind == "flag" else ["=" +
                                                      good_value(option)]
            yield Trial(f"with {command}", [*words, dashed + "".join(value)],
                        [dashed], True)
            break


def flag_trials(option, run):
    name = "--" + option.name
    yield Trial("a value", [*run, name + "=1"], [name], True)
    yield Trial("an empty value", [*run, name + "="], [name], True)
    yield Trial("twice", [*run, name, name], [name])
    yield Trial("often", [*run, *[name] * OFTEN], [name])


def value_trials(option, run):
    name, names = "--" + option.name, names_of(option)
    good = f"{name}={good_value(option)}"
    yield Trial("missing", [*run, name], names, True)
    yield Trial("an option as value", [*run, name, "--quiet"], names, True)
    yield Trial("an empty word", [*run, name, ""], names, True)
    yield Trial("twice", [*run, good, good], names)
    yield Trial("often", [*run, *[good] * OFTEN], names,
                option.is_repeatable)
    for what, value, kinds in VALUES:
        yield Trial(what, [*run, joined(name + "=", value)], names,
                    option.kind in kinds)
    if option.letter:
        yield Trial("letter, missing", [*run, "-" + option.letter],
                    names, True)
        yield Trial("letter, a word",
                    [*run, "-" + option.letter + "no-such-thing"], names,
                    option.kind in ("word", "number"))


def variable_trials(option, run):
    name = "TRACEFIND_" + option.name.upper().replace("-", "_")
    for what, value, kinds in VALUES:
        # One that is empty is not set, and the command line comes first.
        is_wrong = (value != "" and option.kind in kinds and
                    not any(w.startswith(f"--{option.name}=") for w in run))
        yield Trial("variable, " + what, run, [name, *names_of(option)],
                    is_wrong, env={name: value})


def key_trials(option, run):
    key = option.name
    names = [key, *names_of(option)]
    for what, value in [(w, v) for w, v, _ in VALUES] + [
            ("1 MiB", "1" * MIB), ("twice", "1\n" + key + " = 1")]:
        text = joined(key + " = ", value) + b"\n"
        # Too large a file, of whatever keys: it is what is named.
        is_large = len(text) > CONFIG_BYTES
        yield Trial("key, " + what, run, ["tracefind/config"] if is_large
                    else names, is_large, 7, config=text)
    yield Trial("key, sibling", run, names, True,
                config=joined(key + "x = ", "1\n"))


def trials(option, table, command):
    run = RUNS[command]
    yield from spellings(option, run, table)
    yield from (flag_trials if option.kind == "flag" else value_trials)(
        option, run)
    if option.is_environment and command not in ("help", "version"):
        yield from variable_trials(option, run)
    if option.is_config and command != "config":
        yield from key_trials(option, run)


def run(program, trial):
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        if trial.config is not None:
            path = Path(folder, "tracefind", "config")
            path.parent.mkdir()
            path.write_bytes(trial.config)
            path.chmod(0o600)
        env = {"PATH": os.environ.get("PATH", ""), "HOME": folder,
               "XDG_CONFIG_HOME": folder, "LC_ALL": "C.UTF-8", "TZ": "UTC",
               "GCE_METADATA_HOST": "127.0.0.1:1",
               **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")},
               **trial.env}
        return subprocess.run([program, *trial.words], cwd=folder, env=env,
                              timeout=LIMIT_S, stdin=subprocess.DEVNULL,
                              capture_output=True)


def complaint(trial, done):
    """What is wrong with the end of a run, or None."""
    try:
        lines = done.stderr.decode().splitlines()
    except UnicodeDecodeError:
        return f"not UTF-8: {done.stderr[:200]!r}"
    if done.returncode < 0:
        return f"killed by signal {-done.returncode}: {lines[-3:]}"
    if trial.is_wrong and done.returncode != trial.status:
        return f"status {done.returncode}, not {trial.status}: {lines[:2]}"
    if any(c < 0x20 and c != 0x0A or c == 0x7F for c in done.stderr):
        return f"a control character: {done.stderr[:200]!r}"
    if done.returncode == 0:
        return None
    if done.returncode not in (1, 2, 5, 6, 7):
        return f"status {done.returncode}: {lines[:3]}"
    if len(lines) != 1 or not lines[0].startswith("tracefind: "):
        return f"status {done.returncode}, {len(lines)} lines: {lines[:3]}"
    if len(lines[0]) > MESSAGE_BYTES:
        return f"a message of {len(lines[0])} bytes"
    # A value that is good alone may make a request too large.
    names = [*trial.names, *(["a request is larger"] if done.returncode == 7
                             else [])]
    if done.returncode in (1, 2, 7) and not any(n in lines[0] for n in names):
        return f"the option is not named: {lines[0]}"
    return None


def tried(program, trial):
    try:
        return complaint(trial, run(program, trial))
    except subprocess.TimeoutExpired:
        return f"ran longer than {LIMIT_S} s"


def main():
    program, table = str(Path(sys.argv[1]).resolve()), Table(sys.argv[2])
    forms = {o.name: o for o in [*table.options, *table.keys]}.values()
    is_all, total, failed = "--all" in sys.argv[3:], 0, 0
    print(f"1..{len(forms)}", flush=True)
    with ThreadPoolExecutor(PARALLEL) as pool:
        for number, option in enumerate(forms, 1):
            commands = option.commands or ["show"]
            chosen = commands if is_all else [
                commands[number % len(commands)]]
            made = [t for c in chosen for t in trials(option, table, c)]
            if not option.commands:  # a key only
                made = list(key_trials(option, RUNS["show"]))
            if not is_all:
                made = made[number % SHARE::SHARE]
            found = list(pool.map(lambda t: tried(program, t), made))
            bad = [(t, what) for t, what in zip(made, found) if what]
            total, failed = total + len(made), failed + len(bad)
            print(f"{'not ok' if bad else 'ok'} {number} - {option.name}, "
                  f"{len(made)} trials")
            for trial, what in bad[:20]:
                print(f"#   {trial.what} ({trial.words[0]}): {what[:600]}",
                      flush=True)
    print(f"# {total} trials, {failed} failed")
    figures.record("options", total, failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

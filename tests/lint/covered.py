#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that each option of each command is in a case of tests/cli.

usage: covered.py OPTIONS_TABLE

What needs a terminal is used by tests/tui instead.

A case counts when its run is no usage error and shows no help. One form of an
option, --token-file or --traces-token-file, is enough for a command; each form
must be there for some command.
"""
import shlex
import sys
from pathlib import Path

from option_table import SIDES, Table

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import cases  # noqa: E402

HELP, VERSION = "help", "version"
ELSEWHERE = {HELP, VERSION, "interactive"}
USAGE = "2"


def without_side(table, name):
    """The row of a form."""
    forms = {o.name: o for o in table.options}
    for side in SIDES[1:]:
        if name.startswith(side) and forms[name].is_side_form():
            return name[len(side):]
    return name


class Words:
    """What a line of arguments gives: its command and its options."""

    def __init__(self, table, words):
        self.table = table
        self.command = None
        self.options = []
        self.kinds = {o.name: o.kind for o in table.options}
        words = iter(words)
        for word in words:
            if word == "--":
                break
            if word.startswith("--"):
                self.add_long(word[2:], words)
            elif word.startswith("-") and len(word) > 1:
                self.add_letters(word[1:], words)
            elif self.command is None:
                self.command = word

    def add_long(self, text, words):
        name, equals, _ = text.partition("=")
        self.options.append(name)
        if not equals and self.kinds.get(name) not in ("flag", None):
            next(words, None)

    def add_letters(self, letters, words):
        while letters:
            name = self.table.letters.get(letters[0])
            letters = letters[1:]
            if not name:
                return
            self.options.append(name)
            if self.kinds[name] != "flag":
                if not letters:
                    next(words, None)
                return


def runs_of(table, case):
    """Both runs of a case as far as they get to work."""
    lines = [case.before, None if case.status == USAGE else case.command]
    for line in filter(None, lines):
        run = Words(table, shlex.split(line))
        if HELP in run.options and run.command != HELP:
            continue
        yield run


def collect(table):
    """(command, row) pairs, and the forms of options."""
    pairs, forms = set(), set()
    for case in cases.all_cases():
        for run in runs_of(table, case):
            known = [o for o in run.options
                     if run.command in table.commands and o in run.kinds]
            forms.update(known)
            pairs.update((run.command, without_side(table, o)) for o in known)
    return pairs, forms


def main():
    table = Table(sys.argv[1])
    pairs, forms = collect(table)
    wanted = [(c, o.name) for o in table.options if not o.is_side_form()
              for c in o.commands if o.name not in ELSEWHERE]
    missing = [f"{command} --{name}" for command, name in wanted
               if (command, name) not in pairs]
    missing += [f"--{o.name} of any command" for o in table.options
                if o.name not in forms and o.name not in ELSEWHERE]
    for text in missing:
        print(f"in no case of tests/cli: {text}")
    print(f"{len(wanted)} options of commands, {len(missing)} missing")
    return 1 if missing or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())

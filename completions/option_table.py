# SPDX-License-Identifier: Apache-2.0
"""Reads what the program options-table (options_table.c) prints."""
import re
import subprocess
from pathlib import Path

SIDES = ("", "traces-", "profiles-", "metrics-", "to-")


def items(text):
    return text.split(",") if text else []


class Command:
    def __init__(self, name, summary, synopsis, words, formats):
        self.name = name
        self.summary = summary
        self.words = items(words)  # of its first argument
        self.formats = items(formats)
        own = re.sub(r"\[OPTIONS\]|-o \S+|--[a-z-]+( \[?[A-Z]+\]?)?", "",
                     synopsis)
        self.arguments = re.findall("[A-Z]+", own)


class Option:
    """One form of an option: --token-file and --traces-token-file are two."""

    def __init__(self, name, letter, kind, metavar, commands, words, flags,
                 text):
        self.name = name
        self.letter = letter
        self.kind = kind
        self.metavar = metavar
        self.commands = items(commands)
        self.words = items(words)
        self.is_sided = "s" in flags
        self.is_repeatable = "r" in flags
        self.is_environment = "e" in flags
        self.is_config = "c" in flags
        self.is_repository = "p" in flags
        self.text = text

    def is_side_form(self):
        return self.is_sided and self.name.startswith(SIDES[1:])


class Table:
    """Of the program, or of a file (.txt) with what it printed."""

    def __init__(self, source):
        if str(source).endswith(".txt"):
            text = Path(source).read_text(encoding="utf-8")
        else:
            text = subprocess.run([source], stdout=subprocess.PIPE, check=True,
                                  text=True).stdout
        rows = [line.split("\t") for line in text.splitlines()]
        self.commands = {r[1]: Command(*r[1:]) for r in rows
                         if r[0] == "command"}
        forms = [Option(*r[1:]) for r in rows if r[0] == "option"]
        # Some are keys of the configuration only.
        self.keys = [o for o in forms if o.is_config]
        self.options = [o for o in forms if o.commands]
        self.letters = {o.letter: o.name for o in self.options if o.letter}
        self.formats = [r[1] for r in rows if r[0] == "format"]
        self.exits = {int(r[1]) for r in rows if r[0] == "exit"}

    def of(self, command):
        """All forms that a command takes."""
        return [o for o in self.options if command in o.commands]

    def general(self):
        return [o for o in self.options
                if len(o.commands) == len(self.commands)]

    def words(self, option, command):
        """What the value may be; empty when any text will do."""
        if option.name == "output":
            return self.commands[command].formats
        return option.words

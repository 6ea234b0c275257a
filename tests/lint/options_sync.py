#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the option table with everything that repeats it: the help texts
and the man pages.

usage: options_sync.py SOURCE_ROOT OPTIONS_TABLE [TRACEFIND]

OPTIONS_TABLE is the program that prints the table
(completions/options_table.c).
"""
import re
import subprocess
import sys
from pathlib import Path

from option_table import Table


class Report:
    def __init__(self):
        self.problems = 0
        self.checks = 0

    def same(self, where, found, wanted):
        self.checks += 1
        for item in sorted(set(wanted) - set(found)):
            self.say(f"{where}: {item} is missing")
        for item in sorted(set(found) - set(wanted)):
            self.say(f"{where}: {item} is not in the table")

    def say(self, text):
        self.problems += 1
        print(text)


def run(args, **kwargs):
    return subprocess.run(args, stdout=subprocess.PIPE, check=True,
                          text=True, **kwargs).stdout


def usage(option, owners=None):
    """Of options with the same letter it means the first."""
    same = [o for o in owners or [option] if o.letter == option.letter]
    letter = f"-{option.letter}, " if option.letter and same[0] is option else ""
    metavar = f" {option.metavar}" if option.metavar else ""
    return f"{letter}--{option.name}{metavar}"


# These take an argument at most: no page of their own, no options to show.
BARE = ("completion", "version")

# Of an ordinary terminal.
SCREEN_LINES = 24
# What --all shows takes two.
ALL_SCREENS = 2

# An option and its text, of the lines that options begin.
OPTION_LINE = re.compile(r"^  (?:-\w, |    )(--.*?)(?: \*)?(?:  +(.*)|)$", re.M)


def check_screen(command, text, own, report):
    """What is shown without --all."""
    lines = text.splitlines()
    found = [line.strip() for line in
             re.findall(r"^  (?:-\w, |    )--.*?(?=(?: \*)?(?:  |$))", text, re.M)]
    report.same(f"help {command}, lines over a screen", lines[SCREEN_LINES:], [])
    report.same(f"help {command}, lines over 79 columns",
                [line for line in lines if len(line) > 79], [])
    report.same(f"help {command}, common options", found,
                set(found) & {usage(o, own) for o in own})
    if own and (not found or f"tracefind help {command} --all" not in text) \
            and command not in BARE:
        report.say(f"help {command}: no common options, or no way to the others")


def check_lines(where, text, table, report):
    """Each option has its text on its line, which speaks of no other command."""
    lines = text.splitlines()
    options = [i for i, line in enumerate(lines) if OPTION_LINE.match(line)]
    other = re.compile(rf"\b(?:{'|'.join(table.commands)})(?:, \w+)*: |"
                       rf"\bfor (?:{'|'.join(table.commands)})\b")
    for at in options:
        told = OPTION_LINE.match(lines[at]).group(2)
        if not told:
            report.say(f"{where}, no text on its line: {lines[at].strip()}")
        elif other.search(told):
            report.say(f"{where}, speaks of another command: {lines[at].strip()}")
    # The formats of --output alone need more than one.
    more = [line for at, line in enumerate(lines) if line.startswith(" " * 20) and
            "--output" not in "".join(lines[max(0, at - 2):at])]
    report.same(f"{where}, texts of more than one line", more, [])


def check_help(table, binary, report):
    shared = run([binary, "help", "options"])
    check_lines("help options", shared, table, report)
    for command in table.commands:
        check_screen(command, run([binary, "help", command]),
                     [o for o in table.of(command) if not o.is_side_form()],
                     report)
        text = run([binary, "help", command, "--all"])
        check_lines(f"help {command}", text, table, report)
        report.same(f"help {command} --all, lines over two screens",
                    text.splitlines()[ALL_SCREENS * SCREEN_LINES:], [])
        if "tracefind help options" in text:
            text += shared
        found = re.findall(r"^  (?:-\w, |    )--.*?(?=(?: \*)?(?:  |$))",
                           text, re.M)
        own = [o for o in table.options
               if command in o.commands and not o.is_side_form()]
        wanted = [usage(o, own) for o in own]
        found = [f.strip() for f in found]
        if "tracefind help options" in text:
            # That page has all that commands share, not only those of this one.
            found = [f for f in found if f in wanted or f not in shared]
        report.same(f"help {command}", found, wanted)
        wide = [line for line in text.splitlines() if len(line) > 79]
        report.same(f"help {command}, lines over 79 columns", wide, [])
    listed = re.findall(r"^  (\w+) +\S", run([binary, "help"]), re.M)
    report.same("help", [w for w in listed if w != "tracefind"],
                table.commands)


def section(text, title):
    match = re.search(rf"^# {title}\n(.*?)(?=^# |\Z)", text, re.M | re.S)
    return match.group(1) if match else ""


def plain(line):
    """scdoc's emphasis and escapes removed."""
    return re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)[*_]", "", line))


def variables(table, of_sides):
    return {o.name.upper().replace("-", "_") for o in table.options
            if o.is_environment and o.is_side_form() == of_sides}


def described(text):
    """Options with a paragraph of their own."""
    return [plain(line) for line in
            re.findall(r"^\*-.*$", section(text, "OPTIONS"), re.M)]


def page_of(table, option):
    """The command whose page alone describes it, or "" for tracefind(1)."""
    return option.commands[0] if len(option.commands) == 1 else ""


# Where the options that a page leaves to tracefind(1) are named.
OTHERS = "The others are described in tracefind(1):"


def check_page(table, command, path, report):
    text = path.read_text(encoding="utf-8")
    of = [o for o in table.of(command) if not o.is_side_form()]
    own = {o.name for o in of if page_of(table, o)}
    front = text.split("The others are described")[0]
    found = {name for line in described(front)
             for name in re.findall(r"--([\w-]+)", line)}
    report.same(f"{path.name}, options", found & own, own)
    if OTHERS not in plain(text):
        return False
    report.same(f"{path.name}, options of its own", found, own)
    others = plain(text).split(OTHERS)[1].split("\n\n")[0]
    report.same(f"{path.name}, other options",
                re.findall(r"--([\w-]+)", others),
                {o.name for o in of} - own)
    return True


# These name all the options that they take.
WHOLE_PAGES = ("slow", "diff", "show", "profile", "config", "convert")


def check_pages(table, folder, report):
    for command in table.commands:
        path = folder / f"tracefind-{command}.1.scd"
        if command in ("help", *BARE):
            continue
        if not path.is_file():
            report.say(f"{path.name} is missing")
        elif not check_page(table, command, path, report) and \
                command in WHOLE_PAGES:
            report.say(f"{path.name}: \"{OTHERS}\" is missing")


def check_man(table, path, report):
    text = path.read_text(encoding="utf-8")
    found = described(text)
    wanted = [usage(o) for o in table.options
              if not o.is_side_form() and not page_of(table, o)]
    report.same("man page, options", found, wanted)
    formats = section(text, "OPTIONS").split("_FORMAT[=FILE]_")[1]
    found = re.findall(r"\*([\w-]+)\*", formats.split("\n\n")[0])
    report.same("man page, formats", set(found) & set(table.formats),
                table.formats)
    found = re.findall(r"^## tracefind (\w+)", section(text, "COMMANDS"),
                       re.M)
    report.same("man page, commands", found, table.commands)
    found = re.findall(r"^\*(\d+)\*$", section(text, "EXIT STATUS"), re.M)
    report.same("man page, exit status", map(int, found), table.exits)
    environment = plain(section(text, "ENVIRONMENT"))
    found = set(re.findall(r"TRACEFIND_([A-Z_]+)", environment))
    report.same("man page, environment",
                found - {"TOKEN", "PASSWORD", "PAGER"} -
                variables(table, True),
                variables(table, False))


def keys(text, title):
    """Names set in bold at the start of a line, as far as a comma goes."""
    lines = re.findall(r"^\*.*$", section(text, title), re.M)
    return [name.rstrip("*") for line in lines
            for name in plain(line).split(", ")]


def check_config_man(table, path, report):
    text = path.read_text(encoding="utf-8").replace("*\\*", "*")
    report.same("configuration, keys", keys(text, "KEYS"),
                ["current-context"] + [o.name for o in table.keys
                                       if not o.is_side_form()])
    report.same("configuration, keys of a repository",
                keys(text, "IN A REPOSITORY"),
                [o.name for o in table.options
                 if o.is_repository and not o.is_side_form()])
    starred = re.findall(r"([a-z-]+)\*\\\*", path.read_text(encoding="utf-8"))
    report.same("configuration, keys with forms for a side", starred,
                [o.name for o in table.keys
                 if o.is_sided and not o.is_side_form()])


def check_words(table, folder, report):
    """The words that an option takes stand in its paragraph of the man page."""
    pages = "\n".join(plain(path.read_text(encoding="utf-8"))
                      for path in sorted(folder.glob("*.1.scd")))
    for option in table.options:
        told = "".join(re.findall(rf"^(?:-\w, )?--{option.name} .*\n((?:\t.*\n|\n(?=\t))+)",
                                  pages, re.M))
        report.same(f"man page, words of --{option.name}",
                    {word for word in option.words if word in told},
                    option.words)


def main():
    root = Path(sys.argv[1])
    table = Table(sys.argv[2])
    report = Report()
    check_words(table, root / "man", report)
    if len(sys.argv) > 3:
        check_help(table, sys.argv[3], report)
    check_man(table, root / "man/tracefind.1.scd", report)
    check_pages(table, root / "man", report)
    check_config_man(table, root / "man/tracefind-config.5.scd", report)
    print(f"{report.checks} comparisons, {report.problems} problems")
    return 1 if report.problems or not table.options else 0


if __name__ == "__main__":
    sys.exit(main())

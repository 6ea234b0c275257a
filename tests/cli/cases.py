# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the files of cases, tests/cli/TOPIC.cases. Standard library
only.

    # A line of comment, between cases.
    text shop.json:
      {"routes": []}

    case found
    env COLUMNS=80
    server = shop.json
    $ tracefind search --service cart
    > --limit 2
    status 0
    stdout:
      two traces

A word at the beginning of a line begins a part. A part that ends with ":" has
the lines below it that begin with two spaces, and the empty lines between them;
one that ends with " = NAME" has the text of that name, of the same file or of
inputs/. The parts of a case, in this order, all but the command optional:

    before ARGUMENTS   a run before that, the only one with the server when it
                       is there; its status must be 0
    env NAME=VALUE     added to an empty environment, in which there is no
                       metadata server of Google Cloud
    server             script of tests/server/server.py, served as {url}, which
                       is https when it says "tls"
    stdin              what the program reads (default: nothing)
    given PATH         a file put into {tmp} before; expected afterwards only
                       when it has changed
    mode 0644 PATH     permissions of such a file, else 0600
    mask REGEX => TEXT volatile output, replaced
    $ tracefind ARGUMENTS   in shell quoting; "> " continues it
    status N           expected exit status (default: 0)
    stdout             expected standard output (default: empty)
    stderr             expected standard error (default: empty)
    file PATH          expected file in {tmp}; no more and no fewer than these,
                       except for case.har and case.har.gz, which hold times,
                       .cache/ and packed profiles (.pb.gz): how they pack is the
                       library's; pages (.html) are read by tests/html

In arguments, env, given and server {url}, {host}, {testdata}, {inputs}, {tmp}
stand for the server, its address and port, the test data, the folder inputs/
and an empty folder, which is also the working directory; {robot_key} stands for
testdata/google/keys/robot.key.pem as it is written within a JSON text. In the
output they are put back.

"no newline" behind a part's name: its last line does not end. "escaped": a
backslash, and what a terminal or an editor would not show, is written as in
Python's strings.
"""
import re
import unicodedata
from pathlib import Path

HERE = Path(__file__).resolve().parent
INPUTS = HERE / "inputs"
ENDING = ".cases"
BODY = re.compile(r"(text|server|stdin|given|stdout|stderr|file)(?: (.+?))?"
                  r"(?: = (?P<text>.+)|(?P<how>(?:, escaped)?(?:, no newline)?):)")
LINE = re.compile(r"(case|before|env|mode|mask|status|\$|>) ?(.*)")
NAMED = {"text", "given", "file"}
EXPECTED = {"status", "stdout", "stderr", "file"}
ESCAPED, UNENDED = ", escaped", ", no newline"
# Control characters, those that order or hide others, breaks of lines.
UNSEEN = {"Cc", "Cf", "Zl", "Zp", "Co"}


class Malformed(Exception):
    """A file of cases cannot be read."""


def is_unseen(char):
    return char not in "\t\n" and unicodedata.category(char) in UNSEEN


def escape(text):
    return "".join(
        "\\\\" if c == "\\" else
        c if not is_unseen(c) else
        f"\\x{ord(c):02x}" if ord(c) < 0x100 else f"\\u{ord(c):04x}"
        if ord(c) < 0x10000 else f"\\U{ord(c):08x}" for c in text)


def unescape(text):
    return re.sub(r"\\(\\|x..|u.{4}|U.{8})",
                  lambda m: "\\" if m[1] == "\\" else chr(int(m[1][1:], 16)),
                  text)


class Part:
    """One of a file: a line, and what stands below it.

    kind    its first word; "" of comments and empty lines
    name    the rest of it, or the path of a file; of $, > and before arguments
    body    the text below it, or None
    text    the name of the text that it has instead, or None
    """

    def __init__(self, kind, name="", body=None, text=None):
        self.kind, self.name, self.body, self.text = kind, name, body, text

    def lines(self):
        if not self.kind:
            return [self.name]
        head = f"{self.kind} {self.name}".rstrip()
        if self.text is not None:
            return [f"{head} = {self.text}"]
        if self.body is None:
            return [head]
        body, how = self.body, ""
        if any(map(is_unseen, body)):
            body, how = escape(body), ESCAPED
        lines = body.split("\n")
        if lines[-1]:
            how += UNENDED
        else:
            lines.pop()
        lines = ["  " + line if line else "" for line in lines]
        # An empty line at the end would be that between two parts.
        for at in range(len(lines) - 1, -1, -1):
            if lines[at]:
                break
            lines[at] = "  "
        return [f"{head}{how}:", *lines]


def body_of(lines, how):
    while lines and not lines[-1]:
        lines.pop()
    text = "\n".join(line[2:] for line in lines)
    if lines and UNENDED not in how:
        text += "\n"
    return unescape(text) if ESCAPED in how else text


def part_of(line, lines):
    """The part that begins with a line; takes what is below it from lines."""
    if not line or line.startswith("#"):
        return Part("", line)
    if found := BODY.fullmatch(line):
        kind, name, text, how = found.groups()
        if bool(name) != (kind in NAMED):
            raise Malformed(f"no name, or one too many: {line}")
        if text is not None:
            return Part(kind, name or "", text=text)
        below = []
        while lines and (not lines[0] or lines[0].startswith("  ")):
            below.append(lines.pop(0))
        empty = 0
        while empty < len(below) and not below[-1 - empty]:
            empty += 1
        lines[:0] = [""] * empty
        return Part(kind, name or "", body_of(below, how))
    if found := LINE.fullmatch(line):
        return Part(*found.groups())
    raise Malformed(f"no part begins so: {line[:60]}")


def parse(text):
    """The parts of a file."""
    lines, parts = text.split("\n"), []
    if lines.pop():
        raise Malformed("the last line does not end")
    while lines:
        parts.append(part_of(lines.pop(0), lines))
    return parts


def written(parts):
    """The file that they make."""
    return "".join(f"{line}\n" for part in parts for line in part.lines())


class Case:
    """One case: its topic, its name, and its parts."""

    def __init__(self, topic, name, texts):
        self.topic, self.title = topic, name
        self.name = f"{topic}/{name}"
        self.texts, self.parts = texts, []

    def all(self, kind):
        return [part for part in self.parts if part.kind == kind]

    def text(self, part):
        """What a part has: its own text, or the one it names."""
        if part.text is None:
            return part.body
        if part.text in self.texts:
            return self.texts[part.text]
        return (INPUTS / part.text).read_bytes().decode("utf-8")

    def only(self, kind, default=None):
        found = self.all(kind)
        if len(found) > 1:
            raise Malformed(f"{self.name}: {kind} twice")
        return self.text(found[0]) if found else default

    def arguments(self, kind):
        """The line and what continues it, without the program's name."""
        lines = None
        for part in self.parts:
            if part.kind == kind:
                lines = [part.name]
            elif part.kind == ">" and lines:
                lines.append(part.name)
            elif lines:
                break
        if lines and kind == "$":
            lines[0] = lines[0].removeprefix("tracefind").lstrip()
        return "\n".join(lines) if lines else None

    @property
    def command(self):
        return self.arguments("$")

    @property
    def before(self):
        return self.arguments("before")

    @property
    def environment(self):
        return [part.name for part in self.all("env")]

    @property
    def server(self):
        return self.only("server")

    def served_by(self, script):
        """This case without anything but another server."""
        other = Case(self.topic, self.title, self.texts)
        other.parts = [Part("server", body=script), *self.all("env")]
        return other

    @property
    def stdin(self):
        return self.only("stdin", "").encode()

    @property
    def given(self):
        return {part.name: self.text(part) for part in self.all("given")}

    @property
    def modes(self):
        return [part.name.split(" ", 1) for part in self.all("mode")]

    @property
    def masks(self):
        for part in self.all("mask"):
            pattern, _, text = part.name.partition(" => ")
            yield re.compile(pattern, re.M), text

    @property
    def status(self):
        found = self.all("status")
        return found[0].name if found else "0"

    @property
    def stdout(self):
        return self.only("stdout", "")

    @property
    def stderr(self):
        return self.only("stderr", "")

    @property
    def files(self):
        return {part.name: self.text(part) for part in self.all("file")}

    def expected(self):
        """All of that: what it is called -> text."""
        return {"status": self.status, "stdout": self.stdout,
                "stderr": self.stderr,
                **{f"file {name}": text for name, text in self.files.items()}}


class Topic:
    """A file of cases."""

    def __init__(self, name, text):
        self.name, self.parts = name, parse(text)
        self.texts, self.cases = {}, []
        for part in self.parts:
            if part.kind == "text":
                self.texts[part.name] = part.body
            elif part.kind == "case":
                self.cases.append(Case(name, part.name, self.texts))
            elif part.kind and not self.cases:
                raise Malformed(f"{name}: {part.kind} before any case")
            elif part.kind:
                self.cases[-1].parts.append(part)
        names = [case.name for case in self.cases]
        for case in self.cases:
            if names.count(case.name) > 1:
                raise Malformed(f"{case.name}: twice")
            if case.command is None:
                raise Malformed(f"{case.name}: no command")

    def expect(self, case, found):
        """Puts what came out in the place of what was expected."""
        defaults = {"status": "0", "stdout": "", "stderr": ""}
        there = {f"{p.kind} {p.name}".rstrip() if p.kind == "file" else p.kind: p
                 for p in case.parts if p.kind in EXPECTED}
        wanted, fresh = case.expected(), []
        for what, text in found.items():
            kind, _, name = what.partition(" ")
            if text == defaults.get(what):
                continue
            if what in there and wanted[what] == text:
                fresh.append(there[what])
            else:
                fresh.append(Part("status", text) if kind == "status"
                             else Part(kind, name, text))
        old = [part for part in case.parts if part.kind in EXPECTED]
        case.parts = [p for p in case.parts if p not in old] + fresh
        self.parts = [p for p in self.parts if p not in old]
        at = max(i for i, p in enumerate(self.parts) if p in case.parts)
        self.parts[at + 1:at + 1] = fresh


def path_of(topic):
    return HERE / f"{topic}{ENDING}"


def names():
    """Of all topics."""
    return sorted(p.name.removesuffix(ENDING) for p in HERE.glob(f"*{ENDING}"))


def load(topic):
    return Topic(topic, path_of(topic).read_bytes().decode("utf-8"))


def all_cases():
    return [case for name in names() for case in load(name).cases]


def find(name):
    """The case TOPIC/NAME."""
    found = [case for case in load(name.split("/")[0]).cases
             if case.name == name]
    if not found:
        raise Malformed(f"no case {name}")
    return found[0]

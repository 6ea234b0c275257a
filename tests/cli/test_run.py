#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Proves that run.py sees each way in which a case can come out otherwise than
it is written, and that what it writes is what it reads. Output is TAP.

The program of these cases is a shell that runs its argument.
"""
import contextlib
import io
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import cases  # noqa: E402
import run  # noqa: E402
from tap import Tap  # noqa: E402

SHELL = '#!/bin/sh\neval "$1"\n'
RIGHT = r"""# What is right.

text both.txt:
  {"routes": [{"path": "/a", "reply": {"text": "{testdata}"}}]}

case all
before "echo one >kept"
env WORD={tmp}/x
server = both.txt
stdin, no newline:
  in
given .config/a:
  {inputs}

  end
  
given b.txt = both.txt
mode 0644 b.txt
mask [0-9]+ ms => TIME
$ tracefind
> "cat - .config/a kept; stat -c %a b.txt; echo $WORD 12 ms;
> printf '\033[1mbold' >&2; echo new >made; printf x >>b.txt; exit 3"
status 3
stdout:
  in{inputs}

  end

  one
  644
  {tmp}/x TIME
stderr, escaped, no newline:
  \x1b[1mbold
file b.txt, no newline:
  {"routes": [{"path": "/a", "reply": {"text": "{testdata}"}}]}
  x
file kept:
  one
file made:
  new

case server
server = both.txt
$ tracefind "python3 -c 'import sys, urllib.request as u; print(u.urlopen(sys.argv[1]).read().decode())' {url}/a"
stdout:
  {testdata}
"""
# What is changed in it, and how the complaint begins.
WRONG = [
    ("status 3\n", "status 4\n", "--- expected status"),
    ("status 3\n", "", "--- expected status"),
    ("  644\n", "  600\n", "--- expected stdout"),
    ("  one\n  644", "  644", "--- expected stdout"),
    ("1mbold\nfile", "0mbold\nfile", "--- expected stderr"),
    ("stderr, escaped, no newline:", "stderr, escaped:", "stderr: lines end"),
    ("stderr, escaped, no newline:\n  \\x1b[1mbold\n", "",
     "--- expected stderr"),
    ("file made:\n  new\n", "file made:\n  old\n", "--- expected file made"),
    ("file made:\n  new\n", "", "file made: unexpected"),
    ("file made:", "file other:", "file made: unexpected"),
    ("given b.txt = both.txt", "given b.txt:\n  x\nfile more:",
     "--- expected file b.txt"),
    ("mode 0644 b.txt\n", "", "--- expected stdout"),
    ("mask [0-9]+ ms => TIME\n", "", "--- expected stdout"),
    ("env WORD={tmp}/x", "env WORD=x", "--- expected stdout"),
    ("stdin, no newline:", "stdin:", "--- expected stdout"),
    ("before \"echo one", "before \"exit 5; echo one", "before: status 5"),
    ("stdout:\n  {testdata}", "stdout:\n  {inputs}", "--- expected stdout"),
    ("server = both.txt\n$", "$", "--- expected status"),
]
MALFORMED = [
    ("case all\n", "case server\n", "twice"),
    ("status 3", "state 3", "no part begins so"),
    ("file made:", "file:", "no name"),
    ("$ tracefind\n", "", "no command"),
    ("# What is right.", "status 3", "before any case"),
]


def ran(program, text, patterns=(), is_update=False):
    """(exit status, what was told, the topic) of a file of cases, or of some."""
    topic, told = cases.Topic("topic", text), io.StringIO()
    with contextlib.redirect_stdout(told):
        status = run.run_all(program, [topic], patterns, is_update)
    return status, told.getvalue(), topic


def check_right(program):
    status, told, topic = ran(program, RIGHT)
    assert status == 0, told
    assert "# 2 passed, 0 failed" in told, told
    assert cases.written(topic.parts) == RIGHT, cases.written(topic.parts)


def check_wrong(program, old, new, wanted):
    text = RIGHT.replace(old, new, 1)
    assert text != RIGHT, "nothing was changed"
    # Which of the two is another now: Python's start takes most of the time.
    is_server = text.partition("case server")[0] == RIGHT.partition(
        "case server")[0]
    status, told, _ = ran(program, text,
                          ["topic/server" if is_server else "topic/all"])
    assert status == 1 and f"#   {wanted}" in told, told


def check_updated(program, old, new):
    """What --update writes is right, and is what was there."""
    text = RIGHT.replace(old, new, 1)
    _, _, topic = ran(program, text, ["topic/all"], is_update=True)
    found = cases.written(topic.parts)
    assert found == RIGHT, found


def check_malformed(old, new, wanted):
    try:
        for case in cases.Topic("topic", RIGHT.replace(old, new, 1)).cases:
            case.expected()
    except cases.Malformed as error:
        assert wanted in str(error), error
    else:
        raise AssertionError("it was read")


def check_texts():
    """Whatever the text, what is written is read."""
    for text in ("", "\n", "\n\n", "a", "a\n\n", "\na\n\n\n", "  a\n", " \n",
                 "a\\b\n", "\\\x1b\\x1b\n", "\r\n", "\u202e\U000e0001\x00",
                 "case x\n$ tracefind\n", "a\n \n\nb", "\t\n"):
        parts = [cases.Part("case", "x"), cases.Part("$", "tracefind"),
                 cases.Part("stdout", "", text), cases.Part("", ""),
                 cases.Part("case", "y"), cases.Part("$", "tracefind")]
        topic = cases.Topic("topic", cases.written(parts))
        assert topic.cases[0].stdout == text, (text, cases.written(parts))
        assert topic.cases[1].name == "topic/y"


def check_used():
    """No input and no text is left over."""
    used = "".join(path.read_text(encoding="utf-8") for path in
                   [*cases.HERE.glob(f"*{cases.ENDING}"),
                    *cases.INPUTS.glob("*.json")])
    found = [path.name for path in cases.INPUTS.iterdir()
             if f"{{inputs}}/{path.name}" not in used and
             f" = {path.name}\n" not in used]
    for topic in map(cases.load, cases.names()):
        named = {part.text for case in topic.cases for part in case.parts}
        found += [f"{topic.name}: {name}" for name in topic.texts
                  if name not in named]
    assert not found, found


def main():
    tap = Tap()
    tap.attempt("texts", check_texts)
    tap.attempt("inputs", check_used)
    with tempfile.TemporaryDirectory(prefix="tracefind-") as folder:
        program = Path(folder, "shell")
        program.write_text(SHELL)
        program.chmod(0o755)
        program = str(program)
        tap.attempt("what is right", check_right, program)
        for old, new, wanted in WRONG:
            tap.attempt(f"{old!r} -> {new!r}", check_wrong, program, old, new,
                        wanted)
        for old, new, wanted in WRONG[:10]:
            tap.attempt(f"updated: {old!r} -> {new!r}", check_updated, program,
                        old, new)
    for old, new, wanted in MALFORMED:
        tap.attempt(f"malformed: {old!r} -> {new!r}", check_malformed, old,
                    new, wanted)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""C source text without what a reader of code must not trip over."""
import re

TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def blank(text):
    """Comments become blanks, strings "" and characters '': lines stay."""
    def replace(match):
        token = match.group(0)
        if token.startswith("/"):
            return re.sub(r"[^\n]", " ", token)
        return token[0] * 2
    return TOKEN.sub(replace, text)


def comments(text):
    """All comments as (line number, text)."""
    for match in TOKEN.finditer(text):
        if match.group(0).startswith("/"):
            yield text.count("\n", 0, match.start()) + 1, match.group(0)


def report(files, problems):
    """Prints the problems and how many there are; the exit status."""
    for line in problems:
        print(line)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0

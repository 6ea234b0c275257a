# SPDX-License-Identifier: Apache-2.0
"""C source text without what a reader of code must not trip over."""
import re

TOKEN = re.compile(
    r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
BETWEEN = re.compile(r"(?:\s|/\*.*?\*/)*", re.S)


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


def literals(text):
    """Where each string begins, and its text: those side by side are one."""
    tokens = list(TOKEN.finditer(text))
    at = 0
    while at < len(tokens):
        first = tokens[at]
        at += 1
        if not first.group(0).startswith('"'):
            continue
        parts, end = [first.group(0)[1:-1]], first.end()
        while at < len(tokens):
            between = BETWEEN.match(text, end, tokens[at].end())
            if tokens[at].group(0).startswith("/"):
                at += 1
                continue
            if not tokens[at].group(0).startswith('"') or \
                    between.end() != tokens[at].start():
                break
            parts.append(tokens[at].group(0)[1:-1])
            end = tokens[at].end()
            at += 1
        yield first.start(), "".join(parts)


def report(files, problems):
    """Prints the problems and how many there are; the exit status."""
    for line in problems:
        print(line)
    print(f"{len(files)} files, {len(problems)} problems")
    return 1 if problems or not files else 0

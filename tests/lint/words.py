#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds words in what users read that the field does not have: the manuals of pprof,
OpenTelemetry and Prometheus say it otherwise, and that is what people search for.

usage: words.py SOURCE_ROOT
"""
import re
import sys
from pathlib import Path

import csource

# Pattern -> the word to use.
WORDS = {
    r"\bown time\b|; own:|\bby own\b": "self time, self+lib",
    r"\busual(ly)?\b|\bas ever\b": "normal, normally, baseline",
    r"\bwander": "vary, noise, run-to-run variance",
    r"\b(told|tells?) from noise\b|\bfor certain\b": "significant",
    r"\bcan(not)? see\b|\bcould not see\b|\bis seen from\b": "detectable",
    r"\ball of it\b": "the whole program, total",
    r"\beach life\b|\b(all|of \d+) lives\b": "process lifetimes",
    r"\bdearer\b": "slower, more expensive",
    r"\bso many\b": "N, number of",
    r"\bcrumbs?\b": "under 2 %",
    r"\bgoes round\b": "source",
    r"\bneither spans nor profiles\b": "unattributed",
    r"\b(CPU|cores|requests|ms|runs?|profiles?|samples|values|price|costs?) a "
    r"(second|request|run|side|month|minute|instance)\b": "per second, per request, per side",
    r"\bwhat (it|they) (takes?|took|costs?)\b": "duration, usage, cost",
    r"\bas fast as the objective\b": "burn rate",
    r"\bas many as there\b": "unlimited",
    r"\bask(s|ed|ing)?\b": "query, request, requires",
    r"\b(tells?|told)\b": "show, report, return, recognise",
    r"\b(six|ten|runs|samples|values) a side\b": "per side",
    r"\b(has|have|had) in common\b": "attributes that set slow requests apart, share",
    r"\b(whose( \w+)?|for whom|where to|(compare|check|convert)( \w+)? what)\?":
        "what is missing, and the option that gives it",
    r"\bstands? behind -": "goes with",
    r"\bof (these|the same) minutes\b": "in the same minutes",
    r"\bthis very\b": "this",
    r"\bfor good\b": "permanently",
    r"\bin all from\b": "total",
    r"\ba (life|freak)\b": "process lifetime, outlier",
}
PAGES = ("README.md", "docs/*.md", "man/*.scd")
# File -> texts that may stay: keys of JSON.
ALLOWED = {"src/render/json.c": ("usual:%i",), "man/tracefind-json.5.scd": ("*usual*",)}

BAD = [(re.compile(pattern), word) for pattern, word in WORDS.items()]


def paragraphs(text):
    """Line number and text of each paragraph; blocks of examples are what the
    program prints, and tested as that."""
    at = 1
    for block in re.split(r"(\n\s*\n)", text):
        yield at, re.sub(r"\s+", " ", block)
        at += block.count("\n")


def problems(root):
    for path in sorted((root / "src").rglob("*.[ch]")):
        source = path.read_text(encoding="utf-8")
        for start, text in csource.literals(source):
            if " " in text:
                yield from faults(root, path, source.count("\n", 0, start) + 1,
                                  text.replace("\\n", " "))
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            for line, text in paragraphs(path.read_text(encoding="utf-8")):
                yield from faults(root, path, line, text)


def faults(root, path, line, text):
    name = str(path.relative_to(root))
    for bad, word in BAD:
        for found in bad.finditer(text):
            near = text[max(0, found.start() - 30):found.end() + 30]
            if not any(part in near for part in ALLOWED.get(name, ())):
                yield f"{name}:{line}: \"{found.group(0)}\": {word} (...{near}...)"


def main():
    root = Path(sys.argv[1])
    found = list(problems(root))
    for text in found:
        print(text)
    print(f"{len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The calls in docs/assistants.md are answered as the page says.

A block that begins with `call CASE` holds a call, `->` and lines of the answer, printed
with an indent of one, in their order; `...` stands for any number of lines.

usage: documented.py TRACEFIND SOURCE-FOLDER
"""
import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from tap import Tap  # noqa: E402

BLOCK = re.compile(r"```\ncall (\S+)\n(.*?)\n->\n(.*?)\n```\n", re.S)
LIMIT_S = 60


def answer(program, case, call):
    messages = [{"jsonrpc": "2.0", "id": 1, "method": "initialize",
                 "params": {}},
                {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
                 "params": call}]
    done = subprocess.run(
        [program, "mcp", "--replay", case], text=True, check=True,
        input="".join(json.dumps(m) + "\n" for m in messages),
        stdout=subprocess.PIPE, timeout=LIMIT_S)
    result = json.loads(done.stdout.splitlines()[-1])["result"]
    result = result.get("structuredContent", result)
    return json.dumps(result, indent=1, ensure_ascii=False).splitlines()


def trouble(lines, told):
    """What of the told lines the answer lacks, or nothing."""
    at, may_skip = 0, True
    for line in told:
        if line == "...":
            may_skip = True
            continue
        # A line further down may have the same text.
        while may_skip and at < len(lines) and lines[at].strip() != line.strip():
            at += 1
        if at == len(lines) or lines[at].strip() != line.strip():
            return f"not there, or not in this place: {line}"
        at, may_skip = at + 1, False
    return ""


def main():
    program, source = sys.argv[1], Path(sys.argv[2])
    text = (source / "docs" / "assistants.md").read_text()
    tap = Tap()
    blocks = BLOCK.findall(text)
    tap.check(len(blocks) >= 3, "the page has calls")
    for case, call, told in blocks:
        call = json.loads(call)
        why = trouble(answer(program, source / case, call), told.split("\n"))
        tap.check(not why, f"{call['name']}, {case}", why)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

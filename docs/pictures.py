#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of README.md anew, from the recorded case of the demo.

usage: pictures.py TRACEFIND

Needs Chromium; pngquant and optipng make them smaller where they are there.
"""
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests/lint")]
sys.dont_write_bytecode = True
from chromium import find_chromium  # noqa: E402
from readme import on_terminal  # noqa: E402

CASE = ["--replay", "testdata/cases/n-plus-one.har.gz"]
SCREEN = """<!DOCTYPE html><meta charset="utf-8"><style>
body { margin: 0; background: #1b1e24; color: #dfe3ea }
pre { margin: 0; padding: 16px 20px; font: 14px/19px "DejaVu Sans Mono", monospace }
.c1 { font-weight: bold; color: #fff }
.c2 { color: #8f99a8 }
.c31 { color: #ff7b72 }
.c32 { color: #7ee787 }
</style><pre>"""
SEQUENCE = re.compile(r"\x1b\[([0-9]*)m")


def as_page(text):
    """What a terminal was sent, as HTML: one colour or none at a time."""
    page, is_open = [SCREEN], False
    for number, part in enumerate(SEQUENCE.split(text)):
        if number % 2 == 0:
            page.append(html.escape(part))
            continue
        page.append("</span>" * is_open)
        is_open = part not in ("", "0")
        page.append(f'<span class="c{part}">' * is_open)
    return "".join([*page, "</span>" * is_open, "</pre>"])


def photograph(page, name, width, height, folder):
    picture = ROOT / "docs" / name
    subprocess.run([find_chromium() or sys.exit("no Chromium"), "--headless", "--no-sandbox", "--hide-scrollbars",
                    "--disable-gpu", f"--user-data-dir={folder}/browser", f"--window-size={width},{height}",
                    f"--screenshot={picture}", page.as_uri()], check=True, stderr=subprocess.DEVNULL)
    for words in (["pngquant", "--ext", ".png", "--force", "64"], ["optipng", "-quiet", "-o5"]):
        if shutil.which(words[0]):
            subprocess.run([*words, picture], check=True)


def main():
    program = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="tracefind-", ignore_cleanup_errors=True) as folder:
        said = on_terminal(program, ROOT, [*CASE, "-n", "6", "--no-pager"], {"TERM": "xterm-256color"})
        command = "$ tracefind " + " ".join(CASE)
        terminal = Path(folder, "terminal.html")
        # Without the last lines, which are for copying.
        terminal.write_text(as_page(f"{command}\n{said.split(chr(27) + '[2mnext', 1)[0].rstrip()}"), encoding="utf-8")
        photograph(terminal, "terminal.png", 735, 32 + 19 * (terminal.read_text().count("\n") - 6), folder)
        for name, kind, height in (("report", "html", 1190), ("flame", "svg", 640)):
            page = Path(folder, f"{name}.{kind}")
            subprocess.run([program, *CASE, "-o", f"{kind}={page}"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
            photograph(page, f"{name}.png", 1200, height, folder)


if __name__ == "__main__":
    main()

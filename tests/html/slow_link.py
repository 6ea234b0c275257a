#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The page for Grafana's data link in Chromium: it shows and copies the command of
a trace, and nothing that is no trace id. Output is TAP.

usage: slow_link.py TRACEFIND
"""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from chromium import CANARIES, TRACE, Page, main  # noqa: E402

FILE = Path(__file__).resolve().parents[2] / "packaging/grafana/slow.html"
NO_IDS = [*CANARIES, "", "abc;id", f"{TRACE}0", "$(id)", "%61bc"]


class SlowLink(Page):
    look = """
        var copied;
        document.addEventListener("copy", () => copied = String(getSelection()));
        var shown = () => document.getElementById("command").textContent;
        var button = document.getElementById("copy");
    """

    def run(self):
        b = self.b
        self.open(f"{FILE.as_uri()}#{TRACE}")
        self.equal(b.js("shown()"), f"tracefind slow {TRACE}", "the command of the trace")
        x, y = b.js("(r => [r.left + 5, r.top + 5])(button.getBoundingClientRect())")
        b.click(x, y)
        self.equal(b.js("copied"), f"tracefind slow {TRACE}", "a click copies it")
        self.equal(b.js("document.getElementById('said').textContent"), "Copied.", "and says so")
        self.quiet("the page")
        for text in NO_IDS:
            b.js(f"location.hash = {text!r}; new Promise(r => setTimeout(r, 50))")
            self.check(b.js("button.hidden && shown().startsWith('No trace id')"), f"{text!r} is no trace id",
                       b.js("shown()"))
        self.equal(b.js("window.canary"), None, "nothing of it ran")


if __name__ == "__main__":
    sys.exit(main(SlowLink))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Colours of a comparison that must be told apart: more from less, both from
noise, what a search found from all of them; by everybody, which the matrices
of Machado, Oliveira and Fernandes (2009, severity 1) stand for. Distances are
CIE 1976, where 2 can just be seen side by side.

usage: colors.py
"""
import re
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli")]
import cases  # noqa: E402
from tap import Tap  # noqa: E402

EYES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868),
                   (0.114503, 0.786281, 0.099216),
                   (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968),
                     (0.280085, 0.672501, 0.047413),
                     (-0.011820, 0.042940, 0.968881)),
    "tritanopia": ((1.255528, -0.076749, -0.178779),
                   (-0.078411, 0.930809, 0.147602),
                   (0.004733, 0.691367, 0.303900)),
}
LEGEND = re.compile(r'<rect class="legend"[^>]*fill="(#\w{6})"[^>]*/>'
                    r'<text[^>]*>([^<]*)<')
MATCH = re.compile(r"\.f\.m rect\{fill:(#\w{6})")
# What is little differs little from nothing.
LEAST = {("grew or new", "shrank or gone"): 80,
         ("grew a little", "shrank a little"): 20,
         ("grew or new", "same or noise"): 60,
         ("shrank or gone", "same or noise"): 40,
         ("match", "grew or new"): 60,
         ("match", "shrank or gone"): 25,
         ("match", "same or noise"): 60}


def linear(color):
    for at in (1, 3, 5):
        c = int(color[at:at + 2], 16) / 255
        yield c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4


def lab(rgb):
    """CIE L*a*b* of linear sRGB, white D65."""
    def root(t):
        return t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116

    r, g, b = (min(1, max(0, c)) for c in rgb)
    x = root((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047)
    y = root(0.2126 * r + 0.7152 * g + 0.0722 * b)
    z = root((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def seen(color, eye):
    light = list(linear(color))
    return lab([sum(a * c for a, c in zip(row, light)) for row in eye])


def distance(a, b, eye):
    pairs = zip(seen(a, eye), seen(b, eye))
    return sum((p - q) ** 2 for p, q in pairs) ** 0.5


def main():
    text = cases.find("diff/svg").stdout
    colors = {meaning: color for color, meaning in LEGEND.findall(text)}
    colors["match"] = MATCH.search(text)[1]
    tap = Tap()
    for (a, b), least in LEAST.items():
        found = {name: round(distance(colors[a], colors[b], eye))
                 for name, eye in EYES.items()}
        tap.check(min(found.values()) >= least, f"{a}, {b}: {found}")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads SVG files as a strict XML parser does and holds them to their word.

usage: check.py FOLDER...

Only known elements and attributes; nothing that loads, links or runs but the
one script, the same in each file; frames within their callers, side by side,
their widths adding up to no more than the caller's; the drawn width what the
shares say; slivers where their text says, in its colour; each colour with one
for dark surroundings; numbers with fixed decimals.
"""
import bisect
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "cli")]
import cases  # noqa: E402
from tap import Tap  # noqa: E402

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "style", "rect", "g", "text", "tspan", "script",
            "path", "metadata", "pattern"}
ATTRIBUTES = {"version", "id", "class", "width", "height", "viewBox", "fill",
              "fill-opacity", "stroke", "x", "y", "d", "aria-label", "data-x",
              "data-w", "data-d", "data-y", "data-step", "patternUnits"}
# Of this file's own.
TEXTURES = {"url(#gone)", "url(#new)", "url(#many)"}
NUMBERS = {"x", "y", "width", "height", "data-y", "data-step"}
NUMBER = re.compile(r"-?\d+(\.\d\d)?\Z")
RUN = re.compile(r"M(\S+) (\S+)h(\S+)v17\.00h(\S+)z")
SLIVER = re.compile(r"(\d+) (\d+) (\d+) (#[0-9a-f]{6})( r)?( [gn])?\Z")
SLIVER_PX = 1.2
PARTS = 10 ** 8
MARGIN = 10
GAP_PX = 0.6


class Bad(Exception):
    pass


def check_element(e):
    tag = e.tag.removeprefix(SVG)
    if tag not in ELEMENTS:
        raise Bad(f"element {e.tag}")
    for name, value in e.attrib.items():
        if name not in ATTRIBUTES:
            raise Bad(f"attribute {name} of {tag}")
        if "url(" in value and value not in TEXTURES or \
                "javascript:" in value:
            raise Bad(f"{name}={value!r}")
        if name in NUMBERS and value != "100%" and not NUMBER.match(value):
            raise Bad(f"{name}={value!r} is no number of ours")


def check_style(text):
    if re.search(r"@import|url\((?!#(gone|new)\))|https?:", text):
        raise Bad("the style refers to something outside")


def check_place(x, w, d, open_frames):
    """open_frames: those that lead to it, with what is in them so far."""
    del open_frames[d:]
    if d != len(open_frames):
        raise Bad(f"a frame of depth {d} without its caller")
    if open_frames:
        caller = open_frames[-1]
        # Each is rounded down to a part.
        if x + w > caller["x"] + caller["w"] + 1 or x < caller["end"] - 1:
            raise Bad(f"frame at {x}, {w} wide, leaves its caller or overlaps")
        caller["sum"] += w
        caller["end"] = x + w
        if caller["sum"] > caller["w"] + 1:
            raise Bad("frames are wider than their caller")
    open_frames.append({"x": x, "w": w, "end": x, "sum": 0})


def check_frame(frame, open_frames, room):
    x, w, d = (int(frame.get(f"data-{k}")) for k in "xwd")
    check_place(x, w, d, open_frames)
    rect = frame.find(f"{SVG}rect")
    drawn = float(rect.get("width"))
    want = w * room / PARTS
    if drawn < SLIVER_PX - GAP_PX - 0.02:
        raise Bad(f"drawn {drawn} wide: too narrow for an element")
    if not want - 0.7 <= drawn <= want + 0.02:
        raise Bad(f"drawn {drawn} wide, should be {want}")
    if abs(float(rect.get("x")) - (MARGIN + x * room / PARTS)) > 0.02:
        raise Bad("drawn elsewhere than it should be")


def read_runs(lane):
    """What the paths cover: by colour and top, from and to in order."""
    runs = {}
    for path in lane.iterfind(f"{SVG}g/{SVG}path"):
        rest = RUN.sub("", path.get("d"))
        if rest:
            raise Bad(f"a path of slivers with {rest[:40]!r}")
        for x, y, w, back in RUN.findall(path.get("d")):
            if float(back) != -float(w):
                raise Bad(f"a path that does not close: {w}, {back}")
            runs.setdefault((path.get("fill"), y), []).append(
                (float(x), float(x) + float(w)))
    return {key: sorted(found) for key, found in runs.items()}


def check_sliver(line, lane, open_frames, runs, room):
    match = SLIVER.match(line)
    if not match:
        raise Bad(f"sliver {line!r}")
    x, w, d = (int(match[i]) for i in (1, 2, 3))
    check_place(x, w, d, open_frames)
    if w * room / PARTS > SLIVER_PX + 0.02:
        raise Bad(f"a sliver of {w} parts is wide enough for an element")
    top = float(lane.get("data-y")) + d * float(lane.get("data-step"))
    middle = MARGIN + (x + w / 2) * room / PARTS
    found = runs.get((match[4], f"{top:.2f}"), [])
    at = bisect.bisect(found, (middle + 0.02,)) - 1
    if at < 0 or found[at][1] < middle - 0.02:
        raise Bad(f"the sliver {line!r} is not drawn")


def check_lane(lane, room):
    wide = [e for e in lane if e.get("class", "").split(" ")[0] == "f"]
    open_frames, runs, at, slivers = [], read_runs(lane), 0, 0
    says = False
    for line in "".join(e.text for e in
                        lane.iterfind(f"{SVG}metadata")).split("\n"):
        if line.startswith(" "):
            says = True
        elif line.startswith("+"):
            for frame in wide[at:at + int(line[1:])]:
                check_frame(frame, open_frames, room)
            at += int(line[1:])
        elif line:
            if slivers and not says:
                raise Bad("a sliver that says nothing")
            check_sliver(line, lane, open_frames, runs, room)
            slivers, says = slivers + 1, False
    for frame in wide[at:]:
        check_frame(frame, open_frames, room)
    if bool(slivers) != bool(runs):
        raise Bad(f"{slivers} slivers, {len(runs)} colours and rows of them")
    return len(wide) + slivers


def check_dark(root):
    dark = set(re.findall(r'\[fill="(#[0-9a-f]{6})"\]\{fill:#',
                          [e.text for e in root.iter(f"{SVG}style")][-1]))
    fills = {e.get("fill") for e in root.iter() if e.get("fill")} - TEXTURES
    # By name there are as many as names.
    is_hot = "colour by name" in "".join(root.itertext())
    if fills - dark and not is_hot:
        raise Bad(f"nothing for {fills - dark} in dark surroundings")


def check_flame(root):
    room = float(root.get("width")) - 2 * MARGIN
    return sum(check_lane(lane, room) for lane in root.iter(f"{SVG}g")
               if lane.get("class") == "lane")


def check(text, scripts):
    root = ET.fromstring(text)
    if root.tag != f"{SVG}svg":
        raise Bad("no svg")
    for e in root.iter():
        check_element(e)
    for style in root.iter(f"{SVG}style"):
        check_style(style.text)
    found = [e.text for e in root.iter(f"{SVG}script")]
    if len(found) != 1:
        raise Bad(f"{len(found)} scripts")
    scripts.add(found[0])
    for frame in root.iter(f"{SVG}g"):
        if frame.get("class", "").startswith("f") and \
                frame.find(f"{SVG}title") is None:
            raise Bad("a frame without a title")
    check_dark(root)
    if root.get("class").startswith("flame"):
        return check_flame(root)
    return sum(1 for g in root.iter(f"{SVG}g"))


def is_svg(text):
    return text.find("<svg", 0, 100) > 0


def pictures():
    """(what it is called, text) of those in the folders and of those that cases
    of tests/cli want to see."""
    for folder in map(Path, sys.argv[1:]):
        for path in sorted(folder.glob("**/*.svg")):
            yield path.name, path.read_text(encoding="utf-8")
    for case in cases.all_cases():
        for what, text in case.expected().items():
            yield f"{case.name}, {what}", text


def main():
    found = [one for one in pictures() if is_svg(one[1])]
    scripts, tap = set(), Tap()
    for name, text in found:
        tap.attempt(name, check, text, scripts)
    tap.check(len(scripts) == 1 and len(found) > 10,
              f"one script in {len(found)} pictures")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())

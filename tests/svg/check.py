#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads SVG files as a strict XML parser does and holds them to their word.

usage: check.py FILE|FOLDER...

Only known elements and attributes; nothing that loads, links or runs but the
one script, the same in each file; frames within their callers, side by side,
their widths adding up to no more than the caller's; the drawn width what the
shares say; numbers with fixed decimals.
"""
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "style", "rect", "g", "text", "tspan", "script",
            "path"}
ATTRIBUTES = {"version", "id", "class", "width", "height", "viewBox", "fill",
              "fill-opacity", "stroke", "x", "y", "d", "aria-label", "data-x",
              "data-w", "data-d", "data-y"}
NUMBERS = {"x", "y", "width", "height", "data-y"}
NUMBER = re.compile(r"-?\d+(\.\d\d)?\Z")
PARTS = 10 ** 8
MARGIN = 10


class Bad(Exception):
    pass


def check_element(e):
    tag = e.tag.removeprefix(SVG)
    if tag not in ELEMENTS:
        raise Bad(f"element {e.tag}")
    for name, value in e.attrib.items():
        if name not in ATTRIBUTES:
            raise Bad(f"attribute {name} of {tag}")
        if "url(" in value or "javascript:" in value:
            raise Bad(f"{name}={value!r}")
        if name in NUMBERS and value != "100%" and not NUMBER.match(value):
            raise Bad(f"{name}={value!r} is no number of ours")


def check_style(text):
    if re.search(r"@import|url\(|https?:", text):
        raise Bad("the style refers to something outside")


def check_frame(frame, open_frames, room):
    """open_frames: those that lead to it, [end, sum of children, width]."""
    x, w, d = (int(frame.get(f"data-{k}")) for k in "xwd")
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
    rect = frame.find(f"{SVG}rect")
    drawn = float(rect.get("width"))
    want = w * room / PARTS
    if not want - 0.7 <= drawn <= want + 0.02:
        raise Bad(f"drawn {drawn} wide, should be {want}")
    if abs(float(rect.get("x")) - (MARGIN + x * room / PARTS)) > 0.02:
        raise Bad("drawn elsewhere than it should be")


def check_flame(root):
    room = float(root.get("width")) - 2 * MARGIN
    frames = 0
    for lane in root.iter(f"{SVG}g"):
        if lane.get("class") != "lane":
            continue
        open_frames = []
        for frame in lane:
            check_frame(frame, open_frames, room)
            frames += 1
    return frames


def check(path, scripts):
    root = ET.parse(path).getroot()
    if root.tag != f"{SVG}svg":
        raise Bad("no svg")
    for e in root.iter():
        check_element(e)
    check_style(root.find(f"{SVG}style").text)
    found = [e.text for e in root.iter(f"{SVG}script")]
    if len(found) != 1:
        raise Bad(f"{len(found)} scripts")
    scripts.add(found[0])
    for frame in root.iter(f"{SVG}g"):
        if frame.get("class", "").startswith("f") and \
                frame.find(f"{SVG}title") is None:
            raise Bad("a frame without a title")
    if root.get("class").startswith("flame"):
        return check_flame(root)
    return sum(1 for g in root.iter(f"{SVG}g"))


def is_svg(path):
    return path.is_file() and path.read_bytes()[:100].find(b"<svg") > 0


def main():
    files = []
    for arg in map(Path, sys.argv[1:]):
        found = sorted(arg.glob("**/*")) if arg.is_dir() else [arg]
        files += [f for f in found
                  if f.suffix == ".svg" or f.name == "stdout"]
    files = [f for f in files if is_svg(f)]
    scripts, failed = set(), 0
    print(f"1..{len(files) + 1}")
    for number, path in enumerate(files, 1):
        try:
            frames = check(path, scripts)
            print(f"ok {number} - {path.parent.name}/{path.name}: {frames}")
        except (Bad, ET.ParseError) as e:
            failed += 1
            print(f"not ok {number} - {path}: {e}")
    is_same = len(scripts) == 1 and len(files) > 10
    print(f"{'ok' if is_same else 'not ok'} {len(files) + 1} - one script "
          f"in {len(files)} files")
    return 0 if is_same and not failed else 1


if __name__ == "__main__":
    sys.exit(main())

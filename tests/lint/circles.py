#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps modules from including each other in circles: what is in one can only
be understood, tested and taken out as a whole.

A module is a header with the .c of its name. A .c without such a header
belongs to the header of its folder that declares most of what it defines. A
few modules that need each other are one thing in several files; more are none,
nor are two of different folders, and there are few such things.

usage: circles.py SOURCE_ROOT
"""
import re
import sys
from collections import Counter
from pathlib import Path

from csource import blank

LARGEST = 4
MOST = 5

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)\.h"', re.M)
# In kernel style nothing but a declaration of a file's own begins a line.
DEFINITION = re.compile(r"^(?!static|typedef|extern)\w[^;{}()=]*?(\w+)\("
                        r"[^;{}]*\)\s*\{", re.M)
TABLE = re.compile(r"^(?!static|typedef|extern)\w[^;{}()=]*?(\w+)(?:\[\w*\])?"
                   r"\s*=", re.M)


def defined(text):
    """Names that other files may know of."""
    return set(DEFINITION.findall(text)) | set(TABLE.findall(text))


class Source:
    """The modules below a folder, and what each includes."""

    def __init__(self, src):
        self.text = {path.relative_to(src).as_posix(): path.read_text("utf-8")
                     for path in sorted(src.rglob("*.[ch]"))}
        self.headers = {}
        for name, text in self.text.items():
            if name.endswith(".h"):
                words = set(re.findall(r"\w+", blank(text)))
                self.headers[name[:-2]] = words
        self.graph = {}
        for name, text in self.text.items():
            module = self.module_of(name, text)
            self.graph.setdefault(module, set()).update(
                header for header in INCLUDE.findall(text)
                if header != module and header in self.headers)

    def module_of(self, name, text):
        own = name[:-2]
        if own in self.headers:
            return own
        known, votes = defined(blank(text)), Counter()
        for header in INCLUDE.findall(text):
            if Path(header).parent == Path(own).parent:
                votes[header] = len(known & self.headers.get(header, set()))
        best = votes.most_common(1)
        return best[0][0] if best and best[0][1] else own


def circles(graph):
    """Strongly connected components of more than one node (Tarjan's way, by
    hand on a stack of iterators)."""
    order, low, kept, on_kept, found = {}, {}, [], set(), []
    for root in graph:
        if root in order:
            continue
        walk = [(root, iter(sorted(graph[root])))]
        order[root] = low[root] = len(order)
        kept.append(root)
        on_kept.add(root)
        while walk:
            node, rest = walk[-1]
            for next_node in rest:
                if next_node not in order:
                    order[next_node] = low[next_node] = len(order)
                    kept.append(next_node)
                    on_kept.add(next_node)
                    walk.append((next_node, iter(sorted(graph[next_node]))))
                    break
                if next_node in on_kept:
                    low[node] = min(low[node], order[next_node])
            else:
                walk.pop()
                if walk:
                    low[walk[-1][0]] = min(low[walk[-1][0]], low[node])
                if low[node] == order[node]:
                    at = kept.index(node)
                    found.append(sorted(kept[at:]))
                    on_kept.difference_update(kept[at:])
                    del kept[at:]
    return [circle for circle in found if len(circle) > 1]


def problems_of(found):
    """What is wrong with circles of modules, as lines."""
    for circle in found:
        if len(circle) > LARGEST:
            yield (f"circle of {len(circle)}, not {LARGEST}: " +
                   ", ".join(circle))
    if len(found) > MOST:
        yield f"{len(found)} circles, not {MOST}:"
        yield from ("    " + ", ".join(circle) for circle in found)


def folders_of(graph):
    """The same graph of folders."""
    folders = {}
    for module, headers in graph.items():
        own = module.split("/")[0]
        folders.setdefault(own, set()).update(
            {header.split("/")[0] for header in headers} - {own})
    return folders


def main():
    source = Source(Path(sys.argv[1]) / "src")
    problems = [f"circle of folders: {', '.join(circle)}"
                for circle in circles(folders_of(source.graph))]
    problems += problems_of(circles(source.graph))
    for line in problems:
        print(line)
    print(f"{len(source.graph)} modules, {len(problems)} problems")
    return 1 if problems or not source.graph else 0


if __name__ == "__main__":
    sys.exit(main())

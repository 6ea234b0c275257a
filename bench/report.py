# SPDX-License-Identifier: Apache-2.0
"""Judges what was measured, prints it, and writes it down."""
from dataclasses import dataclass
from pathlib import Path

MS = 1_000_000
BEGIN = "<!-- measured: ./dev bench writes from here -->"
END = "<!-- measured: to here -->"

MET, MISSED, GAP, NONE = "met", "not met", "gap", ""


@dataclass
class Line:
    """A row of the report. ours and peer: Cost or None."""
    number: str
    title: str
    peer_name: str = ""
    ours: object = None
    peer: object = None
    wanted: str = ""
    got: str = ""
    verdict: str = NONE
    why: str = ""
    heap_kib: int = 0


def judge(goal, ours, peer, sizes):
    """(what is wanted, what was measured, whether that is met)"""
    limit = goal.limit
    if goal.what == "faster":
        ratio = peer.wall_ns / ours.wall_ns
        return f">= {limit:g}x faster", f"{ratio:.1f}x", ratio >= limit
    if goal.what == "memory":
        ratio = peer.rss_kib / ours.rss_kib
        return (f"<= 1/{limit:g} of the memory", f"1/{ratio:.1f}",
                ratio >= limit)
    if goal.what == "cpu-times":
        ratio = ours.cpu_ns / peer.cpu_ns
        return f"<= {limit:g}x the CPU", f"{ratio:.2f}x", ratio <= limit
    if goal.what == "wall-times":
        ratio = ours.wall_ns / peer.wall_ns
        return f"<= {limit:g}x the time", f"{ratio:.2f}x", ratio <= limit
    if goal.what == "wall-ms":
        return (f"<= {limit:g} ms", f"{ours.wall_ns / MS:.1f} ms",
                ours.wall_ns <= limit * MS)
    if goal.what == "rss-mib":
        mib = ours.rss_kib / 1024
        return f"<= {limit:g} MiB", f"{mib:.0f} MiB", mib <= limit
    if goal.what == "size":
        return ("no larger", f"{sizes[0]:,} of {sizes[1]:,} bytes",
                sizes[0] <= sizes[1] * limit)
    raise ValueError(goal.what)


def fill(line, goals, sizes=None):
    judged = [judge(goal, line.ours, line.peer, sizes) for goal in goals]
    line.wanted = ", ".join(wanted for wanted, _, _ in judged)
    line.got = ", ".join(got for _, got, _ in judged)
    if not judged and line.peer:
        line.got = (f"{line.peer.wall_ns / line.ours.wall_ns:.1f}x faster, "
                    f"{line.ours.cpu_ns / line.peer.cpu_ns:.2f}x the CPU")
    if judged:
        line.verdict = MET if all(met for _, _, met in judged) else MISSED
    return line


def time_text(ns):
    return f"{ns / MS:,.1f}" if ns < 100 * MS else f"{ns / MS:,.0f}"


def cost_cells(cost):
    if not cost:
        return ["", "", ""]
    return [time_text(cost.wall_ns), time_text(cost.cpu_ns),
            f"{cost.rss_kib / 1024:,.1f}"]


HEAD = ["", "job", "ms", "CPU ms", "MiB", "heap", "peer", "ms", "CPU ms",
        "MiB", "measured", "goal", ""]
RIGHT = (2, 3, 4, 5, 7, 8, 9)


def cells(line):
    verdict = line.verdict + (f": {line.why}" if line.why else "")
    heap = f"{line.heap_kib / 1024:,.1f}" if line.heap_kib else ""
    return [line.number, line.title, *cost_cells(line.ours), heap,
            line.peer_name,
            *cost_cells(line.peer), line.got, line.wanted, verdict]


def text_table(head, rows, right):
    table = [head, *rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(head))]
    for row in table:
        yield "  ".join(
            cell.rjust(widths[i]) if i in right else cell.ljust(widths[i])
            for i, cell in enumerate(row)).rstrip()


def markdown_table(head, rows, right):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join(" ---: " if i in right else " --- "
                         for i in range(len(head))) + "|"
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|")
                                for cell in row) + " |"


def write(path, lines):
    """Replaces what stands between the marks; what people wrote stays."""
    path = Path(path)
    text = path.read_text(encoding="utf-8") if path.exists() else \
        f"# Performance\n\n{BEGIN}\n{END}\n"
    head, rest = text.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    body = "\n".join(lines)
    path.write_text(f"{head}{BEGIN}\n\n{body}\n\n{END}{tail}",
                    encoding="utf-8")

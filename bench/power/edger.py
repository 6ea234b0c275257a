# SPDX-License-Identifier: Apache-2.0
"""What edgeR says of drawn counts, asked or kept."""
import array
import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from draws import CHANGED, count_functions

HERE = Path(__file__).resolve().parent
Q = 0.05


def ask(pairs, is_robust=False, changed=CHANGED, least=1, is_filtered=False):
    """Of each pair whether the change was told, and whether something else
    was; all in one process of R, whose edgeR's version comes beside them. least:
    counts of a row in all that are looked at; is_filtered: as edgeR itself
    has it."""
    tables = [keep_rows(*count_functions(pair), least) for pair in pairs]
    with tempfile.TemporaryDirectory() as folder:
        paths = [f"{folder}/counts", f"{folder}/answers"]
        with open(paths[0], "wb") as out:
            for pair, (_, rows) in zip(pairs, tables):
                array.array("i", [len(rows), len(pair.before),
                                  len(pair.after)]).tofile(out)
                for row in rows:
                    array.array("i", row).tofile(out)
        words = ["Rscript", HERE / "edger.R", *paths]
        words += ["robust"] * is_robust + ["filter"] * is_filtered
        version = subprocess.run(words, check=True, text=True,
                                 stdout=subprocess.PIPE).stdout.strip()
        values = array.array("d", Path(paths[1]).read_bytes())
    outcomes, at = [], 0
    for pair, (names, rows) in zip(pairs, tables):
        q = values[at + len(rows):at + 2 * len(rows)]
        at += 2 * len(rows)
        told = {name for name, value in zip(names, q) if value <= Q}
        outcomes.append((changed in told,
                         bool(told - pair.right - pair.fewer)))
    return outcomes, version


def keep_rows(names, rows, least):
    kept = [at for at, row in enumerate(rows) if sum(row) >= least]
    return [names[at] for at in kept], [rows[at] for at in kept]


def mark(pair):
    return hashlib.sha256(repr(count_functions(pair)).encode()).hexdigest()[:16]


class Kept:
    """Outcomes beside this file: it takes R a second for ten of them. Draws are
    known again by the counts of the first one of a cell."""

    def __init__(self):
        self.path = HERE / "edger.json"
        self.version, self.cells = "", {}
        if self.path.exists():
            kept = json.loads(self.path.read_text())
            self.version, self.cells = kept["version"], kept["cells"]

    def find(self, name, first):
        """Outcomes of the draws that are kept."""
        kept = self.cells.get(name)
        if not kept or kept["mark"] != mark(first):
            return []
        return [(found == "1", wrong == "1")
                for found, wrong in zip(kept["found"], kept["false"])]

    def add(self, name, first, outcomes):
        self.cells[name] = {
            "mark": mark(first),
            "found": "".join(str(int(found)) for found, _ in outcomes),
            "false": "".join(str(int(wrong)) for _, wrong in outcomes)}

    def keep(self, names):
        """Forgets cells that are no more."""
        if set(self.cells) - names:
            self.cells = {name: cell for name, cell in self.cells.items()
                          if name in names}
            self.write()

    def write(self):
        kept = {"version": self.version,
                "cells": dict(sorted(self.cells.items()))}
        self.path.write_text(json.dumps(kept, indent=1) + "\n")

# SPDX-License-Identifier: Apache-2.0
"""Figures of a run, for docs/safety.md: record() leaves one file for each kind
of trial in the folder that FIGURES names, and does nothing without it. COMMIT
is what the sources were (full.py)."""
import json
import os


def record(name, tried, failed, **more):
    """name: of the row; tried: trials; failed: how many did not end as they
    must; more: what else the row tells, as {"skipped": 2}."""
    folder = os.environ.get("FIGURES")
    if not folder:
        return
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, name + ".json"), "w") as file:
        json.dump({"name": name, "tried": tried, "failed": failed,
                   "commit": os.environ.get("COMMIT", ""), **more}, file,
                  sort_keys=True)
        file.write("\n")

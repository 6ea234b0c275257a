# SPDX-License-Identifier: Apache-2.0
"""What the searches of a fuzz target have cost and found, summed over all runs
in one file, FOLDER/spent.json:

{"har": {"cpu_s": 1203.4, "crashes": 0, "executions": 362716}, ...}

cpu_s is processor time of the search itself, not time that went by; crashes
counts the runs that an input ended. Whether such an input still fails is not
kept: it is tried again (fuzz.py).
"""
import fcntl
import json
import os

NOTHING = {"cpu_s": 0.0, "crashes": 0, "executions": 0}


def path_of(folder):
    return os.path.join(folder, "spent.json")


def read(folder):
    """{target: as NOTHING}, of those that ever ran."""
    try:
        with open(path_of(folder)) as file:
            return json.load(file)
    except FileNotFoundError:
        return {}


def of(folder, target):
    return {**NOTHING, **read(folder).get(target, {})}


def add(folder, target, **more):
    """Adds what one run has cost; more: as NOTHING. Several searches may end at once, of other programs too."""
    with open(path_of(folder) + ".lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        every = read(folder)
        one = {**NOTHING, **every.get(target, {})}
        every[target] = {key: round(one[key] + more.get(key, 0), 3) for key in NOTHING}
        with open(path_of(folder) + ".new", "w") as file:
            json.dump(every, file, sort_keys=True, indent=0)
            file.write("\n")
        os.replace(path_of(folder) + ".new", path_of(folder))

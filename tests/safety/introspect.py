# SPDX-License-Identifier: Apache-2.0
"""What meson knows of a build folder."""
import json
import subprocess
from pathlib import Path


def introspect(build, what):
    """what: "--tests", "--targets", "--buildoptions"; as `meson introspect` has it."""
    done = subprocess.run(["meson", "introspect", what, build], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def unit_tests(build):
    """Names of the unit tests."""
    return [test["name"] for test in introspect(build, "--tests") if test["name"].startswith("unit/")]


def last_run(build):
    """What the last run of tests left, as meson logs it; with a wrapper its log has another name. None: nothing."""
    logs = list(Path(build, "meson-logs").glob("testlog*.json"))
    if not logs:
        return None
    newest = max(logs, key=lambda path: path.stat().st_mtime)
    return [json.loads(line) for line in newest.read_text(encoding="utf-8").splitlines()]

# SPDX-License-Identifier: Apache-2.0
"""What meson knows of a build folder."""
import json
import subprocess


def introspect(build, what):
    """what: "--tests", "--targets", "--buildoptions"; as `meson introspect` has it."""
    done = subprocess.run(["meson", "introspect", what, build], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def unit_tests(build):
    """Names of the unit tests."""
    return [test["name"] for test in introspect(build, "--tests") if test["name"].startswith("unit/")]

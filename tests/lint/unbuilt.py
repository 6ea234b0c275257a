#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Names of the tests of suite lint that need nothing built.

usage: unbuilt.py BUILD_FOLDER
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "safety"))
from introspect import introspect  # noqa: E402

for test in introspect(sys.argv[1], "--tests"):
    if not test["depends"] and any(suite.endswith(":lint")
                                   for suite in test["suite"]):
        print(test["name"])

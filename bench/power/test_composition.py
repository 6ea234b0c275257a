#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Does a part of a program that changed look like that, and the rest of it not? The
short draws of composition.py, which has what is asked.

usage: test_composition.py TRACEFIND
"""
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests"))

from composition import all_cases, lacks_in, score_all, sum_of
from tap import Tap


def main():
    tap = Tap()
    tracefind = os.path.abspath(sys.argv[1])
    with ProcessPoolExecutor(2) as pool:
        for group, cases in all_cases(is_short=True).items():
            lines = score_all(tracefind, cases, pool)
            whole = sum_of(lines)
            tap.check(whole.moved > 0, f"{group}: something moves")
            lacks = lacks_in(lines, with_examples=True)
            tap.check(not lacks, f"{group}: {whole.asked} comparisons, told "
                      f"{whole.found} of {whole.moved} rows", "\n".join(lacks))
    sys.exit(tap.end())


if __name__ == "__main__":
    main()

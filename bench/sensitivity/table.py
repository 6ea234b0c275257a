#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How small a change is found: the table of docs/verdict.md.

usage: table.py BENCH-SENSITIVITY [PAIRS [WANDER]]

A row of samples a side and windows a side; a column of the share of the
function that changes. In a cell: the smallest of RATIOS that is found in nine
of ten pairs, and in all larger ones. The last column: equal pairs in which
something was said to have changed, of three times as many.
"""
import subprocess
import sys

SAMPLES = [1_000, 10_000, 100_000, 1_000_000]
WINDOWS = [1, 4]
SHARES = [0.01, 0.05, 0.20]
RATIOS = [1.03, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 2, 3, 5, 10]


def draw(bench, samples, share, ratio, windows, wander, pairs):
    """Pairs in which it was found, and in which something else was said."""
    words = subprocess.run(
        [bench, str(samples), str(share), str(ratio), str(windows),
         str(wander), str(pairs)],
        check=True, capture_output=True, text=True).stdout.split()
    return int(words[1]), int(words[3])


def find_smallest(is_found):
    """By halving; None: not even the largest."""
    low, high = 0, len(RATIOS)
    while low < high:
        middle = (low + high) // 2
        if is_found(RATIOS[middle]):
            high = middle
        else:
            low = middle + 1
    return RATIOS[low] if low < len(RATIOS) else None


def row(bench, samples, windows, wander, pairs):
    cells = [f"{samples:,}", str(windows)]
    for share in SHARES:
        smallest = find_smallest(
            lambda ratio, share=share:
            draw(bench, samples, share, ratio, windows, wander, pairs)[0]
            >= 0.9 * pairs)
        cells.append(f"{smallest:g}" if smallest else "none")
    said = draw(bench, samples, SHARES[0], 1, windows, wander, 3 * pairs)
    cells.append(f"{sum(said)} of {3 * pairs}")
    return cells


def main():
    bench = sys.argv[1]
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    wander = float(sys.argv[3]) if len(sys.argv) > 3 else 0.02
    heads = ["samples a side", "windows"]
    heads += [f"{100 * share:g} %" for share in SHARES] + ["equal pairs"]
    print("| " + " | ".join(heads) + " |")
    print("|" + "---|" * len(heads))
    for windows in WINDOWS:
        for samples in SAMPLES:
            print("| " + " | ".join(
                row(bench, samples, windows, wander, pairs)) + " |",
                flush=True)


if __name__ == "__main__":
    main()

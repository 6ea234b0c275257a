# SPDX-License-Identifier: Apache-2.0
"""Something for profilers of Python to look at, for three seconds."""
import json
import time


def mix(x):
    for _ in range(200):
        x = (x ^ (x >> 13)) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    return x


class Cart:
    def __init__(self, count):
        self.prices = [mix(i) % 9999 for i in range(count)]

    def print(self):
        return json.dumps({str(price): price for price in self.prices},
                          indent=1)


def walk(depth):
    return walk(depth - 1) + mix(depth) % 2 if depth else 0


def main():
    end = time.monotonic() + 3
    while time.monotonic() < end:
        Cart(300).print()
        walk(40)


main()

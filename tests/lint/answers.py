#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the JSON answers of all cases of tests/cli against their schemas.

usage: answers.py SOURCE_ROOT

Each schema must have an answer that it describes, and each answer a schema.
"""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
import cases  # noqa: E402
from check_schema import Checker, load  # noqa: E402

RESULT = "json"  # of struct result: slow, diff, show, profile


def schema_of(answer):
    """By the name's middle: man/tracefind-NAME.schema.json."""
    command = answer.get("command")
    if command == "search":
        return "tags" if "tag" in answer else "search"
    if command == "check" and "services" in answer:
        return "fleet"
    if command == "alert" and "objective" in answer:
        return "burn"
    if command == "profile" and "view" in answer:
        return "view"
    return command if command in ("services", "types", "doctor", "when",
                                  "check", "leak", "alert", "cost", "slo",
                                  "export") else RESULT


def answers():
    """Name and object of what a case wants to see and is such an answer."""
    for case in cases.all_cases():
        for what, text in case.expected().items():
            if text.startswith("{") and '"schema_version"' in text[:40]:
                yield f"{case.name}, {what}", json.loads(text)


def main():
    root = Path(sys.argv[1])
    schemas = {path.name.split("-")[1].split(".")[0]: load(path)
               for path in root.glob("man/tracefind-*.schema.json")}
    unused = set(schemas)
    problems = count = 0
    for name, answer in answers():
        wanted = schema_of(answer)
        unused.discard(wanted)
        checker = Checker(schemas[wanted])
        checker.check(answer, schemas[wanted])
        count += 1
        for error in checker.errors:
            problems += 1
            print(f"{name}, by {wanted}: {error}")
    for name in sorted(unused):
        problems += 1
        print(f"no case has an answer that the schema {name} describes")
    print(f"{count} answers, {problems} problems")
    return 1 if problems or not count else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks JSON documents against a JSON Schema: check_schema.py SCHEMA FILE...

Knows type, enum, required, properties, additionalProperties (true or false),
items, pattern, minimum, anyOf, deprecated and local $ref. An unknown keyword is an error,
so that a schema cannot promise what is not checked. Properties listed under
`required` must also come in that order: the answer's key order is part of
the contract. `-` reads standard input. Exit status 1 when anything fails.
"""
import json
import re
import sys

KEYWORDS = {
    "$schema", "$defs", "$ref", "title", "description", "type", "enum",
    "required", "properties", "additionalProperties", "items", "pattern",
    "minimum", "anyOf", "deprecated",
}

TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float))
    and not isinstance(v, bool),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
}


class SchemaError(Exception):
    """The schema itself is wrong."""


def is_same(a, b):
    """Equality as JSON has it: 1 is not true."""
    return type(a) is type(b) and a == b


def type_names(schema):
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else types


class Checker:
    def __init__(self, schema):
        self.root = schema
        self.errors = []
        self.check_schema(schema, "#")

    def check_schema(self, schema, path):
        """Walks the whole schema once, used parts or not."""
        for name in schema:
            if name not in KEYWORDS:
                raise SchemaError(f"{path}: unknown keyword {name}")
        for name in type_names(schema):
            if name not in TYPES:
                raise SchemaError(f"{path}: unknown type {name}")
        if not isinstance(schema.get("additionalProperties", True), bool):
            raise SchemaError(f"{path}: additionalProperties must be boolean")
        for key in ("properties", "$defs"):
            for name, part in schema.get(key, {}).items():
                self.check_schema(part, f"{path}/{key}/{name}")
        for part in schema.get("anyOf", []):
            self.check_schema(part, f"{path}/anyOf")
        if "items" in schema:
            self.check_schema(schema["items"], f"{path}/items")
        if "$ref" in schema:
            self.resolve(schema["$ref"])

    def resolve(self, ref):
        part = self.root
        if not ref.startswith("#/"):
            raise SchemaError(f"{ref}: only local references are known")
        for name in ref[2:].split("/"):
            if not isinstance(part, dict) or name not in part:
                raise SchemaError(f"{ref}: leads nowhere")
            part = part[name]
        return part

    def fail(self, path, message):
        self.errors.append(f"{path}: {message}")

    def check(self, value, schema, path="$"):
        if "$ref" in schema:
            self.check(value, self.resolve(schema["$ref"]), path)
        if not self.check_type(value, schema, path):
            return
        if "enum" in schema and not any(
                is_same(value, allowed) for allowed in schema["enum"]):
            self.fail(path, f"{value!r} is not one of {schema['enum']}")
        if "anyOf" in schema:
            self.check_any(value, schema["anyOf"], path)
        if isinstance(value, dict):
            self.check_object(value, schema, path)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                self.check(item, schema.get("items", {}), f"{path}[{i}]")
        elif isinstance(value, str):
            pattern = schema.get("pattern", "")
            if not re.search(pattern, value):
                self.fail(path, f"{value!r} does not match {pattern}")
        elif TYPES["number"](value):
            if value < schema.get("minimum", value):
                self.fail(path, f"{value} is below {schema['minimum']}")

    def check_type(self, value, schema, path):
        types = type_names(schema)
        if not types or any(TYPES[name](value) for name in types):
            return True
        self.fail(path, f"{json.dumps(value)[:40]} is not {'/'.join(types)}")
        return False

    def check_any(self, value, schemas, path):
        outer, reasons = self.errors, []
        for schema in schemas:
            self.errors = []
            self.check(value, schema, path)
            if not self.errors:
                self.errors = outer
                return
            reasons.extend(self.errors)
        self.errors = outer
        self.fail(path, "none of anyOf: " + "; ".join(reasons))

    def check_object(self, value, schema, path):
        required = schema.get("required", [])
        for name in required:
            if name not in value:
                self.fail(path, f"key {name} is missing")
        order = [name for name in value if name in required]
        if order != [name for name in required if name in value]:
            self.fail(path, "keys are out of order: " + ", ".join(order))
        known = schema.get("properties", {})
        for name, item in value.items():
            if name in known:
                self.check(item, known[name], f"{path}.{name}")
            elif not schema.get("additionalProperties", True):
                self.fail(path, f"unknown key {name}")


def unique_keys(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError("an object holds a key twice")
    return dict(pairs)


def refuse(constant):
    raise ValueError(f"{constant} is not JSON")


def load(name):
    if name == "-":
        text = sys.stdin.buffer.read()
    else:
        with open(name, "rb") as file:
            text = file.read()
    return json.loads(text.decode("utf-8"), object_pairs_hook=unique_keys,
                      parse_constant=refuse)


def check_file(schema, name):
    checker = Checker(schema)
    try:
        checker.check(load(name), schema)
    except (OSError, ValueError, RecursionError) as error:
        checker.fail("$", str(error))
    for error in checker.errors:
        print(f"{name}: {error}", file=sys.stderr)
    return not checker.errors


def main(argv):
    if len(argv) < 3:
        print("usage: check_schema.py SCHEMA FILE...", file=sys.stderr)
        return 2
    try:
        schema = load(argv[1])
        Checker(schema)
    except (OSError, ValueError, SchemaError) as error:
        print(f"{argv[1]}: {error}", file=sys.stderr)
        return 2
    results = [check_file(schema, name) for name in argv[2:]]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv))

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The schema checker itself: every keyword must be able to fail, and damaged
answers must not pass. test_check_schema.py SCHEMA ANSWER"""
import copy
import json
import sys
import unittest

import check_schema

SCHEMA, ANSWER = sys.argv[1:3]

# keyword: schema, a value that passes, a value that does not
KEYWORDS = {
    "type": ({"type": "integer"}, 1, True),
    "type list": ({"type": ["string", "null"]}, None, 0),
    "enum": ({"enum": ["a", 1]}, 1, True),
    "required": ({"required": ["a"]}, {"a": 1}, {"b": 1}),
    "order": ({"required": ["a", "b"]}, {"a": 1, "b": 1},
              {"b": 1, "a": 1}),
    "properties": ({"properties": {"a": {"type": "null"}}}, {"a": None},
                   {"a": 0}),
    "additionalProperties": ({"additionalProperties": False}, {}, {"a": 1}),
    "items": ({"items": {"type": "string"}}, ["a"], ["a", 1]),
    "pattern": ({"pattern": "^[0-9]+$"}, "12", "1x"),
    "minimum": ({"minimum": 0}, 0, -0.5),
    "anyOf": ({"anyOf": [{"type": "null"}, {"minimum": 3}]}, 3, 2),
    "$ref": ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "array"}}}, [],
             {}),
}

# Where an answer is damaged, and with what.
DAMAGE = [
    (["schema_version"], 2),
    (["command"], "search"),
    (["trace", "start"], "2026-11-21 10:15:03"),
    (["trace", "duration_ns"], 1.5),
    (["span", "count"], 0),
    (["span", "kind"], "unspecified"),
    (["cause", "kind"], "magic"),
    (["profile", "samples"], -1),
    (["baseline", "healthy"], -1),
    (["functions", 0, "change"], "none"),
    (["functions", 0, "total"], "65 %"),
    (["findings", 0, "span_ids", 0], "00F067AA0BA902B7"),
    (["requests", 0, "status"], 0),
    (["extra"], None),
]


def errors_of(value, schema):
    checker = check_schema.Checker(schema)
    checker.check(value, schema)
    return checker.errors


class CheckSchema(unittest.TestCase):
    def test_keywords(self):
        for name, (schema, good, bad) in KEYWORDS.items():
            with self.subTest(name):
                self.assertEqual(errors_of(good, schema), [])
                self.assertNotEqual(errors_of(bad, schema), [])

    def test_unknown_keyword(self):
        with self.assertRaises(check_schema.SchemaError):
            check_schema.Checker({"items": {"maximum": 3}})

    def test_answer(self):
        schema = check_schema.load(SCHEMA)
        answer = check_schema.load(ANSWER)
        self.assertEqual(errors_of(answer, schema), [])
        for path, value in DAMAGE:
            damaged = copy.deepcopy(answer)
            part = damaged
            for step in path[:-1]:
                part = part[step]
            part[path[-1]] = value
            with self.subTest(json.dumps(path)):
                self.assertEqual(len(errors_of(damaged, schema)), 1)

    def test_missing_keys(self):
        schema = check_schema.load(SCHEMA)
        answer = check_schema.load(ANSWER)
        for key in answer:
            damaged = {k: v for k, v in answer.items() if k != key}
            self.assertNotEqual(errors_of(damaged, schema), [], key)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

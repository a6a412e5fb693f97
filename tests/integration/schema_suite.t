#!/usr/bin/env python3
"""schema_suite.t - the official JSON Schema test suite, each test as a run whose args are its data.

Every file of the suite's required tests is a test here, for each dialect, except for the groups listed
below with the reason. A listed group must be refused for this reason: a group that works is a failure,
too.
"""

import glob
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, each, equal, main, need, test
from library import Library

DATA = os.path.join(ROOT, "build/data/json-schema")
DIALECTS = {
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft7": "http://json-schema.org/draft-07/schema#",
}
FILES = {f"{draft}, {os.path.basename(path)}": path for draft in DIALECTS
         for path in sorted(glob.glob(f"{DATA}/{draft}/*.json"))}

# Only the schema itself is read, so references to another document cannot work. Most groups of
# refRemote.json have such references.
REMOTE = "is in another document"
# A schema for an unknown vocabulary relies on its keywords, so it is refused.
DIALECT = "/$schema: expected 2020-12"
REFUSED = {
    "anchor.json": {"invalid anchors": REMOTE},
    "definitions.json": {"validate definition against metaschema": REMOTE},
    "defs.json": {"validate definition against metaschema": REMOTE},
    "dynamicRef.json": {
        "strict-tree schema, guards against misspelled properties": REMOTE,
        "tests for implementation dynamic anchor and reference link": REMOTE,
        "$ref and $dynamicAnchor are independent of order - $defs first": REMOTE,
        "$ref and $dynamicAnchor are independent of order - $ref first": REMOTE,
        "$ref to $dynamicRef finds detached $dynamicAnchor": REMOTE,
    },
    "id.json": {
        "Invalid use of fragments in location-independent $id": REMOTE,
        "Valid use of empty fragments in location-independent $id": REMOTE,
        "Unnormalized $ids are allowed but discouraged": REMOTE,
    },
    "ref.json": {
        "remote ref, containing refs itself": REMOTE,
        "URN base URI with f-component": REMOTE,
    },
    "vocabulary.json": {
        "schema that uses custom metaschema with with no validation vocabulary": DIALECT,
        "ignore unrecognized optional vocabulary": DIALECT,
    },
}
# caprun's scanner refuses args and schemas with the character NUL before they reach a worker.
NUL = r"\u0000"


def with_dialect(schema, draft):
    """Adds the dialect, which the suite's older files do not name."""
    if isinstance(schema, dict) and "$schema" not in schema and draft != "draft2020-12":
        return {"$schema": DIALECTS[draft], **schema}
    return schema


def outcome_of(library, schema, data):
    if NUL in schema + data:
        return None
    envelope = library.execute("return 1", schema=schema, args=data)
    if envelope["success"]:
        return True
    error = envelope["error"]
    return False if error["code"] == "VALIDATION_ERROR" else error["message"]


def must_be_refused(file, group, message):
    wanted = REFUSED.get(file, {}).get(group, REMOTE if file == "refRemote.json" else None)
    assert wanted and isinstance(message, str) and wanted in message, f"{group}: {message}"


def check_group(library, draft, file, group):
    schema = json.dumps(with_dialect(group["schema"], draft))
    is_refused = group["description"] in REFUSED.get(file, {})
    for case in group["tests"]:
        outcome = outcome_of(library, schema, json.dumps(case["data"], ensure_ascii=False))
        if is_refused or isinstance(outcome, str):
            must_be_refused(file, group["description"], outcome)
        elif outcome is not None:
            equal(outcome, case["valid"], f"{group['description']}: {case['description']}")


@each(FILES or {"none": None})
def a_file_of_the_suite_passes(path):
    need(path, "there is no suite: run tests/get-data build/data")
    draft, file = path.split("/")[-2:]
    with open(path, encoding="utf-8") as text, Library() as library:
        for group in json.load(text):
            check_group(library, draft, file, group)


@test
def all_dialects_are_there_and_have_many_tests():
    need(FILES, "there is no suite: run tests/get-data build/data")
    for draft in DIALECTS:
        groups = [group for path in glob.glob(f"{DATA}/{draft}/*.json") for group in json.load(open(path, encoding="utf-8"))]
        assert sum(len(group["tests"]) for group in groups) > 800, draft


main()

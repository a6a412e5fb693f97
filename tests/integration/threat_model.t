#!/usr/bin/env python3
"""threat_model.t - every test that docs/threat-model.md names exists."""
import glob
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, equal, main, test

AREAS = "unit|integration|hostile|fuzz|deno"


def page():
    with open(os.path.join(ROOT, "docs/threat-model.md"), encoding="utf-8") as file:
        return file.read()


def content(path):
    with open(os.path.join(ROOT, "tests", path), encoding="utf-8") as file:
        return file.read()


def missing(references):
    return [f"{path} {name}" for path, name in references
            if not os.path.exists(os.path.join(ROOT, "tests", path))
            or (name and not re.search(rf"(def |TEST\(){name}\b", content(path)))]


@test
def each_test_that_is_named_exists():
    references = re.findall(rf"`((?:{AREAS})/[\w.]+)(?:: (\w+))?`", page())
    assert len(references) > 30, references
    equal(missing(references), [])
    equal(missing([("unit/test_run.c", "no_such_test"), ("hostile/none.t", "")]),
          ["unit/test_run.c no_such_test", "hostile/none.t "], "what is not there")


@test
def each_group_of_files_that_is_named_exists():
    groups = re.findall(r"`(\w+_\*\.js)`", page())
    assert groups
    equal([name for name in groups if not glob.glob(os.path.join(ROOT, "tests/hostile", name))], [])


@test
def each_claim_names_a_test():
    claims = [row for table in re.findall(r"\| claim \| test \|\n\| --- \| --- \|\n((?:\|.*\n)+)", page())
              for row in table.splitlines()]
    assert len(claims) > 20, claims
    equal([row for row in claims if not re.search(rf"\| .* \| .*`(?:{AREAS})/.*\|$", row)], [])


main()

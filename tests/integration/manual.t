#!/usr/bin/env python3
"""manual.t - the man pages: what is generated has every fact of its source, and groff has no complaint."""

import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import BUILD, ROOT, contains, each, equal, main, need_program, test

PAGES = {"caprun.1": f"{ROOT}/docs/man/caprun.1", "caprun.3": f"{BUILD}/man/caprun.3",
         "caprun.json.5": f"{BUILD}/man/caprun.json.5"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def groff(page, *options):
    need_program("groff")
    return subprocess.run(["groff", "-man", "-t", "-Kutf8", "-Tutf8", "-P-cbou", "-rLL=100n", *options, PAGES[page]],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout


def shown(page):
    """The page as it is read, with one space between words."""
    return " ".join(groff(page).replace("‐", "-").replace("−", "-").split())


@each({page: page for page in PAGES})
def groff_has_no_complaint(page):
    equal(groff(page, "-ww", "-z"), "")
    assert groff(page).count("\n") > 100


def declarations():
    """Every function, type of a callback and enumerator of the header: {name: declaration}."""
    header = re.sub(r"/\*.*?\*/", "", read(f"{ROOT}/host/caprun.h"), flags=re.S)
    found = re.findall(r"^(?:CAPRUN_API|typedef)\s[^;]*?(caprun_\w+)\([^;]*;", header, re.M)
    texts = re.findall(r"^((?:CAPRUN_API|typedef)\s[^;]*;)", header, re.M)
    equal(len(found), len(texts))
    return {name: " ".join(text.replace("CAPRUN_API ", "").split()) for name, text in zip(found, texts)}


@test
def the_page_of_the_library_has_every_prototype_as_in_the_header():
    declared, page = declarations(), shown("caprun.3")
    assert len(declared) > 60 and "caprun_run_set_code" in declared and "caprun_handler_fn" in declared, declared
    equal([text for text in declared.values() if text not in page], [])


@test
def the_page_of_the_library_has_every_constant_and_comment():
    header, page = read(f"{ROOT}/host/caprun.h"), shown("caprun.3")
    names = set(re.findall(r"^ {4}(CAPRUN_\w+) = ", header, re.M))
    names |= {f"CAPRUN_OUTCOME_{name}" for name in re.findall(r"XX\((\w+),", header) if name != "name"}
    names |= set(re.findall(r"^#define (CAPRUN_(?:MAX|WARM)\w+)", header, re.M))
    assert len(names) > 50, names
    equal(sorted(name for name in names if name not in page), [])
    for comment in re.findall(r"/\*.*?\*/", header[header.index("#define CAPRUN_VERSION"):], re.S):
        words = re.sub(r"(?m)^ ?/?\*+/?|\*/$", " ", comment).replace("|", "")
        if "---" not in words:
            for sentence in re.sub(r"(?m)^ *- (\w+):", r"\1", words).split(". "):
                contains(page, " ".join(sentence.split()).rstrip("."))


@test
def the_example_of_the_library_is_the_program_that_is_tested():
    contains(shown("caprun.3"), " ".join(read(f"{ROOT}/samples/whole_program.c").split()))


def keys(schema, defs, path=""):
    """The keys of a schema, "a.b" for those of an object in it."""
    found = set()
    for name, value in schema.get("properties", {}).items():
        if "$ref" in value:
            value = {**defs[value["$ref"].removeprefix("#/$defs/")], **value}
        inner = keys(value, defs, f"{path}{name}.")
        found |= inner or {path + name}
    return found


@test
def the_page_of_the_configuration_has_every_key_of_the_schema():
    schema = json.loads(read(f"{ROOT}/host/config/caprun.schema.json"))
    defs, page = schema["$defs"], groff("caprun.json.5")
    wanted = keys(schema, defs)
    assert {"mcpServers", "limits.memoryMB", "permissions.deny"} <= wanted, wanted
    page = re.sub(r"permissions\.allow, \.ask, \.deny", "permissions.allow, permissions.ask, permissions.deny", page)
    page = re.sub(r"routing\.cloud \*\s+Value: url, headers", "routing.cloud.url routing.cloud.headers", page)
    page = page.replace('{"calls": 10, "perMs": 60000}', "rate.calls rate.perMs")
    for name in ("server", "rule", "predicates"):
        if name in defs:
            wanted |= keys(defs[name], defs)
    equal(sorted(key for key in wanted if not re.search(rf"(?<![\w.]){re.escape(key)}(?![\w.]\w)", page)), [])


main()

#!/usr/bin/env python3
"""golden.t - everything that code can reach is in the golden list, and nothing else.

tests/golden/globals.txt is the output of tests/golden/walk.js. An added or missing line fails here;
`tests/integration/golden.t --accept` rewrites the list, and the change is then read in review.
"""

import difflib
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, each, equal, main, test, value_of

GOLDEN = os.path.join(ROOT, "tests/golden")
LIST = os.path.join(GOLDEN, "globals.txt")
ACCEPT = "tests/integration/golden.t --accept"

# Names that must not occur in any path.
FORBIDDEN = """SharedArrayBuffer Atomics WeakRef FinalizationRegistry DisposableStack
    AsyncDisposableStack resize resizable maxByteLength transfer transferToFixedLength detached
    immutable transferToImmutable sliceToImmutable grow growable prepareStackTrace captureStackTrace
    timeOrigin std os bjson scriptArgs gc print __loadScript""".split()


def read(name):
    with open(os.path.join(GOLDEN, name), encoding="utf-8") as file:
        return file.read()


def walked(code):
    found = value_of(code)
    equal(found["faults"], [], "what went wrong on the way")
    return found["lines"]


def as_module(code):
    code = code.replace("const fromModule = {};", 'const fromModule = {"import.meta": import.meta};')
    return f"export default async (args, {{ mcp }}) => {{\n{code}\n}};\n"


def same(found, wanted):
    changes = [line for line in difflib.unified_diff(wanted, found, lineterm="", n=0)
               if re.match(r"[-+](?![-+]{2} )", line)]
    assert not changes, "\n".join(
        [f"{len(changes)} lines changed (- is gone, + is new):", *changes, f"if that is meant: {ACCEPT}"])


@test
def code_can_reach_exactly_what_the_list_has():
    same(walked(read("walk.js")), read("globals.txt").splitlines())


@test
def a_module_can_reach_the_same_and_an_empty_import_meta():
    lines = walked(as_module(read("walk.js")))
    extra = [line for line in lines if line.startswith("import.meta")]
    equal(extra, ["import.meta: object, prototype null"])
    same([line for line in lines if line not in extra], read("globals.txt").splitlines())


@test
def nothing_that_is_forbidden_can_be_reached():
    paths = [line.split(": ")[0] for line in walked(read("walk.js"))]
    words = {word for path in paths for word in re.split(r"[.\s\[\]]+", path)}
    equal(sorted(words & set(FORBIDDEN)), [])


@each({
    "ArrayBuffer": "new ArrayBuffer(1, o)",
    "Reflect.construct": "Reflect.construct(ArrayBuffer, [1, o], Object)",
    "a subclass": "new (class extends ArrayBuffer {})(1, o)",
})
def an_option_that_makes_a_buffer_resizable_is_not_even_read(make):
    equal(value_of("let read = 0; const o = {get maxByteLength() { read++; return 8 }};"
                   f"{make}; return read"), 0)


@test
def the_walk_sees_what_is_added_anywhere():
    for added in ("globalThis.added", "Object.getPrototypeOf(async () => 1).added", "Math.max.added"):
        lines = walked(f"{added} = 1;\n" + read("walk.js"))
        equal(len(set(lines) - set(read("globals.txt").splitlines())), 1, added)


if sys.argv[1:] == ["--accept"]:
    with open(LIST, "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in value_of(read("walk.js"))["lines"])
    sys.exit(0)
main()

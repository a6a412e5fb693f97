#!/usr/bin/env python3
"""edits.t - all edits of the engine and of cJSON are applied, or the build stops and names the failed edit.

Each line that an edit depends on is changed once, in a copy of the engine's source. A different engine
to which all edits apply is tested with a copy whose structs are different, and with a copy in which
a bug of the engine is left.
"""

import glob
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import BUILD, ROOT, contains, equal, main, scratch_dir, test, write_file

EDITS = sorted(glob.glob(os.path.join(ROOT, "third_party/edits/engine/*.edit")))
CJSON = {"own-thread": "cJSON.c", "hidden": "cJSON.h"}
ENGINE = os.path.join(ROOT, "build/engine")
with open(os.path.join(ENGINE, "quickjs.c"), encoding="utf-8") as file:
    SOURCE = file.read()


def apply(source, edits=EDITS):
    with scratch_dir() as scratch:
        path = write_file(os.path.join(scratch, "quickjs.c"), source)
        return subprocess.run([os.path.join(ROOT, "third_party/apply-edits"), path, *edits], capture_output=True, text=True,
                              check=False)


def anchors(edit):
    """The lines of the engine that an edit depends on."""
    with open(edit, encoding="utf-8") as lines:
        text = lines.read().split("\n@@", 1)[1]
    for line in ("@@" + text).splitlines():
        if line.startswith("@@ "):
            yield line[3:]
        elif line[:1] in (" ", "-") and line[1:] != "...":
            yield line[1:]


def compiled(scratch, source):
    """Compiles the engine with this source, without optimisation."""
    write_file(os.path.join(scratch, "quickjs.c"), source)
    return subprocess.run(
        ["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O0", "-w", "-fwrapv", f"-I{ROOT}/runtime", f"-I{scratch}", f"-I{ENGINE}", "-c",
         "-o", os.path.join(scratch, "engine.o"), f"{ROOT}/runtime/engine.c"], capture_output=True, text=True, check=False)


@test
def all_edits_are_made_in_the_engine_that_is_pinned():
    done = apply(SOURCE)
    equal((done.returncode, done.stderr), (0, ""))
    assert len(done.stdout) > len(SOURCE) * 0.99


@test
def a_line_that_is_another_or_twice_stops_the_build_and_names_the_edit():
    lines = SOURCE.split("\n")
    tried = 0
    for edit in EDITS:
        for anchor in dict.fromkeys(anchors(edit)):
            for other in ("", f"{anchor} /* another */"):
                changed = "\n".join(other if line == anchor else line for line in lines)
                done = apply(changed, [edit])
                equal((done.returncode, done.stdout), (1, ""), f"{edit}: {anchor}")
                contains(done.stderr, f"apply-edits: {os.path.basename(edit)}: ", "third_party/README.md")
                tried += 1
    assert tried > 60, tried


@test
def a_line_of_cjson_that_is_another_stops_the_build():
    for name, file in CJSON.items():
        edit = os.path.join(ROOT, f"third_party/edits/cjson/{name}.edit")
        with open(os.path.join(ROOT, "build/cjson", file), encoding="utf-8") as source:
            text = source.read()
        equal(apply(text, [edit]).returncode, 0)
        anchor, = anchors(edit)
        done = apply(text.replace(anchor, anchor + " "), [edit])
        equal((done.returncode, done.stdout), (1, ""))
        contains(done.stderr, f"apply-edits: {name}.edit: ", "third_party/README.md")


@test
def nothing_of_cjson_can_be_seen_from_outside():
    with open(os.path.join(ROOT, "host/base/json.c"), encoding="utf-8") as source:
        assert "cJSON_Parse" in source.read()
    users = [path for path in glob.glob(f"{ROOT}/host/**/*.[ch]", recursive=True)
             if re.search(r"#include.*cJSON|cJSON_", open(path, encoding="utf-8").read())]
    equal([os.path.relpath(path, ROOT) for path in users], ["host/base/json.c"])
    for flags, library in (["-D", "libcaprun.so"], ["-g", "libcaprun.a"]):
        done = subprocess.run(["nm", flags, "--defined-only", os.path.join(BUILD, library)], capture_output=True, text=True,
                              check=True)
        contains(done.stdout, "caprun_new")
        equal([line for line in done.stdout.splitlines() if "cJSON" in line], [])


@test
def a_place_that_is_there_twice_stops_the_build():
    once = "#define ENABLE_DUMPS\n"
    done = apply(SOURCE.replace(once, once * 2))
    equal((done.returncode, done.stdout), (1, ""))
    contains(done.stderr, "no-dumps.edit", "2 times, and not once")


@test
def two_edits_of_one_line_stop_the_build():
    with scratch_dir() as scratch:
        other = write_file(os.path.join(scratch, "other.edit"), "Why.\n\n@@\n-#define ENABLE_DUMPS\n")
        done = apply(SOURCE, [*EDITS, other])
    equal((done.returncode, done.stdout), (1, ""))
    contains(done.stderr, "another edit takes the same line")


@test
def an_engine_with_different_structs_does_not_compile():
    edited = apply(SOURCE).stdout
    for struct, member in (("JSShape", "    uint32_t prop_hash_mask;"), ("JSString", "    uint32_t hash_next;"),
                           ("JSMapRecord", "    struct list_head link;")):
        begins = edited.index(f"struct {struct} {{")
        place = edited.index(member, begins)
        with scratch_dir() as scratch:
            done = compiled(scratch, edited[:place] + "    uint64_t another_field;\n" + edited[place:])
        assert done.returncode != 0, struct
        contains(done.stderr, f"engine: {struct}", "runtime/engine/layout.c")


@test
def an_engine_with_a_mistake_that_an_edit_mends_fails_the_self_test():
    left_out = "async-generator-ends.edit"
    with scratch_dir() as scratch:
        edited = apply(SOURCE, [edit for edit in EDITS if not edit.endswith(left_out)]).stdout
        equal(compiled(scratch, edited).stderr, "")
        check = os.path.join(scratch, "check")
        subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O0", "-w", f"-I{ROOT}/runtime", f"-I{ENGINE}", "-o", check,
                        f"{ROOT}/third_party/engine-check.c", f"{ROOT}/runtime/arena.c", os.path.join(scratch, "engine.o"), "-lm"],
                       check=True)
        done = subprocess.run([check], capture_output=True, text=True, check=False)
    equal(done.returncode, 1, done.stderr)
    equal([line.split(": ")[1] for line in done.stderr.splitlines()], [left_out.removesuffix(".edit")])


main()

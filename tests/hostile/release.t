#!/usr/bin/env python3
"""release.t - the installed worker contains nothing of the test-only worker, and exactly the generated filters.

Every search is also made in the test-only worker, to prove that it can find the text.
"""

import os
import re
import struct
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from plans import run_hooked
from building import installed
from harness import BUILD, each, equal, main, need_program, test, value_of

RELEASE, HOOK = f"{BUILD}/caprun-worker", f"{BUILD}/tests/caprun-worker-hook"
TEXTS = [b"CAPRUN_STEPS", b"CAPRUN_STEPS_LOG", b"fail-allocation", b"int80"]
SYMBOLS = ["__wrap_", "read_environment", "goes_on"]


def content(path):
    with open(path, "rb") as file:
        return file.read()


def symbols(path):
    listed = subprocess.run(["nm", path], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


@each({text.decode(): text for text in TEXTS})
def a_text_of_the_hook_is_in_no_release(text):
    assert text in content(HOOK), "the test-only worker has it"
    assert text not in content(RELEASE)
    assert text not in content(f"{BUILD}/caprun") and text not in content(f"{BUILD}/libcaprun.so")


@each({name: name for name in SYMBOLS})
def a_symbol_of_the_hook_is_in_no_release(name):
    need_program("nm")
    assert any(name in symbol for symbol in symbols(HOOK)), "the test-only worker has it"
    equal([symbol for symbol in symbols(RELEASE) if name in symbol], [])


@test
def there_is_no_native_in_a_release():
    look = "return [typeof native, Object.getOwnPropertyNames(globalThis).includes('native')]"
    equal(value_of(look), ["undefined", False])
    equal(run_hooked(look).envelope["result"], ["object", True], "in the test-only worker")


@test
def environment_and_code_that_steer_the_hook_do_nothing_in_a_release():
    code = "//fail-allocation 1\nreturn 1"
    steps = {**os.environ, "CAPRUN_STEPS": "zygote seccomp=1"}
    equal(value_of(code, env=steps), 1)
    equal(run_hooked(code).envelope["error"]["code"], "MEMORY_LIMIT", "in the test-only worker")


@test
def no_test_worker_is_installed():
    with installed() as prefix:
        found = [os.path.join(where, name) for where, _, names in os.walk(prefix) for name in names]
        assert any(path.endswith("libexec/caprun/caprun-worker") for path in found)
        equal([path for path in found if any(text in content(path) for text in TEXTS)], [])
        equal(content(f"{prefix}/libexec/caprun/caprun-worker"), content(RELEASE))


# --- filters -----------------------------------------------------------------------------------


def filters():
    """The bytes of each filter in filters.h: {"worker": bytes, "zygote": bytes}."""
    text = content(f"{BUILD}/gen/filters.h").decode()
    made = {}
    for name, body in re.findall(r"filter_(\w+)\[\] = \{(.*?)\n\};", text, re.S):
        lines = re.findall(r"\{(\w+), (\d+), (\d+), (\w+)\}", body)
        made[name] = b"".join(struct.pack("=HBBI", int(code, 16), int(t), int(f), int(k, 16))
                              for code, t, f, k in lines)
    return made


@test
def the_filters_in_the_worker_are_those_that_were_made():
    made = filters()
    equal(sorted(made), ["worker", "zygote"])
    for name, code in made.items():
        equal(content(RELEASE).count(code), 1, f"the {name}'s filter")
        changed = code[:-1] + bytes([code[-1] ^ 1])
        equal(content(RELEASE).count(changed), 0, "another filter")


main()

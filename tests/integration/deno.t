#!/usr/bin/env python3
"""deno.t - the Deno binding from outside: its README, permission prompts on a terminal, installation.

The functions of the binding are tested by tests/deno, in Deno.
"""

import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from building import ROOT, installed, read_text
from harness import (SANITIZED, Process, Terminal, contains, equal, main, need, scratch_dir, stretched, test,
                     write_file)

DENO = f"{ROOT}/tests/deno/deno"
BINDING = f"{ROOT}/host/bindings/deno"
PROGRAM = """
import {{ SandboxWorker }} from "{}/mod.ts";
const {{ value }} = await new SandboxWorker(async () => 1).execute("return 'from ' + args.where", {{ where: "inside" }});
console.log(value);
"""


def need_deno():
    need(not SANITIZED, "a sanitized library needs a sanitized program")
    need(os.path.isdir(f"{ROOT}/build/npm-deno"), "there is no Deno; `make test-deno` gets it")


def deno(*words, **options):
    return Process([DENO, *words], **options).end(120)


def readme_blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", read_text("host/bindings/deno/README.md"), re.M | re.S)


@test
def format_lint_types_and_documentation_are_as_deno_wants_them():
    need_deno()
    done = Process([f"{ROOT}/tests/deno/check"]).end(120)
    equal((done.status, done.out), (0, ""), done.err)


@test
def the_example_prints_what_the_readme_shows():
    need_deno()
    shown = next(block for block in readme_blocks("console") if "example.ts" in block)
    command, wanted = shown.split("\n", 1)
    equal(command, "$ deno run --allow-ffi --allow-read example.ts")
    done = deno("run", "--allow-ffi", "--allow-read", "example.ts", cwd=BINDING)
    equal((done.status, done.out, done.err), (0, wanted, ""))


@test
def every_program_in_the_readme_runs():
    need_deno()
    programs = [block for block in readme_blocks("ts") if "import " in block]  # "ts ignore" has paths to fill in
    assert programs
    with scratch_dir() as here:
        for program in programs:
            path = write_file(f"{here}/program.ts", program.replace('"./mod.ts"', f'"{BINDING}/mod.ts"'))
            done = deno("run", "--check", "--quiet", "--allow-ffi", path)
            equal((done.status, done.err), (0, ""), program)


def at_a_terminal(*permissions, asked):
    """Runs a program with these permissions. Returns its output and the terminal's text; answers yes if |asked|."""
    with scratch_dir() as here:
        path = write_file(f"{here}/program.ts", PROGRAM.format(BINDING))
        terminal = Terminal()
        run = Process([DENO, "run", "--quiet", *permissions, path], stdin=terminal.theirs, stderr=terminal.theirs)
        if asked:
            say_yes(terminal)
        run.end(60)
        seen = terminal.text()
    equal(run.status, 0, seen)
    return run.out, seen


def say_yes(terminal):
    terminal.wait_for(b"Allow?", stretched(30))
    for _ in range(30):
        terminal.type(b"y\n")  # Deno discards what was typed before its prompt
        terminal.wait_for(b"Granted", 1)
        if b"Granted" in terminal.seen:
            return


@test
def there_is_no_prompt_for_the_environment():
    """On a terminal Deno asks for each permission that is not granted."""
    need_deno()
    equal(at_a_terminal("--allow-ffi", asked=False), ("from inside\n", ""))


@test
def there_is_one_prompt_for_the_library():
    """The twin: Deno asks for a permission that is not granted."""
    need_deno()
    out, seen = at_a_terminal(asked=True)
    equal((out, seen.count("Allow?")), ("from inside\n", 1), seen)


@test
def the_installed_binding_finds_its_library():
    need_deno()
    with installed() as prefix, scratch_dir() as here:
        folder = f"{prefix}/share/caprun/deno"
        path = write_file(f"{here}/program.ts", PROGRAM.format(folder))
        trace = f"{here}/trace"
        done = Process(["strace", "-f", "-o", trace, "-e", "trace=openat", DENO, "run", "--quiet", "--allow-ffi", path])
        done.end(120)
        equal((done.status, done.out), (0, "from inside\n"), done.err)
        with open(trace, encoding="utf-8") as file:
            opened = re.findall(r'"([^"]*libcaprun\.so\.0)", .* = \d+', file.read())
        equal(set(opened), {f"{prefix}/lib/libcaprun.so.0"})


@test
def the_benchmark_measures_what_it_says():
    need_deno()
    done = deno("run", "--quiet", "--allow-ffi", "--allow-read", "--unstable-worker-options",
                f"{ROOT}/tests/bench/deno/bench.ts", "1")
    equal((done.status, done.err), (0, ""))
    contains(done.out, "Deno worker", "PML's way", "a fresh sandbox", "a call and its answer", " x ")


main()

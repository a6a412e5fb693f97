#!/usr/bin/env python3
"""application.t - libcaprun does not disturb a program with its own signals, threads and children (application.c)."""

import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import BUILD, ROOT, Process, each, equal, main, reap_orphans, scratch_dir, wait_until

FLAGS = {"asan": ["-fsanitize=address,undefined"], "cover": ["--coverage"]}.get(os.path.basename(BUILD), [])
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wmissing-prototypes", "-Werror"]
WHAT = ("handlers", "mask", "cwd", "umask", "limits", "threads", "descriptors", "processors", "priority",
        "process", "environment", "signals", "children", "processes")

folder = scratch_dir()
PROGRAM = f"{folder.name}/application"
subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", *WARNINGS, *FLAGS, f"-I{ROOT}/host", "-o",
                PROGRAM, f"{ROOT}/tests/integration/application.c", f"{BUILD}/libcaprun.a", "-l:libnettle.a",
                "-pthread"], check=True)


def application(*words):
    done = Process([PROGRAM, f"{BUILD}/caprun-worker", *words], stdin=subprocess.PIPE)
    done._popen.stdin.close()
    return done.end(60)


@each({mode: mode for mode in ("counting", "stealing", "ignoring", "blocked")})
def an_application_is_not_disturbed(mode):
    done = application(mode)
    equal((done.out, done.err, done.status), ("children: 64\n", "", 0))


@each({what: what for what in WHAT})
def a_change_of_the_process_would_be_noticed(what):
    done = application("counting", what)
    equal((done.out, done.status), (f"changed: {what}\n", 1))
    wait_until(lambda: not reap_orphans(), 10, "what the mutant has left")


main()

#!/usr/bin/env python3
"""host.t - a host that is started with low resource limits, in a hostile environment, or gets signals at any moment.

Also: a worker's memory contains nothing of the host. Not repeated here: exec.t (closed descriptors,
output that cannot be written), envelope.t (signals to a run), input.t (bad input) and lockdown.t (a
host that is killed). CAPRUN_TORTURE=1 runs the sweeps in full.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (BUILD, SANITIZED, TORTURE, between, caprun, contains, each, equal, main, need, need_program,
                     parse_envelope, proc, reap_orphans, scratch_dir, start, test, value_of, wait_until, write_file)
from library import Library, workers

MIB = 1 << 20
CRASH = "native.poke(0, 0)"


def copied(directory, worker="caprun-worker"):
    """Copies the programs to a place where an ordinary user can run them; the worker may be another one."""
    shutil.copy(f"{BUILD}/{worker}", f"{directory}/caprun-worker")
    return shutil.copy(f"{BUILD}/caprun", directory)


def nothing_is_left():
    wait_until(lambda: not reap_orphans(), 2, "the end of all processes")


# --- low limits ------------------------------------------------------------------------------


def ends_clearly(done, what):
    """Requires a result, or an error with a message. Returns True if it was a result."""
    assert done.status in (0, 70), f"{what}: status {done.status}: {done.err:.500}"
    if done.status == 0:
        equal(done.envelope["success"], True, what)
    else:
        contains(done.err, "caprun: ")
        if done.out:
            equal(done.envelope["error"]["code"], "INTERNAL", what)
    nothing_is_left()
    return done.status == 0


def limited(limit, sizes, **options):
    """Runs with each limit in |sizes|; returns the limits that were enough."""
    need_program("prlimit")
    options = {"code": "return 1", **options}
    under = options.pop("under", [])
    return [size for size in sizes
            if ends_clearly(caprun("exec", "-", "--json", "--memory", "16m", **options,
                                   under=[*under, "prlimit", f"--{limit}={size}"]), f"{limit}={size}")]


@test
def with_too_few_descriptors_there_is_a_clear_end():
    enough = limited("nofile", range(4, 24))
    assert enough and enough == list(range(enough[0], 24)), enough


def some(low, high, step, torture_step):
    return range(low, high, torture_step if TORTURE else step)


@each({
    "small": {"code": "return 1"},
    "a large code": {"code": "return 1//" + "x" * 900000},
    "a large result": {"code": "return 'x'.repeat(3e6)"},
    "many logs": {"code": "for (let i = 0; i < 5000; i++) console.log('x'.repeat(100)); return 1"},
})
def with_too_little_memory_there_is_a_clear_end(options):
    need(not SANITIZED, "a sanitizer needs terabytes")
    enough = limited("as", some(6 * MIB, 44 * MIB, 3 * MIB, MIB // 4), **options)
    assert enough, "never enough"


@test
def with_too_few_processes_there_is_a_clear_end():
    if os.geteuid() != 0:  # the number of processes that this user has already is unknown
        limited("nproc", range(0, 4))
        return
    with scratch_dir() as directory:
        other = ["setpriv", "--reuid=65432", "--regid=65432", "--clear-groups"]
        enough = limited("nproc", range(0, 8), program=copied(directory), under=other)
    assert enough and 0 not in enough, enough


@test
def a_crash_leaves_no_core_file():
    need_program("prlimit")
    with scratch_dir() as directory:
        program = copied(directory, "tests/caprun-worker-hook")
        os.chmod(directory, 0o777)
        before = sorted(os.listdir(directory))
        unlimited = ["prlimit", "--core=unlimited"]
        done = caprun("exec", "-", "--json", code=CRASH, program=program, cwd=directory, under=unlimited)
        equal((done.status, done.envelope["error"]["code"]), (9, "WORKER_TERMINATED"))
        equal(sorted(os.listdir(directory)), before)
        with open("/proc/sys/kernel/core_pattern", encoding="utf-8") as file:
            pattern = file.read()
        if pattern[0] not in "|/" and not SANITIZED:  # the twin: another program that crashes here leaves one
            subprocess.run([*unlimited, sys.executable, "-c", "import os; os.abort()"], cwd=directory, check=False)
            assert sorted(os.listdir(directory)) != before, "no core file"


# --- a hostile environment -------------------------------------------------------------------

LISTENER = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void say(void)
{
    char line[64];
    int fd = open("MARK", O_WRONLY | O_APPEND | O_CREAT, 0666), n = snprintf(line, 64, "%d\\n", (int)getpid());
    if (fd >= 0)
        (void)!write(fd, line, (size_t)n);
}
"""


@test
def a_library_that_is_loaded_into_the_host_is_not_loaded_into_the_worker():
    need_program("gcc")
    need(not SANITIZED, "a sanitizer has to be loaded first")
    with scratch_dir() as directory:
        source = write_file(f"{directory}/x.c", LISTENER.replace("MARK", f"{directory}/mark"))
        subprocess.run(["gcc", "-shared", "-fPIC", "-o", f"{directory}/x.so", source], check=True)
        env = {"LD_PRELOAD": f"{directory}/x.so", "LD_LIBRARY_PATH": directory, "LD_AUDIT": f"{directory}/x.so"}
        done = start("exec", "-", code="return 1", env=env).end()
        equal((done.status, done.out), (0, "1\n"))
        with open(f"{directory}/mark", encoding="utf-8") as file:
            equal(set(file.read().split()), {str(done.pid)}, "processes that loaded it")


ENVIRONMENTS = {
    "places of libraries": {"GCONV_PATH": "{d}", "LD_LIBRARY_PATH": "{d}", "LOCPATH": "{d}", "NLSPATH": "{d}/%N"},
    "the allocator": {"MALLOC_ARENA_MAX": "1", "MALLOC_PERTURB_": "255", "MALLOC_CHECK_": "3", "MALLOC_TOP_PAD_": "1",
                      "GLIBC_TUNABLES": "glibc.malloc.check=3"},
    "places": {"TMPDIR": "{d}", "HOME": "{d}", "XDG_CACHE_HOME": "{d}", "PWD": "/nonexistent", "PATH": ""},
    "the terminal": {"TERM": "\x1b]0;evil\x07", "NO_COLOR": "1", "FORCE_COLOR": "3", "COLUMNS": "-1",
                     "LINES": "99999999999"},
    "languages": {"LANG": "tr_TR.UTF-8", "LC_ALL": "../../../etc/passwd", "LANGUAGE": "\x1b[31m",
                  "TZ": "../../etc/passwd"},
    "engines": {"NODE_OPTIONS": "--require=x", "QUICKJS_MEMORY": "1", "CAPRUN_WORKER": "/bin/sh",
                "CAPRUN_BUILD": "/tmp"},
    "a mebibyte": {f"V{n}": "x" * 100000 for n in range(10)} | {"\x1b": "\x1b", "=": "=", "BASH_FUNC_x%%": "() { :; }"},
}


@each(ENVIRONMENTS)
def the_environment_changes_nothing_and_nothing_is_written_for_it(env):
    code = "console.log('é', new Date(0).toString(), (1.5).toLocaleString(), 'i'.toLocaleUpperCase()); null.x"
    with scratch_dir() as directory, scratch_dir() as elsewhere:
        path = write_file(f"{elsewhere}/x.js", code)
        env = {name: value.replace("{d}", directory) for name, value in env.items() if "=" not in name}
        plain, hostile = (caprun("exec", path, env=e, cwd=directory) for e in ({}, env))
        equal((hostile.status, hostile.out, hostile.err), (plain.status, plain.out, plain.err))
        contains(plain.err, "é Thu Jan 01 1970 00:00:00 GMT+0000 1.5 I", "TypeError")
        state = f"{directory}/.local/state/caprun"  # the audit, and a journal
        equal([place for place, _, names in os.walk(directory) if names], [state, f"{state}/runs"] if "HOME" in env else [])


# --- words and input -------------------------------------------------------------------------


@each({
    "a word of 100,000 letters": ["exec", "x" * 100000],
    "args of 100,000 letters that are no JSON": ["exec", "-", "{" * 100000],
    "20,000 words": ["exec", "-", *["x" * 50] * 20000],
    "an option of 100,000 letters": ["exec", "-", "--" + "x" * 100000],
    "escapes": ["exec", "\x1b[31m" * 10000],
})
def huge_arguments_are_one_error_of_bounded_length(words):
    done = caprun(*words, code="return 1")
    equal((done.status, done.out), (2, ""))
    between(len(done.err), 10, 8192, "letters of the error")
    assert "\x1b" not in done.err, done.err[:200]


@test
def large_args_are_fine():
    data = json.dumps({"text": "é" * (5 * MIB)}, ensure_ascii=False)
    with scratch_dir() as directory:
        code = write_file(f"{directory}/x.js", "return args.text.length")
        equal(caprun("exec", code, write_file(f"{directory}/args.json", data)).out, f"{5 * MIB}\n", "a file")
        equal(caprun("exec", code, "-", code=data).out, f"{5 * MIB}\n", "standard input")
    equal(value_of("return args.a.length", args=json.dumps({"a": "x" * 100000})), 100000, "a word")


# --- signals ---------------------------------------------------------------------------------

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def at_moment(seconds, number, code):
    """Sends a signal after this time from the start. Returns the exit status."""
    running = start("exec", "-", "--json", code=code)
    while time.monotonic() < running.started + seconds:
        pass
    running.send(number)
    done = running.end()
    if not done.out:
        assert done.status in (-number, 128 + number), done.status
    elif parse_envelope(done.out)["success"]:
        assert done.status in (0, -number), done.status  # the signal may come after the end of the run
    else:
        equal((done.status, done.envelope["error"]["code"]), (128 + number, "CANCELLED"))
    nothing_is_left()
    return done.status


@test
def a_signal_at_any_moment_is_a_clear_end():
    seen = set()
    for step in range(51):
        for number in SIGNALS if TORTURE else SIGNALS[step % 3:][:1]:
            try:
                seen.add(at_moment(step * 0.0008, number, "await new Promise(r => setTimeout(r, 10)); return 1") > 0)
            except AssertionError as failure:
                raise AssertionError(f"signal {number} after {step * 0.8:.1f} ms: {failure}") from None
    assert True in seen, "none came while it ran"


# --- what is in a worker's memory ------------------------------------------------------------


def memory_of(pid):
    """All readable memory of a process, as bytes."""
    parts = []
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
        for line in proc(pid, "maps").splitlines():
            begin, end, mode = re.match(r"([0-9a-f]+)-([0-9a-f]+) (\S+)", line).groups()
            if "r" in mode and "[v" not in line:
                file.seek(int(begin, 16))
                parts.append(file.read(int(end, 16) - int(begin, 16)))
    return b"\0".join(parts)


def found(pid, words):
    memory = memory_of(pid)
    assert len(memory) > 100000, len(memory)
    forms = {name: {word.encode(), word.encode("utf-16-le")} for name, word in words.items()}
    return {name for name, spelled in forms.items() if any(form in memory for form in spelled)}


@test
def nothing_of_the_host_or_of_another_run_is_in_a_worker_s_memory():
    need(os.geteuid() == 0, "only root may read the memory of a worker")
    words = {name: f"{name}-{os.urandom(12).hex()}" for name in ("environment", "before", "other", "own")}
    words |= {"path of the worker": BUILD, "path of the host": os.path.dirname(sys.executable) + "/python",
              "path of the test": os.path.abspath(__file__), "its own name": "own_marker_of_the_code"}
    os.environ["CAPRUN_HOST_SECRET"] = words["environment"]
    code = "const own_marker_of_the_code = args.secret; await mcp.a.b({own_marker_of_the_code}); return 1"
    asked = []
    with Library(asked.append, warm=2, memory=32 * MIB) as library:
        equal(library.execute("return args.length", args=json.dumps(words["before"]))["result"], len(words["before"]))
        library.settle()
        runs = [library.start(code, args=json.dumps({"secret": words[name]})) for name in ("other", "own")]
        library.step_until(lambda: len(asked) == 2 and len(workers()) == 4, 20, "two that run and two that wait")
        zygote = library.zygote()
        seen = {pid: found(pid, words) for pid in [zygote, *workers()]}
        running = [pid for pid in workers() if "other" in seen[pid] or "own" in seen[pid]]
        equal(sorted(sorted(seen[pid]) for pid in running), [["its own name", "other"], ["its own name", "own"]])
        equal({str(pid): names for pid, names in seen.items() if pid not in running and names}, {})
        if not SANITIZED:  # its shadow memory is terabytes
            assert {"environment", "own", "path of the test"} <= found(os.getpid(), words), "the host has them"
        for call in asked:
            equal(call.reply("1"), 0)
        equal([json.loads(library.finish(run))["result"] for run in runs], [1, 1])


main()

"""plans.py - runs with the test-only worker, whose lock-down fails or skips steps as a plan says.

A plan is {step: errno or SKIP}; tests/worker/steps.c defines the names of steps. The code has
`native`, and native_code() adds functions for the usual system calls.
"""

import atexit
import os
import re
import shutil

from harness import BUILD, NOBODY, ROOT, Process, scratch_dir, write_file

SKIP = "skip"
# network, IPC, UTS and cgroup namespaces: all at once, and if that fails each separately
OTHER_NAMESPACES = [f"program unshare {flags}" for flags in ("0x4e000000", "0x40000000", "0x8000000", "0x4000000",
                                                             "0x2000000")]
IS_ROOT = os.geteuid() == 0
# The steps differ: only root changes its uid. Each kind of user, and the command that starts a run as it.
USERS = {"root": [], "user": NOBODY} if IS_ROOT else {"user": []}
LOG_BYTES = 65536

_directory = scratch_dir()
atexit.register(_directory.cleanup)
PROGRAM = shutil.copy(os.path.join(BUILD, "caprun"), _directory.name)
_hook = shutil.copy(os.path.join(BUILD, "tests/caprun-worker-hook"), _directory.name)
_log = os.path.join(_directory.name, "log")
WORKER = os.path.join(_directory.name, "caprun-worker")  # make_worker() makes it


def words_of(name):
    """The texts of a list in wire.h: {"DESCRIPTORS": "cannot close every other descriptor"}."""
    with open(os.path.join(ROOT, "runtime/wire.h"), encoding="utf-8") as file:
        text = re.search(rf"#define {name}\(XX\)(.*?[^\\])\n", file.read(), re.S)[1]
    return dict(re.findall(r'XX\((\w+), \d+,\s*"([^"]*)"\)', text))


LAYERS = words_of("WIRE_LAYER_MAP")


def make_worker(plan=None):
    """Makes the worker that PROGRAM finds; it is locked down as |plan| says."""
    text = "; ".join(f"{step}={what}" for step, what in (plan or {}).items())
    write_file(_log, b"\0" * LOG_BYTES)
    os.chmod(_log, 0o666)
    write_file(WORKER, f"#!/bin/sh\nCAPRUN_STEPS_LOG={_log} CAPRUN_STEPS='{text}' exec {_hook} \"$@\"\n")
    os.chmod(WORKER, 0o755)


def start_hooked(code, plan=None, words=(), under=(), options=("--json", "-v")):
    """Starts a run of |code| in such a worker."""
    make_worker(plan)
    return Process([*under, PROGRAM, "exec", "-", *options, *words], stdin=code)


def run_hooked(code, plan=None, **options):
    return start_hooked(code, plan, **options).end()


def steps_taken():
    """The steps of the last run, in order."""
    with open(_log, "rb") as file:
        return file.read()[8:].rstrip(b"\0").decode().splitlines()


def missing_layers(process):
    """What -v prints about the sandbox: {layer: why it is missing}."""
    lines = [line for line in process.err.splitlines() if line.startswith("caprun: sandbox: ")]
    assert len(lines) == 1, f"one line about the sandbox: {process.err:.1000}"
    text = lines[0].removeprefix("caprun: sandbox: ")
    if text == "every layer is there":
        return {}
    parts = text.removeprefix("missing: ").split("; ")
    return dict(re.fullmatch(r"(.*) \((.*?)\)", part).groups() for part in parts)


# --- code that makes system calls ------------------------------------------------------------

# name: (x86-64, the numbers that newer architectures share)
NUMBERS = {
    "write": (1, 64), "openat": (257, 56), "dup": (32, 23), "mmap": (9, 222), "mprotect": (10, 226),
    "getpid": (39, 172), "getppid": (110, 173), "socket": (41, 198), "connect": (42, 203),
    "bind": (49, 200), "clone": (56, 220), "kill": (62, 129), "getuid": (102, 174),
    "setuid": (105, 146), "chroot": (161, 51), "prctl": (157, 167), "getrlimit": (97, 163),
    "exit_group": (231, 94), "memfd_create": (319, 279), "shmget": (29, 194),
    "readlinkat": (267, 78), "wait4": (61, 260), "mkdirat": (258, 34),
}
_column = 0 if os.uname().machine == "x86_64" else 1
_PRELUDE = """
const NR = %s, AT_FDCWD = -100;
const call = (name, ...args) => Number(native.syscall(NR[name], ...args));
const bytes = (text) => Uint8Array.from([...text, "\\0"].map((c) => c.charCodeAt(0)));
const open = (path, flags = 0, mode = 0) => call("openat", AT_FDCWD, bytes(path), flags, mode);
"""


def native_code(body):
    """|body| with call(name, ...args), open(path, flags), bytes(text), which return the kernel's results."""
    return _PRELUDE % {name: both[_column] for name, both in NUMBERS.items()} + body

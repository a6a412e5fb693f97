#!/usr/bin/env python3
"""sweep.t - every system call number through every entry (syscall, x32, int 0x80), each in a new worker: it must
kill the worker, unless it is one of the three calls that a worker may make.

CAPRUN_TORTURE=1 tries all numbers for the entries that are always closed, too, instead of a sample.
"""

import os
import platform
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TORTURE, each, equal, main, need, stretched, test
from hook import NO_CALL, end_of, number_of, watched

X86_64 = platform.machine() == "x86_64"
NUMBERS = range(1024)
ABOVE = [1024, 2047, 4095, 65535, 2**24, 2**30 - 1, 2**31 - 1, 2**31, 2**32 - 1, -1, -2, -4096]
X32 = 0x40000000
SIGSYS, SIGSEGV = "signal 31,", "signal 11,"
# From 6.14 on the kernel does not ask the filter about these calls; outside of a uprobe they do nothing.
EXEMPT = (335, 336) if X86_64 else ()
INTERESTING = [number for name in (
    "read", "write", "exit_group", "open", "openat", "execve", "fork", "clone", "clone3", "ptrace", "kill", "socket",
    "connect", "mmap", "mprotect", "prctl", "seccomp", "rt_sigreturn", "io_uring_setup", "bpf", "process_vm_readv",
    "memfd_create", "pidfd_getfd", "userfaultfd", "close", "dup", "sendmsg", "recvmsg")
    if (number := number_of(name)) != NO_CALL]
SAMPLE = NUMBERS if TORTURE else sorted({*NUMBERS[::16], *INTERESTING})


def code_of(door, number, arg):
    return f"return {door}({number}n, {', '.join([str(arg)] * 6)})"


def killed(envelope, *signals):
    code, words = end_of(envelope)
    return code == "WORKER_TERMINATED" and any(signal in words for signal in signals)


def may_be(number, arg):
    """The (code, message) of a call that is allowed, or None if it must end with SIGSYS."""
    if arg == 3 and number == number_of("write"):
        return "SUCCESS", -14  # 3 is a valid descriptor, but not a valid address
    if arg == 3 and number == number_of("read"):
        return "EXECUTION_TIMEOUT", "Execution timeout after "
    if number == number_of("exit_group"):
        return "WORKER_TERMINATED", f"the worker left with status {arg}: "
    return None


def check(number, arg, envelope):
    if number in EXEMPT:
        code, words = end_of(envelope)
        harmless = code == "SUCCESS" and (words is None or words < 0)
        assert harmless or killed(envelope, SIGSYS, SIGSEGV, "signal 4,", "signal 5,"), f"{number}: {code} {words}"
    elif expected := may_be(number, arg):
        code, words = end_of(envelope)
        assert code == expected[0] and str(words).startswith(str(expected[1])), f"{number}({arg}): {code} {words}"
    else:
        assert killed(envelope, SIGSYS), f"{number}({arg}): {end_of(envelope)}"


def sweep(door, numbers, arg, look):
    with watched() as host:
        ends = host.ends_of((code_of(door, number, arg) for number in numbers), timeout_ms=int(stretched(2000)))
        for number, envelope in zip(numbers, ends):
            look(number, arg, envelope)


@each({"of zeros": 0, "of threes": 3})
def every_system_call_kills_but_three(arg):
    sweep("native.syscall", [*NUMBERS, *ABOVE], arg, check)


@test
def a_number_is_what_the_kernel_takes_it_for():
    """The kernel uses only the low 32 bits, and the filter sees the same number."""
    high = {2**32 + number: number for number in INTERESTING}
    sweep("native.syscall", list(high), 0, lambda number, arg, envelope: check(high[number], arg, envelope))


@each({"of zeros": 0, "of threes": 3})
def every_system_call_of_x32_kills(arg):
    need(X86_64, "another machine has no x32")

    def look(number, arg, envelope):
        assert killed(envelope, SIGSYS), f"{number - X32}({arg}): {end_of(envelope)}"

    sweep("native.syscall", [X32 + number for number in SAMPLE], arg, look)


@each({"of zeros": 0, "of threes": 3})
def every_system_call_of_32_bits_kills(arg):
    need(X86_64, "another machine has no int 0x80")

    def look(number, arg, envelope):  # a kernel without support for 32-bit programs raises SIGSEGV
        assert killed(envelope, SIGSYS, SIGSEGV), f"{number}({arg}): {end_of(envelope)}"

    sweep("native.int80", SAMPLE, arg, look)


@test
def the_allowed_system_calls_work():
    with watched() as host:
        codes = ["send(frame(DONE, 0, '1')); leave(0)", "send(frame(DONE, 0, '2')); stop()",
                 "send(call(1, 'echo', 'it')); const n = read(4096).length; send(frame(DONE, 0, `${n}`)); stop()"]
        equal([end_of(envelope) for envelope in host.ends_of(codes)],
              [("SUCCESS", 1), ("SUCCESS", 2), ("SUCCESS", 32 + 8 + 2)])


main()

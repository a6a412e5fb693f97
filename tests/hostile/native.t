#!/usr/bin/env python3
"""native.t - native code damages its own worker in many ways; the host must still work after each.

CAPRUN_TORTURE=1 tries ten times as many seeds.
"""

import json
import os
import platform
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TORTURE, contains, each, equal, main, need, proc, stretched, test
from hook import Hooked, end_of, watched
from library import WARM_NONE, workers

SEEDS = 10000 if TORTURE else 1000
STATUSES = range(256)


# --- exit statuses ---------------------------------------------------------------------------


@test
def no_exit_status_is_an_outcome():
    with watched() as host:
        ends = map(end_of, host.ends_of(f"leave({status})" for status in STATUSES))
        for status, (code, words) in zip(STATUSES, ends):
            equal(code, "WORKER_TERMINATED", f"status {status}")
            contains(words, f"the worker left with status {status}: ")


@test
def no_exit_status_changes_what_was_said_before():
    said = ["send(frame(DONE, 0, '[7]'))", "send(threw())", "send(frame(FULL))"]
    wanted = ["SUCCESS", "CODE_ERROR", "MEMORY_LIMIT"]
    with watched() as host:
        ends = map(end_of, host.ends_of(f"{said[status % 3]}; leave({status})" for status in STATUSES))
        for status, (code, _) in zip(STATUSES, ends):
            equal(code, wanted[status % 3], f"status {status}")


# --- system calls ----------------------------------------------------------------------------

# With meaningful arguments; sweep.t makes all calls with meaningless ones.
CALLS = {
    "its own descriptor": r"""
        close_range, 0, -1, 0
        dup3, 3, 4, 0
        fcntl, 3, 0, 10
        sendto, 3, new Uint8Array(8), 8, 0, 0
        recvmsg, 3, new Uint8Array(56), 0
        recvfrom, 3, new Uint8Array(8), 8, 0, 0
        readv, 3, new Uint8Array(16), 1
        pread64, 3, new Uint8Array(8), 8, 0
        pwrite64, 3, new Uint8Array(8), 8, 0
        sendfile, 3, 3, 0, 8
        splice, 3, 0, 3, 0, 8, 0
        getsockname, 3, new Uint8Array(64), new Uint8Array(4)
        getpeername, 3, new Uint8Array(64), new Uint8Array(4)
        getsockopt, 3, 1, 17, new Uint8Array(16), new Uint8Array(4)
        ioctl, 3, 0x541b, new Uint8Array(4)
        fstat, 3, new Uint8Array(256)
    """,
    "files and mounts": r"""
        open, bytes('/etc/passwd\0'), 0
        openat2, -100, bytes('/etc/passwd\0'), new Uint8Array(24), 24
        creat, bytes('/x\0'), 511
        name_to_handle_at, -100, bytes('/\0'), new Uint8Array(64), new Uint8Array(4), 0
        open_by_handle_at, -100, new Uint8Array(64), 0
        memfd_secret, 0
        mount, 0, bytes('/\0'), 0, 0x1000, 0
        umount2, bytes('/\0'), 2
        pivot_root, bytes('.\0'), bytes('.\0')
        chroot, bytes('/\0')
        fsopen, bytes('tmpfs\0'), 0
        open_tree, -100, bytes('/\0'), 1
        move_mount, -100, bytes('/\0'), -100, bytes('/\0'), 0
    """,
    "sockets": r"""
        socketpair, 1, 1, 0, new Uint8Array(8)
        connect, 3, new Uint8Array(16), 16
        bind, 3, new Uint8Array(16), 16
        accept4, 3, 0, 0, 0
    """,
    "processes": r"""
        execveat, -100, bytes('/bin/sh\0'), 0, 0, 0
        fork
        vfork
        clone, 17, 0, 0, 0, 0
        clone, 0x10f00, 0, 0, 0, 0
        ptrace, 0, 0, 0, 0
        process_vm_readv, 1, new Uint8Array(16), 1, new Uint8Array(16), 1, 0
        process_vm_writev, 1, new Uint8Array(16), 1, new Uint8Array(16), 1, 0
        process_madvise, 3, new Uint8Array(16), 1, 4, 0
        kcmp, 1, 1, 0, 0, 0
        kill, 0, 9
        kill, -1, 9
        tgkill, 1, 1, 9
        tkill, 1, 9
        rt_sigqueueinfo, 1, 9, new Uint8Array(128)
        getppid
        getpid
        pidfd_open, 1, 0
        pidfd_getfd, 3, 0, 0
        pidfd_send_signal, 3, 9, 0, 0
        exit, 0
    """,
    "what holds it": r"""
        prctl, 4, 1, 0, 0, 0
        prctl, 22, 0, 0, 0, 0
        prctl, 15, bytes('name\0'), 0, 0, 0
        arch_prctl, 0x1002, 0
        seccomp, 2, 0, new Uint8Array(16)
        rt_sigreturn
        rt_sigaction, 31, new Uint8Array(32), 0, 8
        rt_sigprocmask, 0, new Uint8Array(8), 0, 8
        sigaltstack, new Uint8Array(24), 0
        setns, 3, 0
        setuid, 0
        setresuid, 0, 0, 0
        capset, new Uint8Array(8), new Uint8Array(24)
        landlock_create_ruleset, 0, 0, 1
        landlock_add_rule, 3, 1, 0, 0
        landlock_restrict_self, 3, 0
        prlimit64, 0, 9, new Uint8Array(16), 0
        setrlimit, 9, new Uint8Array(16)
        personality, 0x0040000
        iopl, 3
        ioperm, 0, 8, 1
    """,
    "the kernel": r"""
        io_uring_enter, 3, 1, 0, 0, 0, 0
        io_uring_register, 3, 0, 0, 0
        io_setup, 1, new Uint8Array(8)
        bpf, 0, new Uint8Array(64), 64
        perf_event_open, new Uint8Array(128), 0, -1, -1, 0
        keyctl, 0, -3, 0, 0, 0
        add_key, bytes('user\0'), bytes('x\0'), bytes('x'), 1, -3
        request_key, bytes('user\0'), bytes('x\0'), 0, -3
        clock_gettime, 0, new Uint8Array(16)
        clock_settime, 0, new Uint8Array(16)
        nanosleep, new Uint8Array(16), 0
        timer_create, 0, 0, new Uint8Array(8)
        setitimer, 0, new Uint8Array(32), 0
        futex, new Uint8Array(4), 0, 0, 0
        sched_setaffinity, 0, 8, new Uint8Array(8)
        sched_yield
        getrandom, new Uint8Array(8), 8, 0
        uname, new Uint8Array(512)
        getcpu, new Uint8Array(4), 0, 0
        restart_syscall
        reboot, 0xfee1dead, 672274793, 0, 0
        init_module, 0, 0, 0
        kexec_load, 0, 0, 0, 0
    """,
    "memory": r"""
        userfaultfd, 1
        mmap, 0, 4096, 5, 0x22, -1, 0
        mmap, 0, 4096, 3, 0x22, -1, 0
        mprotect, native.address(new Uint8Array(8192)) & ~4095n, 4096, 7
        pkey_mprotect, native.address(new Uint8Array(8192)) & ~4095n, 4096, 5, -1
        mremap, native.address(new Uint8Array(8192)) & ~4095n, 4096, 8192, 1, 0
        munmap, 0, 4096
        brk, 0
        remap_file_pages, 0, 4096, 0, 0, 0
        modify_ldt, 0, 0, 0
    """,
}


@each(CALLS)
def a_call_kills_whatever_it_is_for(lines):
    calls = [line.strip() for line in lines.strip().splitlines()]
    with watched() as host:
        ends = host.ends_of(f"return native.syscall(NR.{call})" for call in calls)
        for call, (code, words) in zip(calls, map(end_of, ends)):
            equal(code, "WORKER_TERMINATED", call)
            contains(words, "killed by signal 31,")
        equal(end_of(host.execute("return native.syscall(NR.write, 3, bytes('x'), 0)")), ("SUCCESS", 0))


# --- its memory, at random -------------------------------------------------------------------

POKE = r"""
let state = args.seed * 2654435761 % 4294967296 || 1;
const random = (below) => {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) % below;
};
const thing = (i) => ({i, text: 'x'.repeat(i), list: [i, {}], f: (a) => a + i, map: new Map([[i, i]])});
const things = Array.from({length: 50}, (_, i) => thing(i));
const here = native.address(new Uint8Array(64));
const words = new BigInt64Array(native.peek(here - 2048n, 4096).buffer);
const near = [...words].filter((word) => word > 2n ** 32n && word < 2n ** 47n && word % 16n === 0n);
const times = args.seed & 16 ? 1 : [1, 4, 32, 512][args.seed % 4];
const width = args.seed & 16 ? 48 : [16, 256, 4096, 32768][(args.seed >> 2) % 4];
for (let i = 0; i < times; i++) {
    const to = args.seed & 16 && near.length ? near[random(near.length)] : here;
    native.poke(to + BigInt(random(width)) - (args.seed & 32 ? BigInt(width >> 1) : 0n), random(256));
}
console.log(things[random(50)], new Error('e').stack);
try { await mcp.echo.it({things: things.map((thing) => thing.text)}); } catch {}
things.sort((a, b) => b.text.localeCompare(a.text));
things.push(...things.map((thing) => structuredClone({list: thing.list, map: thing.map})));
await new Promise((done) => setTimeout(done, 1));
return [things.length, 'abc'.replace(/b/g, () => things[3].f(1)), JSON.stringify(things).length, new Set(things).size];
"""
ENDS = {"SUCCESS", "CODE_ERROR", "WORKER_TERMINATED", "EXECUTION_TIMEOUT", "CPU_TIMEOUT", "MEMORY_LIMIT",
        "OUTPUT_LIMIT", "STALLED", "RPC_ERROR", "RPC_TIMEOUT", "TOOL_ERROR", "CALL_LIMIT", "PERMISSION_DENIED"}


@test
def a_heap_with_random_bytes_in_it_harms_no_other_run():
    """Each seed has different code: code that crashed three times would be refused."""
    seen = {}
    with watched(32768) as host:
        codes = (POKE.replace("args.seed", str(seed)) for seed in range(SEEDS))
        ends = host.ends_of(codes, at_once=16, timeout_ms=int(stretched(1000)), memory_mib=32)
        for number, envelope in enumerate(ends):
            code, words = end_of(envelope)
            assert code in ENDS, f"seed {number}: {code} {words}"
            seen[code] = seen.get(code, 0) + 1
            if number % 50 == 0:
                host.is_well()
    print(f"# {seen}")
    assert {"SUCCESS", "WORKER_TERMINATED"} <= set(seen), f"it does not reach far: {seen}"


# --- its code --------------------------------------------------------------------------------

ARM = platform.machine() == "aarch64"
TRAPS = {"SIGILL": ([0, 0, 0, 0] if ARM else [0x0F, 0x0B], 4), "SIGTRAP": ([0, 0, 0x20, 0xD4] if ARM else [0xCC], 5)}
FIND = """
const {from, size} = await mcp.where.it(), code = native.peek(BigInt(from), size), wanted = %s;
const at = code.findIndex((_, i) => i %% %d === 0 && wanted.every((byte, j) => code[i + j] === byte));
if (at < 0) throw new Error('not there');
native.jump(BigInt(from) + BigInt(at));
"""


def code_of_worker():
    """(address, size) of the program's own instructions in the only worker."""
    (worker,) = workers()
    (line,) = [line for line in proc(worker, "maps").splitlines() if " r-xp " in line and "caprun-worker" in line]
    first, last = (int(word, 16) for word in line.split()[0].split("-"))
    return first, last - first


class Telling(Hooked):
    """Answers a call with the address of the worker's code, which the worker cannot find out itself."""

    def __init__(self):
        super().__init__(warm=WARM_NONE)
        self.answer = self._told

    def _told(self, call):
        first, size = code_of_worker()
        call.reply(json.dumps({"from": str(first), "size": size}))


def need_maps():
    need(os.geteuid() == 0, "only root may look at the maps of a worker")


@test
def its_own_code_can_be_read_and_not_written():
    need_maps()
    with Telling() as host:
        read = "const {from} = await mcp.where.it(); return native.peek(BigInt(from), 16).length"
        equal(host.execute(read)["result"], 16)
        code, words = end_of(host.execute("const {from} = await mcp.where.it(); native.poke(BigInt(from), 0xc3)"))
        equal(code, "WORKER_TERMINATED")
        contains(words, "signal 11,")
        equal(host.execute(read)["result"], 16)


@each(TRAPS)
def an_instruction_that_traps_is_a_crash(trap):
    need_maps()
    instruction, signal = trap
    with Telling() as host:
        code, words = end_of(host.execute(FIND % (instruction, 4 if ARM else 1)))
        equal(code, "WORKER_TERMINATED", words)
        contains(words, f"signal {signal},")
        equal(host.execute("return 1")["result"], 1)


main()

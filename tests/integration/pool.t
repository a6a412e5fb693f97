#!/usr/bin/env python3
"""pool.t - which run gets a worker and when, where workers come from, and what happens when they are killed."""

import ctypes
import json
import os
import re
import resource
import select
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, is_zombie, main, proc, test, wait_until
from library import (CRASHES, E_BUSY, E_STATE, E_TOOBIG, HOLD, READY, RUNNING, WAITING, WARM_NONE, WORKERS, ZYGOTES,
                     Library, cancelled, descriptors, error_code, ignore, kill, workers, zygotes)

MIB = 1 << 20


# --- the order of runs -----------------------------------------------------------------------


@each({"none is ready": WARM_NONE, "one is ready": 1})
def runs_start_in_the_order_of_caprun_start(warm):
    started = []
    hear = lambda run, event, _call: event == "STARTED" and started.append(run)
    with Library(hear=hear, warm=warm, max_workers=1) as library:
        together = [library.start(f"return {n}") for n in range(20)]
        wanted = [run.value for run in together]
        for n, run in enumerate(together):
            equal(json.loads(library.finish(run))["result"], n)
        equal(started, wanted, "order")


@test
def no_more_runs_have_a_worker_than_may_and_the_first_come_first():
    together, unfinished = [], []

    def hear(run, event, _call):
        if event == "STARTED":
            earlier = together[:[r.value for r in together].index(run)]
            unfinished.append(sum(not library.lib.caprun_done(r) for r in earlier))

    with Library(hear=hear, max_workers=3) as library:
        together += [library.run(f"return {n}") for n in range(30)]
        for run in together:
            equal(library.lib.caprun_start(run), 0)
            assert library.count(RUNNING) <= 3, library.count(RUNNING)
        while not all(map(library.lib.caprun_done, together)):
            library.step(1)
            assert library.count(RUNNING) <= 3, library.count(RUNNING)
        equal(len(unfinished), 30)
        assert max(unfinished) <= 2, unfinished
        for run in together:
            library.finish(run)


@test
def those_that_are_ready_count_as_workers_too():
    with Library(ignore, warm=3, max_workers=3) as library:
        held = []
        library.lib.caprun_warm(library.runtime)
        library.settle()
        for ready in (2, 1, 0):
            held.append(library.start(HOLD))
            library.wait_for(held[-1], ("CALL", 1))
            equal((library.count(READY), len(workers())), (ready, 3))
        other = library.start("return 1")
        equal((library.count(WAITING), library.count(WORKERS)), (1, 3))
        cancelled(library, *held)
        equal(json.loads(library.finish(other))["result"], 1)
        library.settle()


@test
def runs_queue_when_all_together_may_not_use_more_memory():
    with Library(ignore, memory=64 * MIB, max_memory=128 * MIB) as library:
        held = [library.start(HOLD) for _ in range(5)]
        equal((library.count(RUNNING), library.count(WAITING)), (2, 3))
        library.wait_for(held[1], ("CALL", 1))
        equal([run.events for run in held[2:]], [[], [], []])
        cancelled(library, held.pop(0))
        library.wait_for(held[1], ("CALL", 1))
        equal((library.count(RUNNING), library.count(WAITING)), (2, 2))
        cancelled(library, *held)
        equal((library.count(RUNNING), library.count(WAITING)), (0, 0))


@test
def a_small_run_does_not_overtake_a_large_one():
    with Library(ignore, memory=32 * MIB, max_memory=128 * MIB) as library:
        held = library.start(HOLD)
        large, small = library.start(HOLD, memory_mib=128), library.start("return 1")
        library.wait_for(held, ("CALL", 1))
        equal((library.count(RUNNING), library.count(WAITING), small.events), (1, 2, []))
        cancelled(library, held)
        library.wait_for(large, ("CALL", 1))
        equal((library.count(RUNNING), small.events), (1, []))
        cancelled(library, large)
        equal(json.loads(library.finish(small))["result"], 1)


@test
def a_run_that_could_never_have_its_memory_is_refused_at_once():
    with Library(memory=32 * MIB, max_memory=64 * MIB) as library:
        run = library.start("return 1", memory_mib=65)
        assert library.lib.caprun_done(run)
        library.wait_for(run, "ENDED")
        equal(run.events, ["ENDED"])
        envelope = json.loads(library.finish(run))
        equal(envelope["error"]["code"], "VALIDATION_ERROR")
        contains(envelope["error"]["message"], "65 MiB", "64 MiB")
        equal(library.execute("return 1", memory_mib=64)["result"], 1)


@test
def a_full_queue_refuses_and_takes_the_same_run_later():
    with Library(ignore, max_workers=1, max_waiting=2) as library:
        held = [library.start(HOLD) for _ in range(3)]
        run = library.run("return 1")
        equal(library.lib.caprun_start(run), E_BUSY)
        contains(library.error(), "2 runs wait already")
        equal((library.lib.caprun_done(run), library.count(WAITING)), (0, 2))
        equal(library.lib.caprun_start(run), E_BUSY)
        cancelled(library, held.pop())
        equal(library.lib.caprun_start(run), 0)
        equal(library.lib.caprun_start(run), E_STATE)
        equal(library.count(WAITING), 2)
        cancelled(library, *held)
        library.wait_for(run, "ENDED")
        equal(run.events, ["STARTED", "ENDED"])
        equal(json.loads(library.finish(run))["result"], 1)


# --- where workers come from -----------------------------------------------------------------


@test
def workers_are_ready_before_a_run_asks_and_again_afterwards():
    with Library(warm=3) as library:
        equal(library.lib.caprun_warm(library.runtime), 0)
        library.settle()
        ready = set(workers())
        equal((len(ready), library.count(WORKERS), library.count(ZYGOTES)), (3, 3, 1))
        equal(library.execute("return 1")["result"], 1)
        library.settle()
        equal((len(ready & set(workers())), library.count(WORKERS)), (2, 4))


@test
def a_run_with_a_special_limit_gets_a_worker_that_is_forked_for_it():
    with Library(ignore, warm=2, memory=256 * MIB) as library:
        library.lib.caprun_warm(library.runtime)
        library.settle()
        ready, much = set(workers()), "return new Uint8Array(100e6).fill(1).length"
        equal(library.execute(much, memory_mib=32)["error"]["code"], "MEMORY_LIMIT")
        run = library.start(HOLD, memory_mib=32)
        library.wait_for(run, ("CALL", 1))
        equal((library.count(WORKERS), library.count(READY)), (4, 2))
        assert ready < set(workers()), "the ready ones are not touched"
        cancelled(library, run)
        equal(library.execute(much)["result"], 100e6)
        library.settle()
        equal((library.count(WORKERS), library.count(ZYGOTES), len(ready & set(workers()))), (5, 1, 1))


@test
def a_run_with_a_special_limit_takes_the_place_of_a_waiting_worker():
    with Library(warm=2, max_workers=2) as library:
        library.lib.caprun_warm(library.runtime)
        library.settle()
        equal(library.execute("return 1", memory_mib=32)["result"], 1)
        library.settle()
        equal(library.execute("return 2")["result"], 2)
        library.settle()


@test
def every_run_can_have_a_fresh_program():
    with Library(ignore, warm=2, fresh_program=1) as library:
        seen = set()
        for n in range(5):
            run = library.start(HOLD)
            library.wait_for(run, ("CALL", 1))
            library.step_until(lambda: [len(workers(z)) for z in zygotes()] == [1, 1, 1], 20, "three families")
            equal((library.count(ZYGOTES), library.count(WORKERS)), (n + 3, n + 3))
            seen |= set(zygotes())
            cancelled(library, run)
            library.settle()
        equal(len(seen), 7, "zygotes")


def run_many(library, count):
    for _ in range(count):
        run = library.run("return 1")
        equal(library.lib.caprun_run(run), 0)
        equal(json.loads(library.finish(run))["result"], 1)


@test
def a_zygote_makes_256_workers_and_no_more():
    with Library(warm=WARM_NONE) as library:
        run_many(library, 256)
        equal((library.count(WORKERS), library.count(ZYGOTES)), (256, 1))
        first = library.zygote()
        run_many(library, 1)
        equal((library.count(WORKERS), library.count(ZYGOTES)), (257, 2))
        library.settle()
        assert library.zygote() != first


@test
def an_old_zygote_stays_as_long_as_a_run_needs_it():
    with Library(ignore) as library:
        held = library.start(HOLD)
        library.wait_for(held, ("CALL", 1))
        first = library.zygote()
        while library.count(ZYGOTES) < 2 or library.count(WORKERS) < 300:
            run_many(library, 10)
        library.step_until(lambda: len(workers(first)) == 1, 20, "its other workers to go")
        library.step_until(lambda: len(zygotes()) == 2, 20, "the old zygote and the new one")
        equal(held.events, ["STARTED", ("CALL", 1)])
        library.lib.caprun_call_reply(held, 1, b"1", 1)
        equal(json.loads(library.finish(held))["result"], "answered")
        library.settle()
        assert library.zygote() != first


# --- accidents -------------------------------------------------------------------------------


def may_limit(pid):
    try:
        resource.prlimit(pid, resource.RLIMIT_CPU, resource.prlimit(pid, resource.RLIMIT_CPU))
    except PermissionError:
        return False  # root without CAP_SYS_RESOURCE: its workers have another uid
    return True


@test
def a_worker_that_was_made_ready_has_the_run_s_own_backstop_for_cpu_time_where_the_host_may_set_it():
    with Library(warm=1) as library:
        library.lib.caprun_warm(library.runtime)
        library.settle()
        run = library.run("await new Promise(() => setTimeout(() => 0, 60000))")
        equal(library.lib.caprun_run_set_cpu(run, ctypes.c_uint64(3500)), 0)
        equal(library.lib.caprun_start(run), 0)
        library.wait_for(run, "STARTED")
        seconds = [re.search(r"^Max cpu time +(\S+) ", proc(worker, "limits"), re.M).group(1) for worker in workers()]
        contains(seconds, "5" if may_limit(workers()[0]) else "302")
        library.lib.caprun_run_free(run)


@test
def runs_for_which_there_are_no_descriptors_wait_for_those_that_have_some():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with Library() as library:
        library.lib.caprun_warm(library.runtime)
        library.settle()
        resource.setrlimit(resource.RLIMIT_NOFILE, (len(os.listdir("/proc/self/fd")) + 24, hard))
        try:
            together = [library.start(f"return {n}") for n in range(100)]
            ended = [json.loads(library.finish(run)) for run in together]
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        equal([one.get("result", one.get("error")) for one in ended], list(range(100)))
        library.settle()


@test
def workers_that_die_before_their_job_are_replaced_and_no_run_notices():
    with Library(warm=4) as library:
        library.lib.caprun_warm(library.runtime)
        for _ in range(3):
            library.settle()
            zygote = library.zygote()
            for worker in workers():
                assert kill(worker, zygote)
            together = [library.start(f"return {n}") for n in range(8)]
            equal([json.loads(library.finish(run)).get("result") for run in together], list(range(8)))
        library.settle()


@test
def a_zygote_that_dies_is_replaced_and_the_runs_that_have_begun_are_told():
    with Library(ignore) as library:
        held, other = library.start(HOLD), library.start(HOLD)
        for run in (held, other):
            library.wait_for(run, ("CALL", 1))
        zygote = library.zygote()
        assert kill(zygote, os.getpid())
        for run in (held, other):
            library.wait_for(run, "ENDED")
            equal(run.events, ["STARTED", ("CALL", 1), ("CALL_LOST", 1), "ENDED"])
            equal(error_code(library, run), "WORKER_TERMINATED")
        equal(library.execute("return 1")["result"], 1)
        library.settle()
        assert library.zygote() != zygote
        equal((library.count(ZYGOTES), library.count(CRASHES)), (2, 0))


def newborn():
    """Waits for the zygote: unlike the program that forks it, the zygote is in a pid namespace."""
    def look():
        return [pid for pid in zygotes() if len(re.findall(r"NSpid:(.*)", proc(pid, "status"))[0].split()) > 1]
    return wait_until(look, 20, "a zygote")[0]


@test
def a_zygote_that_dies_is_one_failure_however_many_wait_for_it():
    with Library(warm=WARM_NONE) as library:
        together = [library.start(f"return {n}") for n in range(40)]
        zygote = newborn()
        assert kill(zygote, os.getpid())
        wait_until(lambda: is_zombie(zygote), 20, "its end, which is that of all workers")
        equal([json.loads(library.finish(run)).get("result") for run in together], list(range(40)))
        equal(library.count(ZYGOTES), 2)
        library.settle()


@test
def a_zygote_that_is_killed_while_it_starts_is_replaced_and_leaves_nothing():
    for n in range(40):
        with Library(warm=WARM_NONE) as library:
            run, zygote = library.start("return 1"), newborn()
            for _ in range(n * 20):  # a different moment each time
                select.select([], [], [], 0)
            assert kill(zygote, os.getpid())
            envelope = json.loads(library.finish(run))
            assert envelope["success"] or envelope["error"]["code"] == "WORKER_TERMINATED", envelope["error"]
            equal(library.execute("return 2")["result"], 2)
            library.settle()


@test
def code_is_not_to_blame_for_a_worker_that_was_killed_from_outside():
    with Library(ignore, warm=WARM_NONE) as library:
        for _ in range(4):
            run = library.start(HOLD)
            library.wait_for(run, ("CALL", 1))
            zygote = library.zygote()
            (worker,) = workers(zygote)
            assert kill(worker, zygote)
            envelope = json.loads(library.finish(run))
            equal(envelope["error"]["code"], "WORKER_TERMINATED")
            contains(envelope["error"]["message"], "killed from outside")
        equal((library.count(CRASHES), library.count(ZYGOTES)), (0, 1))
        library.settle()


@test
def code_that_has_crashed_three_times_is_refused_and_other_code_is_not():
    with Library(ignore, warm=WARM_NONE) as library:
        for n in range(1, 4):
            run = library.start(HOLD)
            library.wait_for(run, ("CALL", 1))
            zygote = library.zygote()
            (worker,) = workers(zygote)
            assert kill(worker, zygote, signal.SIGSEGV)
            envelope = json.loads(library.finish(run))
            equal(envelope["error"]["code"], "WORKER_TERMINATED")
            contains(envelope["error"]["message"], "signal 11")
            wait_until(lambda: library.step(1) or zygote not in zygotes(), 20, "the zygote to go")
            equal(library.count(CRASHES), n)
        envelope = library.execute(HOLD)
        equal(envelope["error"]["code"], "WORKER_TERMINATED")
        contains(envelope["error"]["message"], "refused", "3 times")
        equal(library.execute("return 1")["result"], 1)
        equal(library.count(ZYGOTES), 4)
        library.settle()


# --- setters, and the end --------------------------------------------------------------------

LARGEST = {"warm": 4096, "max_workers": 4096, "max_waiting": 1 << 20, "memory": 16 << 30,
           "max_memory": 4096 * (16 << 30)}


@each(LARGEST | {"fresh_program": 1})
def a_size_is_set_before_the_pool_starts_or_not_at_all(largest):
    (name,) = [n for n, size in (LARGEST | {"fresh_program": 1}).items() if size == largest][:1]
    with Library() as library:
        equal(library.set(name, largest), 0)
        equal(library.set(name, 0), 0)
        equal(library.execute("return 1")["result"], 1)
        equal(library.set(name, 1), E_STATE)
        contains(library.error(), "started already")
        library.settle()


@each(LARGEST)
def a_size_has_a_largest_value(largest):
    for name in (n for n, size in LARGEST.items() if size == largest):
        with Library() as library:
            equal(library.set(name, largest), 0)
            equal(library.set(name, largest + 1), E_TOOBIG, name)
            assert library.error()
            equal(library.set("warm", WARM_NONE), 0)


@test
def a_runtime_that_is_freed_leaves_nothing():
    before = descriptors()
    for steps in range(12):
        with Library() as library:
            equal(library.lib.caprun_warm(library.runtime), 0)
            for _ in range(steps):
                library.step(1)
        equal((zygotes(), descriptors()), ([], before))
    with Library() as library:
        library.execute("return 1")
        library.settle()
    equal((zygotes(), descriptors()), ([], before))


main()

#!/usr/bin/env python3
"""events.t - the events of a run, cancelling it at any moment, and caprun_wait()."""

import json
import os
import select
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import each, equal, main, stretched, test
from library import E_STATE, HOLD, RUNNING, WAITING, WARM_NONE, Library, cancelled, error_code, ignore

SPIN = "for (;;);"


# --- cancelling ------------------------------------------------------------------------------


def when_waiting(library):
    library.first = library.start(HOLD)
    run = library.start("return 1")
    equal(library.count(WAITING), 1)
    return run


def when_starting(library):
    run = library.start(SPIN)
    equal((library.count(RUNNING), run.events), (1, []))
    return run


def when_running(library):
    run = library.start(SPIN)
    library.wait_for(run, "STARTED")
    return run


def when_it_waits_for_a_call(library):
    run = library.start(HOLD)
    library.wait_for(run, ("CALL", 1))
    return run


def when_late(library):
    """Past the time limit: the worker has a moment left to report its stack, but never does."""
    run = library.start("[].reverse.call({length: 2 ** 53 - 1})", timeout_ms=20)
    library.wait_for(run, "STARTED")
    past = time.monotonic() + 0.021
    while time.monotonic() < past:
        library.lib.caprun_wait(library.runtime, 1)
    library.lib.caprun_step(library.runtime)
    assert not library.lib.caprun_done(run)
    return run


MOMENTS = {f.__name__[5:].replace("_", " "): f for f in (when_waiting, when_starting, when_running,
                                                        when_it_waits_for_a_call, when_late)}


@each(MOMENTS)
def a_run_that_is_cancelled_ends_once(moment):
    with Library(ignore, warm=WARM_NONE, max_workers=1) as library:
        run = moment(library)
        library.cancel(run)
        library.cancel(run)
        equal((library.lib.caprun_done(run), library.outcome(run)), (1, "CANCELLED"))
        library.wait_for(run, "ENDED")
        library.cancel(run)
        library.step(3)
        equal((run.events[-1], run.events.count("ENDED")), ("ENDED", 1))
        equal(error_code(library, run), "CANCELLED")
        if first := getattr(library, "first", None):
            cancelled(library, first)
        library.settle()
        equal(library.execute("return 1")["result"], 1)


@each(MOMENTS)
def a_run_may_be_freed_when_it_is_told_of_its_end(moment):
    freed = []

    def hear(run, event, _call):
        if event == "ENDED":
            freed.append(run)
            library.lib.caprun_run_free(run_of[run])

    run_of = {}
    with Library(ignore, hear, warm=WARM_NONE, max_workers=1) as library:
        new = library.run
        library.run = lambda *a, **k: run_of.setdefault((r := new(*a, **k)).value, r)
        run = moment(library)
        library.cancel(run)
        library.step_until(lambda: run.value in freed, 10, "the end")
        if first := getattr(library, "first", None):
            library.cancel(first)
            library.step_until(lambda: first.value in freed, 10, "the end of the first")
        equal(len(freed), len(set(freed)))
        library.settle()


@each(MOMENTS)
def a_run_that_is_freed_tells_nothing_more(moment):
    with Library(ignore, warm=WARM_NONE, max_workers=1) as library:
        run = moment(library)
        seen = list(run.events)
        library.lib.caprun_run_free(run)
        if first := getattr(library, "first", None):
            cancelled(library, first)
        library.settle()
        equal(run.events, seen)


@test
def a_run_may_be_cancelled_and_another_started_in_any_callback():
    last = []

    def act(run, event, _call):
        if event == chosen and run == first.value:
            library.cancel(first)
            last.append(library.start("return 2"))

    for chosen in ("STARTED", "CALL"):
        with Library(ignore, act, max_workers=1) as library:
            first = library.start(HOLD)
            library.wait_for(first, "ENDED")
            equal(first.events.count("ENDED"), 1)
            equal(error_code(library, first), "CANCELLED")
            equal(json.loads(library.finish(last.pop()))["result"], 2)


@test
def cancelling_what_has_ended_changes_nothing():
    with Library() as library:
        run = library.start("return 1")
        library.wait_for(run, "ENDED")
        library.cancel(run)
        library.step(2)
        equal((library.outcome(run), run.events), ("SUCCESS", ["STARTED", "ENDED"]))
        equal(json.loads(library.finish(run))["result"], 1)


# --- events ----------------------------------------------------------------------------------


@test
def events_come_in_order_and_the_end_comes_last():
    with Library(lambda call: call.reply("1")) as library:
        run = library.start("await mcp.a.b(); await mcp.a.b(); return 1")
        library.wait_for(run, "ENDED")
        equal(run.events, ["STARTED", ("CALL", 1), ("CALL_DONE", 1), ("CALL", 2), ("CALL_DONE", 2), "ENDED"])
        library.finish(run)
        run = library.start("try { fetch('http://x') } catch {} await mcp.a.b()")
        library.wait_for(run, "ENDED")
        equal(run.events, ["STARTED", "BLOCKED", ("CALL", 1), ("CALL_DONE", 1), "ENDED"])
        library.finish(run)


@test
def answers_that_come_later_are_told_in_the_order_of_the_answers():
    waiting = []
    with Library(waiting.append) as library:
        run = library.start("return await Promise.all([1, 2, 3].map((n) => mcp.a.b({n})))")
        library.step_until(lambda: len(waiting) == 3, 10, "three calls")
        equal(waiting[2].reply("3"), 0)
        equal(waiting[0].fail("no"), 0)
        library.wait_for(run, "ENDED")
        equal(waiting[1].reply("2"), E_STATE)
        equal(run.events, ["STARTED", ("CALL", 1), ("CALL", 2), ("CALL", 3), ("CALL_DONE", 3), ("CALL_DONE", 1),
                           ("CALL_LOST", 2), "ENDED"])
        library.finish(run)


@test
def a_call_that_took_too_long_is_lost_and_so_are_those_of_a_run_that_has_ended():
    waiting = []
    with Library(waiting.append) as library:
        run = library.start("await mcp.a.b().catch(() => 0); await mcp.a.b()", call_timeout_ms=20)
        library.wait_for(run, ("CALL_LOST", 1))
        equal(waiting[0].reply("1"), E_STATE)
        library.wait_for(run, ("CALL", 2))
        equal(waiting[1].reply("1"), 0)
        library.wait_for(run, "ENDED")
        equal(run.events, ["STARTED", ("CALL", 1), ("CALL_LOST", 1), ("CALL", 2), ("CALL_DONE", 2), "ENDED"])
        library.finish(run)
        run = library.start("mcp.a.b(); mcp.a.b(); await 0; return 1")
        library.wait_for(run, "ENDED")
        equal(run.events[-3:], [("CALL_LOST", 1), ("CALL_LOST", 2), "ENDED"])
        equal(waiting[2].reply("1"), E_STATE)
        library.finish(run)


# --- waiting ---------------------------------------------------------------------------------


def waiter(library):
    """A thread that calls caprun_wait()."""
    thread = threading.Thread(target=library.lib.caprun_wait, args=(library.runtime, -1), daemon=True)
    thread.start()
    return thread


def is_readable(library):
    return bool(select.select([library.lib.caprun_fd(library.runtime)], [], [], 0)[0])


@test
def another_thread_that_waits_is_woken_by_work():
    with Library(warm=WARM_NONE) as library:
        thread = waiter(library)
        run = library.run("return 1")
        equal(library.lib.caprun_start(run), 0)
        thread.join(stretched(20))
        assert not thread.is_alive(), "it still waits"
        equal(json.loads(library.finish(run))["result"], 1)


@test
def another_thread_that_waits_is_woken_by_caprun_wake():
    with Library() as library:
        assert not is_readable(library)
        thread = waiter(library)
        library.lib.caprun_wake(library.runtime)
        thread.join(stretched(20))
        assert not thread.is_alive() and is_readable(library)
        library.lib.caprun_wait(library.runtime, -1)  # until the next step another wait would return at once, too
        library.lib.caprun_step(library.runtime)
        assert not is_readable(library)


@test
def waking_from_many_threads_loses_nothing():
    with Library() as library:
        for _ in range(50):
            threads = [threading.Thread(target=library.lib.caprun_wake, args=(library.runtime,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            library.lib.caprun_wait(library.runtime, -1)
            for thread in threads:
                thread.join()
            library.lib.caprun_step(library.runtime)
            assert not is_readable(library)


main()

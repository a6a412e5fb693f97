#!/usr/bin/env python3
"""bench.t - `caprun bench` measures the requested workloads, one round each. The times are not checked."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import caprun, contains, each, equal, main, start, test

KEYS = {
    "fresh": ["p50Us", "p95Us", "p99Us", "forkUs"],
    "busy": ["p50Us", "p95Us", "p99Us", "forkUs"],
    "rate": ["runsPerSecond", "forksPerSecond"],
    "call": ["roundTripUs", "pairUs", "pairOneCoreUs"],
    "answer1m": ["runUs", "memcpyUs", "answerBytes", "resultBytes"],
    "answer10m": ["runUs", "memcpyUs", "answerBytes", "resultBytes"],
    "memory": ["idleKiB", "runningKiB"],
    "cpu": ["fibUs", "sieveUs", "jsonUs", "stringsUs", "sortUs", "arraysUs"],
}


def bench(*words, status=0):
    done = start("bench", *words).end(120)
    equal((done.status, done.err), (status, ""))
    return done.out


@test
def all_is_measured_in_json():
    report = json.loads(bench("--json", "--rounds", "1"))
    equal({name: list(report[name]) for name in KEYS}, KEYS)
    equal(sorted(set(report) - set(KEYS)), ["machine", "rounds", "version"])
    equal(report["rounds"], 1)
    for name, figures in report.items():
        for key, value in figures.items() if isinstance(figures, dict) else ():
            if name == "memory" and os.geteuid() != 0:
                continue
            assert value > 0, f"{name}.{key} is {value}"
    equal([report[name]["answerBytes"] for name in ("answer1m", "answer10m")], [1200190, 10000166],
          "the bytes that others are measured with too: tests/bench/peers")
    equal([report[name]["resultBytes"] for name in ("answer1m", "answer10m")], [329, 339])


@test
def only_the_requested_workload_is_measured():
    report = json.loads(bench("call", "memory", "--json", "--rounds=2"))
    equal(sorted(report), ["call", "machine", "memory", "rounds", "version"])
    equal(report["rounds"], 2)


@test
def people_get_a_table():
    told = bench("call", "--rounds", "1")
    contains(told, "medians of 1 round\n", "a call and its answer\n", "floor: a bare socket pair", " µs")


# case: (words of the command line, part of the message)
WRONG = {
    "a word that is not measured": (["calls"], "bench does not measure 'calls'"),
    "no rounds": (["--rounds", "0"], "'0' is not a number from 1 to 100"),
    "too many rounds": (["--rounds", "101"], "'101' is not a number from 1 to 100"),
    "rounds that are no number": (["--rounds", "5x"], "'5x' is not a number from 1 to 100"),
    "an option of other commands": (["--memory", "64m"], "bench does not take '--memory'"),
}


@each(WRONG)
def bad_arguments_are_refused(case):
    words, what = case
    done = caprun("bench", *words)
    equal((done.status, done.out), (2, ""))
    contains(done.err, what)


@test
def rounds_are_for_benchmarks_only():
    done = caprun("doctor", "--rounds", "3")
    equal((done.status, done.out), (2, ""))
    contains(done.err, "doctor does not take '--rounds'")


main()

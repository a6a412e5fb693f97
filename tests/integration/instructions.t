#!/usr/bin/env python3
"""instructions.t - a change that makes worker or host a tenth slower fails: tests/bench/gate counts instructions.

The gate itself is tested with baselines that are counted here and then changed.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import BUILD, ROOT, VARIANT, Process, contains, each, equal, main, need, need_program, scratch_dir, test

GATE = os.path.join(ROOT, "tests/bench/gate")
ONE = "worker: small run"


def gate(*words, must_work=None):
    env = {**os.environ}
    if must_work is not None:
        env = {name: value for name, value in env.items() if name not in ("CI", "CAPRUN_MUST_WORK")}
        env |= {"CAPRUN_MUST_WORK": "1"} if must_work else {}
    return Process([GATE, BUILD, *words], env=env).end(300)


def against(change, **options):
    """Runs the gate on one workload, after |change| was made to its baseline."""
    need_program("valgrind")
    with scratch_dir() as scratch:
        path = os.path.join(scratch, "baseline.json")
        done = gate("--renew", "--baseline", path, ONE)
        equal(done.status, 0, done.err)
        with open(path, encoding="utf-8") as file:
            baseline = json.load(file)
        change(baseline, baseline["workloads"][ONE])
        with open(path, "w", encoding="utf-8") as file:
            json.dump(baseline, file)
        return baseline["workloads"][ONE], gate("--baseline", path, ONE, **options)


def times(factor):
    def change(_, workload):
        workload["total"] = int(workload["total"] * factor)
        workload["functions"] = {name: int(n * factor) for name, n in workload["functions"].items()}

    return change


@test
def no_workload_takes_a_tenth_more_instructions_than_the_baseline():
    done = gate()
    print("".join(f"# {line}\n" for line in done.out.splitlines()), end="")
    equal(done.status, 0, f"gate's status ({done.err:.2000})")
    need("# SKIP" not in done.out, done.out.partition("# SKIP ")[2].partition("\n")[0])


@each({"as much": 1, "a little less": 1.05, "a little more": 0.95})
def a_small_change_passes(factor):
    _, done = against(times(factor))
    equal((done.status, done.out.count("\n")), (0, 2), done.out)
    contains(done.out, f"ok 1 - {ONE}, ")


@test
def a_fifth_more_fails_and_the_functions_that_grew_are_named():
    before, done = against(times(0.8))
    largest = max(before["functions"], key=before["functions"].get)
    equal(done.status, 1)
    contains(done.out, f"not ok 1 - {ONE}, ", "1.25", "make bench-baseline")
    line = next(line for line in done.out.splitlines() if line.startswith(f"# {largest} "))
    contains(line, f" {before['functions'][largest]:,} ", " +")


@test
def a_function_that_the_baseline_does_not_list_is_named_too():
    def forget(_, workload):
        largest = max(workload["functions"], key=workload["functions"].get)
        workload["forgotten"] = largest
        workload["total"] -= workload["functions"].pop(largest) * 3

    before, done = against(forget)
    equal(done.status, 1)
    contains(done.out, f"# {before['forgotten']} ", f" at most {min(before['functions'].values()):,} ")


@test
def a_workload_that_is_not_in_the_baseline_fails():
    _, done = against(lambda baseline, _: baseline.update(workloads={ONE: None}))
    equal(done.status, 1)
    contains(done.out, f"not ok 1 - {ONE}\n", "not in the baseline")


@test
def a_fifth_less_passes_and_asks_to_renew():
    _, done = against(times(1.25))
    equal(done.status, 0)
    contains(done.out, f"ok 1 - {ONE}, ", "0.80", "make bench-baseline")


@each({"on a laptop": False, "in CI": True})
def counts_of_another_compiler_are_not_compared(must_work):
    _, done = against(lambda baseline, _: baseline["made_with"].update(compilers=["another"]), must_work=must_work)
    equal(done.status, 1 if must_work else 0)
    contains(done.out, f"not ok 1 - {ONE}\n# cannot be skipped here: compilers was" if must_work
             else f"ok 1 - {ONE} # SKIP compilers was")


if VARIANT:
    print("1..0 # SKIP a variant is another program")
    sys.exit(0)
main()

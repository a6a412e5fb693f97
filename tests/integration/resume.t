#!/usr/bin/env python3
"""resume.t - the host is killed at any moment of a run with effects on a real server; `caprun resume` continues it.

Each effect must happen once, or be reported as unknown and not be repeated. CAPRUN_TORTURE=1 kills at 200 moments;
CAPRUN_SEED chooses them.
"""

import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TORTURE, contains, equal, main, reap_orphans, test
from resume_kill import effects

MOMENTS = 200 if TORTURE else 12


def moments(chance, seconds, active):
    """When to kill, as arguments of kill_at(): spread over the whole run, and over the part that has calls."""
    yield from [(0.0,), (0.02,), (0.0, True), (active * 0.95, True)]
    for i in range(MOMENTS - 4):
        yield (chance.uniform(0, seconds),) if i % 4 == 0 else (chance.uniform(0, active), True)


def end_of(run, chance, moment, active):
    """Kills |run| at |moment|, and resumes it until it ends, with more kills. Returns what happened, and the envelope
    if one was printed."""
    if not run.kill_at(*moment):
        return "ended before", run.running.envelope
    while run.lines() and "end" not in run.lines()[-1]:
        run.start_resume()
        if run.kills < 4 and chance.random() < 0.4 and run.kill_at(chance.uniform(0, active), True):
            continue
        done = run.running if run.running.status is not None else run.running.end(60)
        equal(done.status, 0, f"stderr {done.err!r:.600}")
        return "resumed", done.envelope
    done = run.place.run("resume", run.id if run.journal else "0", env=run.env)
    equal(done.status, 2, done.err)
    if run.lines():
        contains(done.err, "has ended (SUCCESS)")
        return "ended, but not reported", None
    equal([call for call in run.place.received() if f"/{run.name}/" in call[1]], [], "calls without a journal")
    return "not begun", None


def measured(e):
    """Measures an undisturbed run: (its time, the time in which it has calls, its result)."""
    for name in ("cold", "warm"):
        run = e.start_run(name)
        envelope = run.running.end(60).envelope
        equal(run.check(envelope, envelope["result"]), [])
        equal(envelope["result"][2], 20, "effects")
    active = run.lines()[-1]["at"] - next(line["at"] for line in run.lines() if "send" in line)
    return run.running.seconds, active / 1e6, envelope["result"]


@test
def a_host_that_is_killed_at_any_moment_repeats_no_effect():
    seed = os.environ.get("CAPRUN_SEED") or str(random.randrange(1 << 32))
    chance = random.Random(seed)
    counts = {}
    with effects() as e:
        seconds, active, undisturbed = measured(e)
        for i, moment in enumerate(moments(chance, seconds, active)):
            run = e.start_run(f"m{i}", by_name=i % 2 == 1)
            what, envelope = end_of(run, chance, moment, active)
            unknown = run.check(envelope, undisturbed) if envelope else []
            for key in [what, *["with unknown calls"] * bool(unknown), *["unknown calls"] * len(unknown),
                        *["killed"] * run.kills]:
                counts[key] = counts.get(key, 0) + 1
            if envelope and i % 5 == 0:
                done = e.run("replay", run.id, env=run.env)
                equal((done.status, done.out.split()[0]), (0, "same"), done.out + done.err)
            reap_orphans()
        print(f"# seed {seed}: a run takes {seconds:.3f} s, {active:.3f} s of it with calls; {counts}")
        assert counts.get("resumed", 0) >= MOMENTS // 3, counts


main()

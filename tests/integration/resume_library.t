#!/usr/bin/env python3
"""resume_library.t - resuming a capability through the library: its rules, its pins, its code."""

import contextlib
import ctypes
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, test
from journals import lines_of, read
from library import E_STATE, Library
from tools import tools

NAME, FULL = "acme.a.b.c", "acme.a.b.c.0123abcd"
CODE = "await mcp.s.never().catch(() => 0); return mcp.t.echo({n: 1}).then(() => 'made', (e) => e.code)"
TOOLS = ["s:never", "t:echo"]
DENY = {"for": NAME, "tool": "t:echo", "then": "deny"}


class Application(Library):
    """A runtime with the configuration of |t|."""

    def __init__(self, t, configured=True):
        super().__init__(warm=1)
        self.t = t
        if configured:
            equal(self.lib.caprun_set_config(self.runtime, f"{t.work}/.caprun.json".encode()), 0, self.error())

    def new(self):
        run = ctypes.c_void_p()
        equal(self.lib.caprun_run_new(self.runtime, ctypes.byref(run)), 0)
        return run

    def interrupt(self, journal, name=NAME, origin=None):
        """Runs the capability |name| until its first call is under way."""
        run = self.new()
        if origin:
            equal(self.set_json(run, "origin", json.dumps(origin)), 0, self.error())
        equal(self.lib.caprun_run_load(run, name.encode()), 0, self.error())
        equal(self.lib.caprun_run_record(run, journal.encode()), 0, self.error())
        equal(self.lib.caprun_start(run), 0, self.error())
        self.step_until(lambda: self.lib.caprun_done(run) or "never" in self.t.called("s"), 20, "the first call")
        self.lib.caprun_cancel(run)
        envelope = self.json_of(run)
        equal(envelope.get("error", {}).get("code"), "CANCELLED", str(envelope))

    def resume(self, journal, prepare=lambda run: None):
        run = self.new()
        equal(self.lib.caprun_run_resume(run, journal.encode()), 0, self.error())
        prepare(run)
        equal(self.lib.caprun_start(run), 0, self.error())
        return self.json_of(run)


@contextlib.contextmanager
def interrupted(rules=(DENY,), origin=None):
    """A place, and the journal of a capability in it that was interrupted."""
    with tools({"allow": ["s", "t"], "rules": list(rules)}, {"registries": ["../registry"]}, s={}, t={}) as t:
        t.publish(FULL, CODE, tools=TOOLS)
        journal = f"{t.root}/r.jsonl"
        with Application(t) as app:
            app.interrupt(journal, origin=origin)
        yield t, journal


@each({"for it": (DENY, None, "PERMISSION_DENIED", 0),
       "for it, if the application has an origin of its own": (DENY, {"mine": [1]}, "PERMISSION_DENIED", 0),
       "for another capability": ({**DENY, "for": "acme.a.b.d"}, None, "made", 1),
       "for exec": ({**DENY, "for": "exec"}, None, "made", 1)})
def a_resumed_capability_has_the_rules(row):
    rule, origin, result, calls = row
    with interrupted([rule], origin) as (t, journal):
        equal(lines_of(journal)[0]["origin"].get("application"), origin)
        with Application(t) as app:
            equal(app.resume(journal)["result"], result)
        equal(t.called("t").count("echo"), calls)


def publish_other(t):
    t.publish(FULL, CODE.replace("n: 1", "n: 2"), tools=TOOLS)


def accept_other(t):
    publish_other(t)
    equal(t.run("lock", "--accept", NAME).status, 0)


def remove(t):
    os.unlink(t.path(FULL, "json"))


def change_pin(t):
    with open(t.lockfile, encoding="utf-8") as file:
        text = file.read()
    pin = t.pins()[FULL if FULL in t.pins() else NAME]
    with open(t.lockfile, "w", encoding="utf-8") as file:
        file.write(text.replace(pin["code"], "sha256-" + 64 * "0"))


LOAD = lambda app: lambda run: equal(app.lib.caprun_run_load(run, NAME.encode()), 0)


@each({"changed": (publish_other, "INTEGRITY_MISMATCH"),
       "changed and accepted": (accept_other, "INTEGRITY_MISMATCH"),
       "no longer there": (remove, "NOT_FOUND"),
       "pinned otherwise": (change_pin, "INTEGRITY_MISMATCH"),
       "the same": (lambda t: None, None)})
def a_capability_is_resumed_only_as_it_began(row):
    """Also if the application loads it itself."""
    change, error = row
    with interrupted([]) as (t, journal):
        change(t)
        before = read(journal)
        with Application(t) as app:
            for prepare in (LOAD(app), lambda run: None):
                envelope = app.resume(journal, prepare)
                equal(envelope.get("error", {}).get("code"), error, str(envelope))
                if not error:
                    break
                equal(read(journal), before)
        equal(t.called("t").count("echo"), 0 if error else 1)


@test
def without_a_configuration_a_capability_is_not_resumed():
    with interrupted() as (t, journal):
        with Application(t, configured=False) as app:
            run = app.new()
            equal(app.lib.caprun_run_resume(run, journal.encode()), 0, app.error())
            equal(app.lib.caprun_start(run), E_STATE)
            contains(app.error(), FULL, "set a configuration that names its registry")
            equal(app.lib.caprun_set_config(app.runtime, f"{t.work}/.caprun.json".encode()), 0, app.error())
            equal(app.lib.caprun_start(run), 0, app.error())
            equal(app.json_of(run)["result"], "PERMISSION_DENIED")


@each({"the same": (CODE, None), "other": (CODE + ";", "INTEGRITY_MISMATCH")})
def a_resumed_run_does_not_go_on_with_code_that_is(row):
    code, error = row
    with tools(s={}, t={}) as t, Application(t) as app:
        journal = f"{t.root}/r.jsonl"
        run = app.run(CODE)
        equal(app.lib.caprun_run_record(run, journal.encode()), 0, app.error())
        equal(app.lib.caprun_start(run), 0)
        app.step_until(lambda: "never" in t.called("s"), 20, "the first call")
        app.lib.caprun_cancel(run)
        app.finish(run)

        def give_code(run):
            equal(app.lib.caprun_run_set_code(run, code.encode(), ctypes.c_size_t(len(code))), 0)

        envelope = app.resume(journal, give_code)
        equal(envelope.get("error", {}).get("code"), error, str(envelope))
        equal(t.called("t").count("echo"), 0 if error else 1)


main()

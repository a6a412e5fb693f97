#!/usr/bin/env python3
"""mcp_library.t - MCP servers through the library: freeing while a server works, and accepting changed tools."""

import contextlib
import ctypes
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import equal, main, test, wait_until, write_file
from library import E_STATE, Library
from tools import tools

EACH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)

# Closes its input at the second call, makes a file as a signal, and stays.
LEAVER = """
import json, os, sys, time
calls = 0
while calls < 2:
    message = json.loads(sys.stdin.readline())
    calls += message["method"] == "tools/call"
    result = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {}},
              "tools/list": {"tools": [{"name": "x", "inputSchema": {"type": "object"}}]}}.get(message["method"])
    if result:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
os.close(0)
open("left", "w").close()
time.sleep(60)
"""


class Application:
    """A runtime with the servers of |t|; |told| has the reports about each server."""

    def __init__(self, library, t):
        self.lib, self.library, self.told = library.lib, library, []
        self.each = EACH(lambda _data, text, size: self.told.append(json.loads(ctypes.string_at(text, size))))
        equal(self.lib.caprun_set_config(library.runtime, f"{t.work}/.caprun.json".encode()), 0)

    def list(self):
        self.told.clear()
        return self.lib.caprun_list_tools(self.library.runtime, None, self.each, None)

    def listing(self):
        equal(self.list(), 1)
        self.step_until(lambda: self.told, "the listing")
        return self.told[0]

    def step_until(self, done, what):
        def look():
            self.lib.caprun_step(self.library.runtime)
            return done()

        wait_until(look, 30, what)


@contextlib.contextmanager
def application(t):
    with Library(warm=1) as library:
        yield Application(library, t)


@test
def a_listing_that_is_unfinished_at_the_end_is_not_reported():
    with tools(s={"silent": ["initialize"], "config": {"era": "legacy"}}) as t:
        with application(t) as app:
            equal(app.list(), 1)
            app.step_until(lambda: "initialize" in t.methods("s"), "the server to be asked")
        equal(app.told, [])


@test
def a_run_is_freed_whose_server_has_closed_its_input():
    with tools(s={"command": sys.executable, "args": ["-I", "-S", "-c", LEAVER], "era": "legacy"}) as t:
        with application(t) as app:
            run = app.library.run("await Promise.all([mcp.s.x(), mcp.s.x(), mcp.s.x()])")
            equal(app.lib.caprun_start(run), 0)
            app.step_until(lambda: os.path.exists(f"{t.work}/left"), "both calls to arrive")
            app.lib.caprun_run_free(run)


@test
def an_acceptance_is_good_for_one_listing():
    with tools() as t:
        descriptions = f"{t.root}/descriptions"
        t.serve({"s": {"descriptions": descriptions}})
        write_file(descriptions, "{}")
        t.value("return mcp.s.echo({n: 1})")
        write_file(descriptions, json.dumps({"echo": "Another."}))
        with application(t) as app:
            equal([tool["name"] for tool in app.listing()["changed"]], ["echo"])
            equal(app.lib.caprun_accept_tool(app.library.runtime, b"s:echo"), 0)
            equal(app.listing()["changed"], [])
            equal(t.servers_pinned()["s"]["echo"]["definition"]["description"], "Another.")
            os.unlink(t.lockfile)  # a new pin could only come from an acceptance
            app.listing()
            assert not os.path.exists(t.lockfile), "it was accepted again"


def answer(app, run, call):
    """The results of the library's functions when the application answers."""
    run, size = ctypes.c_void_p(run), ctypes.c_size_t(6)
    return [function(run, call, b'"mine"', size) for function in
            (app.lib.caprun_call_reply, app.lib.caprun_call_reply_tool, app.lib.caprun_call_fail)]


@test
def a_call_that_a_server_answers_is_not_the_application_s():
    with tools(s={}) as t:
        with application(t) as app:
            run = app.library.start("return mcp.s.sleep({ms: 300})")
            app.step_until(lambda: t.called("s"), "the call to arrive")
            equal(answer(app, run.value, 1), [E_STATE] * 3)
            equal(app.library.json_of(run)["result"], {"ms": 300})


@test
def a_call_is_the_application_s_when_its_handler_has_it():
    said = []

    def hear(run, event, call):
        if event == "CALL":
            said.extend(answer(library, run, call))

    with Library(lambda call: said.append(call.reply('"in time"')), hear, warm=1) as library:
        equal(library.execute("return mcp.s.x()")["result"], "in time")
    equal(said, [E_STATE] * 3 + [0])


main()

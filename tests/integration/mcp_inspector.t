#!/usr/bin/env python3
"""mcp_inspector.t - MCP's own inspector reports the same tools of each server as `caprun tools --json`."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, Process, each, equal, main, need, write_file
from tools import real_config, real_tools, tools

MODULES = os.path.join(ROOT, "build/npm-tests/node_modules")
NODE, INSPECTOR = f"{MODULES}/.bin/node", f"{MODULES}/.bin/mcp-inspector"

# The inspector announces roots, and this server then offers one more tool.
FOR_CLIENTS_WITH_ROOTS = {"everything": {"get-roots-list"}}


def inspected(t, servers, name):
    """The tools of server |name|, as the inspector lists them."""
    need(os.path.exists(INSPECTOR), "there is no inspector; `make test-data` gets it")
    config = write_file(f"{t.root}/inspector.json", json.dumps({"mcpServers": servers}))
    done = Process([NODE, INSPECTOR, "--cli", "--config", config, "--server", name, "--protocol-era", "auto",
                    "--format", "json", "--quiet", "--method", "tools/list"], env=t.env, cwd=t.work).end(60)
    equal(done.status, 0, f"the inspector; stderr {done.err!r:.600}")
    return {tool["name"]: tool for tool in json.loads(done.out)["result"]["tools"]}


def agree(ours, theirs, name):
    more = FOR_CLIENTS_WITH_ROOTS.get(name, set())
    equal([tool["name"] for tool in ours], [tool for tool in theirs if tool not in more], "names, in order")
    for tool in ours:
        equal(tool, theirs[tool["name"]], tool["name"])


@each({name: name for name in ("filesystem", "memory", "everything", "modern")})
def the_inspector_sees_the_same_tools(name):
    with real_tools(only=[name]) as t:
        agree(t.listing()[name]["tools"], inspected(t, real_config(t.root)["mcpServers"], name), name)


@each({"pages": {"count": 300, "page": 40, "tools": [{"name": "a-b"}, {"name": "c.d"}, {"name": "e/f"}]},
       "a modern one": {"era": "modern", "banner": True}})
def the_inspector_sees_the_same_tools_of_a_fake(script):
    with tools(fake=script) as t:
        servers = {"fake": t.fake("inspected", **script)}
        agree(t.listing()["fake"]["tools"], inspected(t, servers, "fake"), "fake")


main()

#!/usr/bin/env python3
"""servers.t - a worker with native code can only make calls to an MCP server behind the gate, not send other messages.

A message to a server is one line. If args had line breaks between their values, the server would read them as
several messages; and in the audit a call is one line. The prelude never sends such args. Each attack has a twin without line breaks, which must arrive.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, scratch_dir
from hook import hooked, use_hook
from library import Library
from tools import tools

FORGED = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fail","arguments":{}}}'

# name: args; ~ stands for a line break
ATTACKS = {
    "a message as an element": f"[~{FORGED}~]",
    "a message as a member": f'{{"a":~{FORGED}~}}',
    "a message between spaces": f"[ ~ {FORGED} ~ ]",
    "a message that is last": f'{{"a":1,"b":[1,~{FORGED}]}}',
    "a break before all": '~{"a":1}',
    "a break behind all": '{"a":1}~',
    "a break in an empty object": "{~}",
}
BREAKS = {"LF": "\n", "CR": "\r", "CR LF": "\r\n", "many": "\n\r\n\n"}

# Sends the call, and returns the type and the text of the host's answer.
CODE = """
    send(call(1, 'fake', 'echo', {args}));
    const frames = read(65536), view = new DataView(frames.buffer);
    return [view.getUint16(4, true), new TextDecoder().decode(frames.subarray(32))];
"""
REPLY, FAIL = 2, 3


def result_of(host, args):
    envelope = host.execute(hooked(CODE.format(args=json.dumps(args))))
    assert envelope["success"], envelope["error"]
    return envelope["result"], envelope["calls"]


@each(ATTACKS)
def line_breaks_between_values_never_reach_a_server(args):
    with tools(fake={}) as t, Library(warm=1) as host:
        use_hook(host)
        equal(host.lib.caprun_set_config(host.runtime, os.path.join(t.work, ".caprun.json").encode()), 0, host.error())
        for name, characters in BREAKS.items():
            (kind, words), calls = result_of(host, args.replace("~", characters))
            equal((kind, calls[0]["state"]), (FAIL, "failed"), name)
            contains(words, "RPC_ERROR", "line breaks")
        equal(t.trace("fake"), [], "what the server got")
        twin = args.replace("~", "")
        (kind, words), calls = result_of(host, twin)
        equal((kind, calls[0]["state"]), (REPLY, "done"), words)
        equal([line["params"]["arguments"] for line in t.trace("fake") if line.get("method") == "tools/call"],
              [json.loads(twin)], "what the server got")


@each(ATTACKS)
def line_breaks_between_values_never_begin_a_line_of_the_audit(args):
    with scratch_dir() as root, Library(lambda call: call.reply("1"), warm=1) as host:
        use_hook(host)
        audit = os.path.join(root, "audit")
        equal(host.lib.caprun_set_audit(host.runtime, audit.encode(), 1), 0, host.error())
        for characters in BREAKS.values():
            (kind, words), _ = result_of(host, args.replace("~", characters))
            equal(kind, REPLY, words)  # a handler gets args as they are
        with open(audit, encoding="utf-8", newline="") as file:
            lines = [json.loads(line) for line in file.read().removesuffix("\n").split("\n")]
        equal([line["event"] for line in lines], ["run", "call", "result", "end"] * len(BREAKS))
        equal([line["args"] for line in lines if "args" in line], [json.loads(args.replace("~", ""))] * len(BREAKS))


main()

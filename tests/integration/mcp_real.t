#!/usr/bin/env python3
"""mcp_real.t - npm's MCP servers: samples that use them, errors of each kind, `caprun tools`, `caprun call`."""

import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, contains, each, equal, main, on_a_terminal, stretched, test
from tools import real_tools

SERVERS = {  # name: (the server's own name, era, one of its tools)
    "filesystem": ("secure-filesystem-server", "legacy", "read_text_file"),
    "memory": ("memory-server", "legacy", "read_graph"),
    "everything": ("mcp-servers/everything", "legacy", "get-sum"),
    "modern": ("notes", "modern", "notes.list"),
}
PAIRS = ["files.report", "people.circle", "notes.digest"]
ALL = {"permissions": {"allow": ["*"]}}


def sample(folder, pair):
    with open(f"{ROOT}/samples/{folder}/{pair}.json", encoding="utf-8") as file:
        return file.read()


# --- capabilities ----------------------------------------------------------------------------


@each({pair: pair for pair in PAIRS})
def a_sample_does_its_work_with_real_tools(pair):
    with real_tools() as t:
        for _ in range(2):  # the second time with the pins, eras and files of the first
            done = t.run(f"acme.tools.{pair}", f"{ROOT}/samples/args/{pair}.json")
            equal((done.status, done.out), (0, sample("expected", pair)), f"stderr {done.err!r:.600}")


@test
def the_report_is_written_where_the_server_writes():
    with real_tools() as t:
        t.run("acme.tools.files.report", f"{ROOT}/samples/args/files.report.json")
        with open(f"{t.root}/files/report.md", encoding="utf-8") as file:
            contains(file.read(), "| one.txt | 2 | 5 |", "| **Total** | 3 | 9 |")


@test
def every_sample_for_these_servers_is_run_above():
    pairs = set()
    for path in glob.glob(f"{ROOT}/samples/registry/*.json"):
        with open(path, encoding="utf-8") as file:
            metadata = json.load(file)
        if any(tool.partition(":")[0] in SERVERS for tool in metadata["tools"]):
            pairs.add(".".join(metadata["fqdn"].split(".")[2:4]))
    equal(pairs, set(PAIRS))


@test
def code_reads_lists_writes_and_aggregates_through_four_servers_at_once():
    with real_tools(**ALL) as t:
        result = t.value("""
            const [listing, sum, added] = await Promise.all([
                mcp.filesystem.list_directory({ path: "texts" }),
                mcp.everything["get-sum"]({ a: 20, b: 22 }),
                mcp.modern["notes-add"]({ text: "tea", tags: ["shop"] }),
            ]);
            await mcp.filesystem.write_file({ path: "sum.txt", content: sum });
            const back = await mcp.filesystem.read_text_file({ path: "sum.txt" });
            await mcp.memory.create_entities({ entities: [{ name: "tea", entityType: "thing", observations: [] }] });
            const graph = await mcp.memory.read_graph();
            return [listing.content.split("\\n").sort(), back.content, added, await mcp.modern["notes.list"](),
                    await mcp.modern.stats(), graph.entities.length]""")
        equal(result, [["[FILE] one.txt", "[FILE] two.txt"], "The sum of 20 and 22 is 42.", {"id": 1},
                       [{"id": 1, "text": "tea", "tags": ["shop"]}], 3, 1])


@test
def an_image_and_structured_content_come_through_as_they_are():
    with real_tools(**ALL) as t:
        content, structured, raw = t.value("""
            return [await mcp.everything["get-tiny-image"](),
                    await mcp.everything["get-structured-content"]({ location: "New York" }),
                    await mcp.everything.echo.raw({ message: "hé" })]""")
        image = [item for item in content if item["type"] == "image"]
        equal((len(image), image[0]["mimeType"], image[0]["data"][:8]), (1, "image/png", "iVBORw0K"))
        equal(sorted(structured), ["conditions", "humidity", "temperature"])
        equal(raw, {"content": [{"type": "text", "text": "Echo: hé"}]})


@test
def progress_keeps_a_long_call_alive():
    with real_tools(**ALL) as t:
        duration = stretched(2.5)
        code = f"return mcp.everything['trigger-long-running-operation']({{duration: {duration}, steps: 5}})"
        contains(t.value(code, "--rpc-timeout", f"{int(stretched(2000))}ms"), "completed")


# --- errors ----------------------------------------------------------------------------------

# name: (call, exit status, type, code, parts of the message)
FAILURES = {
    "a file that is not there": ('filesystem.read_text_file({path: "nope.txt"})', 1, "MCPToolError", "TOOL_ERROR",
                                 ["ENOENT"]),
    "a path outside": ('filesystem.read_text_file({path: "/etc/passwd"})', 1, "MCPToolError", "TOOL_ERROR",
                       ["Access denied"]),
    "wrong args": ('everything["get-sum"]({a: "x"})', 1, "MCPToolError", "TOOL_ERROR", ["-32602", "expected number"]),
    "a note that is not there": ('modern["notes-remove"]({id: 5})', 1, "MCPToolError", "TOOL_ERROR",
                                 ["there is no note 5"]),
    "a tool that is not listed": ("filesystem.erase_disk({})", 1, "RuntimeError", "RPC_ERROR",
                                  ["erase_disk", "filesystem"]),
    "no such server": ("nowhere.read({})", 1, "RuntimeError", "RPC_ERROR", ["nowhere"]),
    "a tool that is denied": ('filesystem.move_file({source: "a", destination: "b"})', 3, "PermissionError",
                              "PERMISSION_DENIED", ["filesystem:move_file"]),
    "a call that takes too long": ("everything['trigger-long-running-operation']({duration: 20, steps: 1})", 4,
                                   "TimeoutError", "RPC_TIMEOUT", ["timeout"]),
}


SOME = {"permissions": {"allow": ["*"], "deny": ["filesystem:move_file"]}}


@each(FAILURES)
def an_error_has_its_code(case):
    call, status, kind, code, parts = case
    with real_tools(**SOME) as t:
        limit = f"{int(stretched(1500))}ms" if code == "RPC_TIMEOUT" else "30s"
        got, error = t.error(f"return mcp.{call}", "--rpc-timeout", limit)
        equal((got, error["type"], error["code"]), (status, kind, code), str(error))
        contains(error["message"], *parts)


@test
def errors_of_all_kinds_can_be_caught_in_one_run():
    with real_tools(**SOME) as t:
        calls = ", ".join(f"mcp.{call}" for call, *_ in FAILURES.values())
        codes = t.value(f"return (await Promise.all([{calls}].map(outcome))).map((o) => o.code)",
                        "--rpc-timeout", f"{int(stretched(2500))}ms")
        equal(codes, [code for _, _, _, code, _ in FAILURES.values()])


@test
def the_envelope_has_the_calls_and_what_was_decided():
    with real_tools() as t:
        envelope = t.execute("""
            await mcp.filesystem.read_text_file({ path: "texts/one.txt" });
            await outcome(mcp.filesystem.move_file({ source: "a", destination: "b" }));
            await outcome(mcp.filesystem.read_text_file({ path: "nope" }));""")
        equal([(c["n"], c["method"], c["state"], c["decision"]) for c in envelope["calls"]],
              [(1, "filesystem:read_text_file", "done", "allow"), (2, "filesystem:move_file", "denied", "deny"),
               (3, "filesystem:read_text_file", "done", "allow")])
        equal(envelope["metrics"]["rpcCalls"], 3)


# --- caprun tools ----------------------------------------------------------------------------


@test
def tools_lists_every_server_with_its_tools():
    with real_tools() as t:
        listed = t.listing()
        equal(list(listed), list(SERVERS), "in the order of the config")
        for name, (own, era, tool) in SERVERS.items():
            server = listed[name]
            equal((server["state"], server["era"], server["serverInfo"]["name"]), ("ok", era, own))
            assert tool in [one["name"] for one in server["tools"]], tool
            assert all(one["inputSchema"]["type"] == "object" for one in server["tools"])
        equal(listed["modern"]["protocolVersion"], "2026-07-28")


@test
def tools_for_a_person_is_a_line_for_each_server_and_tool():
    with real_tools() as t:
        done = t.run("tools")
        equal(done.status, 0, done.err)
        for name, (own, era, tool) in SERVERS.items():
            assert re.search(rf"^{name}  \d+ tools, {re.escape(own)} \S+, 20\d\d-\d\d-\d\d, {era}$", done.out,
                             re.M), done.out
            assert re.search(rf"^ +{re.escape(tool)} +\S.*$", done.out, re.M), done.out


@test
def words_rank_the_tools():
    with real_tools(only=["filesystem", "memory"]) as t:
        files, graph = t.run("tools", "directory").out, t.run("tools", "graph").out
        contains(files, "list_directory")
        contains(graph, "read_graph")
        assert "delete_relations" not in files and "read_media_file" not in graph, files + graph
        whole = t.run("tools", "filesystem:read_text_file").out
        contains(whole, "filesystem:read_text_file\n  Read the complete", '"path": {')
        assert "read_media_file" not in whole, whole


@test
def a_server_that_failed_hides_no_other():
    with real_tools(only=["filesystem"]) as t:
        with open(f"{t.work}/.caprun.json", encoding="utf-8") as file:
            config = json.load(file)
        config["mcpServers"] |= {"gone": {"command": "no-such-program"},
                                 "broken": {"command": "sh", "args": ["-c", "echo bad key >&2; exit 7"]}}
        t.configure(**config)
        listed = t.listing(status=1)
        equal({name: server["state"] for name, server in listed.items()},
              {"filesystem": "ok", "gone": "failed", "broken": "failed"})
        equal((listed["gone"]["code"], listed["broken"]["code"]), ("RPC_ERROR", "RPC_ERROR"))
        contains(listed["gone"]["hint"], "no-such-program")
        contains(listed["broken"]["error"], "status 7")
        done = t.run("tools")
        equal(done.status, 1)
        contains(done.out + done.err, "read_text_file", "no-such-program", "gone", "broken")


# --- caprun call -----------------------------------------------------------------------------


@test
def a_tool_is_called_from_the_command_line():
    with real_tools() as t:
        done = t.run("call", "everything:get-sum", '{"a": 1, "b": 2}')
        equal((done.status, done.out), (0, '"The sum of 1 and 2 is 3."\n'), done.err)
        done = t.run("call", "filesystem:read_text_file", "-", stdin='{"path": "texts/two.txt"}')
        equal((done.status, done.out), (0, '{"content":"that is the question\\n"}\n'), done.err)
        done = t.run("call", "modern:notes.list")
        equal((done.status, done.out), (0, "[]\n"), done.err)


@test
def a_call_from_the_command_line_has_the_same_envelope_and_errors():
    with real_tools() as t:
        envelope = t.run("call", "modern:notes-add", '{"text": "x"}', "--json").envelope
        equal((envelope["success"], envelope["result"]), (True, {"id": 1}))
        equal([call["method"] for call in envelope["calls"]], ["modern:notes-add"])
        for words, status, code in ((["filesystem:read_text_file", '{"path": "nope"}'], 1, "TOOL_ERROR"),
                                    (["modern:nope"], 1, "RPC_ERROR"), (["nope:x"], 1, "RPC_ERROR"),
                                    (["filesystem:move_file"], 3, "PERMISSION_DENIED"), (["filesystem"], 2, "USAGE")):
            done = t.run("call", *words)
            equal((done.status, done.out), (status, ""), done.err)
            contains(done.err, f"({code})")


@test
def verbose_shows_a_line_for_each_call():
    with real_tools() as t:
        done = t.run("acme.tools.files.report", f"{ROOT}/samples/args/files.report.json", "-v")
        shown = re.findall(r"^caprun: call (\d+) (\S+) done: [\d.]+ ms in the queue, [\d.]+ ms in the server, "
                           r"(\d+) bytes out, (\d+) bytes in$", done.err, re.M)
        equal(sorted(method for _, method, _, _ in shown),
              ["filesystem:list_directory", *["filesystem:read_text_file"] * 2, "filesystem:write_file"], done.err)
        assert all(int(out) > 10 and int(back) > 10 for _, _, out, back in shown), shown


@test
def what_a_server_says_is_escaped_for_a_terminal():
    with real_tools() as t:
        shown = on_a_terminal("call", "everything:echo", json.dumps({"message": "\x1b[31mred\u202e"}),
                              cwd=t.work, env=t.env)
        assert "\x1b" not in shown and "\u202e" not in shown, repr(shown)
        contains(shown, "red")


main()

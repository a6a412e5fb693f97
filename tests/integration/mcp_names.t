#!/usr/bin/env python3
"""mcp_names.t - which tool a name means, and whether it may be called: aliases, collisions, allow, deny, ask, deps."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, test
from tools import FAKE
from tools import unrecorded_tools as tools

NAMES = ["plain", "a-b", "a.c", "x/y", "e-f", "e_f", "p-q", "p.q", "deep/er.name-d"]
ODD = {"only": True, "tools": [{"name": name} for name in NAMES]}
DENIED = "PERMISSION_DENIED"


def reached(t, call, *options):
    """Returns the tool that a call reached, or the code of its error."""
    outcome = t.value(f"return outcome(mcp.{call})", *options)
    return outcome["value"]["name"] if "value" in outcome else outcome["code"]


# --- names -----------------------------------------------------------------------------------


@test
def the_exact_name_in_brackets_always_works():
    with tools(s=ODD) as t:
        got = t.value(f"const got = []; for (const name of {json.dumps(NAMES)})"
                      "got.push((await mcp.s[name]({ name })).name); return got")
        equal((got, t.called("s")), (NAMES, NAMES))


@each({"a dash": ("s.a_b", "a-b"), "a dot": ("s.a_c", "a.c"), "a slash": ("s.x_y", "x/y"),
       "several": ("s.deep_er_name_d", "deep/er.name-d"), "an exact name": ("s.e_f", "e_f"),
       "no alias": ("s.plain", "plain")})
def an_alias_means_the_only_tool_that_it_can(case):
    call, name = case
    with tools(s=ODD) as t:
        equal((reached(t, f"{call}()"), t.called("s")), (name, [name]))


@test
def an_alias_of_two_tools_is_an_error_that_names_both():
    with tools(s=ODD) as t:
        outcome = t.value("return outcome(mcp.s.p_q())")
        equal((outcome["code"], t.called("s")), ("RPC_ERROR", []))
        contains(outcome["message"], '"p-q"', '"p.q"')
        equal([reached(t, 's["p-q"]()'), reached(t, 's["p.q"]()')], ["p-q", "p.q"])


@each({"an unknown one": 's["nope"]()', "nearly": 's["a_b_"]()', "a prefix": "s.pla()",
       "capitals": "s.Plain()", "a name of JavaScript": "s.toString()"})
def a_tool_that_is_not_listed_is_an_error_and_is_not_sent(call):
    with tools(s=ODD) as t:
        outcome = t.value(f"return outcome(mcp.{call})")
        equal((outcome["code"], t.called("s")), ("RPC_ERROR", []), str(outcome))
        contains(outcome["message"], '"s"')
        equal(reached(t, "s.plain()"), "plain")


@test
def the_first_three_misses_of_a_run_are_told_what_was_perhaps_meant():
    with tools(s=ODD, z={"only": True, "tools": [{"name": "plain"}]}) as t:
        code = """const got = [];
            for (const call of [mcp.s.plaim, mcp.z.plaim, mcp.s.frobnicate, mcp.s.plaim, mcp.z.plaim])
                got.push((await outcome(call({}))).message);
            return got"""
        for _ in range(2):  # each run counts its own three
            got = t.value(code)
            equal(["did you mean" in message for message in got], [True, True, False, False, False], str(got))
            contains(got[0], 'has no tool "plaim"; did you mean "plain"?')
            contains(got[3], 'The server "s" has no tool "plaim"')
        equal((t.called("s"), t.called("z")), ([], []))


@test
def the_names_are_seen_in_a_listing_as_they_are():
    with tools(s=ODD) as t:
        equal([tool["name"] for tool in t.listing()["s"]["tools"]], NAMES)
        equal(t.run("call", "s:a-b", "{}").out, '{"name":"a-b","args":{}}\n')
        equal(t.run("call", "s:a_b", "{}").out, '{"name":"a-b","args":{}}\n')


# --- policy ----------------------------------------------------------------------------------

# name: (permissions, options, call, the tool reached or the code of the error)
POLICY = {
    "nothing matches": ({}, [], "s.plain()", DENIED),
    "allow": ({"allow": ["s:plain"]}, [], "s.plain()", "plain"),
    "allow another": ({"allow": ["s:a-b"]}, [], "s.plain()", DENIED),
    "allow of all": ({"allow": ["*"]}, [], "s.plain()", "plain"),
    "allow of a server": ({"allow": ["s:*"]}, [], "s.plain()", "plain"),
    "allow of a server by its name": ({"allow": ["s"]}, [], "s.plain()", "plain"),
    "allow of another server": ({"allow": ["z:*"]}, [], "s.plain()", DENIED),
    "allow of a glob": ({"allow": ["s:pl*"]}, [], "s.plain()", "plain"),
    "deny": ({"deny": ["s:plain"]}, [], "s.plain()", DENIED),
    "deny beats allow": ({"allow": ["s:plain"], "deny": ["s:plain"]}, [], "s.plain()", DENIED),
    "exact beats glob": ({"allow": ["s:plain"], "deny": ["s:pl*"]}, [], "s.plain()", "plain"),
    "glob beats server": ({"allow": ["s:*"], "deny": ["s:pl*"]}, [], "s.plain()", DENIED),
    "server beats all": ({"allow": ["s:*"], "deny": ["*"]}, [], "s.plain()", "plain"),
    "ask counts as deny": ({"ask": ["s:plain"]}, [], "s.plain()", DENIED),
    "ask beats allow": ({"allow": ["s:plain"], "ask": ["s:plain"]}, [], "s.plain()", DENIED),
    "an ask that loses": ({"allow": ["s:plain"], "ask": ["*"]}, [], "s.plain()", "plain"),
    "--allow": ({}, ["--allow", "s:plain"], "s.plain()", "plain"),
    "--ask": ({"allow": ["s:*"]}, ["--ask", "s:plain"], "s.plain()", DENIED),
    "--deny beats exact": ({"allow": ["s:plain"]}, ["--deny", "*"], "s.plain()", DENIED),
    "--deny beats --allow": ({}, ["--allow", "s:plain", "--deny", "s"], "s.plain()", DENIED),
    "--allow does not beat deny": ({"deny": ["s:plain"]}, ["--allow", "s:plain"], "s.plain()", DENIED),
    "an exact name allowed and its alias called": ({"allow": ["s:a-b"]}, [], "s.a_b()", "a-b"),
    "an alias and a deny": ({"allow": ["s:*"], "deny": ["s:a-b"]}, [], "s.a_b()", DENIED),
    "an alias and a deny of a glob": ({"allow": ["s:*"], "deny": ["s:a-*"]}, [], "s.a_b()", DENIED),
    "an alias and --deny": ({"allow": ["*"]}, ["--deny", "s:x/y"], "s.x_y()", DENIED),
    "an alias allowed and the tool denied": ({"allow": ["s:a_b"], "deny": ["s:a-b"]}, [], "s.a_b()", DENIED),
    "an exact name and a deny": ({"allow": ["s:*"], "deny": ["s:a-b"]}, [], 's["a-b"]()', DENIED),
    "a deny by the alias": ({"allow": ["s:*"], "deny": ["s:a_b"]}, [], 's["a-b"]()', DENIED),
    "--deny by the alias": ({"allow": ["s:a-b"]}, ["--deny", "s:a_b"], 's["a-b"]()', DENIED),
    "a deny by the alias of what is allowed by name": ({"allow": ["s:a-b"], "deny": ["s:a_b"]}, [], 's["a-b"]()', "a-b"),
    "an alias and an ask": ({"allow": ["s:*"], "ask": ["s:a-b"]}, [], "s.a_b()", DENIED),
    "an ask by the alias": ({"allow": ["s:*"], "ask": ["s:a_b"]}, [], 's["a-b"]()', DENIED),
    "--ask by the alias": ({"allow": ["s:*"]}, ["--ask", "s:a_*"], 's["a-b"]()', DENIED),
    "an ask by the alias of what is allowed by name": ({"allow": ["s:a-b"], "ask": ["s:a_b"]}, [], 's["a-b"]()', "a-b"),
}


@each(POLICY)
def policy_decides(case):
    permissions, options, call, wanted = case
    with tools(permissions={"allow": [], **permissions}, s=ODD) as t:
        equal(reached(t, call, *options), wanted)
        equal(t.called("s"), [wanted] if wanted != DENIED else [])


@test
def a_server_is_denied_by_the_name_that_it_is_called_by():
    with tools(**{"my-server": ODD}) as t:
        for pattern in ("my_server", "my_server:plain", "my-server:*"):
            for call in ("mcp.my_server.plain()", 'mcp["my-server"].plain()'):
                equal(t.error(f"await {call}", "--deny", pattern)[1]["code"], DENIED, f"{pattern} {call}")
        equal(t.starts("my-server"), [])


@test
def a_name_of_the_servers_own_making_is_in_no_command_to_be_copied():
    evil = "x;touch y\n  hint: all is well"
    with tools(permissions={"allow": ["s:x_*"]}, s={"tools": [{"name": evil}, {"name": "*"}]}) as t:
        done = t.run("call", "s:x_touch_y___hint__all_is_well")
        assert done.status == 3 and "--allow" not in done.err, done.err
        done = t.run("call", "s:x_touch_y___hint__all_is_well", "--allow", "s", "--frozen")
        assert done.status == 6 and "--accept" not in done.err, done.err
        equal([line for line in done.err.splitlines() if "all is well" in line and "LoadError" not in line], [])


@test
def a_call_that_is_denied_starts_nothing_and_says_what_to_add():
    with tools(permissions={"deny": ["s:a-b"]}, s=ODD) as t:
        envelope = t.execute("await mcp.s.plain({})")
        error = envelope["error"]
        equal((envelope["status"], error["type"], error["code"], error["toolName"]),
              (3, "PermissionError", DENIED, "s:plain"))
        equal((error["grant"]["permissions"], error["hint"]), ({"allow": ["s:plain"]}, "allow it with --allow s:plain"))
        equal([(call["state"], call["decision"]) for call in envelope["calls"]], [("denied", "deny")])
        equal(t.starts("s"), [])
        error = t.error('await mcp.s["a-b"]({})')[1]
        contains(error["message"], "s:a-b")
        equal(t.starts("s"), [])
        error = t.error("await mcp.s.plain({})", "--allow", "s:plain", "--deny", "s:pl*")[1]
        contains(error["message"], "s:pl*")
        done = t.run("call", "s:plain")
        equal((done.status, t.starts("s")), (3, []))
        contains(done.err, DENIED, '"allow": ["s:plain"]')


@test
def one_denial_leaves_the_others():
    with tools(permissions={"allow": ["s:plain"]}, s=ODD) as t:
        equal(t.value("""
            const all = await Promise.all([mcp.s.plain(), mcp.s.a_b(), mcp.s.plain()].map(outcome));
            return all.map((o) => o.code ?? o.value.name)"""), ["plain", DENIED, "plain"])


@test
def no_server_of_that_name_is_no_question_of_policy():
    for permissions in ({"deny": ["*"]}, {"allow": ["*"]}):
        with tools(permissions=permissions, s=ODD) as t:
            outcome = t.value("return outcome(mcp.unknown.tool())")
            equal(outcome["code"], "RPC_ERROR")
            contains(outcome["message"], '"unknown"')


# --- capabilities ----------------------------------------------------------------------------


def run_capability(t, code, *words, **metadata):
    t.publish(code=code, **metadata)
    return t.run("acme.tools.text.upper", "--registry", t.registry, "--json", *words).envelope


@test
def a_capability_calls_only_what_its_metadata_lists():
    code = """const all = await Promise.all([mcp.s.plain(), mcp.s["a-b"](), mcp.s.x_y()].map(
        (call) => call.then((value) => value.name, (e) => e.code))); return all"""
    with tools(s=ODD) as t:
        envelope = run_capability(t, code, tools=["s:plain", "s:x/y"])
        equal(envelope.get("result"), ["plain", DENIED, "x/y"], str(envelope.get("error")))
        equal(sorted(t.called("s")), ["plain", "x/y"])
    with tools(s=ODD) as t:
        equal(run_capability(t, code)["result"], [DENIED] * 3)
        equal(t.starts("s"), [])


@test
def a_dependency_that_is_configured_means_the_configured_server():
    with tools(s=ODD) as t:
        marker = f"{t.root}/started"
        deps = [{"name": "s", "type": "stdio", "command": "touch", "args": [marker]}]
        envelope = run_capability(t, "return (await mcp.s.plain()).name", tools=["s:plain"], mcpDeps=deps)
        equal((envelope.get("result"), os.path.exists(marker)), ("plain", False), str(envelope.get("error")))


@test
def a_dependency_that_is_not_configured_starts_nothing_and_shows_what_to_paste():
    with tools(s=ODD) as t:
        marker = f"{t.root}/started"
        deps = [{"name": "other", "type": "stdio", "command": "touch", "args": [marker], "envRequired": ["KEY"]}]
        envelope = run_capability(t, "return mcp.other.plain()", tools=["other:plain"], mcpDeps=deps)
        equal((envelope["error"]["code"], os.path.exists(marker)), (DENIED, False), str(envelope["error"]))
        shown = envelope["error"]["message"] + envelope["error"].get("hint", "")
        contains(shown, '"other"', "touch", marker, "mcpServers")


@each({"an argument": {"command": "touch", "args": ["${HOME}"]}, "a command": {"command": "${HOME}/x"},
       "a URL": {"type": "http", "httpUrl": "https://a.example/${HOME}"}})
def what_the_configuration_would_expand_is_not_shown_for_pasting(dependency):
    with tools(s=ODD) as t:
        envelope = run_capability(t, "return 1", mcpDeps=[{"name": "other", "type": "stdio", **dependency}])
        contains(envelope["error"]["message"], "${HOME}")
        equal("${" in envelope["error"]["hint"], False, envelope["error"]["hint"])


@test
def a_server_given_as_a_capability_starts_nothing_unless_it_is_configured():
    with tools(s=ODD) as t:
        name = "acme.tools.text.upper.0123abcd"
        install = {"command": FAKE[0], "args": [*FAKE[1:], json.dumps({"trace": t.path_of("installed")})]}
        t.write_metadata(name, {"fqdn": name, "type": "stdio", "publishedAt": "2026-01-01T00:00:00Z",
                                "install": install})
        done = t.run("acme.tools.text.upper", "--registry", t.registry)
        assert done.status != 0 and not t.starts("installed"), done.out


@test
def a_pattern_about_no_server_is_noted():
    with tools(s=ODD) as t:
        done = t.run("call", "s:plain", "--deny", "z:plain", "--deny", "s:nothing")
        equal(done.status, 0, done.err)
        contains(done.err, '--deny z:plain matches no server')
        assert "nothing" not in done.err, done.err
        equal(t.run("call", "s:plain", "--deny", "z:plain", "-q").err, "")


@test
def a_pattern_of_the_file_is_shown_as_it_is_written():
    with tools({"allow": ["s:*", "${SECRET}:*"]}, s=ODD) as t:
        done = t.run("call", "s:plain", env={"SECRET": "hidden"})
        contains(done.err, '"${SECRET}:*" in "allow" matches no server in mcpServers')
        assert "hidden" not in done.err, done.err


@test
def a_misspelt_server_is_suggested_for_the_first_calls():
    with tools(files=ODD) as t:
        said = t.value("""
            const said = [];
            for (let n = 0; n < 5; n++) said.push(await mcp.fiels.read({}).catch((e) => e.message));
            said.push(await mcp.quite_another.read({}).catch((e) => e.message));
            return said""")
        equal(said, ['No target for fiels:read: there is no "fiels" in mcpServers; did you mean "files"?'] * 3
              + ['No target for fiels:read: there is no "fiels" in mcpServers'] * 2
              + ['No target for quite_another:read: there is no "quite_another" in mcpServers'])


main()

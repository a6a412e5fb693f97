#!/usr/bin/env python3
"""rules.t - "rules" of the permissions, with servers that count their calls; and npm's file server."""

import json
import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, reap_orphans, test, wait_until, write_file
from tools import real_tools
from tools import unrecorded_tools as tools

def rules(*list, **lists):
    return {"rules": [*list], **lists}


def allow(tool, **keys):
    return {"tool": tool, "then": "allow", **keys}


def deny(tool, **keys):
    return {"tool": tool, "then": "deny", **keys}


def states(envelope):
    return [(call["state"], call.get("by")) for call in envelope["calls"]]


# --- what the args say -----------------------------------------------------------------------


def check_args(permissions, right, wrong, server="a"):
    """Calls a.echo with args that the rule allows, and with each of those that it does not."""
    with tools(permissions=permissions, **{server: {}}) as t:
        equal(t.value(f"return mcp.{server}.echo(args)", write_file(f"{t.root}/args.json", json.dumps(right))), right)
        equal(len(t.called(server)), 1)
        for args in wrong:
            status, error = t.error(f"return mcp.{server}.echo(args)", write_file(f"{t.root}/args.json", json.dumps(args)))
            equal((status, error["code"]), (3, "PERMISSION_DENIED"), json.dumps(args))
        equal(len(t.called(server)), 1, "calls that arrived")


@test
def a_value_may_have_to_be_equal():
    check_args(rules(allow("a:echo", when={"/mode": {"in": ["dry", "check"]}, "/n": {"max": 3}})),
               {"mode": "dry", "n": 3}, [{"mode": "wet", "n": 3}, {"mode": "dry", "n": 4}, {"mode": "dry"}, {},
                                         {"mode": ["dry"], "n": 3}, {"mode": "dry", "n": 9007199254740993}])


@test
def a_host_may_have_to_be_one_that_is_named():
    check_args(rules(allow("a:echo", when={"/url": {"host": "*.good.example"}})), {"url": "https://api.good.example/x"},
               [{"url": "https://good.example/"}, {"url": "https://api.good.example@evil.example/"},
                {"url": "https://evil.example/api.good.example"}, {"url": "https://api.good.example\\@evil.example"},
                {"url": "api.good.example"}, {"url": None}])


@test
def a_path_may_have_to_be_below_a_directory():
    check_args(rules(allow("a:echo", when={"/path": {"under": "./out"}})), {"path": "out/new/file"},
               [{"path": "file"}, {"path": "out/../file"}, {"path": "/etc/passwd"}, {"path": "~/out/x"},
                {"path": "out/new/../../file"}, {"path": ["out/x"]}, {"path": "file://out/x"}])


@test
def a_deny_that_looks_at_args_is_stronger_than_an_allow_by_name():
    check_args(rules(deny("*", when={"/path": {"under": "./secret"}}), allow=["a:echo"]), {"path": "open/x"},
               [{"path": "secret/x"}, {"path": "open/../secret"}, {"path": "./secret"}, {"path": 1}, {"path": "~/x"}])


@test
def a_denial_names_the_rule_that_allows_the_tool_with_other_args():
    own = {"id": "own-files", **allow("a:echo", when={"/path": {"under": "./out"}})}
    for lists in ({}, {"deny": ["*"]}):
        with tools(permissions=rules(own, **lists), a={}) as t:
            status, error = t.error("return mcp.a.echo({path: '/etc/passwd'})")
            contains(error["message"], 'the rule "own-files" allows it, but not with these args')
            assert "--allow" not in error["message"], error
            equal((status, t.starts("a")), (3, []))


@test
def links_are_followed_before_the_call():
    with tools(permissions=rules(allow("a:echo", when={"/path": {"under": "./out"}})), a={}) as t:
        os.makedirs(f"{t.work}/out")
        os.makedirs(f"{t.work}/else")
        os.symlink("../else", f"{t.work}/out/link")
        equal(t.value("return mcp.a.echo({path: 'out/x'})"), {"path": "out/x"})
        for path in ("out/link/x", "out/link", "out/link/../x"):
            status, _ = t.error(f"return mcp.a.echo({{path: '{path}'}})")
            equal(status, 3, path)
        os.rename(f"{t.work}/out", f"{t.work}/old")
        os.symlink("else", f"{t.work}/out")  # caprun finds out now where "out" is
        equal(t.value("return mcp.a.echo({path: 'out/x'})"), {"path": "out/x"})
        equal(len(t.called("a")), 2)


@test
def a_denied_call_starts_no_server():
    permissions = rules(allow("a:echo", when={"/path": {"under": "./out"}}), deny("b", when={"/n": {"min": 1}}), allow=["b"])
    with tools(permissions=permissions, a={}, b={}) as t:
        equal(t.value("""return [await outcome(mcp.a.echo({path: "/etc/passwd"})), await outcome(mcp.b.echo({n: 1}))]
            .map((o) => o.code)"""), ["PERMISSION_DENIED"] * 2)
        equal((t.starts("a"), t.starts("b")), ([], []))
        t.value("return [await mcp.a.echo({path: 'out/x'}), await mcp.b.echo({n: 0})]")
        equal((len(t.starts("a")), len(t.starts("b"))), (1, 1))


@test
def long_args_are_judged_as_well():
    permissions = rules(allow("a:echo", when={"/last": {"equals": "yes"}}))
    with tools(permissions=permissions, a={}) as t:
        equal(t.value("return (await mcp.a.echo({text: 'x'.repeat(100000), last: 'yes'})).last"), "yes")
        status, _ = t.error("return mcp.a.echo({text: 'x'.repeat(100000), last: 'no'})")
        equal(status, 3)
        status, _ = t.error("return mcp.a.echo({list: new Array(200000).fill(0), last: 'yes'})")
        equal((status, len(t.called("a"))), (3, 1))


@test
def every_way_to_a_tool_passes_the_rule():
    permissions = rules(allow("my-server:do-it", when={"/n": {"equals": 1}}))
    with tools(permissions=permissions, **{"my-server": {"tools": [{"name": "do-it"}]}}) as t:
        for call in ("my_server.do_it", 'my_server["do-it"]', '["my-server"].do_it', "my_server.do_it.raw"):
            path = call if call.startswith("[") else "." + call
            equal(t.value(f"return (await outcome(mcp{path}({{n: 2}}))).code"), "PERMISSION_DENIED", call)
            assert "value" in t.value(f"return outcome(mcp{path}({{n: 1}}))"), call
        equal(t.run("call", "my-server:do-it", '{"n": 2}').status, 3)
        equal(t.run("call", "my-server:do-it", '{"n": 1}').status, 0)
        equal(len(t.called("my-server")), 5)


@test
def npm_s_file_server_writes_only_where_the_rule_says():
    own = {"id": "own-files", **allow("filesystem:write_file", when={"/path": {"under": "../files/texts"}})}
    with real_tools(only=["filesystem"], permissions=rules(own, deny=["*"])) as t:
        where = f"{t.root}/files"
        envelope = t.execute("return mcp.filesystem.write_file(args)", json.dumps({"path": f"{where}/texts/new.txt", "content": "x"}))
        equal((envelope["success"], envelope["calls"][0]["by"]), (True, "rule:own-files"), str(envelope.get("error")))
        assert os.path.exists(f"{where}/texts/new.txt")
        envelope = t.execute("return mcp.filesystem.write_file(args)", json.dumps({"path": f"{where}/new.txt", "content": "x"}))
        equal((envelope["status"], envelope["calls"][0]["by"]), (3, "rule:*"))
        assert not os.path.exists(f"{where}/new.txt")


# --- whose calls -----------------------------------------------------------------------------


@each({"the capability": ("acme.tools.text.upper", True), "another": ("acme.tools.text.lower", False)})
def a_rule_for_one_capability_is_for_no_other(case):
    name, is_allowed = case
    with tools(permissions=rules(allow("a:echo", **{"for": name})), a={}) as t:
        t.publish(code="return mcp.a.echo(args)", tools=["a:echo"])
        done = t.run("acme.tools.text.upper", '{"text": "x"}', "--json", "--registry", t.registry)
        equal((done.envelope["success"], len(t.called("a"))), (is_allowed, int(is_allowed)))
        equal(t.error("return mcp.a.echo(args)")[0], 3)


@test
def a_rule_for_exec_is_for_no_capability():
    with tools(permissions=rules(allow("a:echo", **{"for": "exec"})), a={}) as t:
        t.publish(code="return mcp.a.echo(args)", tools=["a:echo"])
        equal(t.run("acme.tools.text.upper", '{"text": "x"}', "--registry", t.registry).status, 3)
        equal(t.value("return mcp.a.echo({})"), {})


# --- budgets ---------------------------------------------------------------------------------


@test
def a_budget_is_for_one_run_and_what_is_over_it_asks():
    permissions = rules({"id": "few", **allow("a:echo", maxCalls=3)}, allow=["a"])
    with tools(permissions=permissions, a={}) as t:
        for _ in range(2):
            envelope = t.execute("return (await Promise.all([1, 2, 3, 4, 5].map((n) => outcome(mcp.a.echo({n}))))).map((o) => o.code)")
            equal(envelope["result"], [None] * 3 + ["PERMISSION_DENIED"] * 2)
            equal(states(envelope), [("done", "rule:few")] * 3 + [("denied", "no_channel")] * 2)
        equal(len(t.called("a")), 6)
        contains(t.value("for (let n = 0; n < 3; n++) await mcp.a.echo({n}); return (await outcome(mcp.a.echo({}))).message"),
                 'the rule "few"', "used up")


@test
def a_budget_with_a_condition_holds_for_calls_at_once():
    permissions = rules(allow("a:echo", maxCalls=2, when={"/path": {"under": "./out"}}))
    with tools(permissions=permissions, a={}) as t:
        codes = t.value("""return (await Promise.all(Array.from({length: 20}, (_, n) => outcome(mcp.a.echo({path: "out/" + n})))))
            .map((o) => o.code ?? "done")""")
        equal((codes.count("done"), codes.count("PERMISSION_DENIED"), len(t.called("a"))), (2, 18, 2))


@test
def a_rate_is_a_budget_too():
    permissions = rules(allow("a:echo", rate={"calls": 2, "perMs": 3600000}))
    with tools(permissions=permissions, a={}) as t:
        equal(t.value("const all = []; for (let n = 0; n < 4; n++) all.push((await outcome(mcp.a.echo({n}))).code ?? n); return all"),
              [0, 1, "PERMISSION_DENIED", "PERMISSION_DENIED"])


@test
def a_resumed_run_has_what_is_left_of_its_budget():
    permissions = rules({"id": "few", **allow("a:echo", maxCalls=3)}, allow=["a:never"])
    with tools(permissions=permissions, a={}) as t:
        journal = f"{t.root}/run.jsonl"
        running = t.start("exec", "-", "--record", journal, code="""
            const all = [];
            for (let n = 0; n < 2; n++) all.push(await mcp.a.echo({n}));
            await mcp.a.never().catch(() => 0);
            for (let n = 2; n < 5; n++) all.push(await mcp.a.echo({n}).then((o) => o.n, (e) => e.code));
            return all.slice(2);""")
        wait_until(lambda: "never" in t.called("a"), 10, "the call that is never answered")
        running.send(signal.SIGKILL)
        running.end()
        wait_until(lambda: not reap_orphans(), 10, "the end of its processes")
        done = t.run("resume", journal, "--fail-unknown", "--json")
        equal(done.envelope["error"]["code"], "APPROVAL_REQUIRED")
        done = t.run("deny", journal, "--run", "--json")
        equal(done.envelope["result"], [2, "PERMISSION_DENIED", "PERMISSION_DENIED"], str(done.envelope.get("error")))
        equal(t.called("a").count("echo"), 3)


@test
def a_call_that_is_made_again_first_does_not_renew_the_budget():
    """The first decision after the resume is about call 1, and calls 2 to 4 have used up the budget."""
    permissions = rules({"id": "few", **allow("a:echo", maxCalls=3)}, allow=["b"])
    with tools(permissions=permissions, a={}, b={"config": {"idempotent": ["never"]}}) as t:
        journal = f"{t.root}/run.jsonl"
        running = t.start("exec", "-", "--record", journal, code="""
            const open = mcp.b.never();
            for (let n = 0; ; n++) await mcp.a.echo({n}).catch(() => open);""")
        for again in range(2):
            wait_until(lambda: t.called("b").count("never") == again + 1 and t.called("a").count("echo") == 3, 10, "the calls")
            running.send(signal.SIGKILL)
            running.end()
            wait_until(lambda: not reap_orphans(), 10, "the end of its processes")
            running = t.start("resume", journal, code="")
        wait_until(lambda: t.called("b").count("never") == 3, 10, "the call that is made again")
        running.send(signal.SIGKILL)
        running.end()
        wait_until(lambda: not reap_orphans(), 10, "the end of its processes")
        equal(t.called("a").count("echo"), 3)


@test
def calls_that_waited_do_not_come_faster_than_the_rate():
    permissions = rules(allow("a:echo", rate={"calls": 1, "perMs": 3600000}, when={"/path": {"under": "./out"}}), allow=["a:sleep"])
    with tools(permissions=permissions, a={"config": {"maxConcurrent": 1}}) as t:
        codes = t.value("""const all = [mcp.a.sleep({ms: 200})];
            for (let n = 0; n < 5; n++) all.push(outcome(mcp.a.echo({path: "out/" + n})));
            return (await Promise.all(all)).slice(1).map((o) => o.code ?? "done")""")
        equal((sorted(codes), t.called("a").count("echo")), (["PERMISSION_DENIED"] * 4 + ["done"], 1))


@test
def two_files_cannot_have_rules_of_the_same_id():
    few = {"id": "few", **allow("a:echo", maxCalls=3)}
    with tools(permissions=rules(few), a={}) as t:
        os.makedirs(f"{t.root}/user/caprun")
        user = write_file(f"{t.root}/user/caprun/config.json", json.dumps({"permissions": rules({**few, "tool": "b"})}))
        done = t.run("exec", "-", code="return 1", env={"XDG_CONFIG_HOME": f"{t.root}/user"})
        equal(done.status, 2)
        contains(done.err, user, 'another rule has the id "few" already')


@test
def one_more_deny_never_allows_a_tool_of_a_strange_name():
    strange = {"tools": [{"name": "get sum"}, {"name": "del?"}]}
    more = deny("a:*", when={"/zz": {"equals": 1}})
    for others in ([], [more]):
        permissions = rules(deny("a:get_sum", when={"/n": {"equals": 1}}), *others, allow=["a"], deny=["a:del_"])
        with tools(permissions=permissions, a=strange) as t:
            equal(t.value("""await mcp.a.echo({});
                return [await outcome(mcp.a.get_sum({n: 1})), await outcome(mcp.a["del_"]({}))].map((o) => o.code)"""),
                  ["PERMISSION_DENIED"] * 2)
            equal(t.called("a"), ["echo"])


main()

#!/usr/bin/env python3
"""trust.t - a project's configuration that this user has not accepted starts and allows nothing."""

import contextlib
import glob
import hashlib
import json
import os
import shutil
import stat
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from at_terminal import on_terminal
from harness import CAPRUN, NOBODY, Terminal, contains, each, equal, main, need, start, test, write_file
from servers import KEEP, Server, answer
from tools import tools

COMMANDS = {
    "exec": ("exec", "-"), "call": ("call", "a:echo", "{}"), "a capability": ("acme.tools.text.upper", "{}"),
    "run": ("run", "acme.tools.text.upper", "{}"), "tools": ("tools",), "tools of a name": ("tools", "a:echo"),
    "list": ("list",), "info": ("info", "acme.tools.text.upper"), "lock": ("lock",),
    "lock --accept": ("lock", "--accept", "a:echo"),
}


class Repository:
    """A directory with a hostile configuration, and a user who has accepted nothing."""

    def __init__(self, t):
        self.t, self.work, self.config = t, t.work, f"{t.work}/.caprun.json"
        self.canary, self.state = f"{t.root}/canary", f"{t.root}/state"
        self.env = {**t.env, "XDG_STATE_HOME": self.state, "TERM": "xterm", "NO_COLOR": "1"}
        del self.env["CAPRUN_TRUST"]

    def write(self, value):
        write_file(self.config, value if isinstance(value, str) else json.dumps(value))

    def touch(self, *args):
        """A server that leaves a trace if it is started, and then answers nothing."""
        return {"command": "/bin/sh", "args": ["-c", f"echo started >>{self.canary}", *args]}

    def was_started(self):
        return os.path.exists(self.canary)

    def start(self, *words, env=None, cwd=None, **options):
        return start(*words, cwd=cwd or self.work, env={**self.env, **(env or {})}, **options)

    def run(self, *words, **options):
        return self.start(*words, **options).end(60)

    def refused(self, *words, **options):
        done = self.run(*words, code="return mcp.a.echo({})", **options)
        equal((done.status, done.out), (2, ""), done.err)
        contains(done.err, "CONFIG_ERROR", self.config, "nothing was started")
        assert not self.was_started(), done.err
        return done

    def on_terminal(self, *words, env=None, cwd=None, **options):
        return on_terminal(*words, cwd=cwd or self.work, env={**self.env, **(env or {})}, **options)

    def accept(self, *words, **options):
        done, text = self.on_terminal("trust", *words, keys=b"y\n", **options)
        equal(done.status, 0, text)
        contains(done.out, "Accepted.")
        return text

    def is_accepted(self, **options):
        done = self.run("trust", "--json", **options)
        shown = json.loads(done.out)
        equal(done.status, 2 if shown["trust"] == "missing" else 0)
        return shown["trust"] != "missing"

    def would(self):
        return json.loads(self.run("trust", "--json").out)["would"]

    def state_files(self):
        return glob.glob(f"{self.state}/caprun/trust/*")


@contextlib.contextmanager
def repository(value=None):
    with tools() as t:
        r = Repository(t)
        r.write(value if value is not None else {"mcpServers": {"a": r.touch()}, "permissions": {"allow": ["*"]}})
        yield r


def fake(r, **more):
    """A configuration with a server that works."""
    return {"mcpServers": {"a": r.t.fake("a")}, "permissions": {"allow": ["a:*"]}, **more}


# --- a hostile repository ---------------------------------------------------------------------


@each(COMMANDS)
def in_a_cloned_repository_nothing_is_started(words):
    with repository() as r:
        contains(r.refused(*words).err, "you have not accepted", "start 1 server", "caprun trust", "CAPRUN_TRUST=1")
        equal((r.state_files(), os.path.exists(f"{r.work}/caprun.lock")), ([], False))


@each(COMMANDS)
def with_the_variable_the_same_commands_use_the_configuration(words):
    with repository() as r:
        done = r.run(*words, code="return mcp.a.echo({})", env={"CAPRUN_TRUST": "1"})
        assert "you have not accepted" not in done.err, done.err
        equal(r.was_started(), words[0] in ("exec", "call", "tools", "lock") and words != ("lock",), done.err)


@test
def the_command_line_is_shown_and_after_the_acceptance_it_is_started():
    with repository() as r:
        shown = r.run("trust")
        equal((shown.status, r.was_started()), (2, False))
        contains(shown.out, r.config, "start these MCP servers:", f"a: /bin/sh -c 'echo started >>{r.canary}'", "allow these calls:\n    *\n")
        contains(shown.err, "CONFIG_ERROR", "was not accepted", "at a terminal")
        contains(r.accept(), f"a: /bin/sh -c 'echo started >>{r.canary}'", "Let it start 1 server and allow calls by 1 pattern or rule? [y/N] ")
        equal(r.was_started(), False)
        contains(r.run("trust").out, r.config, "is accepted")
        r.run("call", "a:echo", "{}")
        equal(r.was_started(), True)


@test
def what_is_accepted_works():
    with repository() as r:
        r.write(fake(r))
        r.refused("exec", "-")
        r.accept()
        equal(r.run("call", "a:echo", '{"x": 1}').out, '{"x":1}\n')
        envelope = r.run("exec", "-", "--json", code="return mcp.a.echo({x: 2})").envelope
        equal((envelope["result"], "trust" in envelope), ({"x": 2}, False))


@test
def hostile_text_is_escaped_where_it_is_shown():
    with repository() as r:
        r.write({"mcpServers": {"a": {"command": "x\u001b[2J", "args": ["\u202e-rf", "a\nallow: nothing", "$(x)", ""],
                                      "env": {"A\u001b]0;B": "\u001b[31m"}, "un\u202eheard": "\u009b1m", "cwd": "\u2066"}}})
        want = ["'x\\u001b[2J' '\\u202e-rf' 'a\\nallow: nothing' '$(x)' ''", "A\\u001b]0;B='\\u001b[31m'", "un\\u202eheard: '\\u009b1m'",
                "in the directory '\\u2066'"]
        contains(r.run("trust").out, *want)
        done, text = r.on_terminal("exec", "-", keys=b"n\n", columns=300, code="return 1")
        contains(text, *want)
        for bad in ("\u001b[2J", "\u202e", "\u2066", "\u009b", "\nallow: nothing"):
            assert bad not in text and bad not in r.run("trust").out, repr(bad)
        equal((done.status, done.out), (2, ""))


@test
def everything_that_is_accepted_is_shown():
    with repository() as r:
        r.write({"registries": ["./below", "../above", "https://registry.example/x", {"path": "./below", "dev": True}],
                 "mcpServers": {"a": {"command": "node", "args": ["server.js"], "env": {"NODE_OPTIONS": "-r ./x", "T": "${T}"}, "cwd": "./sub"},
                                "b": {"url": "https://tools.example/mcp", "headers": {"x-key": "${K}"}}},
                 "permissions": {"allow": ["a:read_*"], "ask": ["a"], "deny": ["a:rm"],
                                 "rules": [{"id": "own", "for": "exec", "tool": "a:write", "when": {"/p": {"under": "./out"}}, "maxCalls": 3, "then": "allow"}]},
                 "env": {"acme.tools.text.upper": ["LANG"]}, "limits": {"timeoutMs": 600000, "memoryMB": 4}, "record": "none"})
        shown = r.run("trust").out
        contains(shown, "  start these MCP servers:\n    a: node server.js\n      with the variable NODE_OPTIONS='-r ./x'\n"
                        "      with the variable T='${T}'\n      in the directory ./sub\n",
                 "  send calls to these URLs:\n    b: https://tools.example/mcp\n      with the headers x-key\n",
                 '  allow these calls:\n    a:read_*\n    a:write (own), for exec, when {"/p":{"under":"./out"}}, maxCalls 3\n',
                 "  take capabilities from:\n    ../above\n    https://registry.example/x\n    ./below, in development: code that has changed runs at once\n",
                 "  give capabilities these variables of your environment:\n    acme.tools.text.upper: LANG\n",
                 "  replace variables of your environment in these texts:\n    ${T}\n    ${K}\n",
                 "  set:\n    limits.timeoutMs: 600000\n    record: none\n")
        assert "a:rm" not in shown and "memoryMB" not in shown, shown
        equal(set(r.would()), {"servers", "urls", "allow", "registries", "env", "variables", "settings"})


@test
def no_registry_is_asked_and_no_variable_is_replaced_before():
    asked = []

    def serve(path, headers):
        asked.append(path)
        return answer(404, b"", KEEP)

    with Server(serve) as server, repository() as r:
        r.write({"registries": [server.url("/${CAPRUN_SECRET}")]})
        done = r.refused("acme.tools.text.upper", "{}", env={"CAPRUN_SECRET": "s3cret"})
        assert "s3cret" not in done.err
        for words in (("trust",), ("config",), ("list",)):
            done = r.run(*words, env={"CAPRUN_SECRET": "s3cret"})
            assert "s3cret" not in done.out + done.err, (words, done.out)
            # nor has it to be set
            assert "environment has no variable" not in r.run(*words).err
        equal(asked, [])
        r.write({"registries": [server.url("/")]})
        r.refused("acme.tools.text.upper", "{}")
        r.accept()
        equal((r.run("acme.tools.text.upper", "{}").status, asked != []), (6, True))


@test
def completion_takes_nothing_from_it():
    with repository() as r:
        os.mkdir(f"{r.work}/registry")
        r.t.registry = f"{r.work}/registry"
        r.t.publish()
        r.write({"registries": [{"path": "./registry", "dev": True}], "mcpServers": {"a": r.touch()}})
        equal([r.run("complete-names").out, r.run("complete-names", "tools").out], ["", ""])
        r.accept()
        contains(r.run("complete-names").out, "acme.tools.text.upper")
        equal(r.run("complete-names", "tools").out, "a:\n")


@test
def a_mistake_in_it_is_told_before_anyone_is_asked():
    with repository() as r:
        r.write({"mcpServers": {"a": {"command": "${UNSET}"}}, "permisions": {}})
        for words in (("exec", "-"), ("trust",), ("config",)):
            done, text = r.on_terminal(*words, keys=None, code="return 1")
            equal((done.status, done.out), (2, ""))
            contains(text, 'unknown key "permisions"')


@test
def a_resumed_and_a_replayed_run_need_it_too():
    with repository() as r:
        r.write(fake(r))
        journal = f"{r.t.root}/run.jsonl"
        r.run("exec", "-", "--record", journal, code="return mcp.a.echo({x: 1})", env={"CAPRUN_TRUST": "1"})
        calls = r.t.called("a")
        equal(calls, ["echo"])
        done = r.run("resume", journal)
        equal((done.status, r.t.called("a")), (2, calls))
        contains(r.run("replay", journal).err, "you have not accepted")
        equal(r.run("replay", journal, env={"CAPRUN_TRUST": "1"}).status, 0)


# --- edits ------------------------------------------------------------------------------------


@test
def an_edit_that_only_removes_or_denies_needs_no_acceptance():
    with repository() as r:
        full = fake(r, registries=["../a", "../b"], env={"acme.tools.text.upper": ["LANG"]})
        full["mcpServers"]["b"] = r.touch()
        full["permissions"]["allow"].append("b:*")
        r.write(full)
        r.accept()
        kept = r.state_files()
        for edited in ({**full, "registries": ["../b"]}, {**full, "env": {}}, {**full, "mcpServers": {"a": full["mcpServers"]["a"]}},
                       {**full, "permissions": {"allow": ["a:*"], "deny": ["b:*"]}}, {key: full[key] for key in reversed(full)}):
            r.write(json.dumps(edited, indent=3))
            equal(r.run("call", "a:echo", '{"x": 1}').out, '{"x":1}\n', edited)
            equal(r.is_accepted(), True)
        r.write(full)
        equal((r.is_accepted(), r.state_files()), (True, kept))


@test
def an_edit_that_widens_starts_nothing_and_only_the_difference_is_shown():
    with repository() as r:
        r.write(fake(r))
        r.accept()
        wider = fake(r)
        wider["mcpServers"]["b"] = r.touch()
        wider["permissions"] = {"allow": ["a:*", "b:*"]}
        r.write(wider)
        contains(r.refused("call", "a:echo", "{}").err, "has changed since you accepted it", "it would also start 1 server and allow calls by 1 pattern")
        shown = r.run("trust").out
        contains(shown, "has changed since you accepted it", "    b: /bin/sh -c", "    b:*\n")
        assert "    a:" not in shown, shown
        assert "    a:" not in r.accept()
        equal(r.run("call", "a:echo", '{"x": 1}').out, '{"x":1}\n')


@test
def a_changed_command_is_shown_with_the_accepted_one():
    with repository() as r:
        r.write({"mcpServers": {"a": {"command": "node", "args": ["good.js"]}}})
        r.accept()
        r.write({"mcpServers": {"a": {"command": "node", "args": ["evil.js"]}}})
        contains(r.run("trust").out, "    a: node evil.js\n      accepted before: node good.js\n")
        r.write({"mcpServers": {"a": {"command": "node", "args": ["good.js"], "cwd": "elsewhere"}}})
        contains(r.run("trust").out, "    a: node good.js\n      in the directory elsewhere\n")


@test
def a_deny_that_is_gone_has_to_be_accepted():
    with repository() as r:
        full = fake(r)
        full["permissions"].update(deny=["a:rm", "a:mv"], ask=["a:cp"], rules=[{"tool": "a:ln", "then": "deny"}])
        r.write(full)
        r.accept()
        full["permissions"] = {"allow": ["a:*"], "deny": ["a:mv"]}
        r.write(full)
        r.refused("call", "a:echo", "{}")
        contains(r.run("trust").out, "weaken what was denied or asked about:\n", "until now denied: a:rm", "until now asked about: a:cp",
                 "a rule, until now: deny: a:ln")


@test
def a_server_that_is_gone_does_not_reveal_the_users_own():
    with repository() as r:
        r.write({**fake(r), "permissions": {"allow": ["*"]}})
        r.accept()
        os.makedirs(f"{r.t.root}/config/caprun")
        write_file(f"{r.t.root}/config/caprun/config.json", json.dumps({"mcpServers": {"a": r.touch()}}))
        own = {"XDG_CONFIG_HOME": f"{r.t.root}/config"}
        equal(r.run("call", "a:echo", '{"x": 1}', env=own).out, '{"x":1}\n')
        r.write({"permissions": {"allow": ["*"]}})
        equal(r.is_accepted(), True)
        contains(r.refused("call", "a:echo", "{}", env=own).err, "would also start 1 server")


# --- what needs no acceptance -----------------------------------------------------------------


FREE = {"nothing": {}, "denies": {"permissions": {"ask": ["*"], "deny": ["a:b"]}, "onDenied": "stop"}, "limits": {"limits": {"timeoutMs": 1000}},
        "a registry below": {"registries": ["./registry"], "$schema": "x"}, "empty": {"mcpServers": {}, "permissions": {"allow": []}}}


@each(FREE)
def a_file_that_starts_and_allows_nothing_needs_no_acceptance(value):
    with repository(value) as r:
        envelope = r.run("exec", "-", "--json", code="return 1", env={"CAPRUN_TRUST": "1"}).envelope
        equal("trust" in envelope, False)
        equal(r.run("exec", "-", code="return 1").out, "1\n")
        contains(r.run("trust").out, "needs no acceptance")
        equal(r.state_files(), [])


@test
def a_registry_below_that_is_a_link_elsewhere_needs_it():
    with repository({"registries": ["./registry"]}) as r:
        os.rename(r.t.registry, f"{r.work}/registry")
        r.t.registry = f"{r.work}/registry"
        r.t.publish()
        equal(r.run("acme.tools.text.upper", '{"text": "a"}').out, '"A"\n')
        os.rename(f"{r.work}/registry", f"{r.t.root}/elsewhere")
        os.symlink("../elsewhere", f"{r.work}/registry")
        done = r.run("acme.tools.text.upper", '{"text": "a"}')
        equal(done.status, 2)
        contains(done.err, "not accepted", "use 1 registry")
        contains(r.run("trust").out, "take capabilities from:\n    ./registry\n")


@test
def a_registry_below_does_not_get_what_the_user_gives_by_name():
    with repository({"registries": ["./registry"]}) as r:
        os.rename(r.t.registry, f"{r.work}/registry")
        r.t.registry = f"{r.work}/registry"
        r.t.publish(code="return args.env", env=["HUSH"])
        os.makedirs(f"{r.t.root}/config/caprun")
        own = {"XDG_CONFIG_HOME": f"{r.t.root}/config", "HUSH": "s3cret"}
        for value, asks in (({"permissions": {"allow": ["a"]}}, False), ({"env": {"acme.tools.text.upper": ["HUSH"]}}, True)):
            write_file(f"{r.t.root}/config/caprun/config.json", json.dumps(value))
            done = r.run("acme.tools.text.upper", "{}", env=own)
            equal(("you have not accepted" in done.err, done.status), (asks, 2 if asks else 0), done.err)
            assert "s3cret" not in done.out, done.out
        r.accept(env=own)
        contains(r.run("acme.tools.text.upper", "{}", env=own).out, "s3cret")


@test
def the_users_own_file_is_the_users():
    with repository({}) as r:
        os.makedirs(f"{r.t.root}/config/caprun")
        write_file(f"{r.t.root}/config/caprun/config.json", json.dumps(fake(r)))
        own = {"XDG_CONFIG_HOME": f"{r.t.root}/config"}
        equal(r.run("call", "a:echo", '{"x": 1}', env=own).out, '{"x":1}\n')
        os.unlink(r.config)
        equal(r.run("call", "a:echo", '{"x": 1}', env=own).out, '{"x":1}\n')


@test
def the_file_that_init_makes_is_accepted_until_it_widens():
    with repository() as r:
        os.unlink(r.config)
        equal(r.run("init").status, 0)
        equal(r.run("my.first.hello.world", "{}").status, 0)
        value = json.load(open(r.config, encoding="utf-8"))
        value["mcpServers"] = {"a": r.touch()}
        r.write(value)
        done = r.run("my.first.hello.world", "{}")
        equal((done.status, r.was_started()), (2, False))
        contains(done.err, "has changed since you accepted it")


@test
def the_servers_of_another_program_have_to_be_accepted():
    with repository() as r:
        os.unlink(r.config)
        write_file(f"{r.t.root}/.claude.json", json.dumps({"mcpServers": {"a": r.touch()}}))
        done = r.run("init", "--from", "claude")
        equal(done.status, 0)
        contains(done.out, "caprun trust")
        equal((r.run("my.first.hello.world", "{}").status, r.is_accepted()), (2, False))
        r.accept()
        equal(r.run("my.first.hello.world", "{}").status, 0)


# --- which file -------------------------------------------------------------------------------


@test
def a_file_that_is_named_needs_it_too():
    with repository({}) as r:
        named = write_file(f"{r.t.root}/named $file.json", json.dumps(fake(r)))
        words, code = ("exec", "-"), "return mcp.a.echo({x: 1})"
        for options, env in ((("--config", named), {}), ((), {"CAPRUN_CONFIG": named})):
            done = r.run(*words, *options, code=code, env=env)
            equal((done.status, r.t.starts("a")), (2, []))
            contains(done.err, f"caprun trust --config '{named}'")
        r.accept("--config", named)
        for options, env in ((("--config", named), {}), ((), {"CAPRUN_CONFIG": named})):
            equal(r.run(*words, *options, code=code, env=env).out, '{"x":1}\n')


@test
def a_link_is_accepted_where_it_is_and_not_where_it_leads():
    """Relative paths start beside the link, so it must not borrow the acceptance of its target."""
    with repository() as r:
        good, evil = f"{r.t.root}/good", f"{r.t.root}/evil"
        for folder in (good, evil):
            os.mkdir(folder)
        write_file(f"{evil}/server.sh", f"#!/bin/sh\necho started >>{r.canary}\n")
        os.chmod(f"{evil}/server.sh", 0o755)
        write_file(f"{good}/.caprun.json", json.dumps({"mcpServers": {"a": {"command": "./server.sh"}}, "permissions": {"allow": ["*"]}}))
        r.accept(cwd=good)
        os.symlink("../good/.caprun.json", f"{evil}/.caprun.json")
        done = r.run("call", "a:echo", "{}", cwd=evil)
        equal((done.status, r.was_started()), (2, False))
        contains(done.err, f"{evil}/.caprun.json", "not accepted")
        r.accept(cwd=evil)
        r.run("call", "a:echo", "{}", cwd=evil)
        equal(r.was_started(), True)


@test
def the_same_directory_by_another_way_is_the_same_place():
    with repository() as r:
        os.symlink(r.work, f"{r.t.root}/way")
        r.accept("--config", f"{r.t.root}/way/.caprun.json")
        equal(r.is_accepted(), True)


@test
def a_moved_directory_has_to_be_accepted_again():
    with repository() as r:
        r.accept()
        os.rename(r.work, f"{r.t.root}/moved")
        equal(r.is_accepted(cwd=f"{r.t.root}/moved"), False)
        os.rename(f"{r.t.root}/moved", r.work)
        equal(r.is_accepted(), True)


@test
def the_file_of_a_directory_above_is_accepted_once():
    with repository() as r:
        os.makedirs(f"{r.work}/deep/er")
        r.accept(cwd=f"{r.work}/deep/er")
        equal([r.is_accepted(), r.is_accepted(cwd=f"{r.work}/deep")], [True, True])


# --- the question -----------------------------------------------------------------------------


@test
def at_a_terminal_caprun_asks_in_place_and_goes_on():
    with repository() as r:
        r.write(fake(r))
        done, text = r.on_terminal("exec", "-", keys=b"y\n", code="return mcp.a.echo({x: 1})")
        equal((done.status, done.out), (0, '{"x":1}\n'), text)
        contains(text, r.config, "start these MCP servers", "? [y/N] ")
        done, text = r.on_terminal("exec", "-", keys=None, code="return mcp.a.echo({x: 1})")
        equal((done.status, done.out), (0, '{"x":1}\n'))
        assert "[y/N]" not in text, text


@each({"empty": b"\n", "no": b"n\n", "another letter": b"j\n", "a long word": b"yess\n", "an escape": b"\x1b\n", "the end": b"\x04",
       "much": b"y" * 300 + b"\n", "yes with more": b"y es\n"})
def every_other_answer_means_no(keys):
    with repository() as r:
        done, text = r.on_terminal("call", "a:echo", "{}", keys=keys)
        equal((done.status, done.out, r.was_started(), r.state_files()), (2, "", False, []), text)
        contains(text, "CONFIG_ERROR", "not accepted")


@each({"a letter": b"Y\n", "the word": b"yes\n"})
def yes_is_a_letter_or_a_word(keys):
    with repository() as r:
        equal(r.on_terminal("trust", keys=keys)[0].status, 0)
        equal(r.is_accepted(), True)


@test
def what_was_typed_before_the_question_is_thrown_away():
    with repository() as r:
        done, text = r.on_terminal("call", "a:echo", "{}", early=b"y\ny\n", keys=b"\n")
        equal((done.status, r.was_started()), (2, False), text)


@test
def nobody_is_asked_without_a_terminal_or_if_that_is_forbidden():
    with repository() as r:
        for words in (("call", "a:echo", "{}", "--no-input"), ("trust", "--no-input"), ("trust", "--json")):
            done, text = r.on_terminal(*words, keys=None)
            equal((done.status, r.is_accepted()), (2, False))
            assert "[y/N]" not in text, text
        # standard error is a terminal, but not the one of this process
        terminal = Terminal()
        done = r.run("call", "a:echo", "{}", stderr=terminal.theirs, start_new_session=True)
        text = terminal.text()
        equal(done.status, 2)
        assert "[y/N]" not in text, text


@test
def standard_input_may_be_the_code_and_is_not_the_answer():
    with repository() as r:
        done, _ = r.on_terminal("exec", "-", keys=b"n\n", code="y\ny\ny\n")
        equal((done.status, r.was_started()), (2, False))


@test
def the_bytes_that_were_shown_are_accepted_not_those_of_meanwhile():
    with repository() as r:
        r.write(fake(r))

        def swap():
            r.write({"mcpServers": {"a": r.touch(), "b": r.touch()}, "permissions": {"allow": ["*"]}})

        done, text = r.on_terminal("exec", "-", keys=b"y\n", meanwhile=swap, code="return mcp.a.echo({x: 1})")
        equal((done.status, done.out, r.was_started()), (0, '{"x":1}\n', False), text)
        contains(r.refused("call", "a:echo", "{}").err, "has changed since you accepted it")


@test
def two_that_accept_at_once_both_succeed():
    with repository() as r:
        r.on_terminal("trust", keys=b"y\n", meanwhile=r.accept)
        equal((r.is_accepted(), len(r.state_files())), (True, 1))


# --- the state directory ----------------------------------------------------------------------


@test
def what_was_accepted_is_a_private_file_with_the_hash():
    with repository() as r:
        r.accept()
        path, = r.state_files()
        equal([stat.S_IMODE(os.stat(p).st_mode) for p in (path, os.path.dirname(path))], [0o600, 0o700])
        with open(path, "rb") as file, open(r.config, "rb") as config:
            head, text = file.read().split(b"\n", 1)
            equal(text, config.read())
        equal(json.loads(head), {"version": 1, "path": r.config, "sha256": hashlib.sha256(text).hexdigest()})
        equal(os.path.basename(path), hashlib.sha256(r.config.encode()).hexdigest())


def break_by(change):
    def apply(path):
        with open(path, "rb") as file:
            data = file.read()
        with open(path, "wb") as file:
            file.write(change(data))
    return apply


def to_folder(path):
    os.unlink(path)
    os.mkdir(path)


DAMAGE = {
    "empty": break_by(lambda data: b""), "cut": break_by(lambda data: data[:-5]), "no head": break_by(lambda data: data.split(b"\n", 1)[1]),
    "another hash": break_by(lambda data: data.replace(b'"sha256":"', b'"sha256":"0', 1)),
    "another path": break_by(lambda data: data.replace(b".caprun.json", b".other.json", 1)),
    "another version": break_by(lambda data: data.replace(b'"version":1', b'"version":2', 1)),
    "another text": break_by(lambda data: data + b" "), "rubbish": break_by(lambda data: b"\x00\xff\n" * 100),
    "writable by others": lambda path: os.chmod(path, 0o602), "a folder": to_folder,
    "huge": break_by(lambda data: data + b" " * (3 << 20)),
    "a folder that others can write": lambda path: os.chmod(os.path.dirname(path), 0o777),
}


@each(DAMAGE)
def if_it_is_damaged_nothing_is_started(damage):
    with repository() as r:
        r.accept()
        path, = r.state_files()
        damage(path)
        done = r.run("call", "a:echo", "{}")
        equal((done.status, r.was_started()), (2, False), done.err)
        contains(done.err, "CONFIG_ERROR", "cannot know which configurations were accepted", f"{r.state}/caprun/trust")
        equal(r.run("call", "a:echo", "{}", env={"CAPRUN_TRUST": "1"}).err.count("cannot know"), 0)


@test
def a_state_directory_that_cannot_be_used_is_an_error():
    with repository() as r:
        r.accept()
        write_file(f"{r.t.root}/file", "")
        for state, words in ((f"{r.t.root}/file", "Not a directory"), (f"{r.t.root}/none", "not accepted")):
            done = r.run("call", "a:echo", "{}", env={"XDG_STATE_HOME": state})
            equal((done.status, r.was_started()), (2, False))
            contains(done.err, words)
        done = r.run("call", "a:echo", "{}", env={"XDG_STATE_HOME": "", "HOME": ""})
        equal(done.status, 2)
        contains(done.err, "no state directory")
        done, text = r.on_terminal("call", "a:echo", "{}", keys=b"y\n", columns=500, env={"XDG_STATE_HOME": "/proc/none"})
        equal((done.status, r.was_started()), (2, False))
        contains(text, "CONFIG_ERROR", "cannot write '/proc/none/caprun/trust")


@test
def a_state_directory_that_cannot_be_read_or_written_is_an_error():
    need(os.geteuid() == 0, "only root can become another user")
    with repository() as r:
        os.mkdir(r.state)
        os.chmod(r.state, 0o755)
        for folder in (r.t.root, r.work):
            os.chmod(folder, 0o755)
        program = f"{r.t.root}/caprun"
        shutil.copy(CAPRUN, program)
        os.chown(r.config, 65534, 65534)
        done = r.run("call", "a:echo", "{}", under=NOBODY, program=program)
        equal(done.status, 2)
        contains(done.err, "not accepted")
        done, text = r.on_terminal("trust", keys=b"y\n", under=NOBODY, program=program)
        equal(done.status, 2)
        contains(" ".join(text.split()), "cannot write", "Permission denied")
        os.makedirs(f"{r.state}/caprun/trust", mode=0o700)
        os.chmod(f"{r.state}/caprun", 0o755)
        done = r.run("call", "a:echo", "{}", under=NOBODY, program=program)
        equal(done.status, 2)
        contains(done.err, "cannot open", "Permission denied")


@test
def what_was_accepted_is_listed_and_can_be_taken_back():
    with repository() as r:
        equal(r.run("trust", "--list").out, "")
        r.accept()
        other = write_file(f"{r.t.root}/other.json", json.dumps(fake(r)))
        r.accept("--config", other)
        equal(sorted(r.run("trust", "--list").out.splitlines()), sorted([r.config, other]))
        done = r.run("trust", "--withdraw")
        equal(done.status, 0)
        contains(done.out, r.config, "no longer accepted")
        r.refused("call", "a:echo", "{}")
        contains(r.run("trust", "--withdraw").out, "was not accepted")
        os.unlink(other)
        equal(json.loads(r.run("trust", "--withdraw", "--json", "--config", other).out), {"path": other, "withdrawn": True})
        equal(json.loads(r.run("trust", "--list", "--json").out), {"accepted": []})
        equal(r.run("trust", "--list", "--withdraw").status, 2)


@test
def a_damaged_acceptance_is_listed_with_its_trouble_and_can_be_withdrawn():
    with repository() as r:
        r.accept()
        path, = r.state_files()
        write_file(path, "x")
        contains(r.run("trust", "--list").out, f"{path}: is damaged")
        equal(r.run("trust", "--withdraw").status, 0)
        r.accept()


# --- the environment --------------------------------------------------------------------------


@test
def the_variable_accepts_for_one_process_and_the_envelope_says_so():
    with repository() as r:
        r.write(fake(r))
        done = r.run("exec", "-", "--json", code="return mcp.a.echo({x: 1})", env={"CAPRUN_TRUST": "1"})
        equal((done.status, done.envelope["result"], done.envelope["trust"]), (0, {"x": 1}, "environment"))
        equal(r.state_files(), [])
        r.refused("exec", "-")
        contains(r.run("trust", env={"CAPRUN_TRUST": "1"}).err, "is not kept")
        equal(json.loads(r.run("config", "--json", env={"CAPRUN_TRUST": "1"}).out)["trust"], "environment")


@each({"zero": "0", "empty": "", "a word": "yes", "two": "2", "spaces": " 1", "01": "01"})
def any_other_value_accepts_nothing(value):
    with repository() as r:
        r.refused("call", "a:echo", "{}", env={"CAPRUN_TRUST": value})


# --- caprun config ----------------------------------------------------------------------------


@test
def config_shows_a_file_that_is_not_accepted_and_says_so():
    with repository() as r:
        r.write({"mcpServers": {"a": {"command": "${UNSET}", "args": ["${UNSET}"], "env": {"T": "${UNSET}"}, "cwd": "${UNSET}", "era": "${UNSET}"}},
                 "registries": ["${UNSET}"], "permissions": {"allow": ["${UNSET}"], "rules": [{"tool": "${UNSET}", "then": "${UNSET}"}]},
                 "env": {"acme.tools.text.upper": ["${UNSET}"]}, "onDenied": "${UNSET}", "record": "${UNSET}"})
        done = r.run("config")
        equal(done.status, 0, done.err)
        contains(done.err, "has not been accepted", "caprun trust")
        contains(done.out, '"${UNSET}"')
        equal(json.loads(r.run("config", "--json", "-q").out)["trust"], "missing")
        r.write(fake(r))
        r.accept()
        done = r.run("config")
        assert "not been accepted" not in done.err, done.err
        equal(json.loads(r.run("config", "--json").out)["trust"], "given")
        os.unlink(r.config)
        equal(json.loads(r.run("config", "--json").out)["trust"], None)
        contains(r.run("trust").err, "CONFIG_ERROR", "there is no .caprun.json", "caprun init")


main()

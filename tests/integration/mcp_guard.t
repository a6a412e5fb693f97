#!/usr/bin/env python3
"""mcp_guard.t - the process of an MCP server: its environment and descriptors, and that it never outlives caprun."""

import fcntl
import os
import re
import shlex
import signal
import sys
import termios

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (Terminal, between, contains, each, equal, main, proc, reap_orphans, stretched, test,
                     wait_until, write_file)
from tools import tools

GIVEN = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "TMPDIR"]
NEVER = "await mcp.s.never()"


def family(t):
    """All processes with this test's HOME, except zombies: servers, guards, wrappers, caprun."""
    mine = f"HOME={t.root}".encode()

    def has_it(pid):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                return mine in file.read().split(b"\0")
        except OSError:
            return False

    return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and has_it(pid)]


def wait_for_end(t):
    def gone():
        reap_orphans()
        return not family(t)

    wait_until(gone, 10, f"the end of {[proc(pid, 'cmdline') for pid in family(t)]}")
    wait_until(lambda: not reap_orphans(), 10, "the end of orphans")


def in_a_call(t, *words, server="s", **options):
    """Starts caprun, and waits until it is in a call that is never answered."""
    running = t.start(*(words or ("exec", "-")), code=NEVER, **options)
    wait_until(lambda: "never" in t.called(server), 10, "the call")
    return running


def wrapped(t, name, **script):
    """The configuration of a fake whose parent is a shell, not the guard."""
    fake = t.fake(name, **script)
    return {"command": "sh", "args": ["-c", f"{shlex.join([fake['command'], *fake['args']])}; true"]}


# --- the end ---------------------------------------------------------------------------------

TREES = {
    "a server": lambda t: {"s": {}},
    "two servers": lambda t: {"s": {}, "u": {}},
    "a wrapper": lambda t: {"s": wrapped(t, "s")},
    "a grandchild": lambda t: {"s": {"grandchild": "pid"}},
    "a grandchild of a wrapper": lambda t: {"s": wrapped(t, "s", grandchild="pid")},
    "a server that hangs": lambda t: {"s": {"hangAtEnd": True, "grandchild": "pid"}},
}


@each(TREES)
def a_kill_of_caprun_leaves_nothing(tree):
    with tools() as t:
        servers = tree(t)
        t.serve(servers)
        code = "await mcp.u.echo();" + NEVER if "u" in servers else NEVER
        running = t.start("exec", "-", code=code)
        wait_until(lambda: "never" in t.called("s"), 10, "the call")
        assert set(t.starts("s")) <= set(family(t)), "the server is there"
        if "grandchild" in str(servers):
            wait_until(lambda: os.path.exists(f"{t.work}/pid"), 10, "the grandchild")
        running.send(signal.SIGKILL)
        equal(running.end().status, -signal.SIGKILL)
        wait_for_end(t)


@each({"a hang": {"hangAtEnd": True}, "a grandchild": {"grandchild": "pid"}})
def a_run_that_ends_takes_its_servers_along(script):
    with tools(s=script) as t:
        envelope = t.execute("return mcp.s.echo({x: 1})")
        equal((envelope.get("result"), family(t)), ({"x": 1}, []))
        between(envelope["process"].seconds, 0, stretched(6), "seconds")


@test
def a_server_that_ends_when_asked_to_costs_no_time():
    with tools(s={}) as t:
        envelope = t.execute("return mcp.s.echo({x: 1})")
        equal(envelope.get("result"), {"x": 1})
        between(envelope["process"].seconds, 0, stretched(0.9), "seconds")


@each({"SIGINT": (signal.SIGINT, 130), "SIGTERM": (signal.SIGTERM, 143)})
def a_signal_ends_the_servers_too(case):
    number, status = case
    with tools(s={"grandchild": "pid"}) as t:
        running = in_a_call(t, "exec", "-", "--json")
        running.send(number)
        equal((running.end().status, family(t)), (status, []))
        equal(running.envelope["error"]["code"], "CANCELLED")
        contains(t.methods("s"), "notifications/cancelled")


@test
def ctrl_c_at_a_terminal_is_for_caprun_alone():
    def take_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    with tools(s={}) as t:
        write_file(f"{t.work}/code.js", NEVER)
        terminal = Terminal()
        try:
            running = in_a_call(t, "exec", "code.js", stdin=terminal.theirs, stdout=terminal.theirs,
                                stderr=terminal.theirs, preexec_fn=take_terminal)
            os.write(terminal.ours, b"\x03")
            running.end()
        finally:
            seen = terminal.text()
        equal((running.status, family(t)), (130, []), seen)
        contains(seen, "CANCELLED")
        contains(t.methods("s"), "notifications/cancelled")  # the server was still alive and was told


@test
def a_kill_while_a_server_boots_leaves_nothing():
    with tools(s={"bootMs": 60000}) as t:
        running = t.start("exec", "-", code=NEVER)
        wait_until(lambda: t.starts("s"), 10, "the start")
        running.send(signal.SIGKILL)
        running.end()
        wait_for_end(t)


@test
def a_kill_of_the_listing_leaves_nothing():
    with tools(s={"silent": ["tools/list"], "grandchild": "pid"}) as t:
        running = t.start("tools")
        wait_until(lambda: "tools/list" in t.methods("s"), 20, "tools/list")
        running.send(signal.SIGKILL)
        running.end()
        wait_for_end(t)


@test
def a_kill_of_one_caprun_is_nothing_to_another():
    with tools(s={}) as t, tools(s={}) as u:
        first, second = in_a_call(t), in_a_call(u)
        first.send(signal.SIGKILL)
        first.end()
        wait_until(lambda: not family(t), 10, "the end of the first")
        equal(len(u.starts("s")), 1)
        assert set(u.starts("s")) <= set(family(u)), "the other server is there"
        second.send(signal.SIGTERM)
        equal(second.end().status, 143)
        wait_for_end(u)


def with_group(t):
    """The configuration of a fake whose process group has more members, which become orphans."""
    fake = t.fake("s")
    quiet = "</dev/null >/dev/null 2>&1"
    return {"command": "sh", "args": ["-c", f"trap '' HUP; sleep 1000 {quiet} & (sleep 1001 {quiet} &)\n"
                                            f"{shlex.join([fake['command'], *fake['args']])}; true"]}


def parent_of(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"^PPid:\s*(\d+)$", file.read(), re.M)[1])


@test
def a_kill_of_the_guard_leaves_nothing_of_the_server_s_group():
    with tools() as t:
        t.serve({"s": with_group(t)})
        running = in_a_call(t, "exec", "-", "--json")
        guard = parent_of(parent_of(t.starts("s")[0]))
        with open(f"/proc/{guard}/comm", encoding="utf-8") as file:
            equal(file.read(), "caprun-guard\n")
        os.kill(guard, signal.SIGKILL)
        equal(running.end().status, 1)
        error = running.envelope["error"]
        equal((error["code"], error["message"]),
              ("RPC_ERROR", 'The server "s" was killed: its guard was killed by signal 9 (Killed)'))
        wait_for_end(t)


@test
def an_orderly_end_leaves_nothing_of_the_server_s_group():
    with tools() as t:
        t.serve({"s": with_group(t)})
        envelope = t.execute("return mcp.s.echo({x: 1})")
        equal((envelope.get("result"), family(t)), ({"x": 1}, []))


@test
def a_run_that_is_over_its_time_ends_its_servers():
    with tools(s={}) as t:
        status, error = t.error(NEVER, "--timeout", f"{int(stretched(1000))}ms")
        equal((status, error["code"], family(t)), (4, "EXECUTION_TIMEOUT", []))


# --- environment and descriptors -------------------------------------------------------------


def told(t, *words, **options):
    """What the server s reports about its process."""
    code = "return mcp.s.env()"
    if "env" not in options:
        return t.value(code, *words, **options)
    env = options.pop("env")
    t.env = {}
    return t.value(code, *words, env=env, **options)


ACCEPTED = {"CAPRUN_TRUST": "1"}


@test
def the_environment_is_what_the_contract_lists_and_what_is_configured():
    with tools() as t:
        t.serve({"s": {"config": {"env": {"TOKEN": "${SECRET}", "EMPTY": "", "TERM": "mine"}}}})
        base = {"PATH": os.environ["PATH"], "HOME": t.root, "USER": "ada", "LOGNAME": "ada", "SHELL": "/bin/sh",
                "TERM": "xterm", "LANG": "C.UTF-8", "TMPDIR": t.root}
        hidden = {"SECRET": "s3cret", "API_KEY": "x", "LC_ALL": "C.UTF-8", "LD_LIBRARY_PATH": "/nowhere", "PWD": "/",
                  "NODE_OPTIONS": "--no-warnings", "PYTHONPATH": "/nowhere", "XDG_CACHE_HOME": t.cache,
                  "SSH_AUTH_SOCK": "/x"}
        equal(told(t, env=base | hidden | ACCEPTED)["env"], base | {"TOKEN": "s3cret", "EMPTY": "", "TERM": "mine"})


@test
def a_variable_that_is_not_set_is_not_made_up():
    with tools(s={}) as t:
        env = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "HOME": t.root}
        equal(told(t, env=env | ACCEPTED)["env"], env)


@test
def the_directory_is_the_config_s_or_what_it_says():
    with tools(s={}) as t:
        os.makedirs(f"{t.work}/sub/deeper")
        equal(told(t)["cwd"], t.work)
        equal(told(t, cwd=f"{t.work}/sub")["cwd"], t.work)
        equal(told(t, "--config", f"{t.work}/.caprun.json", cwd="/")["cwd"], t.work)
        t.serve({"s": {"config": {"cwd": "sub/deeper"}}})
        equal(told(t)["cwd"], f"{t.work}/sub/deeper")
        t.serve({"s": {"config": {"cwd": t.root}}})
        equal(told(t)["cwd"], t.root)


@test
def it_has_three_descriptors_and_its_own_process_group():
    with tools(s={}, u={}) as t:
        extra = os.open("/dev/null", os.O_RDONLY)
        os.set_inheritable(extra, True)
        process = t.value("await mcp.u.echo(); return mcp.s.env()", pass_fds=[extra])
        os.close(extra)
        equal((process["fds"], process["blocked"]), ([0, 1, 2], []))
        assert process["group"] != os.getpgrp() and process["pid"] in t.starts("s"), process


@test
def no_signal_is_ignored_or_blocked():
    with tools() as t:
        fake = t.fake("s")
        command = shlex.join([fake["command"], *fake["args"]])
        t.serve({"s": {"command": "sh", "args": ["-c", f"cat /proc/self/status >status; exec {command}"]}})
        t.value("await mcp.s.echo()")
        with open(f"{t.work}/status", encoding="utf-8") as file:
            masks = dict(re.findall(r"^(Sig(?:Blk|Ign)):\s*(\w+)$", file.read(), re.M))
        equal({name: int(mask, 16) for name, mask in masks.items()}, {"SigBlk": 0, "SigIgn": 0})


@test
def a_command_is_found_in_the_path_and_beside_the_config():
    with tools() as t:
        fake = t.fake("s")
        script = f"#!/bin/sh\nexec {shlex.join([fake['command'], *fake['args']])}\n"
        os.mkdir(f"{t.root}/bin")
        for path in (f"{t.root}/bin/my-server", f"{t.work}/own-server"):
            os.chmod(write_file(path, script), 0o755)
        t.serve({"s": {"command": "./own-server"}, "u": {"command": "my-server"}})
        env = {"PATH": f"{t.root}/bin:{os.environ['PATH']}"}
        equal(t.value("return [await mcp.s.echo({n: 1}), await mcp.u.echo({n: 2})]", env=env, cwd=t.work),
              [{"n": 1}, {"n": 2}])


main()

#!/usr/bin/env python3
"""config_user.t - the user's own configuration, below the project's."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, need, test, write_file
from tools import tools


def users(t, value, mode=0o600):
    """Writes the user's file, and returns its path and the environment that finds it."""
    os.makedirs(f"{t.root}/of-user/caprun", exist_ok=True)
    path = write_file(f"{t.root}/of-user/caprun/config.json", value if isinstance(value, str) else json.dumps(value))
    os.chmod(path, mode)
    return path, {"XDG_CONFIG_HOME": f"{t.root}/of-user"}


def settings(t, *words, env):
    done = t.run("config", "--json", "-q", *words, env=env)
    equal((done.status, done.err), (0, ""))
    return json.loads(done.out)


def refused(done, *parts):
    equal((done.status, done.out), (2, ""))
    contains(done.err, "CONFIG_ERROR", *parts)


@test
def servers_of_the_user_are_there_in_every_project():
    with tools(a={}) as t:
        _, env = users(t, {"mcpServers": {"b": t.fake("b")}, "permissions": {"allow": ["b:echo"]}})
        equal(t.value("return [await mcp.a.echo({x: 1}), await mcp.b.echo({x: 2})]", env=env), [{"x": 1}, {"x": 2}])
        equal((t.called("a"), t.called("b")), (["echo"], ["echo"]))


@test
def a_server_of_the_project_hides_the_users_of_that_name():
    with tools(a={}) as t:
        _, env = users(t, {"mcpServers": {"a": t.fake("hidden")}})
        equal(t.value("return mcp.a.echo({x: 1})", env=env), {"x": 1})
        equal((t.called("a"), t.starts("hidden")), (["echo"], []))


@test
def without_a_file_of_the_project_the_users_holds_alone():
    with tools() as t:
        os.unlink(f"{t.work}/.caprun.json")
        path, env = users(t, {"mcpServers": {"b": t.fake("b")}, "permissions": {"allow": ["b"], "deny": ["b:x"]}})
        equal(t.value("return mcp.b.echo({x: 2})", env=env), {"x": 2})
        shown = settings(t, env=env)
        equal((shown["file"], shown["userFile"]), (None, path))
        contains(shown["lockfile"], f"{t.work}/caprun.lock")
        assert os.path.exists(f"{t.work}/caprun.lock")


@each({"nothing": [], "a weaker one": ["a:*"], "an exact one": ["a:echo"]})
def a_deny_of_the_user_is_stronger_than_any_allow(allowed):
    with tools(permissions={"allow": ["*", *allowed]}, a={}) as t:
        _, env = users(t, {"permissions": {"deny": ["a"]}})
        status, error = t.error("return mcp.a.echo({})", "--allow", "a:echo", env=env)
        equal((status, error["code"], t.starts("a")), (3, "PERMISSION_DENIED", []))
        contains(error["message"], '"permissions": {"deny": ["a"]} of the user\'s config.json')
        _, env = users(t, {"permissions": {"deny": ["other"]}})
        equal(t.value("return mcp.a.echo({})", env=env), {})


@test
def a_deny_of_the_project_beats_an_allow_of_the_user_of_the_same_level():
    with tools(permissions={"deny": ["a:echo"]}, a={}) as t:
        _, env = users(t, {"permissions": {"allow": ["a:echo"]}})
        equal(t.error("return mcp.a.echo({})", env=env)[0], 3)


@test
def config_shows_which_file_each_setting_came_from():
    with tools() as t:
        mine = write_file(f"{t.work}/.caprun.json", '{"limits": {"maxCalls": 5},\n "permissions": {"allow": ["a"]},\n'
                          ' "mcpServers": {"a": {"command": "x"}}}')
        path, env = users(t, '{"limits": {"maxCalls": 6, "memoryMB": 64},\n "permissions": {"allow": ["b"], "deny": ["c"]},\n'
                          ' "mcpServers": {"a": {"command": "hidden"}, "b": {"command": "y", "cwd": "w"}},\n'
                          ' "env": {"a.b.c.d": ["X"]}, "registries": ["./reg"]}')
        shown = settings(t, env=env)
        got = {name: (one["value"], one["source"]) for name, one in shown["settings"].items()}
        equal((shown["file"], shown["fileSource"], shown["userFile"]), (mine, "found", path))
        for name, value, source in (
                ("limits.maxCalls", 5, f"{mine}:1"), ("limits.memoryMB", 64, f"{path}:1"),
                ("permissions.allow", ["a", "b"], f"{mine}:2, {path}:2"), ("permissions.deny", ["c"], f"{path}:2"),
                ("mcpServers.a.command", "x", f"{mine}:3"), ("mcpServers.b.command", "y", f"{path}:3"),
                ("mcpServers.b.cwd", f"{os.path.dirname(path)}/w", f"{path}:3"),
                ("env.a.b.c.d", ["X"], f"{path}:4"), ("registries", [f"{os.path.dirname(path)}/reg"], f"{path}:4"),
                ("limits.cpuMs", None, "default")):
            equal(got[name], (value, source), name)
        contains(t.run("config", env=env).out, f"user file {path}\n")
        contains(t.run("config", env={"XDG_CONFIG_HOME": f"{t.root}/x"}).out,
                 f"user file none ({t.root}/x/caprun/config.json)\n")


@test
def it_is_below_the_home_directory_without_xdg_config_home():
    with tools() as t:
        path = f"{t.root}/person/.config/caprun/config.json"
        os.makedirs(os.path.dirname(path))
        write_file(path, json.dumps({"limits": {"maxCalls": 6}}))
        del t.env["XDG_CONFIG_HOME"]
        for env in ({}, {"XDG_CONFIG_HOME": ""}, {"XDG_CONFIG_HOME": "relative"}):
            equal(settings(t, env={"HOME": f"{t.root}/person", **env})["userFile"], path)
        equal(settings(t, env={"HOME": f"{t.root}/person", "XDG_CONFIG_HOME": "/dev/null"})["userFile"], None)


@test
def config_names_another_file_of_the_project_and_not_of_the_user():
    with tools() as t:
        _, env = users(t, {"limits": {"maxCalls": 6, "maxDepth": 2}})
        named = write_file(f"{t.work}/named.json", json.dumps({"limits": {"maxCalls": 7}}))
        got = settings(t, "--config", named, env=env)["settings"]
        equal((got["limits.maxCalls"]["value"], got["limits.maxDepth"]["value"]), (7, 2))


@test
def an_error_in_it_has_its_path_line_and_column():
    with tools(a={}) as t:
        path, env = users(t, '{\n  "permisions": {"deny": ["*"]}}')
        refused(t.run("exec", "-", code="return 1", env=env), f'{path}:2:3: unknown key "permisions"')
        path, env = users(t, '{"mcpServers": {"b": {"command": "x", "colour": 1}}}')
        contains(t.run("exec", "-", code="return 1", env=env).err, f'{path}:1:39: "colour" is a key that caprun does not')


@test
def the_rules_for_its_owner_are_those_of_the_projects():
    with tools() as t:
        path, env = users(t, {}, mode=0o602)
        refused(t.run("exec", "-", code="return 1", env=env), path, "can be written by others", "XDG_CONFIG_HOME")
        os.chmod(path, 0o600)
        equal(t.run("exec", "-", code="return 1", env=env).out, "1\n")
        os.rename(path, f"{path}.away")
        os.symlink("nowhere", path)
        refused(t.run("exec", "-", code="return 1", env=env), path, "leads nowhere")
        need(os.geteuid() == 0, "only root can give files away")
        os.unlink(path)
        os.rename(f"{path}.away", path)
        os.chown(path, 12345, 0)
        refused(t.run("config", env=env), path, "belongs to another user (uid 12345)")


@test
def limits_of_the_user_hold_where_the_project_has_none():
    with tools() as t:
        _, env = users(t, {"limits": {"timeoutMs": 150}})
        contains(t.run("exec", "-", code="for (;;);", env=env).err, "Execution timeout after 150 ms")


main()

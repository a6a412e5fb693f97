#!/usr/bin/env python3
"""init.t - `caprun init`: a first configuration and capability, and servers of other programs."""

import contextlib
import json
import os
import shlex
import stat
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import CAPRUN, NOBODY, caprun, contains, each, equal, main, need, scratch_dir, test, write_file

CONFIG, CODE, METADATA = ".caprun.json", "registry/my.first.hello.world.js", "registry/my.first.hello.world.json"
SECRET = "s3cret-value"
PLACES = {"claude": ".claude.json", "cursor": ".cursor/mcp.json", "vscode": ".config/Code/User/mcp.json"}


class Place:
    def __init__(self, root):
        self.root, self.home, self.work = root, f"{root}/home", f"{root}/work"
        os.mkdir(self.home)
        os.mkdir(self.work)

    def run(self, *words, env=None, **options):
        env = {"PATH": os.environ["PATH"], "HOME": self.home, **(env or {})}
        return caprun(*words, cwd=self.work, env=env, **options)

    def settings(self, program, value, path=None):
        path = f"{self.home}/{path or PLACES[program]}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return write_file(path, value if isinstance(value, str) else json.dumps(value))

    def read(self, name):
        with open(f"{self.work}/{name}", encoding="utf-8") as file:
            return file.read()

    def config(self):
        return json.loads(self.read(CONFIG))

    def files(self):
        return sorted(os.path.relpath(os.path.join(folder, name), self.work)
                      for folder, _, names in os.walk(self.work) for name in names)


@contextlib.contextmanager
def place():
    with scratch_dir() as root:
        yield Place(root)


def servers(p, program, **entries):
    """Takes over these servers. Returns the new "mcpServers", and {name: message} of those left out."""
    p.settings(program, {"servers" if program == "vscode" else "mcpServers": entries})
    done = p.run("init", "--from", program, "--json")
    equal(done.status, 0, done.err)
    made = json.loads(done.out)
    equal(list(p.config()["mcpServers"]), made["servers"])
    return p.config()["mcpServers"], {one["name"]: one["message"] for one in made["leftOut"]}


def refused(p, done, *parts):
    equal((done.status, done.out), (2, ""))
    contains(done.err, *parts)
    equal(p.files(), [])


@test
def what_it_makes_runs_at_once_by_the_command_that_it_says():
    with place() as p:
        done = p.run("init")
        equal((done.status, done.err, p.files()), (0, "", [CONFIG, CODE, METADATA]))
        contains(done.out, CONFIG, CODE, METADATA)
        command = shlex.split(next(line for line in done.out.splitlines() if line.startswith("  caprun ")))
        ran = p.run(*command[1:])
        equal((ran.status, ran.out), (0, '{"greeting":"Hello, Ada!"}\n'))
        equal(p.run(command[1]).out, '{"greeting":"Hello, world!"}\n')
        contains(p.run(command[1], '{"name": 1}').err, "VALIDATION_ERROR")
        assert all(len(line) <= 80 for name in (CONFIG, CODE, METADATA) for line in p.read(name).splitlines()
                   if "$schema" not in line)
        assert all(len(line) <= 80 for line in done.out.splitlines()), done.out


@test
def its_code_can_be_changed_and_run_again():
    with place() as p:
        equal(p.run("init").status, 0)
        equal(p.run("my.first.hello.world").status, 0)
        write_file(f"{p.work}/{CODE}", "return 2")
        done = p.run("my.first.hello.world")
        equal((done.status, done.out), (0, "2\n"))
        contains(done.err, "the code changed", "its pin is renewed")


@each({"022": (0o022, 0o644, 0o755), "000": (0, 0o644, 0o755), "077": (0o077, 0o600, 0o700), "002": (0o002, 0o644, 0o755)})
def no_other_user_can_write_it(case):
    umask, of_files, of_folder = case
    with place() as p:
        before = os.umask(umask)
        try:
            equal(p.run("init").status, 0)
        finally:
            os.umask(before)
        equal([stat.S_IMODE(os.stat(f"{p.work}/{name}").st_mode) for name in (CONFIG, CODE, METADATA, "registry")],
              [of_files] * 3 + [of_folder])
        equal(p.run("my.first.hello.world").status, 0)


@each({"the configuration": CONFIG, "the code": CODE, "the metadata": METADATA})
def nothing_is_overwritten(name):
    with place() as p:
        os.mkdir(f"{p.work}/registry")
        write_file(f"{p.work}/{name}", "mine")
        done = p.run("init")
        equal((done.status, done.out), (2, ""))
        contains(done.err, "USAGE", name, "overwrites nothing", "nothing was written")
        equal((p.files(), p.read(name)), ([name], "mine"))


@test
def everything_that_is_there_is_said_and_a_link_counts_too():
    with place() as p:
        equal(p.run("init").status, 0)
        contains(p.run("init").err, f"{CONFIG}, {METADATA}, {CODE}")
    with place() as p:
        os.symlink("nowhere", f"{p.work}/{CONFIG}")
        contains(p.run("init").err, f"already: {CONFIG}\n")
        assert not os.path.exists(f"{p.work}/nowhere")
    with place() as p:
        write_file(f"{p.work}/registry", "")
        contains(p.run("init").err, "already: registry\n")


@test
def other_files_of_the_registry_stay():
    with place() as p:
        os.mkdir(f"{p.work}/registry")
        write_file(f"{p.work}/registry/other.js", "x")
        equal(p.run("init").status, 0)
        equal(p.files(), [CONFIG, CODE, METADATA, "registry/other.js"])


@test
def where_nothing_can_be_written_nothing_is_left():
    need(os.geteuid() == 0, "only root can become another user")
    with place() as p:
        os.chmod(p.root, 0o755)
        program = f"{p.root}/caprun"
        with open(CAPRUN, "rb") as file:
            write_file(program, "")
            with open(program, "wb") as copy:
                copy.write(file.read())
        os.chmod(program, 0o755)
        refused(p, p.run("init", under=NOBODY, program=program), "cannot write 'registry'", "Permission denied")
        os.mkdir(f"{p.work}/registry")
        os.chmod(f"{p.work}/registry", 0o777)
        refused(p, p.run("init", under=NOBODY, program=program), f"cannot write '{CONFIG}'", "Permission denied")


# --- servers of other programs ---------------------------------------------------------------


@each({program: program for program in PLACES})
def servers_of_another_program_are_shown_and_taken_over(program):
    with place() as p:
        key = "servers" if program == "vscode" else "mcpServers"
        path = p.settings(program, {key: {"files": {"command": "npx", "args": ["-y", "server", "/my docs"], "env": {"TOKEN": SECRET}}}})
        done = p.run("init", "--from", program)
        equal((done.status, done.err), (0, ""))
        contains(done.out, path, "  files\n    npx -y server '/my docs'\n    variables: TOKEN\n",
                 "First set these variables; until then nothing runs:\n  TOKEN\n")
        equal(p.config()["mcpServers"],
              {"files": {"command": "npx", "args": ["-y", "server", "/my docs"], "env": {"TOKEN": "${TOKEN}"}}})
        equal(p.config()["permissions"], {"allow": []})
        assert SECRET not in done.out + p.read(CONFIG)
        contains(done.out, "accept it:\n  caprun trust\n")
        for env, status in (({}, 2), ({"TOKEN": "x"}, 2), ({"CAPRUN_TRUST": "1"}, 2), ({"TOKEN": "x", "CAPRUN_TRUST": "1"}, 0)):
            equal(p.run("my.first.hello.world", env=env).status, status, env)
        shown = json.loads(p.run("config", "--json", env={"TOKEN": "x"}).out)["settings"]
        equal(shown["mcpServers.files.command"]["value"], "npx")


@test
def variables_that_are_set_need_not_be_named():
    with place() as p:
        p.settings("claude", {"mcpServers": {"a": {"command": "x", "env": {"TOKEN": SECRET}}}})
        done = p.run("init", "--from", "claude", env={"TOKEN": "x"})
        equal(done.status, 0)
        assert "First set" not in done.out, done.out


@each({"claude": ("claude", {"A": "${TOKEN}", "B": "x${TOKEN}", "C": "${X:-y}", "D": ""},
                  {"A": "${TOKEN}", "B": "${B}", "C": "${C}", "D": "${D}"}),
       "cursor": ("cursor", {"A": "${env:TOKEN}", "B": "${userHome}", "C": "${workspaceFolder}", "D": 5},
                  {"A": "${TOKEN}", "B": "${HOME}", "C": "${C}", "D": "${D}"}),
       "vscode": ("vscode", {"A": "${input:key}", "B": "Bearer ${env:TOKEN}", "C": "${env:T}${env:U}"},
                  {"A": "${A}", "B": "${B}", "C": "${C}"})})
def values_of_variables_are_never_copied_but_references_are(case):
    program, env, wanted = case
    with place() as p:
        made, _ = servers(p, program, a={"command": "x", "env": env})
        equal(made["a"], {"command": "x", "env": wanted})


@each({"claude": ("claude", "${DIR}/x", "${DIR}/x"), "cursor": ("cursor", "${userHome}/${env:DIR}", "${HOME}/${DIR}"),
       "vscode": ("vscode", "--at=${env:DIR}", "--at=${DIR}"), "none": ("vscode", "$5 {a}", "$5 {a}")})
def references_in_arguments_are_translated(case):
    program, arg, wanted = case
    with place() as p:
        made, _ = servers(p, program, a={"command": "x", "args": [arg]})
        equal(made["a"]["args"], [wanted])


@test
def servers_behind_http_are_taken_over_without_the_values_of_their_headers():
    with place() as p:
        made, left = servers(p, "cursor", web={"url": "https://x.example/mcp?a=${env:A}", "type": "http", "timeout": 5,
                                               "headers": {"Authorization": "Bearer s3cret", "X-Key": "${env:KEY}"}},
                             b={"url": "https://y.example/mcp"}, c={"type": "streamable-http", "url": "https://z.example/"})
        equal(left, {})
        equal(made, {"web": {"url": "https://x.example/mcp?a=${A}", "headers": {"Authorization": "${WEB_AUTHORIZATION}", "X-Key": "${KEY}"}},
                     "b": {"url": "https://y.example/mcp"}, "c": {"url": "https://z.example/"}})
        assert "s3cret" not in open(os.path.join(p.work, ".caprun.json"), encoding="utf-8").read()


LEFT = {
    "the older transport": ({"type": "sse", "url": "https://x.example/sse"}, "is behind HTTP+SSE"),
    "a user in a URL": ({"url": "https://u:p@x.example/mcp"}, "without a user"), "no URL": ({"url": "x"}, "a URL that begins with"),
    "a header of MCP": ({"url": "https://x.example", "headers": {"Mcp-Name": "x"}}, '"headers"'),
    "no headers": ({"url": "https://x.example", "headers": ["x"]}, "not an object"),
    "no command": ({}, 'has no "command"'), "no object": ("x", "is not an object"), "disabled": ({"command": "x", "disabled": True}, "is disabled"),
    "a relative command": ({"command": "./x"}, "relative"), "a relative cwd": ({"command": "x", "cwd": "x"}, "relative"),
    "a number": ({"command": 1}, "not a text"), "args": ({"command": "x", "args": "y"}, "not a list"),
    "a reference": ({"command": "x", "args": ["${workspaceFolder}/x"]}, "uses ${workspaceFolder}, which caprun does not know"),
    "an open reference": ({"command": "x", "args": ["${"]}, "uses ${"), "env": ({"command": "x", "env": ["A"]}, "not an object"),
    "a variable's name": ({"command": "x", "env": {"a b": "y"}}, '"a b"'),
}


@each(LEFT)
def what_cannot_be_taken_over_is_said_one_by_one(case):
    entry, words = case
    with place() as p:
        made, left = servers(p, "cursor", good={"command": "y"}, bad=entry)
        equal((made, list(left)), ({"good": {"command": "y"}}, ["bad"]))
        contains(left["bad"], words)
        equal(p.run("config").status, 0)


@test
def names_that_code_cannot_write_or_tell_apart_are_left_out():
    with place() as p:
        x = {"command": "x"}
        made, left = servers(p, "claude", **{"my tool": x, "a-b": x, "a_b": x, "box": x, "": x, "x" * 65: x, "ok": x})
        equal((list(made), sorted(left)), (["a-b", "ok"], ["", "a_b", "box", "my tool", "x" * 65]))
        contains(left["a_b"], 'the same name in code as "a-b"')


@test
def keys_that_are_not_taken_over_are_named():
    with place() as p:
        p.settings("cursor", {"mcpServers": {"a": {"command": "x", "type": "stdio", "envFile": ".env", "\u001b[31m": 1, "cwd": "/tmp"}}})
        done = p.run("init", "--from", "cursor")
        contains(done.out, 'not taken over: "envFile", "\\u001b[31m"\n')
        equal(p.config()["mcpServers"], {"a": {"command": "x", "cwd": "/tmp"}})


@test
def hostile_text_is_escaped_and_quoted_where_it_is_shown():
    with place() as p:
        args = ["a\nb", "\u202ereversed", "it's", "$(x)", ""]
        p.settings("claude", {"mcpServers": {"a": {"command": "x", "args": args}}})
        done = p.run("init", "--from", "claude")
        contains(done.out, "    x 'a\\nb' '\\u202ereversed' 'it'\\''s' '$(x)' ''\n")
        equal(p.config()["mcpServers"]["a"]["args"], args)


@test
def only_the_users_own_servers_are_read():
    with place() as p:
        x = {"mcpServers": {"evil": {"command": "evil"}}}
        for name in (".mcp.json", ".cursor/mcp.json", ".vscode/mcp.json", ".claude.json"):
            os.makedirs(os.path.dirname(f"{p.work}/{name}"), exist_ok=True)
            write_file(f"{p.work}/{name}", json.dumps({**x, "servers": x["mcpServers"]}))
        for program in PLACES:
            done = p.run("init", "--from", program)
            equal((done.status, done.out), (2, ""))
            contains(done.err, "CONFIG_ERROR", p.home, "is not there, or has no MCP servers")
        p.settings("claude", {"mcpServers": {"good": {"command": "x"}}, "projects": {p.work: x}})
        equal(p.run("init", "--from", "claude").status, 0)
        equal(list(p.config()["mcpServers"]), ["good"])


@test
def settings_of_vs_code_may_have_comments_and_may_be_of_an_older_version():
    with place() as p:
        p.settings("vscode", '{ // mine\n "mcp": {"servers": {"a": {"command": "x", "args": ["//", "/*",], /* y */ },},}, }',
                   ".config/Code/User/settings.json")
        equal(p.run("init", "--from", "vscode").status, 0)
        equal(p.config()["mcpServers"], {"a": {"command": "x", "args": ["//", "/*"]}})
    with place() as p:
        path = p.settings("vscode", '{\n "mcp": {"servers": {\n  "a": {"command": x}}}}', "conf/Code/User/settings.json")
        refused(p, p.run("init", "--from", "vscode", env={"XDG_CONFIG_HOME": f"{p.home}/conf"}), "CONFIG_ERROR", f"{path}:3:20: ")
        p.settings("claude", '{"mcpServers": {}} // no')
        refused(p, p.run("init", "--from", "claude"), ".claude.json:1:20: ")


@test
def settings_that_others_can_write_are_not_taken_over():
    with place() as p:
        path = p.settings("claude", {"mcpServers": {"a": {"command": "x"}}})
        os.chmod(path, 0o602)
        refused(p, p.run("init", "--from", "claude"), path, "can be written by others")
        os.chmod(path, 0o600)
        equal(p.run("init", "--from", "claude").status, 0)


@test
def another_program_is_a_usage_error():
    with place() as p:
        refused(p, p.run("init", "--from", "emacs"), "USAGE", "'emacs'", "claude|cursor|vscode")
        refused(p, p.run("init", "--from"), "USAGE")
        refused(p, p.run("init", "--from", "claude", env={"HOME": ""}), "CONFIG_ERROR", "HOME names no directory")
        refused(p, p.run("init", "x"), "USAGE", "one word too many")
        refused(p, p.run("config", "--from", "claude"), "USAGE", "does not take '--from'")


main()

#!/usr/bin/env python3
"""config.t - .caprun.json: where it is found, who may own it, what it changes, and `caprun config`."""

import glob
import grp
import json
import os
import pwd
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (CAPRUN, NOBODY, ROOT, Process, caprun, contains, each, equal, main, need,
                     on_a_terminal, scratch_dir, test, write_file)

NAME = ".caprun.json"
NOTHING = {name: value for name, value in os.environ.items()
           if name not in ("CAPRUN_CONFIG", "NO_COLOR", "XDG_CACHE_HOME")}


def write(folder, text, name=NAME, mode=0o644):
    path = write_file(f"{folder}/{name}", text if isinstance(text, str) else json.dumps(text))
    os.chmod(path, mode)
    return path


def run(folder, *words, env=None, **options):
    return caprun(*words, cwd=folder, env=NOTHING | (env or {}), **options)


def settings(folder, *words, **options):
    """The output of `caprun config --json`."""
    done = run(folder, "config", "--json", "-q", *words, **options)
    equal((done.status, done.err), (0, ""))
    return json.loads(done.out)


def limit(folder, *words, **options):
    """limits.maxCalls, which is different in each file."""
    return settings(folder, *words, **options)["settings"]["limits.maxCalls"]["value"]


def refused(done, *parts):
    equal((done.status, done.out), (2, ""))
    first, *rest = done.err.splitlines()
    contains(first, "caprun: InputError (CONFIG_ERROR): ", *parts)
    assert all(line.startswith("  hint: ") for line in rest), done.err


def calls(number):
    return {"limits": {"maxCalls": number}}


# --- where it is found -----------------------------------------------------------------------


@test
def the_first_file_from_the_working_directory_upwards_is_used():
    with scratch_dir() as top:
        os.makedirs(f"{top}/a/b/c")
        equal(settings(f"{top}/a/b/c")["file"], None)
        above = write(top, calls(1))
        equal(settings(f"{top}/a/b/c")["file"], above)
        write(f"{top}/a/b", calls(2))
        equal(limit(f"{top}/a/b/c"), 2)
        equal(limit(f"{top}/a"), 1)


@test
def a_link_that_was_followed_to_the_working_directory_does_not_matter():
    with scratch_dir() as top:
        os.makedirs(f"{top}/real/deep")
        os.makedirs(f"{top}/other")
        write(f"{top}/real", calls(1))
        write(f"{top}/other", calls(2))
        os.symlink(f"{top}/real/deep", f"{top}/other/link")
        equal(limit(f"{top}/other/link"), 1)


@test
def an_option_wins_over_the_environment_and_that_over_searching():
    with scratch_dir() as top:
        write(top, calls(1))
        named = write(top, calls(2), "named.json")
        given = write(top, calls(3), "given.json")
        for words, env, number, source in (
                ([], {}, 1, "found"), ([], {"CAPRUN_CONFIG": ""}, 1, "found"),
                ([], {"CAPRUN_CONFIG": named}, 2, "CAPRUN_CONFIG"),
                (["--config", given], {"CAPRUN_CONFIG": named}, 3, "--config"),
                (["--config=given.json"], {}, 3, "--config")):
            found = settings(top, *words, env=env)
            equal((found["settings"]["limits.maxCalls"]["value"], found["fileSource"]), (number, source))
        equal(settings(top, "--config", "./given.json")["file"], f"{top}/./given.json")


@test
def a_file_that_was_named_and_is_not_there_is_an_error():
    with scratch_dir() as top:
        write(top, {})
        for words, env in ((["--config", "nope.json"], {}), ([], {"CAPRUN_CONFIG": f"{top}/nope.json"}),
                           (["--config", ""], {})):
            refused(run(top, "exec", "-", *words, env=env, code="return 1"), top)


@test
def a_working_directory_that_is_gone_is_a_clear_error():
    with scratch_dir() as top:
        path = write(top, calls(1))
        os.mkdir(f"{top}/gone")
        script = 'cd "$1" && rmdir "$1" && shift && exec "$@"'
        for words, status in ((["config"], 2), (["config", "-q", "--config", "x"], 2),
                              (["config", "--config", path], 0)):
            os.makedirs(f"{top}/gone", exist_ok=True)
            done = Process(["sh", "-c", script, "sh", f"{top}/gone", CAPRUN, *words], env=NOTHING).end()
            equal(done.status, status, words)
            if status:
                refused(done, "the working directory is gone")


# --- owners and modes ------------------------------------------------------------------------


STRANGE = 12345  # a group without a name


def has_private_group():
    """Does only this user have its group, by the names in /etc?"""
    name, gid = pwd.getpwuid(os.geteuid()).pw_name, os.getegid()
    of_group = [one for one in grp.getgrall() if one.gr_gid == gid]
    return ([one.gr_name for one in of_group] == [name] and set(of_group[0].gr_mem) <= {name}
            and all(one.pw_uid == os.geteuid() for one in pwd.getpwall() if one.pw_gid == gid))


@each({"group": 0o664, "others": 0o646, "all": 0o777})
def a_file_that_others_can_write_stops_everything(mode):
    need(mode != 0o664 or os.geteuid() == 0, "only root can give a file to another group")
    with scratch_dir() as top:
        path = write(top, {}, mode=mode)
        if mode == 0o664:
            os.chown(path, -1, STRANGE)
        for words in (["exec", "-"], ["config"], ["config", "--config", path]):
            done = run(top, *words, code="return 1")
            refused(done, path, "can be written by others", "chmod go-w")
            contains(done.err, "--config")


@test
def a_file_that_only_the_private_group_of_its_owner_can_write_is_used():
    need(has_private_group(), "this user has no private group")
    with scratch_dir() as top:
        path = write(top, calls(1), mode=0o664)
        lock = write(top, {"version": 1, "capabilities": {}}, "caprun.lock", mode=0o664)
        equal(limit(top), 1)
        equal(run(top, "lock", "-q").status, 0)
        for strange in (path, lock) if os.geteuid() == 0 else ():
            os.chown(strange, -1, STRANGE)
            refused(run(top, "lock", "-q"), strange, "can be written by others")
            os.chown(strange, -1, 0)


@each({"read-only": 0o444, "private": 0o600, "executable": 0o755})
def a_file_that_only_its_owner_can_write_is_used(mode):
    with scratch_dir() as top:
        write(top, calls(1), mode=mode)
        equal(limit(top), 1)


@test
def a_file_of_another_user_stops_everything():
    need(os.geteuid() == 0, "only root can give files away")
    with scratch_dir() as top:
        path = write(top, {})
        os.chown(path, 12345, 0)
        for words, env in (([], {}), (["--config", path], {}), ([], {"CAPRUN_CONFIG": path})):
            done = run(top, "exec", "-", *words, env=env, code="return 1")
            refused(done, path, "belongs to another user (uid 12345)")
            contains(done.err, "chown", "--config")


@test
def a_file_of_root_is_used_by_every_user():
    need(os.geteuid() == 0, "only root can become another user")
    with scratch_dir() as top:
        write(top, calls(1))
        program = shutil.copy(CAPRUN, top)
        equal(limit(top, under=NOBODY, program=program), 1)


@test
def a_file_that_cannot_be_read_is_not_passed_over():
    with scratch_dir() as top:
        write(top, calls(1))
        os.mkdir(f"{top}/below")
        path = write(f"{top}/below", {}, mode=0)
        program = shutil.copy(CAPRUN, top)
        done = run(f"{top}/below", "config", under=NOBODY if os.geteuid() == 0 else [], program=program)
        refused(done, path, "Permission denied")


@test
def a_directory_that_cannot_be_looked_into_is_not_passed_over():
    need(os.geteuid() == 0, "only root can start another user in there")
    with scratch_dir() as top:
        os.makedirs(f"{top}/closed/below")
        os.chmod(f"{top}/closed", 0o700)
        program = shutil.copy(CAPRUN, top)
        done = run(f"{top}/closed/below", "config", under=NOBODY, program=program)
        refused(done, f"cannot look for '{top}/closed/below/{NAME}': Permission denied")


@test
def a_link_is_followed_if_it_is_ones_own():
    with scratch_dir() as top:
        os.mkdir(f"{top}/here")
        target = write(top, {"limits": {"maxCalls": 1}, "audit": "log"}, "target.json")
        os.symlink("../target.json", f"{top}/here/{NAME}")
        equal(limit(f"{top}/here"), 1)
        equal(settings(f"{top}/here")["settings"]["audit"]["value"], f"{top}/here/log", "relative to the link")
        os.chmod(target, 0o666)
        refused(run(f"{top}/here", "config"), "can be written by others")


@test
def a_link_of_another_user_stops_everything():
    need(os.geteuid() == 0, "only root can give links away")
    with scratch_dir() as top:
        write(top, {}, "target.json")
        os.symlink("target.json", f"{top}/{NAME}")
        os.lchown(f"{top}/{NAME}", 12345, 0)
        refused(run(top, "config"), "belongs to another user (uid 12345)")


@each({"a directory": os.mkdir, "a pipe": os.mkfifo,
       "a link to nowhere": lambda path: os.symlink("nowhere", path),
       "a link to itself": lambda path: os.symlink(NAME, path),
       "a device": lambda path: os.symlink("/dev/zero", path)})
def a_configuration_that_is_not_a_file_stops_everything(make):
    with scratch_dir() as top:
        write(top, {})
        os.mkdir(f"{top}/below")
        make(f"{top}/below/{NAME}")
        refused(run(f"{top}/below", "exec", "-", code="return 1"), f"{top}/below/{NAME}")


# --- effects of the file ---------------------------------------------------------------------


@test
def an_error_has_file_line_and_column():
    with scratch_dir() as top:
        path = write(top, '{\n  "limits": {},\n    "permisions": {"deny": ["*"]}\n}\n')
        for words in (["exec", "-"], ["config"]):
            refused(run(top, *words, code="return 1"),
                    f': {path}:3:5: unknown key "permisions"; did you mean "permissions"?')
        write(top, '{\n  "limits": {}\n  "pool": {}\n}\n')
        refused(run(top, "exec", "-", code="return 1"), f"{path}:3:3: expected ',' or '}}'")
        write(top, '{"mcpServers": {"a": {"command": "x", "env": {\n"TOKEN": "${CAPRUN_TEST_UNSET}"}}}}')
        refused(run(top, "exec", "-", code="return 1"),
                f'{path}:2:10: "${{CAPRUN_TEST_UNSET}}": the environment has no variable "CAPRUN_TEST_UNSET"')
        equal(run(top, "exec", "-", code="return 1", env={"CAPRUN_TEST_UNSET": "x"}).out, "1\n")


@test
def an_error_is_in_the_envelope_too_and_escaped_on_a_terminal():
    with scratch_dir() as top:
        path = write(top, '{"\\u001b[31m": 1}')
        done = run(top, "exec", "-", "--json", code="return 1")
        equal(done.status, 2)
        error = done.envelope["error"]
        equal((error["type"], error["code"]), ("InputError", "CONFIG_ERROR"))
        contains(error["message"], f'{path}:1:2: unknown key "\x1b[31m"')
        contains(done.err, "\\u001b[31m")
        assert "\x1b" not in done.err
        done = run(top, "config", "--json")
        equal((done.status, done.envelope["error"]["code"]), (2, "CONFIG_ERROR"))


@test
def the_code_is_not_read_before_the_configuration():
    with scratch_dir() as top:
        write(top, "{")
        refused(run(top, "exec", "/nonexistent"), NAME)


@test
def exec_has_the_times_of_the_file_unless_the_command_line_says_otherwise():
    with scratch_dir() as top:
        write(top, {"limits": {"timeoutMs": 150}})
        contains(run(top, "exec", "-", code="for (;;);").err, "Execution timeout after 150 ms")
        contains(run(top, "exec", "-", "--timeout", "100ms", code="for (;;);").err, "after 100 ms")
        write(top, {"limits": {"timeoutMs": 0, "cpuMs": 100}})
        contains(run(top, "exec", "-", code="for (;;);").err, "CPU_TIMEOUT", "100 ms")


@test
def exec_has_the_memory_of_the_file_unless_the_command_line_says_otherwise():
    grow = "const a = []; for (;;) a.push(new Array(1000).fill(1.5))"
    with scratch_dir() as top:
        write(top, {"limits": {"memoryMB": 16}})
        contains(run(top, "exec", "-", code=grow).err, "MEMORY_LIMIT", "16 MiB")
        contains(run(top, "exec", "-", "--memory", "24m", code=grow).err, "24 MiB")


@test
def exec_stops_at_a_denial_if_the_file_says_so():
    code = "try { eval('1') } catch {} return 1"
    with scratch_dir() as top:
        write(top, {"onDenied": "continue"})
        equal(run(top, "exec", "-", code=code).out, "1\n")
        write(top, {"onDenied": "stop"})
        done = run(top, "exec", "-", code=code)
        equal((done.status, done.out), (3, ""))


@test
def exec_takes_the_pool_and_the_sandbox_of_the_file():
    with scratch_dir() as top:
        write(top, {"pool": {"warm": 50, "maxWorkers": 1, "maxMemoryMB": 512}, "sandbox": {"freshProgram": True}})
        equal(run(top, "exec", "-", code="return 1").out, "1\n")
        write(top, {"pool": {"maxMemoryMB": 64}})
        equal(run(top, "exec", "-", code="return 1").status, 2, "512 MiB do not fit into 64")
        equal(run(top, "exec", "-", "--memory", "32m", code="return 1").out, "1\n")


@test
def a_warning_is_one_line_on_standard_error_unless_it_is_to_be_quiet():
    with scratch_dir() as top:
        path = write(top, {"mcpServers": {"a": {"command": "x", "type\x1b": 1}}})
        done = run(top, "exec", "-", code="return 1")
        equal((done.status, done.out), (0, "1\n"))
        equal(done.err.splitlines(), [f'caprun: {path}:1:39: "type\\u001b" is a key that caprun does not know, '
                                      "and is not used"])
        equal(run(top, "exec", "-q", "-", code="return 1").err, "")
        equal(run(top, "config", "-q").err, "")


# --- caprun config ---------------------------------------------------------------------------


FULL = """{
  "registries": ["./r", "https://registry.example/mcp", "${CAPRUN_TEST}/r"],
  "mcpServers": {
    "files": {"command": "npx", "env": {"A": "${CAPRUN_TEST}", "B": "word", "C": "x${CAPRUN_TEST}"}},
    "search": {"url": "https://tools.example/mcp?key=word", "headers": {"x-key": "word"}}
  },
  "routing": {"cloud": {"url": "https://c.example/", "headers": {"authorization": "word"}}},
  "env": {"acme.tools.report.weekly": ["TZ"]}, "permissions": {"allow": ["files:read_*", "${CAPRUN_TEST}:*"]},
  "limits": {"timeoutMs": 5000, "cpuMs": 0}
}
"""


@test
def every_setting_has_its_value_and_its_source():
    with scratch_dir() as top:
        path = write(top, FULL)
        shown = settings(top, "--cpu=2s", "--memory=1536k", env={"CAPRUN_TEST": "secret"})
        equal((shown["file"], shown["lockfile"]), (path, f"{top}/caprun.lock"))
        for name, value, source in (
                ("registries", [f"{top}/r", "https://registry.example/mcp", "${CAPRUN_TEST}/r"],
                 f"{path}:2"),
                ("limits.timeoutMs", 5000, f"{path}:9"), ("limits.cpuMs", 2000, "--cpu"),
                ("limits.memoryMB", 1.5, "--memory"), ("limits.rpcTimeoutMs", 30000, "default"),
                ("limits.maxDepth", 8, "default"), ("pool.maxWorkers", 256, "default"),
                ("sandbox.freshProgram", False, "default"), ("onDenied", "continue", "default"),
                ("mcpServers.files.command", "npx", f"{path}:4"),
                ("mcpServers.files.env", {"A": "${CAPRUN_TEST}", "B": "(set)", "C": "(set)"}, f"{path}:4"),
                ("mcpServers.files.maxConcurrent", 64, "default"),
                ("mcpServers.search.url", "https://tools.example/mcp?(set)", f"{path}:5"),
                ("mcpServers.search.headers", {"x-key": "(set)"}, f"{path}:5"),
                ("routing.cloud.headers", {"authorization": "(set)"}, f"{path}:7"),
                ("env.acme.tools.report.weekly", ["TZ"], f"{path}:8"),
                ("permissions.allow", ["files:read_*", "${CAPRUN_TEST}:*"], f"{path}:8"),
                ("permissions.deny", [], "default")):
            equal(shown["settings"][name], {"value": value, "source": source}, name)


@test
def no_secret_is_printed():
    with scratch_dir() as top:
        write(top, FULL)
        for words in ([], ["--json"]):
            done = run(top, "config", *words, env={"CAPRUN_TEST": "secret"})
            equal(done.status, 0)
            assert not any(word in done.out + done.err for word in ("secret", "word", "pass@")), done.out


@test
def a_registry_with_a_password_or_a_query_is_refused_and_not_shown():
    with scratch_dir() as top:
        for url in ("https://u:s3cret@h/x", "https://h/x?key=s3cret", "https://h/x#s3cret", "http://h\u00fc/s3cret"):
            write(top, {"registries": [url]})
            of_file = run(top, "config")
            refused(of_file, '"registries"', "without a user or a query")
            write(top, {})
            of_option = run(top, "config", "--registry", url)
            equal(of_option.status, 2)
            assert "s3cret" not in of_file.err + of_option.err, of_option.err


@test
def a_doubtful_setting_is_reported():
    with scratch_dir() as top:
        path = write(top, {"mcpServers": {"a": {"command": "x"}, "b": {"url": "http://x"}}, "permissions": {"deny": ["*"]},
                           "routing": {}})
        equal([line.removeprefix(f"caprun: {path}:").split(" ", 1)[1]
               for line in run(top, "exec", "-", code="return 1").err.splitlines()],
              ['"url" is not https: others may read and change what is sent, headers included',
               '"routing" has no effect in this version of caprun'])
        equal(run(top, "exec", "-", "-q", code="return 1").err, "")


@test
def a_rule_that_cannot_work_stops_every_command():
    with scratch_dir() as top:
        path = write(top, '{"permissions": {\n  "rules": [{"tool": "shell", "then": "deny", "maxCalls": 1}]}}')
        for words in (["exec", "-"], ["config"], ["acme.tools.text.count", "--registry", "."]):
            refused(run(top, *words, code="return 1"), f'{path}:2:13: the rule: a rule that denies cannot have "maxCalls"')
        path = write(top, {"mcpServers": {"a": {"command": "x"}}, "permissions": {"rules": [
            {"id": "r", "tool": "a", "then": "allow", "when": {"/p": {"under": "/proc/self/cwd"}}}]}})
        refused(run(top, "exec", "-", code="return 1"), f'{path}:1:', 'the rule "r": the directory \'/proc/self/cwd\'')
        write(top, {"permissions": {"rules": [{"tool": "shell", "then": "deny"}]}})
        equal(run(top, "exec", "-", code="return 1").out, "1\n")


@test
def two_servers_that_code_cannot_tell_apart_are_refused():
    with scratch_dir() as top:
        path = write(top, {"mcpServers": {"my-files": {"command": "x"}, "my_files": {"command": "y"}}})
        refused(run(top, "exec", "-", code="return 1"), f'{path}:1:', '"my-files" and "my_files" are the same name', "rename")


@test
def the_samples_are_good():
    samples = sorted(glob.glob(f"{ROOT}/samples/config/*.json"))
    assert samples
    for sample in samples:
        with open(sample, encoding="utf-8") as file:
            text = file.read()
        with scratch_dir() as top:
            write(top, text)
            shown = settings(top, env={"WEATHER_KEY": "k", "RATES_KEY": "k"})["settings"]
            for name, server in json.loads(text).get("mcpServers", {}).items():
                for key in server.keys() & {"command", "args"}:
                    equal(shown[f"mcpServers.{name}.{key}"]["value"], server[key])


@test
def registries_of_the_command_line_replace_those_of_the_file():
    with scratch_dir() as top:
        write(top, {"registries": ["./of-the-file"]})
        os.mkdir(f"{top}/below")
        shown = settings(f"{top}/below", "--registry", "x", "--registry=http://r.example/", "--registry", "/y")
        equal(shown["settings"]["registries"],
              {"value": [f"{top}/below/x", "http://r.example/", "/y"], "source": "--registry"})


@test
def the_cache_is_where_the_desktop_keeps_such_things():
    with scratch_dir() as top:
        for env, cache in (({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/caprun"),
                           ({"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/caprun"),
                           ({"HOME": "/h"}, "/h/.cache/caprun"), ({"HOME": ""}, None)):
            equal(settings(top, env=env)["cache"], cache, env)


@test
def the_text_is_aligned_and_escaped():
    with scratch_dir() as top:
        path = write(top, '{"onDenied": "stop", "audit": "a\\u001b[31m"}')
        done = run(top, "config")
        equal(done.status, 0)
        lines = done.out.splitlines()
        equal(lines[0], f"file      {path} (found)")
        table = [line for line in lines[lines.index("") + 1:] if "audit" not in line]
        columns = {line.index("default") for line in table if " default" in line}
        equal(columns, {next(line for line in table if "onDenied" in line).index(path)})
        assert "\x1b" not in done.out
        contains(done.out, "a\\u001b[31m")


@test
def colours_are_for_terminals_and_if_requested():
    with scratch_dir() as top:
        write(top, {})
        for env, colours in (({}, True), ({"NO_COLOR": ""}, True), ({"NO_COLOR": "1"}, False)):
            equal("\x1b[" in on_a_terminal("config", cwd=top, env=NOTHING | env), colours, env)
        assert "\x1b" not in run(top, "config").out
        shown = on_a_terminal("config", "--json", cwd=top, env=NOTHING)
        assert "\x1b" not in shown and "\n  " in shown, shown
        json.loads(shown)


@test
def config_takes_no_other_word_and_leaves_no_output_unwritten():
    done = caprun("config", "x", env=NOTHING)
    equal((done.status, done.out), (2, ""))
    contains(done.err, "InputError (USAGE): one word too many: 'x'")
    with scratch_dir() as top, open("/dev/full", "w", encoding="utf-8") as full:
        equal(run(top, "config", stdout=full).status, 70)


main()

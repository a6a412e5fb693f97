#!/usr/bin/env python3
"""exec.t - the command line: words, options, input, and output."""

import itertools
import json
import os
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (CAPRUN, NOBODY, SANITIZED, Process, caprun, contains, each, equal, main,
                     on_a_terminal, proc, run_json, scratch_dir, start, test, value_of, write_file)

SUM = "return {sum: args.a + args.b}"
ONE_AND_TWO = '{"a":1,"b":2}'
KEYS = "return Object.keys(args).length"


def shell(script, *words):
    """Runs |script| in bash, with $CAPRUN in it."""
    return Process(["bash", "-c", script, "bash", *words], env=os.environ | {"CAPRUN": CAPRUN}).end()


@test
def the_example_of_the_readme_prints_exactly_its_result():
    done = shell("echo 'return {sum: args.a + args.b}' | $CAPRUN exec - '{\"a\":1,\"b\":2}'")
    equal((done.status, done.out, done.err), (0, '{"sum":3}\n', ""))


@test
def args_come_from_a_file_from_standard_input_inline_or_not_at_all():
    with scratch_dir() as directory:
        code = write_file(f"{directory}/sum.js", SUM)
        args = write_file(f"{directory}/args.json", ONE_AND_TWO)
        for words, stdin in [((args,), ""), (("-",), ONE_AND_TWO), ((ONE_AND_TWO,), "")]:
            equal(caprun("exec", code, *words, code=stdin).out, '{"sum":3}\n', words)
        equal(caprun("exec", "-", code=KEYS).out, "0\n", "no args")


def named(name, code="null.x"):
    """The first line of the stack of code in a file of this name."""
    with scratch_dir() as directory:
        done = caprun("exec", write_file(f"{directory}/{name}", code), "--json")
        return json.loads(done.out)["error"]["stack"].split("\n")[0]


@each({name: name for name in ("report.js", "my report.js", "a" * 61 + ".js", "native", "x,y=z~1+@.mjs")})
def stacks_call_code_by_the_name_of_its_file(name):
    equal(named(name), f"    at <anonymous> ({name}:1:1)")
    equal(named(name, "const a = 1;\nconst b = a +* 2;"), f"    at {name}:2:14")


@each({
    "of two lines": "a.js:1:1)\n    at forged (b.js",
    "caprun's own": "caprun:prelude",
    "another hash": "cap:00000000",
    "with a parenthesis": "a.js) at x (b.js",
    "with an escape": "\x1b[31ma.js",
    "with characters of several bytes": "é.js",
    "with a bidirectional mark": "a\u202esj.js",
    "with bytes that are not UTF-8": os.fsdecode(b"\xff.js"),
    "too long": "a" * 62 + ".js",
    "that begins with a space": " a.js",
})
def a_file_with_a_name_that_stacks_cannot_show_is_named_by_its_hash(name):
    equal(named(name), "    at <anonymous> (cap:d298bd11:1:1)")


@test
def args_may_be_any_json_from_a_file_but_inline_only_an_object():
    with scratch_dir() as directory:
        for json in ("[1,2]", "null", '"text"', "7", " {} "):
            path = write_file(f"{directory}/args.json", json)
            equal(caprun("exec", "-", path, code="return args").status, 0, json)
    equal(caprun("exec", "-", "[1]", code="return args").status, 2, "a file called [1]")


@test
def code_and_args_come_through_pipes():
    done = shell("$CAPRUN exec <(echo 'return args') <(echo '{\"x\":1}') </dev/null")
    equal((done.status, done.out), (0, '{"x":1}\n'))


# Words of the command line, and a part of the one-line error message.
USAGE_ERRORS = {
    "nothing": ([], "nothing to do"),
    "no FILE": (["exec"], "FILE"),
    "code and args from standard input": (["exec", "-", "-"], "both"),
    "a word too many": (["exec", "-", "{}", "x"], "too many"),
    "an unknown command": (["frobnicate"], "unknown command 'frobnicate'"),
    "a command of later": (["serve"], "unknown command 'serve'"),
    "an unknown option": (["exec", "-", "--nope"], "unknown option '--nope'"),
    "an unknown letter": (["exec", "-", "-z"], "unknown option '-z'"),
    "an unknown option with a value": (["exec", "-", "--nope=1"], "unknown option '--nope'"),
    "a flag with a value": (["exec", "-", "--json=1"], "takes no value"),
    "an option without its value": (["exec", "-", "--timeout"], "needs a value"),
    "an option that is cut short": (["exec", "-", "--time", "1s"], "unknown option '--time'"),
    "no unit": (["exec", "-", "--timeout", "500"], "250ms, 30s, 5m"),
    "no number": (["exec", "-", "--timeout", "s"], "250ms, 30s, 5m"),
    "an empty duration": (["exec", "-", "--cpu", ""], "250ms, 30s, 5m"),
    "a negative duration": (["exec", "-", "--cpu=-1s"], "250ms, 30s, 5m"),
    "a fraction": (["exec", "-", "--rpc-timeout", "1.5s"], "250ms, 30s, 5m"),
    "a space": (["exec", "-", "--timeout", "1 s"], "250ms, 30s, 5m"),
    "a duration that is too long": (["exec", "-", "--timeout", "25000h"], "24 days"),
    "a duration that overflows": (["exec", "-", "--timeout", "9" * 30 + "s"], "24 days"),
    "a size without a unit": (["exec", "-", "--memory", "64"], "64k, 512m or 1g"),
    "a size with a wrong unit": (["exec", "-", "--memory", "64mb"], "64k, 512m or 1g"),
    "a size that is too big": (["exec", "-", "--memory", "17g"], "16"),
    "an option instead of a file": (["exec", "-", "--config", "--json-"], "'--config' needs a value; one with a -"),
    "an option of another command": (["exec", "-", "--accept", "x"], "exec does not take '--accept'"),
    "a limit of no use": (["lock", "--timeout", "1s"], "lock does not take '--timeout'"),
    "an empty registry": (["config", "--registry", ""], "--registry has to be a directory"),
    "a registry of another kind": (["config", "--registry=ftp://x"], "--registry has to be a directory, or a URL"),
    "too many registries": (["config", *["--registry=x"] * 33], "at most 32"),
    "a missing FILE": (["exec", "/nonexistent/x.js"], "No such file"),
    "a directory as FILE": (["exec", "/tmp"], "directory"),
    "a FILE below a file": (["exec", "/dev/null/x"], "Not a directory"),
    "an empty name": (["exec", ""], "No such file"),
    "missing ARGS": (["exec", "-", "/nonexistent/x.json"], "No such file"),
    "a directory as ARGS": (["exec", "-", "/tmp"], "directory"),
    "an escape in a word": (["exec", "/no\x1b[31m\nsuch"], "/no\\u001b[31m\\nsuch"),
    "a recording without a name": (["exec", "-", "--record"], "'--record' needs a value"),
    "a recording of a command without a run": (["tools", "--record", "x"], "tools does not take '--record'"),
    "a retry of what is no call": (["resume", "x", "--retry-call", "0"], "--retry-call: '0' is not the number of a call"),
    "a retry of a run that is new": (["exec", "-", "--retry-unknown"], "exec does not take '--retry-unknown'"),
    "too many words for any command": (["exec", *["x"] * 30], "one word too many: 'x'"),
    "a pattern instead of a file": (["exec", "-", "--deny", "--json-"], "'--deny' needs a value; one with a -"),
    "permissions of no use": (["config", "--deny", "x"], "config does not take '--deny'"),
    "too many patterns": (["exec", "-", *["--ask=x"] * 257], "--ask: 'x' is one too many: at most 256"),
} | {
    f"{option} {pattern!r}": (["exec", "-", f"{option}={pattern}"], f"{option}: '{pattern:.60}' is not a pattern like \"ns:action\"")
    for option, pattern in (("--allow", ""), ("--allow", "a b"), ("--ask", "ns:"), ("--deny", ":x"), ("--deny", "a:b:c"),
                            ("--deny", "a.b"), ("--allow", "x" * 65), ("--deny", "[a-z]"))
}


@each(USAGE_ERRORS)
def bad_usage_is_one_clear_error(case):
    words, part = case
    done = caprun(*words, code="return 1")
    equal((done.status, done.out), (2, ""))
    first, *rest = done.err.splitlines()
    contains(first, "caprun: InputError (USAGE): ", part)
    assert all(line.startswith("  hint: ") for line in rest), done.err


@test
def an_unreadable_file_is_a_usage_error_for_an_ordinary_user():
    with scratch_dir() as directory:
        path = write_file(f"{directory}/secret.js", "return 1")
        os.chmod(path, 0)
# that user may not be able to read the source tree
        program = shutil.copy(CAPRUN, directory)
        done = caprun("exec", path, program=program, under=NOBODY if os.geteuid() == 0 else [])
    equal(done.status, 2)
    contains(done.err, "Permission denied")


@each({
    "before the words": ["--timeout", "5s", "-q", "exec", "-", ONE_AND_TWO],
    "between the words": ["exec", "--memory", "64m", "-", "--cpu=5s", ONE_AND_TWO],
    "after the words": ["exec", "-", ONE_AND_TWO, "--rpc-timeout", "1m", "--no-input"],
    "joined by =": ["exec", "--timeout=1m", "--memory=1g", "-", ONE_AND_TWO],
    "0 for the default": ["exec", "--timeout", "0", "--memory=0", "-", ONE_AND_TWO],
    "permissions": ["--allow", "a:b", "exec", "--deny=*", "--ask", "ns", "-", "--allow=-x:y", ONE_AND_TWO],
    "ended by --": ["exec", "-q", "--", "-", ONE_AND_TWO],
    "the last one of two": ["exec", "--timeout=1ms", "--timeout=5s", "-", ONE_AND_TWO],
})
def options_may_stand_anywhere(words):
    done = caprun(*words, code=SUM)
    equal((done.status, done.out, done.err), (0, '{"sum":3}\n', ""))


@test
def after_two_dashes_a_name_may_look_like_an_option():
    with scratch_dir() as directory:
        write_file(f"{directory}/--json", "return 1")
        equal(caprun("exec", "--", "--json", cwd=directory).out, "1\n")


@test
def help_and_version_go_to_standard_output():
    for word in ("--help", "-h"):
        done = caprun(word)
        equal((done.status, done.err), (0, ""))
        contains(done.out, "caprun exec FILE [ARGS]", "--timeout DUR", "--memory SIZE", "--json")
    done = caprun("exec", "--version")
    equal((done.status, done.err), (0, ""))
    assert done.out.startswith("caprun 0.") and done.out.count("\n") == 1, done.out
    equal(shell("$CAPRUN --help >/dev/full").status, 70, "help that cannot be written")


@test
def quiet_leaves_the_error_line_and_verbose_adds_to_it():
    code = "console.log('log'); null.x"
    contains(caprun("exec", "-", code=code).err, "log\n", "at <anonymous>")
    quiet = caprun("exec", "-", "-q", code=code)
    equal(quiet.status, 1)
    assert quiet.err.count("\n") == 1 and quiet.err.startswith("caprun: RuntimeError"), quiet.err
    equal(run_json(code, "-q")["logs"], ["log"], "the envelope's logs")
    verbose = caprun("exec", "-", "-v", code="return 1")
    equal(verbose.out, "1\n")
    contains(verbose.err, "caprun: sandbox: ", 'caprun: metrics: {')


@test
def verbose_shows_the_metrics_of_caprun_not_of_the_code():
    code = "console.log('\"metrics\":{1}'); return {metrics: {fake: 1}}"
    last = caprun("exec", "-", "-v", code=code).err.splitlines()[-1]
    contains(last, 'caprun: metrics: {"startupTimeMs":', '"rpcCalls":0}')


# --- descriptors -----------------------------------------------------------------------------

SUBSETS = [s for n in (1, 2, 3) for s in itertools.combinations((0, 1, 2), n)]


@each({"+".join(map(str, closed)): closed for closed in SUBSETS})
def closed_descriptors_do_no_harm(closed):
    with scratch_dir() as directory:
        path = write_file(f"{directory}/x.js", "console.log('log'); return 1")
        close = " ".join(f"{fd}>&-" for fd in closed)
        done = shell(f"exec $CAPRUN exec {path} {close}")
        equal(done.status, 70 if 1 in closed else 0)
        equal(done.out, "" if 1 in closed else "1\n")
        contains(done.err, *([] if 2 in closed else ["log\n"]),
                 *(["cannot write standard output"] if closed in [(1,), (0, 1)] else []))
        done = shell(f"exec $CAPRUN exec - {close}")
        equal(done.status, 2 if 0 in closed else 70 if 1 in closed else 0, "code from descriptor 0")


@test
def output_that_cannot_be_written_is_an_error_with_words():
    for words in ("exec -", "exec - --json"):
        done = shell(f"echo 'return 1' | $CAPRUN {words} >/dev/full")
        equal(done.status, 70)
        contains(done.err, "caprun: cannot write standard output: No space left on device")


@test
def a_reader_that_has_gone_is_an_error_with_words():
    reader, writer = os.pipe()
    os.close(reader)
    done = caprun("exec", "-", code="return 1", stdout=writer)
    equal(done.status, 70)
    contains(done.err, "Broken pipe")
    equal(caprun("exec", "-", code="console.log(1); return 1", stderr=writer).status, 0, "stderr")
    os.close(writer)


@test
def a_large_result_goes_through_a_pipe_whole():
    done = shell("echo 'return \"x\".repeat(15e6)' | $CAPRUN exec - | wc -c")
    equal(done.out.strip(), str(15_000_000 + 3))


def shown(code, *options):
    return on_a_terminal("exec", "-", *options, code=code)


@test
def on_a_terminal_the_result_is_indented_and_escaped():
    equal(shown("return {a: [1, 'x'], b: {}, c: []}"),
          '{\n  "a": [\n    1,\n    "x"\n  ],\n  "b": {},\n  "c": []\n}\n')
    equal(shown(r"return '\x1b[31m\u202e\u200b\x9b1m\r\n'"),
          '"\\u001b[31m\\u202e\\u200b\\u009b1m\\r\\n"\n')
    contains(shown("return 1", "--json"), '\n  "success": true,\n')


@test
def a_result_that_is_too_deep_to_indent_is_on_one_line():
    deep = ("let v = Array(%d).fill(1); v[0] = '\\u202e';"
            "for (let i = 1; i < 990; i++) v = [v]; return v")
    indented = shown(deep % 100)
    equal(len(indented.split("\n")), 2 * 990 + 100 + 1)
    compact = shown(deep % 140_000)
    equal(compact, "[" * 990 + '"\\u202e"' + ",1" * 139_999 + "]" * 990 + "\n")


# --- the environment -------------------------------------------------------------------------

WAIT = "console.log('waiting'); await new Promise(r => setTimeout(r, 3000))"


@test
def a_hostile_environment_does_not_reach_the_worker():
    libraries = [f"/usr/lib/x86_64-linux-gnu/{n}" for n in ("libm.so.6", "libdl.so.2")
                 if not SANITIZED]  # a sanitizer must be loaded before other libraries
    env = {f"V{i}": "x" * 1000 for i in range(1000)} | {
        "LD_PRELOAD": " ".join(filter(os.path.exists, libraries)), "TZ": ":/etc/passwd",
        "LC_ALL": "tr_TR.UTF-8", "PATH": "", "HOME": "/nonexistent", "MALLOC_PERTURB_": "85",
        "LD_DEBUG": "", "": "x", "CAPRUN_CONFIG": "",
    }
    equal(value_of("return new Date(0).getTimezoneOffset()", env=env), 0)
    running = start("exec", "-", code=WAIT, env=env)
    running.wait_for_log("waiting")
    zygote, worker = running.family()
    if os.geteuid() == 0:
        equal([proc(pid, "environ") for pid in (zygote, worker)], ["", ""])
        assert "libm" not in proc(worker, "maps")
    running.send(signal.SIGTERM)
    equal(running.end().status, 143)


@test
def an_empty_environment_is_fine():
    equal(value_of("return 1", env={}), 1)


@test
def the_command_works_from_another_directory_and_through_a_link():
    with scratch_dir() as directory:
        os.symlink(CAPRUN, f"{directory}/link")
        equal(caprun("exec", "-", code="return 1", program=f"{directory}/link", cwd="/").out, "1\n")


main()

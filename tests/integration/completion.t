#!/usr/bin/env python3
"""completion.t - completion by the tab key in bash and zsh, each on a terminal.

The program is a stand-in that knows only `complete-names`: it records its arguments, and prints
names, tools or runs, some of them attacks. The shells are set to insert all completions that they would offer.
"""

import fcntl
import json
import os
import pty
import re
import select
import shlex
import sys
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, Process, caprun, each, equal, main, need_program, reap_orphans, scratch_dir, stretched, \
    test, wait_until, write_file
from registries import place
from tools import tools

COMPLETION = os.path.join(ROOT, "host/cli/completion")
KEPT = scratch_dir()  # zsh's dump of its completions: it is made once, not for each case
READY, INSERT, DONE = "ready> ", "\x14", "\x0f"  # the prompt; two keys

TOOLS, RUNS = ["files:read", "files:write/x", "empty:"], ["ffff0001", "0000aaaa", "77770000"]
NAMES = ["acme.tools.text.count", "acme.tools.text.slug", "other.things.a.b"]
COMMANDS = ["approve", "audit", "bench", "call", "config", "deny", "doctor", "exec", "help", "info", "init", "list", "lock", "policy", "replay", "resume", "run", "runs", "tools", "trust", "types"]
LONG = ["--allow", "--allow-declared", "--ask", "--color", "--config", "--cpu", "--deny", "--dev", "--frozen", "--help", "--json", "--memory", "--no-input",
        "--quiet", "--record", "--registry", "--rpc-timeout", "--timeout", "--verbose", "--version"]
GENERAL = LONG + ["-h", "-q", "-v"]
OF_LOCK, OF_REPLAY, OF_RESUME = ["--accept"], ["--code", "--compare", "--env", "--speed"], ["--fail-unknown", "--retry-call", "--retry-unknown"]
OF_AUDIT = ["--decision", "--follow", "--run", "--since", "--tool", "--verify"]
OF_BENCH, OF_RUNS, OF_DOCTOR, OF_INIT, OF_TRUST = ["--rounds"], ["--all", "--older", "--rm", "--waiting"], ["--strict"], ["--from"], ["--list", "--withdraw"]
OF_POLICY, OF_DENY, OF_APPROVE = ["--for"], ["--call", "--run"], ["--yes"]
MEASURED = ["answer10m", "answer1m", "busy", "call", "cpu", "fresh", "memory", "rate"]
FOLDERS = ["deep folder", "folder"]
FILES = ["args.json", "code.js", *FOLDERS]

PROGRAM = r"""#!/bin/sh
printf '<%s>' "$0" "$@" >"$HOME/told"
[ "$1" = complete-names ] || exit 2
case $2 in
tools) printf '%s\n' files:read files:write/x empty: 'files:$(touch owned)' 'files:a b' ; exit ;;
runs) printf '%s\n' ffff0001 0000aaaa 77770000 '$(touch owned)' ; exit ;;
esac
printf '%s\n' acme.tools.text.slug acme.tools.text.count other.things.a.b 'acme.$(touch owned)' 'acme.`touch owned`' \
    'acme.x;touch owned' 'acme.* *'
echo 'complaints are not shown' >&2
"""

BASH = rf"""
PS1='{READY}'
. '{COMPLETION}/caprun.bash'
bind 'set bell-style none'
bind '"\C-t": insert-completions'
bind -x '"\C-o": printf %s "$READLINE_LINE" >"$HOME/line"'
"""

ZSH = rf"""
PS1='{READY}'
unsetopt zle_bracketed_paste beep prompt_sp
fpath=('{COMPLETION}' $fpath)
autoload -Uz compinit && compinit -C -d '{KEPT.name}/dump'
insert_all() {{ compstate[insert]=all compstate[list]= }}
offer() {{ comppostfuncs=(insert_all); zle complete-word }}
finish() {{ print -rn -- "$BUFFER" >"$HOME/line" }}
zle -N offer && bindkey '^T' offer
zle -N finish && bindkey '^O' finish
"""

SHELLS = {"bash": (["bash", "--noprofile", "--rcfile", ".bashrc", "-i"], BASH), "zsh": (["zsh", "-d", "-i"], ZSH)}

# The completions at the end of each line, in any order.
OFFERS = {
    "caprun ": COMMANDS + NAMES,
    "caprun r": ["replay", "resume", "run", "runs"],
    "caprun acme.tools.text.": NAMES[:2],
    "caprun acme.tools.text.s": NAMES[1:2],
    "caprun nothing": [],
    "caprun run ": NAMES,
    "caprun run o": NAMES[2:],
    "caprun run other.things.a.b ": FILES,
    "caprun other.things.a.b ": FILES,
    "caprun other.things.a.b args.json ": [],
    "caprun exec ": FILES,
    "caprun exec code.js a": ["args.json"],
    "caprun exec code.js args.json ": [],
    "caprun call ": TOOLS,
    "caprun call f": TOOLS[:2],
    "caprun call files:w": TOOLS[1:2],
    "caprun call e": TOOLS[2:],
    "caprun info ": NAMES,
    "caprun call files:read ": FILES,
    "caprun call files:read args.json ": [],
    "caprun replay ": FILES + RUNS,
    "caprun replay a.jsonl ": FILES + RUNS,
    "caprun replay a": ["args.json"],
    "caprun replay ff": RUNS[:1],
    "caprun replay a.jsonl --speed ": ["real"],
    "caprun replay a.jsonl --code ": FILES,
    "caprun resume ": RUNS,
    "caprun resume 7": RUNS[2:],
    "caprun resume ar": ["args.json"],
    "caprun resume x ": [],
    "caprun runs ": RUNS,
    "caprun runs --rm 0000aaaa ff": RUNS[:1],
    "caprun runs co": ["code.js"],
    "caprun tools ": TOOLS,
    "caprun tools files:r": TOOLS[:1],
    "caprun doctor ": [],
    "caprun config ": [],
    "caprun policy ": ["explain", "test", "withdraw"],
    "caprun policy explain files:r": TOOLS[:1],
    "caprun policy explain files:read a": ["args.json"],
    "caprun policy test a": ["args.json"],
    "caprun policy --for e": ["exec"],
    "caprun policy --for=o": NAMES[2:],
    "caprun policy --": LONG + OF_POLICY,
    "caprun lock ": [],
    "caprun lock --accept a": NAMES[:2],
    "caprun lock --accept=o": NAMES[2:],
    "caprun -": GENERAL,
    "caprun exec code.js --": LONG,
    "caprun lock --": LONG + OF_LOCK,
    "caprun replay x --": LONG + OF_REPLAY,
    "caprun resume x --": LONG + OF_RESUME,
    "caprun approve x --": LONG + OF_RESUME + OF_DENY + OF_APPROVE,
    "caprun deny x --": LONG + OF_RESUME + OF_DENY,
    "caprun approve 7": RUNS[2:],
    "caprun deny ": RUNS,
    "caprun bench --": LONG + OF_BENCH,
    "caprun runs --": LONG + OF_RUNS,
    "caprun audit --": LONG + OF_AUDIT,
    "caprun doctor --": LONG + OF_DOCTOR,
    "caprun init --": LONG + OF_INIT,
    "caprun trust --": LONG + OF_TRUST,
    "caprun init --from ": ["claude", "cursor", "vscode"],
    "caprun help ": COMMANDS,
    "caprun bench ": MEASURED,
    "caprun bench cpu a": ["answer10m", "answer1m"],
    "caprun --fr": ["--frozen"],
    "caprun --registry ": FOLDERS,
    "caprun --registry=f": ["folder"],
    "caprun --config ": FILES,
    "caprun --config=a": ["args.json"],
    "caprun --timeout ": [],
    "caprun --color ": ["always", "auto", "never"],
    "caprun --memory=": [],
    "caprun --deny ": [],
    "caprun --allow=": [],
    "caprun --deny ns:x --allow a --allow b exec c": ["code.js"],
    "caprun --timeout 5s --json exec c": ["code.js"],
    "caprun --registry folder lock --acc": ["--accept"],
    "../bin/caprun run o": NAMES[2:],
}

# The arguments of the program when each line is completed.
TOLD = {
    "caprun a": "<caprun><complete-names>",
    "../bin/caprun a": "<../bin/caprun><complete-names>",
    "caprun --config c.json call f": "<caprun><complete-names><tools><--config><c.json>",
    "caprun resume f": "<caprun><complete-names><runs>",
    "caprun --registry folder --json --config c.json run o": "<caprun><complete-names><--registry><folder><--config><c.json>",
    "caprun --registry=folder --config=c.json o": "<caprun><complete-names><--registry=folder><--config=c.json>",
    "caprun --registry https://r.example:8080/mcp?a=b --registry b o":
        "<caprun><complete-names><--registry><https://r.example:8080/mcp?a=b><--registry><b>",
    "caprun --registry ~/x --registry 'deep folder' --registry deep\\ folder o":
        "<caprun><complete-names><--registry><HOME/x><--registry><deep folder><--registry><deep folder>",
    "caprun --registry '$(touch owned)' o": "<caprun><complete-names><--registry><$(touch owned)>",
    "caprun --registry 'x;touch owned' --config='$HOME' o":
        "<caprun><complete-names><--registry><x;touch owned><--config=$HOME>",
    "caprun lock --config c.json --accept a": "<caprun><complete-names><--config><c.json>",
}


class Shell:
    """A shell on a terminal, in a folder with FILES; for use with `with`."""

    def __init__(self, name):
        need_program(name)
        self._scratch = scratch_dir()
        self.folder = self._scratch.name
        command, setup = SHELLS[name]
        for folder in ("bin", "here/folder", "here/deep folder"):
            os.makedirs(f"{self.folder}/{folder}")
        write_file(f"{self.folder}/.{name}rc", f"{setup}\ncd here\n")
        write_file(f"{self.folder}/here/args.json", "{}")
        write_file(f"{self.folder}/here/code.js", "")
        os.chmod(write_file(f"{self.folder}/bin/caprun", PROGRAM), 0o755)
        self._ours, theirs = pty.openpty()
        self._process = Process(
            command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=self.folder, preexec_fn=self._take_terminal,
            env={"HOME": self.folder, "PATH": f"{self.folder}/bin:{os.environ['PATH']}",
                 "TERM": "vt100", "INPUTRC": "/dev/null", "LC_ALL": "C.UTF-8"})
        os.close(theirs)
        self.shown = ""

    @staticmethod
    def _take_terminal():
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def __enter__(self):
        self._wait_for(lambda: READY in self.shown, "the prompt")
        return self

    def __exit__(self, *_):
        os.close(self._ours)  # the terminal hangs up
        self._process.end()
        wait_until(lambda: not reap_orphans(), 10, "the end of what the shell started")
        self._scratch.cleanup()

    def _wait_for(self, event, what):
        """Reads the shell's output until |event|, so that the shell never blocks."""
        deadline = time.monotonic() + stretched(20)
        while not event():
            assert time.monotonic() < deadline, f"waited for {what}; shown: {self.shown!r}"
            if select.select([self._ours], [], [], 0.01)[0]:
                self.shown += os.read(self._ours, 4096).decode(errors="replace")

    def read(self, name):
        try:
            with open(f"{self.folder}/{name}", encoding="utf-8") as file:
                return file.read()
        except FileNotFoundError:
            return ""

    def offers(self, line, in_order=False):
        """The completions at the end of |line|, sorted unless |in_order|. The arguments of the program are in |told|."""
        os.write(self._ours, f"{line}{INSERT}{DONE}".encode())
        self._wait_for(lambda: self.read("line"), f"completion of {line!r}")
        completed, self.told = self.read("line"), self.read("told")
        equal(os.path.exists(f"{self.folder}/here/owned"), False, "a name was evaluated")
        if completed == line:
            return []
        start = max(line.rfind(" "), line.rfind("=")) + 1
        equal(completed[:start], line[:start], "the line before the word")
        words = shlex.split(completed[start:])
        return words if in_order else sorted(words)


def in_each_shell(table):
    return {f"{shell}: {line}": (shell, line, value) for shell in SHELLS for line, value in table.items()}


@each(in_each_shell(OFFERS))
def the_tab_key_offers_what_fits(case):
    name, line, wanted = case
    with Shell(name) as shell:
        equal([word.rstrip("=/") for word in shell.offers(line)], sorted(wanted))


@each({shell: shell for shell in SHELLS})
def runs_are_offered_newest_first(name):
    with Shell(name) as shell:
        equal(shell.offers("caprun resume ", in_order=True), RUNS)


@each(in_each_shell(TOLD))
def the_program_is_told_the_registries_and_the_config(case):
    name, line, wanted = case
    with Shell(name) as shell:
        shell.offers(line)
        equal(shell.told.replace(f"{shell.folder}/bin/", "").replace(shell.folder, "HOME"), wanted)


@each(SHELLS)
def without_the_program_the_commands_are_still_offered(case):
    with Shell(case[0][0]) as shell:
        os.unlink(f"{shell.folder}/bin/caprun")
        equal(shell.offers("caprun "), COMMANDS)


@test
def tools_are_known_by_their_pins_and_no_server_is_started():
    strange = [{"name": "a/b.c"}, {"name": "a b"}, {"name": "x*"}]
    with tools(a={"tools": strange}, b={}) as t:
        equal(t.run("complete-names", "tools").out, "a:\nb:\n")
        t.run("call", "a:echo", "{}")
        starts = len(t.starts("a"))
        known = t.run("complete-names", "tools").out.splitlines()
        assert {"a:a/b.c", "a:echo", "b:"} < set(known) and not {"a:", "a:a b", "a:x*"} & set(known), known
        equal((len(t.starts("a")), t.starts("b")), (starts, []))
        write_file(t.lockfile, "{")
        equal(t.run("complete-names", "tools").out, "a:\nb:\n", "with a damaged lockfile")


@test
def runs_are_known_by_the_ends_of_their_ids():
    with place() as p:
        p.env["XDG_STATE_HOME"] = p.root
        equal(p.run("complete-names", "runs").out, "")
        for _ in range(3):
            p.run("exec", "-", code="return 1")
        listed = json.loads(p.run("runs", "--json").out)["runs"]
        equal(p.run("complete-names", "runs").out.split(), [run["runId"][-8:] for run in listed])
        equal(p.run("runs", p.run("complete-names", "runs").out.split()[0]).status, 0)


@test
def the_completions_are_those_in_the_help():
    told = caprun("--help").out
    usage, rows = told.split("\n\n")[1], told.split("\n\n")[3]
    equal(sorted(re.findall(r"caprun \[?([a-z]+)", usage)), COMMANDS, "commands of the help")
    equal(sorted(re.findall(r"(?m)^  (?:(-[a-z]), )?(--[a-z-]+)", rows)), sorted(
        [(short, long) for long in LONG + OF_LOCK + OF_POLICY + OF_REPLAY + OF_RESUME + OF_DENY + OF_APPROVE + OF_RUNS + OF_AUDIT + OF_DOCTOR + OF_INIT + OF_TRUST + OF_BENCH
         for short in ["-" + long[2] if long in ("--help", "--quiet", "--verbose") else ""]]), "options of the help")


@each({word: word for word in COMMANDS})
def a_command_explains_itself_in_80_columns(word):
    told = caprun("help", word)
    equal((told.status, told.err), (0, ""))
    equal(caprun(word, "--help").out, told.out)
    assert told.out.startswith("usage: caprun ") and max(map(len, told.out.splitlines())) <= 80, told.out
    offered = set(re.findall(r"(?m)^  (?:-[a-z], )?(--[a-z-]+)", told.out))
    for option in ("--rounds", "--accept", "--retry-unknown", "--strict", "--rm"):
        if option not in offered:
            value = ["1"] if option == "--rounds" else ["x.y.z.w"] if option == "--accept" else []
            words = {"replay": ["x"], "resume": ["x"], "approve": ["x"], "deny": ["x"], "exec": ["x"], "call": ["a:b"], "run": ["a.b.c.d"], "info": ["a.b.c.d"]}.get(word, [])
            done = caprun(word, *words, option, *value)
            equal(done.status, 2)
            assert f"does not take '{option}'" in done.err, done.err


@test
def the_help_fits_80_columns_and_an_unknown_command_is_said():
    assert max(map(len, caprun("--help").out.splitlines())) <= 80
    equal(caprun("help").out, caprun("--help").out)
    done = caprun("help", "doktor")
    equal((done.status, done.out), (2, ""))
    assert "unknown command 'doktor'; did you mean 'doctor'?" in done.err, done.err


main()

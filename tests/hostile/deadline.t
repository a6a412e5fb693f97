#!/usr/bin/env python3
"""deadline.t - runs that end within a millisecond of their time limit, and code that takes longer to parse.

Whether the result or the limit is first: a run ends once, and its whole envelope agrees on the end.
CAPRUN_TORTURE=1 runs the full series.
"""

import collections
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import TORTURE, between, each, equal, main, stretched, test
from library import Library, descriptors

RUNS, WIDTH = 5000 if TORTURE else 200, 3
LIMIT = int(stretched(20))  # ms
MIB = 1 << 20

# --- the deadline ----------------------------------------------------------------------------

# Each ends in a different way, after a wait of {ms} and {n} rounds of a loop.
WAIT = "await new Promise(r => setTimeout(r, {ms})); for (let i = 0; i < {n}; i++);"
NEAR = {
    "a result": "return [1]",
    "a call": "await mcp.echo.it(); return [1]",
    "an error": "throw new Error('1')",
    "a denial": "eval('1')",
    "logs": "for (let i = 0; i < 50; i++) console.log(i); return [1]",
}
ROUNDS = 20000  # about one millisecond
OWN = {"an error": "CODE_ERROR", "a denial": "PERMISSION_DENIED"}  # how they end before the limit


def check_one(library, run, own):
    """Returns the outcome. The rest of the envelope must agree with it."""
    library.finish_events(run)
    outcome, envelope = library.outcome(run), json.loads(library.finish(run))
    code = "SUCCESS" if envelope["success"] else envelope["error"]["code"]
    assert code in (own, "EXECUTION_TIMEOUT"), envelope
    equal(outcome, code, "outcome")
    equal(("result" in envelope, "error" in envelope), (code == "SUCCESS", code != "SUCCESS"))
    if code == "SUCCESS":
        equal(envelope["result"], [1])
    if code == "EXECUTION_TIMEOUT":
        equal((envelope["error"]["type"], envelope["error"]["message"]),
              ("TimeoutError", f"Execution timeout after {LIMIT} ms"))
        between(envelope["metrics"]["executionTimeMs"], LIMIT - 0.1, stretched(5000), "ms")
    for call in envelope["calls"]:
        assert call["state"] == "done" or code != "SUCCESS", envelope
    return code


class Host(Library):
    def __init__(self):
        super().__init__(lambda call: call.reply(call.args), warm=2 * WIDTH)

    def finish_events(self, run):
        self.wait_for(run, "ENDED", 60)
        equal((run.events[0], run.events[-1], run.events.count("ENDED")), ("STARTED", "ENDED", 1))


def code_near(end, ms):
    return WAIT.replace("{ms}", str(int(ms))).replace("{n}", str(int(ms % 1 * ROUNDS))) + end


def series(library, end, own):
    """Makes runs, some at once. Each ends a little later if the last one was in time, or earlier if it was not."""
    counts, going, ms = collections.Counter(), [], float(LIMIT)
    for _ in range(RUNS // len(NEAR)):
        going.append(library.start(code_near(end, ms), timeout_ms=LIMIT))
        if len(going) == WIDTH:
            code = check_one(library, going.pop(0), own)
            counts[code] += 1
            ms = max(ms - stretched(0.37), 1) if code == "EXECUTION_TIMEOUT" else ms + stretched(0.29)
    counts.update(check_one(library, run, own) for run in going)
    return counts


@each({name: name for name in NEAR})
def a_run_that_ends_at_its_limit_has_one_end(name):
    end, own = NEAR[name], OWN.get(name, "SUCCESS")
    with Host() as library:
        equal(library.execute("return 1")["result"], 1)
        before = library.settled_descriptors()
        counts = series(library, end, own)
        print(f"# {dict(counts)}")
        equal(set(counts), {own, "EXECUTION_TIMEOUT"}, "both sides of the limit")
        library.settle()
        equal(descriptors(), before, "descriptors")


# --- code that takes long to parse -----------------------------------------------------------


def filled(unit, head="", tail="", size=MIB):
    """Code of |size| bytes made of copies of |unit|; {i} becomes the number of the copy."""
    many = size // len(unit.replace("{i}", ""))
    text = "".join(unit.replace("{i}", str(i)) for i in range(many))[:size - len(head) - len(tail)]
    end = unit.replace("{i}", "")[-1]
    return head + text[:text.rindex(end) + 1] + tail


def nested(before, within, after, depth=0):
    """Nesting as deep as fits into a mebibyte, with some bytes left for the code around it."""
    depth = depth or (MIB - 100) // len(before + after)
    return before * depth + within + after * depth


# Each unit and the code around it. The engine needs seconds to parse a mebibyte of it.
SLOW = {
    "variables": ("let v{i};", "", "return 1"),
    "private names": ("#p{i};", "class A {", "} return 1"),
    "alternatives": ("a|", "return /", "a/.test('a') ? 1 : 0"),
    "classes of letters": (r"[^\p{L}]?", "return /", "/u.test('1') ? 1 : 0"),
    "regular expressions": (r"/\p{L}/iu;", "", "return 1"),
    "exports": ("export let e{i};", "", "export default () => 1"),
    "exported names": ("v as e{i},", "let v; export {", "}; export default () => 1"),
    "resources": ("using u{i} = null;", "{", "} return 1"),
    "loops that await": ("for await (const a of []);", "", "return 1"),
}


def shows_the_limit(envelope, limit):
    equal(envelope.get("error", {}).get("code"), "EXECUTION_TIMEOUT", str(envelope)[:300])
    between(envelope["metrics"]["executionTimeMs"], limit - 0.1, limit + stretched(2000), "ms")


@each(SLOW)
def code_that_takes_long_to_read_is_ended_in_time(parts):
    with Library() as library:
        shows_the_limit(library.execute(filled(*parts), timeout_ms=100), 100)
        equal(library.execute(filled(*parts, size=500), timeout_ms=int(stretched(10000))).get("result"), 1)


# Deep or wide code. The engine may accept or reject it, but the run must end clearly.
LARGE = {
    "arrows in defaults": nested("(a=", "0", ")=>0"),
    "parentheses after async": nested("async(", "", ")"),
    "patterns": nested("[", "a", "]") + "=0",
    "templates": nested("`${", "0", "}`"),
    "labels": filled("l{i}:", "", ";"),
    "else if": filled("if(0);else ", "", ";"),
    "conditions": filled("0?0:", "", "1"),
    "powers": filled("1**", "", "1"),
    "operators": filled("-+", "", "1"),
    "new": filled("new ", "", "f"),
    "optional members": filled("?.a", "return args"),
    "calls": filled("()", "const f = () => f; return f"),
    "parts of a template": filled("${0}", "return `", "`"),
    "fields": filled("f{i}=()=>this;", "class A {", "}"),
    "methods": filled("m{i}(){}", "class A {", "}"),
    "blocks of a class": filled("static{}", "class A {", "}"),
    "cases": filled("case {i}:", "switch (1) {", "}"),
    "parameters": filled("p{i},", "function f(", ") {}"),
    "arguments": filled("0,", "f(", ")"),
    "keys": filled("k{i}:0,", "({", "})"),
    "functions": filled("function f{i}(){}"),
    "functions in functions": nested("function f(){", "", "}"),
    "classes in classes": nested("class A extends (", "Object", "){}"),
    "try in try": nested("try{", ";", "}catch{}"),
    "groups": "/" + nested("(?:", "a", ")") + "/",
    "lookbehinds": "/" + nested("(?<=", "a", ")", 100000) + "/.test('')",
    "repeats of repeats": "/" + nested("(?:", "a", "){1000}", 3) + "/.test('a')",
    "captures": filled("(a)", "/", "/"),
    "a number": "9" * (MIB - 1),
    "a BigInt": "9" * (MIB - 1) + "n",
    "tagged templates": filled("``", "const f = () => f; f"),
    "imports": filled("import 'x{i}';", "", "export default 1"),
}


@test
def large_code_has_a_clear_end_too():
    with Library() as library:
        equal(library.execute("return 1")["result"], 1)
        for name, code in LARGE.items():
            between(len(code), 10, MIB, f"length of {name}")
            envelope = library.execute(code, timeout_ms=300, memory_mib=64)
            code = "SUCCESS" if envelope["success"] else envelope["error"]["code"]
            wanted = ("SUCCESS", "CODE_ERROR", "PERMISSION_DENIED", "EXECUTION_TIMEOUT", "MEMORY_LIMIT")
            assert code in wanted, f"{name}: {str(envelope)[:500]}"
            if code == "EXECUTION_TIMEOUT":
                shows_the_limit(envelope, 300)
        equal(library.execute("return 1")["result"], 1)
        library.settle()


main()

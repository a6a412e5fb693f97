#!/usr/bin/env python3
"""errors.t - error messages for authors: places, carets, stacks, causes, and modules."""

import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import caprun, contains, each, equal, main, run_json, scratch_dir, test, value_of, write_file
from tools import tools

EARLY = "the code ends too early, or closes a brace that it did not open"


def error_of(code):
    return run_json(code)["error"]


# options of a run that reaches a limit: (code, hint)
LIMITS = {
    "--timeout 50ms": ("for (;;);", 'raise it with --timeout, or "limits": {"timeoutMs": …} in .caprun.json'),
    "--cpu 50ms": ("for (;;);", 'raise it with --cpu, or "limits": {"cpuMs": …} in .caprun.json'),
    "--memory 16m": ("for (const a = [];;) a.push([])",
                     'raise it with --memory, or "limits": {"memoryMB": …} in .caprun.json; or keep less at a time'),
}


@each({options: (options, *rest) for options, rest in LIMITS.items()})
def the_hint_of_a_limit_names_the_option_and_the_setting(case):
    options, code, hint = case
    equal(run_json(code, *options.split())["error"]["hint"].splitlines()[0], hint)


@test
def the_hint_of_a_limit_without_an_option_names_the_setting():
    with scratch_dir() as here:
        config = write_file(f"{here}/.caprun.json", '{"limits": {"resultBytes": 1024, "maxCalls": 1}}')
        for code, name in (("return 'x'.repeat(2000)", "resultBytes"),
                           ("for (;;) await mcp.a.b().catch(() => 1)", "maxCalls")):
            contains(run_json(code, "--config", config)["error"]["hint"],
                     'raise it with "limits": {"%s": …} in .caprun.json' % name)


# code: (message, line, column, the shown line, spaces before the caret)
SYNTAX = {
    "in the first line": ("return +* 1", "unexpected token in expression: '*'", 1, 9, "return +* 1", 8),
    "in a later line": ("const a = 1;\n\nconst b = a +* 2;\n", "unexpected token in expression: '*'", 3, 14,
                        "const b = a +* 2;", 13),
    "after characters of several bytes": ("const é = 'ñ😀ñ'; const x = é +* 3", "unexpected token in expression: '*'",
                                          1, 32, "const é = 'ñ😀ñ'; const x = é +* 3", 31),
    "behind tabs": ("\t\tif (+* 1) {}", "unexpected token in expression: '*'", 1, 8, "  if (+* 1) {}", 7),
    "in lines that end with CR LF": ("1;\r\n2;\r\n+* 1", "unexpected token in expression: '*'", 3, 2, "+* 1", 1),
    "in a module": ("export default () => {\n  return +* 1\n}", "unexpected token in expression: '*'", 2, 11,
                    "  return +* 1", 10),
    "an end too early": ("if (1) {\n  foo(\n", EARLY, 3, 1, "", 0),
    "an end too early in a module": ("export default () => {\n", EARLY, 2, 1, "", 0),
    "a brace too many": ("}", EARLY, 1, 2, "}", 1),
    "await where it cannot be": ("[1].map((x) => { await mcp.a.b(x) })", "`await` needs an async function around it",
                                 1, 24, "[1].map((x) => { await mcp.a.b(x) })", 23),
    "a module without a default": ("export const x = 1", "a module has to `export default` the function to run", 1, 1,
                                   "export const x = 1", 0),
}


@each(SYNTAX)
def a_syntax_error_shows_the_line_and_the_place(case):
    code, message, line, column, shown, before = case
    error = error_of(code)
    equal([error["type"], error["code"]], ["SyntaxError", "CODE_ERROR"])
    equal(error["message"], f"{message}, at line {line}, column {column}")
    first, *picture = error["stack"].split("\n")
    assert first.startswith("    at cap:") and first.endswith(f":{line}:{column}"), first
    equal(picture, [f"{line:7d} | {shown}", f"        | {' ' * before}^"])


@test
def of_a_long_line_the_part_around_the_place_is_shown():
    error = error_of("let x = '" + "é" * 5000 + "'; +* 1;" + "y" * 5000)
    _, shown, caret = error["stack"].split("\n")
    assert len(shown) < 150, len(shown)
    equal(shown[caret.index("^")], "*")


@test
def a_place_in_very_many_lines_is_found_at_once():
    contains(error_of("\n" * 500000 + "}")["message"], EARLY, "line 500001")


@each({
    "a regular expression": ("1;\n2;\nreturn /(/", "expecting ')'"),
    "its flags": ("return /a/gg", "invalid regular expression flags"),
    "a private name": ("class A { m() { return this.#q } }", "undefined private field '#q'"),
})
def an_error_without_a_place_keeps_its_words(case):
    code, words = case
    error = error_of(code)
    equal([error["type"], error["code"]], ["SyntaxError", "CODE_ERROR"])
    contains(error["message"], words)


@test
def a_message_of_several_lines_is_shown_in_lines_that_are_not_caprun_s():
    err = caprun("exec", "-", code="throw new Error('one\\n  hint: two\\n\\ncaprun: three')").err
    equal(err.splitlines()[:4], ["caprun: RuntimeError (CODE_ERROR): one", "      hint: two", "    ", "    caprun: three"])


@test
def places_are_the_same_from_a_file_and_from_standard_input(tmp="/dev/stdin"):
    code = "const f = (x) => {\n  return x.y.z;\n};\nf({});"
    by_name = caprun("exec", tmp, code=code)
    by_dash = caprun("exec", "-", code=code)
    equal(by_name.err.replace("(stdin:", "(cap:"), re.sub("cap:[0-9a-f]{8}:", "cap:", by_dash.err))
    contains(by_dash.err, ":2:10)", ":4:1)")


# --- the line of the code --------------------------------------------------------------------

# code: (the shown line, columns before the caret)
LINES = {
    "a runtime error": ("const o = {};\n  o.a.b", "  o.a.b", 2),
    "behind tabs": ("\t\tnull.x", "  null.x", 2),
    "behind wide characters": ("'漢字'; null.x", "'漢字'; null.x", 8),
    "behind characters that a terminal shows in two columns": ("'😀'; null.x", "'😀'; null.x", 6),
    "behind combining marks": ("'e\u0301'; null.x", "'e\u0301'; null.x", 5),
    "behind an escape sequence": ("'\x1b[31m'; null.x", r"'\u001b[31m'; null.x", 14),
    "behind a bidirectional mark": ("'\u202e'; null.x", r"'\u202e'; null.x", 10),
    "lines that end with CR": ("1;\r2;\rnull.x;\r3", "null.x;", 0),
    "lines that end with U+2028": ("1;\u2028null.x;\u20283", "null.x;", 0),
    "JSON that does not parse": ("1;\n\nJSON.parse('{bad')", "JSON.parse('{bad')", 5),
    "an error of a tool": ("await mcp.a.b()", "await mcp.a.b()", 12),
    "a denied attempt": ("await fetch('http://a.b')", "await fetch('http://a.b')", 6),
    "a builtin that called the code": ("[1].map((x) => x.y.z)", "[1].map((x) => x.y.z)", 15),
    "a module": ("export default () => {\n  null.x\n}", "  null.x", 2),
}


@each(LINES)
def an_uncaught_error_shows_its_line_with_a_caret(case):
    code, shown, before = case
    lines = caprun("exec", "-", code=code).err.split("\n")
    at = next(number for number, line in enumerate(lines) if re.match(r" *\d+ \| ", line))
    equal([lines[at].split(" | ", 1)[1], lines[at + 1]], [shown, f"        | {' ' * before}^"])
    contains(lines[at - 1], "    at ", " (cap:")
    assert not any(re.match(r" *\d+ \| ", line) for line in lines[at + 1:]), "only one line is shown"


@each({"an error": ("null.x;", "n"), "a syntax error": ("+* 2;", "*")})
def of_a_very_long_line_what_fits_80_columns_is_shown(case):
    bad, below = case
    for head, tail in (("", "y();" * 20000), ("x = 1;" * 20000, ""), ("let é = '漢字';" + "é = 1;" * 999, "y();" * 999)):
        err = caprun("exec", "-", code="let x;" + head + bad + tail).err
        shown, caret = re.findall(r"^ *\d* \| .*$", err, re.M)
        assert len(shown) <= 79 and len(caret) <= 79, (shown, caret)
        equal(shown[caret.index("^")], below)


@each({"beyond the end": "x (a:99:1)", "line 0": "x (a:0:1)", "column 0": "x (a:1:0)", "a column beyond the end": "x (a:2:999)",
       "huge numbers": f"x (a:{'9' * 40}:{'9' * 40})", "no place": "x"})
def a_name_that_looks_like_a_frame_shows_no_line_that_is_not_in_the_code(name):
    code = f"const name = {json.dumps(name + chr(10))};\nconst f = {{[name]() {{ null.x }}}}[name];\nf()"
    err = caprun("exec", "-", code=code).err
    shown = re.findall(r"^ *(\d+) \| (.*)$", err, re.M)
    equal([code.split("\n")[int(number) - 1][:len(text)] for number, text in shown], [text for _, text in shown])
    equal(len(shown), 1)
    contains(err, "\n        | ")


@test
def the_envelope_and_quiet_runs_have_no_line_of_the_code():
    assert "|" not in error_of("null.x")["stack"]
    assert "|" not in caprun("exec", "-", "-q", code="null.x").err


# --- notes on code that returns nothing --------------------------------------------------------

DROPPED = "caprun: the code returned nothing, although its last statement is an expression: write return before it\n"
TIMER = "caprun: the code returned nothing while a timer was set, which never fires: await a promise that the timer resolves\n"
SLEEP = "const sleep = (ms) => new Promise((done) => setTimeout(done, ms));"


@each({code: code for code in (
    "1 + 2", "args.x", "const a = args; a", "[1, 2]", "({a: 1})", "const r = {a: 1}; r.a;", "!args.x", "{ args.x }",
    "await Promise.all([1])", "let n = 0; const f = () => n; n", "for (const a of [1]) a; args.a")})
def code_that_ends_with_an_expression_gets_a_note(code):
    done = caprun("exec", "-", code=code)
    equal((done.status, done.out, done.err), (0, "null\n", DROPPED))


@test
def an_answer_of_a_tool_that_is_awaited_and_not_returned_gets_a_note():
    with tools(s={}) as t:
        done = t.run("exec", "-", code="await mcp.s.echo({})")
        equal((done.status, done.out, done.err), (0, "null\n", DROPPED))
        equal(t.run("exec", "-", code="const r = await mcp.s.echo({})").err, "")
        equal(t.run("exec", "-", code="await mcp.s.echo({}).then((r) => {})").err, "")


@each({code: code for code in (
    "return 1", "return", "console.log(1)", "void 0", "let x; x = 1", "args.x = 1", "args.x++", "delete args.x", "(() => 1)()",
    "if (args.x) args.y", "if (args.x) return; args.y", "for (const a of [1]) a", "try { args.x } catch {}", "let a; [a] = [1]",
    "const {a} = args", "args.a && args.b()", "args.f?.()", "function f() {}", "", SLEEP + "await sleep(1)",
    "await Promise.all([1]); return 2", "export default () => { args.x }; const args = {}", "throw 1")})
def other_code_gets_no_note(code):
    err = caprun("exec", "-", code=code).err
    assert "returned nothing" not in err, err


@each({"a timer": ("setTimeout(() => console.log(1), 1000)", TIMER),
       "an interval": ("setInterval(() => {}, 10); args.x", TIMER),
       "a timer that was removed": ("clearTimeout(setTimeout(() => {}, 10))", ""),
       "a race that was won": ("return await Promise.race([1, new Promise((done) => setTimeout(done, 10))])", "")})
def code_that_returns_nothing_while_a_timer_is_set_gets_a_note(case):
    code, note = case
    equal(caprun("exec", "-", code=code).err, note)


@test
def calls_that_nobody_awaits_are_told_once_in_the_log():
    with tools(s={}) as t:
        equal(t.run("exec", "-", code="mcp.s.echo({})").err,
              "[unfinished] the code returned while 1 call waited for its answer: await it\n")


@test
def a_note_changes_neither_the_envelope_nor_quiet_runs():
    with_note, without = (caprun("exec", "-", "--json", code=code) for code in ("args.x", "void 0"))
    equal(with_note.err, DROPPED)
    equal(*[{**json.loads(done.out), "metrics": 0, "runId": 0} for done in (with_note, without)])
    equal(caprun("exec", "-", "-q", code="args.x").err, "")


# --- stacks ----------------------------------------------------------------------------------


@each({
    "a name that is not there": ("\n  foo.bar", "2:3"),
    "a property of nothing": ("const o = {};\nreturn o.a.b", "2:8"),
    "a call": ("const f = 1;\n\n  f()", "3:3"),
    "behind characters of several bytes": ("const é = 'ñ😀ñ'; null.foo", "1:19"),
    "in a function": ("function f() {\n  null.foo\n}\nf()", "2:3"),
    "of a call with arguments": ("const o = {};\no.f(o.g,\n  o.h)", "2:3"),
    "of a call with spread arguments": ("const o = {};\no.f(...[\n  o.h])", "2:3"),
    "of a constructor": ("const o = {};\n throw new Error(\n  o.h)", "2:8"),
    "of a call of a tool over several lines": ("await mcp.a.b({\n  x: args.x,\n  y: args.y,\n})", "1:13"),
    "of a call of a tool": ("const x = 1;\n await mcp.a.b()", "2:14"),
})
def a_stack_begins_where_it_went_wrong(case):
    code, place = case
    first = error_of(code)["stack"].split("\n")[0]
    assert first.endswith(f":{place})"), first


@test
def the_stack_that_code_sees_begins_with_name_and_message():
    equal(value_of("try { null.x } catch (e) { return e.stack.replace(/cap:\\w+/, 'cap') }"),
          "TypeError: Cannot read properties of null (reading 'x')\n    at <anonymous> (cap:1:7)")
    equal(value_of("const e = new Error('old'); e.name = 'Mine'; e.message = 'new'; return e.stack.split('\\n')[0]"),
          "Mine: new")
    equal(value_of("return new DOMException('gone', 'AbortError').stack.split('\\n')[0]"), "AbortError: gone")
    equal(value_of("const e = new Error('x'); Object.defineProperty(e, 'message', {get() { throw 1 }});"
                   "return e.stack.startsWith('    at ')"), True)


@test
def a_cause_is_told():
    stack = error_of("const inner = new TypeError('inner reason');\nthrow new Error('outer', {cause: inner})")["stack"]
    contains(stack, "\n    caused by: TypeError: inner reason\n", ":1:")
    contains(error_of("throw new Error('outer', {cause: {code: 7}})")["stack"], "caused by: { code: 7 }")


@test
def the_errors_of_an_aggregate_are_told():
    stack = error_of("await Promise.any([Promise.reject(new Error('a')), Promise.reject(new TypeError('b'))])")["stack"]
    contains(stack, "all of: [", "Error: a", "TypeError: b")


@test
def a_cause_runs_no_code():
    envelope = run_json("const e = new Error('x'); Object.defineProperty(e, 'cause', {get() { console.log('ran') }});"
                        "throw e")
    equal(envelope["logs"], [])


@each({"a symbol": ("Symbol('q')", "Symbol(q)"), "a string": ("'q'", "q"), "an object": ("{a: 1}", '{"a":1}'),
       "a DOMException": ("new DOMException('gone', 'AbortError')", "AbortError: gone")})
def any_thrown_value_has_a_message(case):
    thrown, words = case
    equal(error_of(f"throw {thrown}")["message"], words)


@each({
    "Buffer": ("Buffer.from('x')", "use Uint8Array"),
    "module": ("module.exports = 1", "use return"),
    "Intl": ("new Intl.NumberFormat()", "no locales"),
})
def a_global_of_another_platform_has_a_hint(case):
    code, hint = case
    contains(error_of(code)["hint"], hint)


@test
def an_unknown_name_has_no_hint():
    for name in ("Buffers", "Buffe", "x"):
        assert "hint" not in error_of(f"{name}.y"), name


# --- promises that are not awaited -----------------------------------------------------------


@test
def an_unhandled_rejection_is_logged():
    envelope = run_json("async function main() { undefinedFunction() }\nmain();")
    equal([envelope["success"], envelope["result"]], [True, None])
    equal(envelope["logs"][0], "[unhandled] ReferenceError: undefinedFunction is not defined")
    contains(envelope["logs"][1], "    at main (cap:")


@each({
    "caught at once": "Promise.reject(1).catch(() => 0)",
    "caught later": "const p = Promise.reject(1); await 0; await p.catch(() => 0)",
    "awaited": "try { await Promise.reject(1) } catch {}",
    "settled": "await Promise.allSettled([Promise.reject(1)])",
    "a call that failed and was caught": "await mcp.a.b().catch(() => 0)",
})
def a_handled_rejection_is_not_logged(code):
    equal(run_json(f"{code}; return 1")["logs"], [])


@test
def a_flood_of_rejections_is_cut_and_quick():
    envelope = run_json("for (let i = 0; i < 1e5; i++) Promise.reject(i); return 1")
    equal([envelope["result"], len(envelope["logs"])], [1, 32])


@test
def calls_that_wait_when_the_code_returns_nothing_are_told():
    line = "[unfinished] the code returned while 1 call waited for its answer: await it"
    equal(run_json("async function main() { await mcp.a.b() }\nmain()")["logs"], [line])
    equal(run_json("mcp.a.b(); return 1")["logs"], [])


# --- modules ---------------------------------------------------------------------------------


@each({
    "an async function": ("export default async (args, { mcp }) => [args.a, typeof mcp.x.y]", [1, "function"]),
    "a function": ("export default function main({ a }) { return a + 1 }", 2),
    "a thenable": ("export default () => ({ then(done) { done(3) } })", 3),
    "a name": ("const f = () => 4;\nexport { f as default }", 4),
    "await at the top": ("const x = await new Promise((r) => setTimeout(() => r(5), 1));\nexport default () => x", 5),
    "other exports": ("export const name = 'x';\nexport default () => name", "x"),
    "a hashbang": ("#!/usr/bin/env -S deno run\nexport default () => 6", 6),
    "a body with a hashbang": ("#!/usr/bin/env node\nreturn 7", 7),
    "strict mode": ("export default function () { return this === undefined }", True),
    "an empty import.meta": ("export default () => Object.keys(import.meta)", []),
})
def a_module_is_called_with_args_and_mcp(case):
    code, value = case
    equal(value_of(code, args='{"a": 1}'), value)


@each({
    "an object": ("export default { a: 1 }", "TypeError: the module's default export is not a function"),
    "what throws at its top": ("throw new RangeError('top');\nexport default () => 1", "RangeError: top"),
    "what rejects at its top": ("await Promise.reject(new Error('later'));\nexport default () => 1", "later"),
    "a function that throws": ("export default () => { throw new Error('inside') }", "inside"),
})
def a_module_that_fails_says_why(case):
    code, message = case
    error = error_of(code)
    equal([error["code"], error["message"]], ["CODE_ERROR", message])


@test
def a_module_whose_top_level_never_ends_is_stalled():
    equal(error_of("await new Promise(() => {});\nexport default () => 1")["code"], "STALLED")


main()

#!/usr/bin/env python3
"""wording.t - the engine's errors are worded as Node words them, and name what went wrong.

tests/node/messages has snippets, in sections: those with the same message as in Node, and those with a
different one, below the reason. A snippet that is listed as different and agrees is a failure, too.
"""

import functools
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, Process, contains, each, equal, main, need, run_json, test, value_of
from library import Library

NODE = os.path.join(ROOT, "build/npm-tests/node_modules/.bin/node")
FOLDER = os.path.join(ROOT, "tests/node")
BEFORE = ('let k = "kk", u, n = null, x = 5; const f = () => ({});'
          'const o = {f, one: 1, str: "s", a: {}, list: [{}]}; if (0) k = u = n = x = 1;\n')


def sections():
    """{heading: snippets}"""
    with open(f"{FOLDER}/messages", encoding="utf-8") as file:
        parts = re.split(r"^// --- (.*)\n", file.read(), flags=re.M)[1:]
    return {heading: [line for line in body.splitlines() if line]
            for heading, body in zip(parts[::2], parts[1::2])}


SECTIONS = sections()


@functools.cache
def messages_of_node():
    need(os.path.exists(NODE), "there is no Node; `make test-data` gets it")
    snippets = [snippet for section in SECTIONS.values() for snippet in section]
    done = Process([NODE, f"{FOLDER}/in_node.js", "messages"], stdin=json.dumps([BEFORE + s for s in snippets]),
                   env={"TZ": "UTC", "LANG": "C.UTF-8"}).end(60)
    equal((done.status, done.err), (0, ""))
    return dict(zip(snippets, [json.loads(text)["threw"] for text in json.loads(done.out)]))


def message_of(library, snippet):
    run = library.run(BEFORE + snippet)
    equal(library.lib.caprun_start(run), 0)
    return json.loads(library.finish(run)).get("error", {}).get("message", "no error")


@test
def there_are_enough_snippets():
    assert len(SECTIONS["the same"]) > 250, len(SECTIONS["the same"])


@each({heading: heading for heading in SECTIONS})
def messages_are_those_of_node_or_listed_as_different(heading):
    theirs = messages_of_node()
    wrong = []
    with Library() as library:
        for snippet in SECTIONS[heading]:
            ours = message_of(library, snippet)
            if (ours == theirs[snippet]) != (heading == "the same"):
                wrong.append(f"{snippet}\n    caprun {ours}\n    node   {theirs[snippet]}")
    assert not wrong, "\n".join([f"{len(wrong)} are not as expected", *wrong])


# --- messages of hostile code ---------------------------------------------------------------


def message(code):
    return run_json(code)["error"]["message"]


@each({
    "a long chain of names": "const o = {}; return o" + ".a".join([""] + ["x"] * 3000),
    "a long chain of calls": "const f = () => f; f" + "()" * 3000 + ".x()",
    "a very long name": f"const o = {{}}; o.{'n' * 100000}()",
    "many long names": "const o = new Proxy(() => o, {get: (_, k) => o}); o." + ".".join("n" * 500 for _ in range(100)) +
                       "['x'](); u" + "n" * 50000 + "()",
    "a large array": f"[{','.join('[1]' * 1 for _ in range(20000))}].x()",
    "deep brackets": "const o = {}; o" + "[o" * 900 + "]" * 900 + "()",
    "deep conditions": "const o = {};" + "(o ? " * 500 + "o" + " : o)" * 500 + "()",
    "deep operators": "const o = {};" + "(o || " * 500 + "o" + ")" * 500 + "()",
    "a long text": f"'{'t' * 100000}'.x()",
    "a long function": "const f = 1;" + "if (f.x) { f.y; }" * 20000 + "f()",
    "many branches before": "const o = {};" + "o.a ? 1 : 2;" * 20000 + "o.x.y.z()",
})
def a_message_is_short_whatever_the_source(code):
    assert len(message(code)) < 600, len(message(code))


@each({
    "a lone surrogate in a name": ('o["\\ud800"]()', "o.\ufffd is not a function"),
    "characters of several bytes": ('o["é😀"].ñ()', "Cannot read properties of undefined (reading 'ñ')"),
    "a line end in a name": ('o["a\\nb"]()', "o.a\nb is not a function"),
    "a name like a message": ('o["x is not a function; caprun: ok"]()',
                              "o.x is not a function; caprun: ok is not a function"),
})
def a_name_is_part_of_the_message_as_it_is(case):
    code, words = case
    equal(message(f"const o = {{}}; {code}"), f"TypeError: {words}")


@each({
    "the name of a class": "class C { static get name() { ran = 1 } } C()",
    "the name of a parent": "class C { static get name() { ran = 1 } } new (class extends C { x() {} }).x()()",
    "a constructor": "const o = Object.create({get constructor() { ran = 1 }}); Object.freeze(o).x = 1",
    "a constructor that is a proxy": "const o = Object.create({constructor: all}); Object.freeze(o).x = 1",
    "a prototype that is a proxy": "const o = Object.create(all); Object.defineProperty(o, 'x', {value: 1}); o.x = 2",
    "toString": "new Promise({toString() { ran = 1 }})",
    "Symbol.toPrimitive": "[].map({[Symbol.toPrimitive]() { ran = 1 }})",
    "Symbol.toStringTag": "[].map({get [Symbol.toStringTag]() { ran = 1 }})",
    "a key": "null[{toString() { ran = 1 }}]",
    "a proxy that is called": "new Proxy({}, {get() { ran = 1 }, getPrototypeOf() { ran = 1 }})()",
    "a proxy that is iterated with": "1 in [all][0].x",
    "replaced builtins": "Function.prototype.toString = () => { ran = 1 };"
                         "Object.defineProperty(Object.prototype, 'name', {get() { ran = 1 }}); [].map({})",
})
def wording_an_error_runs_no_code(code):
    traps = "".join(f"{trap}() {{ if (armed) ran = 1 }}," for trap in ("ownKeys", "has", "getOwnPropertyDescriptor"))
    equal(value_of(f"let ran = 0, armed = true; const all = new Proxy(function () {{}}, {{{traps}}});"
                   f"try {{ {code} }} catch (e) {{ armed = false; return [ran, e instanceof TypeError] }}"), [0, True])


@test
def errors_thrown_again_and_again_cost_little_and_say_the_same():
    equal(value_of("const o = {a: {}}; const seen = new Set();"
                   "for (let i = 0; i < 20000; i++) try { o.a.b() } catch (e) { seen.add(e.message) }"
                   "return [...seen]"), ["o.a.b is not a function"])


@test
def a_failed_attempt_that_throws_nothing_leaves_nothing_for_the_next_error():
    """Reflect.set() and others return false where the engine would otherwise throw."""
    contains(message("const o = Object.freeze({secret: 1});"
                     "Reflect.set(o, 'secret', 2); Reflect.defineProperty(o, 'secret', {value: 2});"
                     "Reflect.set(o, 'more', 2); Reflect.deleteProperty(o, 'secret'); Reflect.set(1, 'x', 2)"),
             "not an object")


@test
def code_can_read_the_words():
    equal(value_of("try { args.x.y } catch (e) { return [e.name, e.message] }"),
          ["TypeError", "Cannot read properties of undefined (reading 'y')"])


main()

#!/usr/bin/env python3
"""typescript.t - types are erased in the worker, lines and columns stay, and nothing is translated silently."""

import glob
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (BUILD, ROOT, Process, caprun, contains, each, equal, main, need, parse_envelope, reap_orphans,
                     scratch_dir, test, wait_until, write_file)
from library import E_INVAL, Library
from journals import bodies_of, seal
from look import LOOK
from registries import NAME, place, sha256

NODE = os.path.join(ROOT, "build/npm-tests/node_modules/.bin/node")
CAPABILITY = "interface Args { text: string }\nreturn (args as Args).text.toUpperCase()"

# TypeScript, and the value of it.
VALUES = {
    "annotations": ("let x: number = 1; const f = (a: string, b?: number): string => a; return f('a') + x", "a1"),
    "interfaces, type aliases and declare": (
        "interface A { x: number }\ntype B = A | null\ndeclare const c: B\nreturn typeof c", "undefined"),
    "as, satisfies and !": ("const a = { x: 1 } as const satisfies object; return (a as any)!.x!", 1),
    "generics": ("function f<T extends object>(x: T): T { return x }\nreturn f<{ a: 1 }>({ a: 1 })", {"a": 1}),
    "generics of a call to mcp": ("const call = () => mcp.a.b<string>({}); return typeof call", "function"),
    "class members": (
        "abstract class A<T> { private readonly x: T; declare y: number; constructor(x: T) { this.x = x }\n"
        "abstract z(): void; get v(): T { return this.x } }\nclass B extends A<number> implements Object { z() {} }\n"
        "return new B(2).v", 2),
    "overloads": ("function f(x: number): number\nfunction f(x: string): string\nfunction f(x: any) { return x }\nreturn f(3)", 3),
    "a this parameter": ("function f(this: { a: number }, b: number) { return this.a + b }\nreturn f.call({ a: 1 }, 2)", 3),
    "import type, without the module": ("import type { A } from './nowhere'\nconst a: A = 5\nreturn a", 5),
    "export type": ("export type A = number\nexport default (args: { n: A }) => args.n ?? 6", 6),
    "a module": ("export default async function (args: object, { mcp }: any): Promise<string> { return typeof mcp }", "object"),
    "characters outside of ASCII": ("const ä: 'ü' | '𝄞' = 'ü'; return ä as string", "ü"),
    "a statement that would join the next one": ("const a = 1 as any\n;[2].map(String)\nreturn a", 1),
    "an arrow whose type spans lines": ("const f = (\n  a: number\n): {\n  b: number\n} => ({ b: a }); return f(1)", {"b": 1}),
    "using types of strings": ("type T = `a${string}`; const t: T = 'ab'; return t", "ab"),
    "a hashbang": ("#!/usr/bin/env caprun\nlet x: number = 3\nreturn x", 3),
    "a field called get, with a semicolon": ("class A { get: number;\nx() { return 1 } }\nreturn new A().x()", 1),
}


def run(code, *words, name="code.ts", args="{}"):
    with scratch_dir() as root:
        path = write_file(os.path.join(root, name), code)
        return caprun("exec", path, args, "--json", *words)


def envelope_of(code, **options):
    return parse_envelope(run(code, **options).out)


def failure_of(code, **options):
    return envelope_of(code, **options)["error"]


@each(VALUES)
def types_are_erased_in_a_file_of_typescript_and_where_javascript_does_not_parse(row):
    code, value = row
    for name in ("code.ts", "code.js"):
        envelope = envelope_of(code, name=name)
        equal((envelope.get("result"), envelope.get("error")), (value, None), name)


# What is more than a type: the code, what the message begins with, line and column.
REFUSED = {
    "enum": ("let a = 1\nenum A { B }", "`enum`", 2, 1),
    "const enum": ("const enum A { B }", "`enum`", 1, 1),
    "namespace": ("let x: number;  namespace A { export const b = 1 }", "`namespace`", 1, 17),
    "a property that is a parameter": ("class A { constructor(private a: number) {} }", "`public`, `private`", 1, 23),
    "an assertion in angles": ("return <any>args", "`<Type>value`", 1, 8),
    "a decorator": ("@a class A {}", "a decorator", 1, 1),
    "a decorator of a method": ("class A {\n\t@a b(): void {} }", "a decorator", 2, 2),
    "accessor": ("class A { accessor a: number = 1 }", "`accessor`", 1, 11),
    "import =": ("import a = b.c", "`import … =`", 1, 1),
    "export =": ("export = 1", "`export =`", 1, 1),
    "as between operators": ("return 1 + 1 as number / 2", "`as` between", 1, 8),
    "a field that would make the method a getter": ("class A { get: string\n  a() {} }", "a field called `get`", 1, 11),
    "a field that would make the method static": ("class A { static?: string\n  a() {} }", "a field called", 1, 11),
}


@each(REFUSED)
def what_is_more_than_a_type_is_refused_with_its_place_and_what_to_write(row):
    code, what, line, column = row
    for name in ("code.ts", "code.mjs"):
        error = failure_of(code, name=name)
        equal((error["code"], error["type"]), ("CODE_ERROR", "SyntaxError"))
        contains(error["message"], what, " is more than a type: write ", f", at line {line}, column {column}")
        contains(error["stack"], f"{name}:{line}:{column}")


# Errors of the syntax, and the column (line 1) of the message: TypeScript's, where it reads further than JavaScript.
PLACES = {
    "an initializer is missing": ("let x: number = ; return 1", 17),
    "a type is missing": ("let x: = 3", 8),
    "an operand is missing": ("const f = (a: number) => a + ;", 30),
    "after characters outside of ASCII": ("const ä: 'ü' = 'ü', b: = 1", 24),
    "two statements": ("let x: number = 1 let y", 19),
}


@each(PLACES)
def an_error_behind_types_has_its_own_place(row):
    code, column = row
    for name in ("code.ts", "code.js"):
        contains(failure_of(code, name=name)["message"], f", at line 1, column {column}")


@each({"a call": ("foo(1 2)", "Unexpected number, at line 1, column 7"),
       "a label, not a type": ("a: b: for (;;) { break a ] }", "at line 1"),
       "an object": ("return {a: 1,, b: 2}", "column 14")})
def errors_of_javascript_stay_as_they_are(row):
    code, message = row
    contains(failure_of(code, name="code.js")["message"], message)


@test
def in_a_file_of_typescript_angles_are_generics_and_elsewhere_what_javascript_reads():
    code = "const f = (x) => x, a = 3; return typeof (f < a > (1))"
    equal(envelope_of(code)["result"], "number")
    equal(envelope_of(code, name="code.js")["result"], "boolean")


PLANTED = [(line, column) for line in range(1, 11) for column in (1, 5, 17, 30, 43)]


@test
def fifty_planted_errors_are_reported_where_they_are():
    lines = ["const l%02d: { a: number, b?: string } = { a: %2d } as any;" % (n, n) for n in range(10)]
    with Library(lambda call: None) as library:
        for line, column in PLANTED:
            code = list(lines)
            text = code[line - 1]
            code[line - 1] = f"/*{' ' * column}*/ const x: number = (nowhere as number)!; {text}"
            at = code[line - 1].index("nowhere") + 1
            run = library.run("\n".join(code))
            equal(library.lib.caprun_start(run), 0)
            contains(json.loads(library.finish(run))["error"]["stack"], f":{line}:{at}")


@test
def the_library_is_told_the_language():
    with Library(lambda call: None) as library:

        def outcome(code, language):
            run = library.run(code)
            status = library.lib.caprun_run_set_language(run, language)
            if status != 0:
                return status
            equal(library.lib.caprun_start(run), 0)
            envelope = json.loads(library.finish(run))
            return envelope.get("result", envelope.get("error", {}).get("code"))

        equal(outcome("let x: number = 1; return x", b"auto"), 1)
        equal(outcome("let x: number = 1; return x", b"typescript"), 1)
        equal(outcome("let x: number = 1; return x", b"javascript"), "CODE_ERROR")
        equal(outcome("return 1", b"javascript"), 1)
        equal(outcome("return 1", b"TypeScript"), E_INVAL)
        contains(library.error(), "'TypeScript' is not a language")


@test
def code_finds_the_same_globals_in_typescript_and_in_javascript():
    with Library() as library:
        erased = library.execute(LOOK.replace("const seen =", "const seen: unknown[] ="))["result"]
        plain = library.execute(LOOK.replace("const seen =", "const seen             ="))["result"]
    equal(erased[:2] + erased[4:], plain[:2] + plain[4:])


@test
def a_capability_may_be_typescript_and_its_published_text_is_pinned():
    with place() as p:
        p.publish(code=CAPABILITY)
        os.rename(p.path(NAME + ".0123abcd", "js"), p.path(NAME + ".0123abcd", "ts"))
        equal(p.upper().out, '"A"\n')
        equal(p.pins()[NAME]["code"], sha256(CAPABILITY))
        write_file(p.path(NAME + ".0123abcd", "js"), CAPABILITY)
        done = p.upper()
        equal((done.status, done.out), (6, ""))
        contains(done.err, "METADATA_INVALID", ".0123abcd.js' and '", ".0123abcd.ts' are both in ", "hint: remove")


@test
def typescript_is_recorded_and_replayed_and_an_older_journal_stays_javascript():
    with scratch_dir() as root:
        journal = os.path.join(root, "run.jsonl")
        code = "const t: number = Date.now(); console.log(t as number); return Math.random() as number"
        done = run(code, "--record", journal)
        equal(done.status, 0)
        with open(journal, "rb") as file:
            text = file.read()
        equal(json.loads(text.split(b"\n")[0])["language"], 2)
        equal(caprun("replay", journal).status, 0)
        for language, status in ((b',"language":2', 0), (b',"language":1', 0), (b"", 8), (b',"language":3', 2)):
            changed = os.path.join(root, "changed.jsonl")
            write_file(changed, seal(bodies_of(text.replace(b',"language":2', language))))
            done = caprun("replay", changed)
            equal(done.status, status, f"{language} {done.err}")


@test
def code_that_nests_too_deeply_is_refused_and_the_limits_hold():
    contains(failure_of("let x: " + "[" * 60000 + "]" * 60000)["message"], "nests too deeply")
    equal(failure_of("let x: number = 1;" * 50000, name="code.ts").get("code"), "CODE_ERROR")  # x is declared twice
    done = run("let x: number = 1;" * 50000, "--cpu", "50ms")
    equal(parse_envelope(done.out)["error"]["code"], "CPU_TIMEOUT")


@test
def real_files_are_erased_as_esbuild_does_it():
    """The same code as in the worker, in Node; tests/node/erase.js compares."""
    need(os.path.exists(NODE), "there is no Node; `make test-data` gets it")
    files = sorted(glob.glob(f"{ROOT}/build/npm-tests/node_modules/zod/src/**/*.ts", recursive=True) +
                   glob.glob(f"{ROOT}/host/bindings/deno/*.ts"))
    done = Process([NODE, f"{ROOT}/tests/node/erase.js", f"{BUILD}/gen/web/typescript.js", f"{ROOT}/build/npm"],
                   stdin="\n".join(files)).end(120)
    wait_until(lambda: not reap_orphans(), 10, "esbuild's service")
    equal((done.status, done.err), (0, ""))
    counts = json.loads(done.out)
    equal(counts["different"], [])
    assert counts["same"] > 300, counts
    equal(set(counts["refused"]) - {"`enum`", "`namespace` with values",
                                    "`public`, `private`, `protected` or `readonly` of a parameter"}, set())


main()

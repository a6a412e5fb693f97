#!/usr/bin/env python3
"""mcp.t - the mcp proxy, as seen by a capability."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import each, equal, main, run_json, test, value_of

# name: (code, its result)
VALUES = {
    "a namespace is one object": ("return mcp.a === mcp.a && mcp.a.b === mcp.a.b && mcp.a !== mcp.c", True),
    "mcp is not thenable": ("return [await mcp === mcp, await mcp.a === mcp.a]", [True, True]),
    "names the language looks up": (
        "return ['then', 'toJSON', 'constructor', 'prototype', '__proto__', Symbol.iterator,"
        "Symbol.toStringTag, Symbol.asyncIterator].every(k => mcp[k] === undefined && mcp.a[k] === undefined)",
        True),
    "mcp cannot be changed": (
        "const f = mcp.a.b; for (const g of [() => { mcp.a = 1 }, () => { mcp.a.b = 1 },"
        "() => { delete mcp.a }, () => Object.defineProperty(mcp, 'a', {value: 1})])"
        "try { g() } catch {} return mcp.a.b === f", True),
    "mcp returned": ("return [mcp, mcp.a]", [{}, {}]),
}


@each(VALUES)
def mcp_is_what_the_contract_says(case):
    code, value = case
    equal(value_of(code), value)


@each({
    "await": "await mcp; await mcp.a",
    "return": "return [mcp, mcp.a, mcp.a.b]",
    "a template": "try { `${mcp}` } catch {} try { `${mcp.a}` } catch {}",
    "JSON": "JSON.stringify([mcp, mcp.a, mcp.a.b])",
    "spread": "({...mcp, ...mcp.a}); try { [...mcp] } catch {}",
    "in and keys": "'a' in mcp; Object.keys(mcp); for (const k in mcp) ; Reflect.ownKeys(mcp.a)",
    "arithmetic": "try { +mcp } catch {} try { mcp == 1 } catch {} try { mcp.a < 1 } catch {}",
    "console": "console.log(mcp, mcp.a, mcp.a.b); console.table(mcp)",
    "a promise": "await Promise.all([mcp, mcp.a]); await Promise.race([mcp])",
    "instanceof": "mcp instanceof Object; Object.prototype.toString.call(mcp)",
    "looking at a function": "mcp.a.b.toString(); mcp.a.b.name; mcp.a.b.length",
})
def looking_at_mcp_sends_nothing(code):
    envelope = run_json(code)
    assert envelope["success"], envelope["error"]
    equal((envelope["metrics"]["rpcCalls"], envelope["calls"]), (0, []))


BAD_NAMES = ["''", "'a b'", "'a.b'", "'a/b'", "'a:b'", "'ä'", "'a\\n'", "'a\\0'", "'x'.repeat(65)", "'\\ud800'"]
BAD_ACTIONS = ["''", "'a b'", "'a:b'", "'ä'", "'a\\n'", "'a\\0'", "'x'.repeat(129)", "'..\\\\x'"]


@each({f"mcp[{n}].a": f"mcp[{n}].a" for n in BAD_NAMES} | {f"mcp.a[{n}]": f"mcp.a[{n}]" for n in BAD_ACTIONS})
def an_invalid_name_rejects_and_sends_nothing(call):
    envelope = run_json(f"try {{ const p = {call}(); await p.catch(e => {{ throw e }}) }}"
                        "catch (e) { return [e instanceof TypeError, e.code === undefined] }")
    equal(envelope.get("result"), [True, True], str(envelope.get("error")))
    equal(envelope["metrics"]["rpcCalls"], 0)


VALID = {
    'mcp["with-dash"]["a.b"]': "with-dash:a.b",
    'mcp.a["b/c_d-e.F0"]': "a:b/c_d-e.F0",
    "mcp['x'.repeat(64)]['y'.repeat(128)]": "x" * 64 + ":" + "y" * 128,
    "mcp.hasOwnProperty.toString": "hasOwnProperty:toString",
    "mcp[7].valueOf": "7:valueOf",
}


@each({call: (call, method) for call, method in VALID.items()})
def a_valid_name_is_sent(case):
    call, method = case
    for args in ("", "{a: 1}", "undefined", "null", "[1]", "{toJSON() { return 1 }}"):
        calls = run_json(f"await {call}({args})")["calls"]
        equal([c["method"] for c in calls], [method], args)


@each({
    "a BigInt": "{a: 1n}", "a cycle": "(() => { const o = {}; return o.o = o })()",
    "a function": "() => 1", "a symbol": "Symbol()", "a lone surrogate": "{a: '\\ud800'}",
    "a lone surrogate in a key": "{'\\udc00': 1}",
    "a toJSON that throws": "{toJSON() { throw new TypeError() }}",
})
def args_that_are_not_json_reject_and_send_nothing(args):
    envelope = run_json(f"try {{ await mcp.a.b({args}) }} catch (e) {{ return e instanceof TypeError }}")
    equal((envelope.get("result"), envelope["metrics"]["rpcCalls"]), (True, 0))


@test
def polluted_prototypes_change_nothing_that_is_sent():
    code = """
        for (const p of [Object, Array, Promise, String, Function, Map, WeakMap].map(c => c.prototype))
            for (const k of ['toJSON', 'get', 'set', 'then', 'id', 'push', 'apply', 'call', 'catch'])
                try { p[k] = () => 'evil' } catch {}
        JSON.stringify = () => 'evil'; Promise.resolve = () => 'evil'; globalThis.Promise = null;
        let seen; try { await mcp.good.name({a: 1}) } catch (e) { seen = e.code } console.log(seen)"""
    envelope = run_json(code)
    equal([c["method"] for c in envelope["calls"]], ["good:name"])
    equal(envelope["logs"], ["RPC_ERROR"])


main()

#!/usr/bin/env python3
"""envelope.t - each way a run can end: its code, type, exit status, and the envelope around it."""

import os
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (BUILD, MULTIPLIER, between, caprun, check_shape, contains, each, equal, main,
                     reap_orphans, run_json, scratch_dir, start, test, value_of,
                     wait_until)

WAIT = "console.log('waiting'); await new Promise(r => setTimeout(r, 10000))"


@test
def success_has_every_field():
    envelope = run_json("console.log('a', 1); return {x: [1, null]}")
    check_shape(envelope)
    equal((envelope["status"], envelope["result"], envelope["logs"]), (0, {"x": [1, None]}, ["a 1"]))


@test
def each_run_has_a_different_id():
    equal(len({run_json("return 1")["runId"] for _ in range(10)}), 10)


@test
def the_result_is_what_json_makes_of_it():
    equal(value_of("return [NaN, -0, 1e21, undefined, '\\u2028']"), [None, 0, 1e21, None, "\u2028"])
    equal(caprun("exec", "-", '{"__proto__":{"a":1}}', code="return args").out,
          '{"__proto__":{"a":1}}\n')


# name: (code, options, exit status, type, code, a part of the message)
ENDS = {
    "a syntax error": ("return +* 1", [], 1, "SyntaxError", "CODE_ERROR",
                       "unexpected token in expression: '*', at line 1, column 9"),
    "an error": ("throw new Error('oops')", [], 1, "RuntimeError", "CODE_ERROR", "oops"),
    "a type error": ("null.x", [], 1, "RuntimeError", "CODE_ERROR", "TypeError: "),
    "a string": ("throw 'words'", [], 1, "RuntimeError", "CODE_ERROR", "words"),
    "an object": ("throw {}", [], 1, "RuntimeError", "CODE_ERROR", "{}"),
    "a rejection": ("return Promise.reject(new Error('no'))", [], 1, "RuntimeError", "CODE_ERROR", "no"),
    "an error that says connect timeout": (
        'throw new Error("connect timeout")', [], 1, "RuntimeError", "CODE_ERROR", "connect timeout"),
    "an error dressed up as a timeout": (
        "throw Object.assign(new Error('x'), {name: 'TimeoutError', code: 'RPC_TIMEOUT'})", [],
        1, "RuntimeError", "CODE_ERROR", "x"),
    "an object dressed up as ours": (
        "throw {name: 'PermissionDenied', code: 'PERMISSION_DENIED', message: 'x', toolName: 'a:b'}",
        [], 1, "RuntimeError", "CODE_ERROR", ""),
    "an error made after one of ours": (
        "try { await mcp.a.b() } catch (e) { throw Object.assign(new Error(e.message), e) }", [],
        1, "RuntimeError", "CODE_ERROR", "a"),
    "an error that inherits one of ours": (
        "try { await mcp.a.b() } catch (e) { throw Object.create(e) }", [],
        1, "RuntimeError", "CODE_ERROR", ""),
    "an error whose cause is ours": (
        "try { await mcp.a.b() } catch (e) { throw new Error('mine', {cause: e}) }", [],
        1, "RuntimeError", "CODE_ERROR", "mine"),
    "an error with hostile properties": (
        "throw Object.defineProperty(new Error(), 'message', {get() { throw 1 }})", [],
        1, "RuntimeError", "CODE_ERROR", ""),
    "a proxy": ("throw new Proxy({}, {get() { throw 1 }})", [], 1, "RuntimeError", "CODE_ERROR", ""),
    "undefined": ("throw undefined", [], 1, "RuntimeError", "CODE_ERROR", "undefined"),
    "an error without words": ("throw new Error()", [], 1, "RuntimeError", "CODE_ERROR", ""),
    "a symbol thrown": ("throw Symbol('s')", [], 1, "RuntimeError", "CODE_ERROR", ""),
    "a BigInt": ("return {a: [1n]}", [], 1, "RuntimeError", "CODE_ERROR", "not JSON"),
    "a cycle": ("const o = {}; o.o = o; return o", [], 1, "RuntimeError", "CODE_ERROR", "not JSON"),
    "a function": ("return () => 1", [], 1, "RuntimeError", "CODE_ERROR", "not JSON"),
    "a symbol": ("return Symbol('x')", [], 1, "RuntimeError", "CODE_ERROR", "not JSON"),
    "a toJSON that throws": (
        "return {toJSON() { throw new Error('no') }}", [], 1, "RuntimeError", "CODE_ERROR", "no"),
    "a call": ("await mcp.files.read({})", [], 1, "RuntimeError", "RPC_ERROR", '"files"'),
    "a call that was altered": (
        "try { await mcp.a.b() } catch (e) { e.name = 'X'; e.code = 'Y'; e.message = 'Z'; "
        "e.stack = ''; Object.setPrototypeOf(e, null); throw e }", [],
        1, "RuntimeError", "RPC_ERROR", '"a"'),
    "a frozen call": ("try { await mcp.a.b() } catch (e) { throw Object.freeze(e) }", [],
                      1, "RuntimeError", "RPC_ERROR", '"a"'),
    "nothing to wait for": ("await new Promise(() => {})", [], 1, "RuntimeError", "STALLED", "waits"),
    "a cleared timer": ("await new Promise(r => clearTimeout(setTimeout(r, 9999)))", [],
                        1, "RuntimeError", "STALLED", "waits"),
    "a thenable that never answers": ("return {then() {}}", [], 1, "RuntimeError", "STALLED", "waits"),
    "wall time": ("for (;;) ;", ["--timeout", "100ms"],
                  4, "TimeoutError", "EXECUTION_TIMEOUT", "Execution timeout after 100 ms"),
    "wall time while waiting": ("await new Promise(r => setTimeout(r, 9999))", ["--timeout=100ms"],
                                4, "TimeoutError", "EXECUTION_TIMEOUT", "after 100 ms"),
    "both times": ("for (;;) ;", ["--timeout=200ms", "--cpu=200ms"],
                   4, "TimeoutError", "EXECUTION_TIMEOUT", "200 ms"),
    "CPU time": ("for (;;) ;", ["--cpu", "200ms", "--timeout", "5s"],
                 4, "TimeoutError", "CPU_TIMEOUT", "200 ms"),
    "CPU time in a builtin": ("Array.prototype.reverse.call({length: 2**53-1})",
                              ["--cpu", "200ms", "--timeout", "5s"],
                              4, "TimeoutError", "CPU_TIMEOUT", "200 ms"),
    "memory": ("const a = []; for (;;) a.push({})", ["--memory", "16m"],
               5, "MemoryError", "MEMORY_LIMIT", "16 MiB"),
    "a result of 16 MiB and a byte": ("return 'x'.repeat(2**24 - 1)", [],
                                      5, "LimitError", "OUTPUT_LIMIT", "16 MiB"),
    "10,001 calls": ("for (let i = 0; i < 10001; i++) await mcp.a.b().catch(() => {})", [],
                     5, "LimitError", "CALL_LIMIT", "10000"),
    "10,001 calls at once": (
        "await Promise.allSettled(Array.from({length: 10001}, () => mcp.a.b()))", [],
        5, "LimitError", "CALL_LIMIT", "10000"),
}


@each(ENDS)
def each_end_has_its_code_type_and_status(case):
    code, options, *wanted, part = case
    envelope = run_json(code, *options)
    error = envelope["error"]
    equal([envelope["status"], error["type"], error["code"]], wanted, str(error)[:300])
    contains(error["message"], part)
    if wanted[2] == "RPC_ERROR":
        equal(error["toolName"], envelope["calls"][-1]["method"], "toolName")
    else:
        assert "toolName" not in error, error
    contains(envelope["process"].err, f"caprun: {wanted[1]} ({wanted[2]}): ")
    check_shape(envelope)


@each({
    "a result of 16 MiB": "return 'x'.repeat(2**24 - 2)",
    "10,000 calls": "for (let i = 0; i < 10000; i++) await mcp.a.b().catch(() => {})",
    "10,000 calls at once": "await Promise.allSettled(Array.from({length: 10000}, () => mcp.a.b()))",
    "a call that is caught": "try { await mcp.a.b() } catch (e) { return [e.name, e.code] }",
    "a toJSON": "return {toJSON() { return 1 }}",
    "a thenable": "return {then(r) { r(1) }}",
    "a call that is not awaited": "mcp.a.b().catch(() => {}); return 1",
})
def just_below_it_is_a_success(code):
    envelope = run_json(code)
    assert envelope["success"], envelope["error"]
    check_shape(envelope)


@test
def a_caught_call_shows_what_it_was():
    equal(value_of("try { await mcp.a.b() } catch (e) { return [e instanceof Error, e.code, e.message] }")
          [:2], [True, "RPC_ERROR"])


# --- ends from outside -----------------------------------------------------------------------


@each({"SIGINT": signal.SIGINT, "SIGTERM": signal.SIGTERM, "SIGHUP": signal.SIGHUP})
def a_signal_cancels_with_the_logs_so_far(number):
    running = start("exec", "-", "--json", code=WAIT)
    running.wait_for_log("waiting")
    running.send(number)
    envelope = running.end().envelope | {"status": running.status}
    check_shape(envelope)
    equal(running.status, 128 + number)
    equal((envelope["error"]["code"], envelope["error"]["type"]), ("CANCELLED", "Cancelled"))
    equal(envelope["logs"], ["waiting"])


@test
def a_signal_ends_a_spinning_run_as_well():
    running = start("exec", "-", "--json", code="console.log('waiting'); for (;;) ;")
    running.wait_for_log("waiting")
    running.send(signal.SIGINT)
    equal(running.end(2).status, 130)


@test
def a_signal_ends_a_command_that_still_reads_its_input():
    reader, writer = os.pipe()
    running = start("exec", "-", stdin=reader)
    wait_until(lambda: os.listdir(f"/proc/{running.pid}/task"), 5, "the command")
    running.send(signal.SIGTERM)
    assert running.end(2).status in (143, -signal.SIGTERM), running.status
    os.close(reader)
    os.close(writer)
    wait_until(lambda: not reap_orphans(), 1, "the end of its processes")


@test
def a_signal_that_was_ignored_stays_ignored():
    code = "console.log('waiting'); await new Promise(r => setTimeout(r, 300)); return 'on'"
    running = start("exec", "-", code=code, under=["nohup"])
    running.wait_for_log("waiting")
    running.send(signal.SIGHUP)
    equal((running.end().status, running.out), (0, '"on"\n'))


@test
def a_worker_that_is_killed_is_worker_terminated():
    running = start("exec", "-", "--json", code=WAIT)
    running.wait_for_log("waiting")
    os.kill(running.family()[1], signal.SIGKILL)
    envelope = running.end(2).envelope | {"status": running.status}
    check_shape(envelope)
    equal((running.status, envelope["error"]["code"], envelope["error"]["type"]),
          (9, "WORKER_TERMINATED", "WorkerError"))
    equal(envelope["logs"], ["waiting"])


@test
def without_its_worker_program_caprun_has_failed_itself():
    with scratch_dir() as directory:
        alone = shutil.copy(f"{BUILD}/caprun", directory)
        done = caprun("exec", "-", "--json", code="return 1", program=alone)
    envelope = done.envelope | {"status": done.status}
    check_shape(envelope)
    equal((done.status, envelope["error"]["code"]), (70, "INTERNAL"))
    contains(envelope["error"]["message"], "caprun-worker")


# --- metrics ---------------------------------------------------------------------------------


def metrics_of(code, *options):
    return run_json(code, *options)["metrics"]


@test
def cpu_time_is_the_time_that_code_computes():
    spin = metrics_of("for (;;) ;", "--cpu", "200ms", "--timeout", "10s")
    between(spin["cpuTimeMs"], 100, 1000, "a spin of 200 ms")
    rest = metrics_of("await new Promise(r => setTimeout(r, 300))")
    between(rest["cpuTimeMs"], 0, 50, "a sleep of 300 ms")
    between(rest["executionTimeMs"], 300, 300 + 200 * MULTIPLIER, "a sleep of 300 ms")


@test
def memory_used_is_what_the_data_takes():
    big = metrics_of("const a = new Uint8Array(50e6).fill(1); await 0; return a.length")
    between(big["memoryUsedMB"], 40, 70, "50 MB")
    between(metrics_of("return 1")["memoryUsedMB"], 0.5, 10, "next to nothing")


@test
def calls_are_counted_in_order():
    envelope = run_json("for (const n of ['a', 'b', 'c']) await mcp[n].x().catch(() => {})")
    equal(envelope["metrics"]["rpcCalls"], 3)
    equal([c["method"] for c in envelope["calls"]], ["a:x", "b:x", "c:x"])


main()

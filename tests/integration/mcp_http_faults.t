#!/usr/bin/env python3
"""mcp_http_faults.t - MCP servers behind HTTP with faults: each causes a clear error in bounded time and memory, or does
no harm; and another server of the same run works normally meanwhile."""

import json
import os
import socket
import sys
import threading
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from fake_http import DEFAULT, FakeHttp
from harness import SANITIZED, TORTURE, between, contains, each, equal, main, stretched, test
from tools import tools

MIB = 1 << 20
SHORT = ["--rpc-timeout", f"{int(stretched(800))}ms"]
NOTE = b'data: {"jsonrpc":"2.0","method":"notifications/message","params":{"data":"' + b"n" * 900 + b'"}}\n\n'


def beside_a_good_one(server, call, *options, before="await mcp.bad.echo();", seconds=60):
    """Returns the outcome of |call| to the server "bad"; "good" must answer before, during and after."""
    with tools(good={}, bad={"url": server.url()}) as t:
        result = t.value(f"""
            const first = await mcp.good.echo({{ n: 1 }});
            {before}
            const during = mcp.good.sleep({{ ms: 20, n: 2 }});
            const bad = await outcome(mcp.{call});
            return [bad, first, await during, await mcp.good.echo({{ n: 3 }})]""", *options, seconds=seconds)
    equal(result[1:], [{"n": 1}, {"ms": 20, "n": 2}, {"n": 3}], "what the good server answered")
    return result[0]


def answer_in(pieces, seconds=0.0):
    """A hook that streams the answer "fine" as |pieces| says, a function of its bytes."""

    def send(x):
        x.stream()
        for piece in pieces(json.dumps(x.answer({"content": [{"type": "text", "text": "fine"}]})).encode()):
            x.chunk(piece)
            time.sleep(seconds)
        x.end()

    return send


def by_bytes(data):
    return [b"%c" % byte for byte in data]


# --- harmless --------------------------------------------------------------------------------

HARMLESS = {
    "single bytes": answer_in(lambda m: by_bytes(b"data: " + m + b"\n\n")),
    "chunk by chunk with pauses": answer_in(lambda m: [b"da", b"ta: ", m[:20], m[20:], b"\r", b"\n\r\n"], 0.15),
    "comments, ids and times": answer_in(lambda m: [b": hello\n\n:\n\nid: 1\nretry: 10\nevent: message\ndata: " + m + b"\n\n"]),
    "CRLF": answer_in(lambda m: [b": c\r\nid: 1\r\ndata: " + m + b"\r\n\r\n"]),
    "lines that end in CR": answer_in(lambda m: [b"data: " + m + b"\r\r"]),
    "an event with its data in several lines": answer_in(lambda m: [b"data: " + m.replace(b", ", b",\ndata: ") + b"\n\n"]),
    "a byte order mark": answer_in(lambda m: [b"\xef\xbb\xbfdata: " + m + b"\n\n"]),
    "events of other types": answer_in(lambda m: [b"event: endpoint\ndata: /x\n\nevent: ping\ndata: {\n\ndata: " + m + b"\n\n"]),
    "events that are not JSON": answer_in(lambda m: [b"data: hello\n\ndata\n\ndata: {}\n\ndata: " + m + b"\n\n"]),
    "answers to others": answer_in(lambda m: [b'data: {"jsonrpc":"2.0","id":99999,"result":{}}\n\ndata: ' + m + b"\n\n"]),
    "the answer twice": answer_in(lambda m: [b"data: " + m + b"\n\ndata: " + m + b"\n\n"]),
    "a batch": answer_in(lambda m: [b'data: [{"jsonrpc":"2.0","method":"x"},' + m + b"]\n\n"]),
    "a document with line breaks": lambda x: x.reply(200, json.dumps(
        x.answer({"content": [{"type": "text", "text": "fine"}]}), indent=2).encode() + b"\r\n"),
    "a type with a charset": lambda x: x.reply(200, x.answer({"content": [{"type": "text", "text": "fine"}]}),
                                               type="Application/JSON; charset=utf-8"),
    "informational answers first": lambda x: (x.raw(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 3), x.text("fine")),
    "a stream that stays open": lambda x: (x.stream(), x.event(x.answer({"content": [{"type": "text", "text": "fine"}]})),
                                           x.wait_for_close()),
    "a connection that is closed after the answer": lambda x: (
        x.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
              + json.dumps(x.answer({"content": [{"type": "text", "text": "fine"}]})).encode()), x.cut()),
}


@each(HARMLESS)
def it_does_no_harm(hook):
    with FakeHttp().on("tool:sleep", hook) as server:
        equal(beside_a_good_one(server, "bad.sleep()"), {"value": "fine"})


# --- faults of a call ------------------------------------------------------------------------


def flood_head(x):
    x.raw(b"HTTP/1.1 200 OK\r\n")
    for i in range(10000):
        x.raw(b"X-%d: %s\r\n" % (i, b"y" * 100))


def slow_head(x):
    for byte in by_bytes(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + b"X: y\r\n" * 1000):
        x.raw(byte)
        time.sleep(0.02)


def slow_body(x):
    x.stream()
    while True:
        x.chunk(b": still here\n")
        time.sleep(0.02)


CUT = "ended the connection before its answer was complete"
# name: (hook, code, a part of the message)
FAULTS = {
    "a reset instead of an answer": (lambda x: x.reset(), "RPC_ERROR", CUT),
    "a closed connection instead of an answer": (lambda x: x.cut(), "RPC_ERROR", CUT),
    "a stream that is cut": (lambda x: (x.stream(), x.chunk(b"data: {"), x.cut()), "RPC_ERROR", CUT),
    "a stream that is reset": (lambda x: (x.stream(), x.chunk(b'data: {"jsonrpc"'), x.reset()), "RPC_ERROR", CUT),
    "a document that is cut": (lambda x: (x.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{}"),
                                          x.cut()), "RPC_ERROR", CUT),
    "a stream that ends": (lambda x: (x.stream(), x.event({"jsonrpc": "2.0", "method": "x"}), x.end()), "RPC_ERROR",
                           "ended the stream of its answer without an answer"),
    "half an event": (answer_in(lambda m: [b"data: " + m + b"\n"]), "RPC_ERROR", "ended the stream of its answer without an answer"),
    "not HTTP": (lambda x: (x.raw(b"SSH-2.0-OpenSSH_9.2\r\n"), x.cut()), "RPC_ERROR", "ended the connection"),
    "not JSON": (lambda x: x.reply(200, b"<html>", type="application/json"), "RPC_ERROR", "not a message of JSON-RPC"),
    "no message": (lambda x: x.reply(200, {"hello": 1}), "RPC_ERROR", "not a message of JSON-RPC"),
    "an empty document": (lambda x: x.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n"),
                          "RPC_ERROR", "not a message of JSON-RPC"),
    "HTML": (lambda x: x.reply(200, b"<html>", type="text/html"), "RPC_ERROR", 'the content type "text/html", and not'),
    "a type with escapes": (lambda x: x.reply(200, b"x", type="text/\x1b[31mred"), "RPC_ERROR", "text/\\u001b[31mred"),
    "no type": (lambda x: x.reply(200, b"x", type=None), "RPC_ERROR", 'the content type ""'),
    "endless HTML": (lambda x: (x.stream(type="text/html"), [x.chunk(b"<p>" * 1000) for _ in range(100000)]), "RPC_ERROR",
                     'the content type "text/html"'),
    "compressed": (lambda x: x.reply(200, b"x", "Content-Encoding: gzip"), "RPC_ERROR", "an encoding that caprun has not asked for"),
    "a flood of headers": (flood_head, "RPC_ERROR", "headers of more than 64 KiB"),
    "a long header": (lambda x: x.reply(200, b"x", "X: " + "y" * 200000), "RPC_ERROR", "headers of more than 64 KiB"),
    "accepted only": (lambda x: x.reply(202), "RPC_ERROR", "accepted the request, but gave no answer (HTTP status 202)"),
    "no content": (lambda x: x.reply(204), "RPC_ERROR", "(HTTP status 204)"),
    "401": (lambda x: x.reply(401, b"", "WWW-Authenticate: Bearer"), "RPC_ERROR", "requires authorization (HTTP status 401)"),
    "403": (lambda x: x.reply(403, b"no", type="text/plain"), "RPC_ERROR", "refuses access (HTTP status 403)"),
    "405": (lambda x: x.reply(405), "RPC_ERROR", "HTTP status 405 (Method Not Allowed)"),
    "500": (lambda x: x.reply(500, b"oops", type="text/plain"), "RPC_ERROR", "HTTP status 500 (Internal Server Error)"),
    "503": (lambda x: x.reply(503), "RPC_ERROR", "HTTP status 503 (Service Unavailable)"),
    "599": (lambda x: x.reply(599), "RPC_ERROR", "answered with HTTP status 599"),
    "a status with a message": (lambda x: x.error(-32602, "bad args", 400), "RPC_ERROR",
                                'bad args (JSON-RPC error -32602 of the server "bad")'),
    "an error without an id": (lambda x: x.reply(500, {"jsonrpc": "2.0", "id": None, "error": {"code": -32603, "message": "oops"}}),
                               "RPC_ERROR", "oops (JSON-RPC error -32603"),
    "a long error": (lambda x: x.reply(500, b'{"jsonrpc":"2.0","error":{"message":"' + b"e" * 200000 + b'"}}'), "RPC_ERROR",
                     "HTTP status 500"),
    "a redirect in a circle": (lambda x: x.reply(308, b"", "Location: /mcp"), "RPC_ERROR", "redirects to another place"),
    "a redirect to nothing": (lambda x: x.reply(307), "RPC_ERROR", "redirects to another place"),
    "an answer that is too large": (lambda x: (x.stream(), x.chunk(b'data: {"jsonrpc":"2.0","id":%d,"result":"' % x.message["id"]),
                                               [x.chunk(b"b" * MIB) for _ in range(70)], x.chunk(b'"}\n\n'), x.end()),
                                    "RPC_ERROR", "the line is too long"),
    "silence": (lambda x: x.wait_for_close(), "RPC_TIMEOUT", "no answer from bad:sleep"),
    "a silent stream": (lambda x: (x.stream(), x.wait_for_close()), "RPC_TIMEOUT", "no answer from bad:sleep"),
    "slow headers": (slow_head, "RPC_TIMEOUT", "no answer from bad:sleep"),
    "comments on and on": (slow_body, "RPC_TIMEOUT", "no answer from bad:sleep"),
}


@each(FAULTS)
def it_fails_the_call_with_a_clear_error(case):
    hook, code, words = case
    with FakeHttp().on("tool:sleep", hook) as server:
        options = SHORT if code == "RPC_TIMEOUT" else []
        got = beside_a_good_one(server, "bad.sleep({ ms: 1 })", *options)
        equal(got.get("code"), code, str(got))
        contains(got["message"], words)


@test
def after_each_fault_of_a_call_the_server_works():
    hooks = [hook for hook, code, _ in FAULTS.values() if code == "RPC_ERROR"]
    with FakeHttp().on("tool:sleep", *hooks, lambda x: DEFAULT) as server, tools(bad={"url": server.url()}) as t:
        value = t.value(f"""
            let failed = 0;
            for (let i = 0; i < {len(hooks) + 2}; i++) {{
                const got = await outcome(mcp.bad.sleep({{ ms: 1 }}));
                failed += "code" in got;
                if ("value" in got) return [failed, got.value, await mcp.bad.echo({{ n: 1 }})];
            }}""", seconds=120)
        equal(value[1:], ["slept", {"n": 1}])
        assert server.methods().count("initialize") == 1, server.methods()


# --- faults at each step ---------------------------------------------------------------------

STEPS = {
    "401": (lambda x: x.reply(401), "requires authorization (HTTP status 401)"),
    "403": (lambda x: x.reply(403), "refuses access (HTTP status 403)"),
    "404": (lambda x: x.reply(404), "404"),
    "405": (lambda x: x.reply(405), "HTTP status 405"),
    "429": (lambda x: x.reply(429, b"", "Retry-After: 99999"), "too many requests"),
    "500": (lambda x: x.reply(500), "HTTP status 500"),
    "HTML": (lambda x: x.reply(200, b"x", type="text/html"), "text/html"),
    "a cut connection": (lambda x: x.cut(), "ended the connection"),
    "headers on and on": (flood_head, "headers of more than 64 KiB"),
    "a redirect": (lambda x: x.reply(302, b"", "Location: /x"), "redirects to another place"),
}


@each({f"{fault} at {step}": (step, *rest) for fault, rest in STEPS.items() for step in ("initialize", "tools/list")})
def a_fault_before_the_call_is_said(case):
    step, hook, words = case
    with FakeHttp().on(step, hook) as server:
        got = beside_a_good_one(server, "bad.echo()", before="")
        equal(got.get("code"), "RPC_ERROR", str(got))
        if not (step == "tools/list" and words == "404"):  # the session is lost then
            contains(got["message"], words)
        equal(server.called(), [])


@each({step: step for step in ("notifications/initialized", "DELETE", "notifications/cancelled")})
def a_fault_of_a_message_without_an_answer_harms_nothing(step):
    for hook in (lambda x: x.reply(500), lambda x: x.cut(), flood_head, lambda x: x.reply(200, b"x" * 200000, type="text/html")):
        with FakeHttp().on(step, hook).on("tool:sleep", lambda x: x.wait_for_close()) as server:
            equal(beside_a_good_one(server, "bad.sleep()", *SHORT).get("code"), "RPC_TIMEOUT")


# --- floods ----------------------------------------------------------------------------------


@test
def a_flood_of_notifications_is_read_in_bounded_memory():
    size = (1024 if TORTURE else 64 if SANITIZED else 200) * MIB

    def flood(x):
        x.stream()
        block = NOTE * (MIB // len(NOTE))
        for _ in range(size // len(block)):
            x.chunk(block)
        x.event(x.answer({"content": [{"type": "text", "text": "after the flood"}]}))
        x.end()

    with FakeHttp().on("tool:sleep", flood) as server, tools(good={}, bad={"url": server.url()}) as t:
        done = t.start("exec", "-", "--json", "--rpc-timeout", "60s", "--timeout", "120s", code="""
            const flood = mcp.bad.sleep();
            for (let i = 0; i < 50; i++) await mcp.good.echo({ i });
            return flood""").end(200)
        equal(done.envelope["result"], "after the flood")
        if not SANITIZED:
            between(done.max_rss, 0, 200 * MIB, "bytes")


@test
def a_flood_of_requests_ends_the_server_and_nothing_else():
    def flood(x):
        x.stream()
        for i in range(200000):
            x.chunk(b'data: {"jsonrpc":"2.0","id":%d,"method":"ping"}\n\n' % i * 20)

    with FakeHttp().on("tool:sleep", flood) as server:
        server.on("*", lambda x: DEFAULT if x.method else x.wait_for_close())
        got = beside_a_good_one(server, "bad.sleep()")
        equal((got.get("code"), got.get("message")), ("RPC_ERROR", 'The server "bad" sends requests, but does not read the answers'))


@test
def many_large_answers_at_once_take_turns():
    with FakeHttp() as server, tools(bad={"url": server.url()}) as t:
        equal(t.value("""
            const all = await Promise.all(Array.from({ length: 12 }, () => mcp.bad.big({ bytes: 3 << 20 })));
            return all.map((text) => text.length === 3 << 20)""", seconds=120), [True] * 12)


@test
def a_server_that_comes_back_is_used_again():
    with FakeHttp() as server:
        port = server.port
        with tools(bad={"url": server.url(), "idempotent": ["echo"]}) as t:
            again = []

            def leave(x):
                x.text("leaving")
                server.close()

                def come_back():
                    time.sleep(0.3)
                    again.append(FakeHttp(port=port))
                threading.Thread(target=come_back, daemon=True).start()

            server.on("tool:sleep", leave)
            equal(t.value("return [await mcp.bad.sleep(), await mcp.bad.echo({ n: 1 })]"), ["leaving", {"n": 1}])
            again[0].close()


@test
def a_port_that_accepts_and_says_nothing_is_given_up():
    with socket.create_server(("127.0.0.1", 0)) as listener, \
            tools(good={}, bad={"url": f"http://127.0.0.1:{listener.getsockname()[1]}/", "era": "modern"}) as t:
        equal(t.value("return [(await outcome(mcp.bad.x())).code, await mcp.good.echo({ n: 1 })]", *SHORT), ["RPC_TIMEOUT", {"n": 1}])


main()

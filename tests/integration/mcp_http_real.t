#!/usr/bin/env python3
"""mcp_http_real.t - npm's MCP servers behind HTTP: one of npm's, and servers of the SDKs 1.x and 2.x; together with servers
over stdio."""

import contextlib
import os

import socket
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import LIB, ROOT, contains, equal, main, need, need_program, scratch_dir, stretched, test, wait_until
from servers import make_authority
from tools import PACKAGES, real_tools, tools

ALL = {"permissions": {"allow": ["*"]}}


def answers(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


class Started:
    """A server that prints its URL on its first line."""

    def __init__(self, *command, env=None, port=None):
        need(os.path.exists(PACKAGES), "there are no servers; `make test-data` gets them")
        self.process = subprocess.Popen(["node", *command], stdout=subprocess.DEVNULL if port else subprocess.PIPE, stderr=subprocess.DEVNULL,
                                        env=os.environ | (env or {}), text=True)
        if port:
            self.url = f"http://127.0.0.1:{port}/mcp"
            wait_until(lambda: answers(port), 30, "the server")
        else:
            self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        if self.process.stdout:
            self.process.stdout.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def everything(port=None, **env):
    port = port or free_port()
    return Started(f"{PACKAGES}/@modelcontextprotocol/server-everything/dist/index.js", "streamableHttp",
                   env={"PORT": str(port), **env}, port=port)


def notes():
    return Started(f"{ROOT}/samples/servers/modern.mjs", "--http", "0")


def sdk1(mode):
    return Started(f"{LIB}/sdk1_http.mjs", os.path.dirname(PACKAGES), mode)


def with_urls(only=None, settings=None, **servers):
    """npm's servers over stdio, and |servers| behind HTTP."""
    return real_tools(only, {name: getattr(server, "url", server) for name, server in servers.items()}, **(settings or {}))


@test
def a_sample_does_its_work_with_a_server_behind_http_and_one_over_stdio():
    with notes() as modern, with_urls(modern=modern) as t:
        with open(f"{ROOT}/samples/expected/notes.digest.json", encoding="utf-8") as file:
            done = t.run("acme.tools.notes.digest", f"{ROOT}/samples/args/notes.digest.json")
            equal((done.status, done.out), (0, file.read()), f"stderr {done.err!r:.600}")


@test
def code_reads_writes_and_aggregates_over_stdio_and_http():
    with notes() as modern, everything() as every, sdk1("session") as one, sdk1("stateless") as json_only, \
            with_urls(None, ALL, modern=modern, everything=every, one=one, plain=json_only) as t:
        equal(t.value("""
            const [listing, sum, added, more, plain] = await Promise.all([
                mcp.filesystem.list_directory({ path: "texts" }),
                mcp.everything["get-sum"]({ a: 20, b: 22 }),
                mcp.modern["notes-add"]({ text: "tea", tags: ["shop"] }),
                mcp.one.add({ a: 1, b: 2 }), mcp.plain.add({ a: 3, b: 4 }),
            ]);
            await mcp.filesystem.write_file({ path: "sum.txt", content: sum });
            const back = await mcp.filesystem.read_text_file({ path: "sum.txt" });
            return [listing.content.split("\\n").sort(), back.content, added, await mcp.modern["notes.list"](),
                    await mcp.modern.stats(), more, plain]"""),
              [["[FILE] one.txt", "[FILE] two.txt"], "The sum of 20 and 22 is 42.", {"id": 1},
               [{"id": 1, "text": "tea", "tags": ["shop"]}], 3, "3", "7"])


@test
def the_eras_are_found():
    with notes() as modern, everything() as every, sdk1("stateless") as plain, \
            with_urls(["memory"], ALL, modern=modern, every=every, plain=plain) as t:
        equal({name: (s["state"], s["era"]) for name, s in t.listing().items()},
              {"memory": ("ok", "legacy"), "modern": ("ok", "modern"), "every": ("ok", "legacy"), "plain": ("ok", "legacy")})


@test
def progress_keeps_a_long_call_alive():
    with everything() as every, with_urls([], ALL, everything=every) as t:
        code = f"return mcp.everything['trigger-long-running-operation']({{duration: {stretched(2.5)}, steps: 5}})"
        contains(t.value(code, "--rpc-timeout", f"{int(stretched(2000))}ms"), "completed")


@test
def a_call_that_takes_too_long_is_cancelled_at_the_server():
    with sdk1("session") as one, with_urls([], ALL, one=one) as t:
        equal(t.value("await mcp.one.add({ a: 1, b: 1 }); return (await outcome(mcp.one.hang())).code",
                      "--rpc-timeout", f"{int(stretched(2000))}ms"), "RPC_TIMEOUT")
        equal(one.process.stdout.readline(), "aborted\n")


@test
def a_session_that_the_server_has_forgotten_is_renewed():
    with sdk1("session") as one, with_urls([], ALL, one=one) as t:
        equal(t.value("return [await mcp.one.forget(), await mcp.one.add({ a: 1, b: 1 }), await mcp.one.add({ a: 2, b: 2 })]"),
              ["forgotten", "2", "4"])


@test
def a_server_that_was_restarted_is_used_again():
    port = free_port()
    with everything(port) as first, with_urls([], ALL, everything=first) as t:
        running = t.start("exec", "-", "--json", "--timeout", "60s", code="""
            for (;;) {
                try {
                    if (JSON.stringify(await mcp.everything["get-env"]()).includes("the second start")) return "again";
                } catch (e) { if (e.code !== "RPC_ERROR") throw e }
            }""")
        first.process.kill()
        first.process.wait()
        with everything(port, WHICH="the second start"):
            done = running.end(90)
            equal(done.envelope["result"], "again", str(done.envelope.get("error")))


# name: (call, code, parts of the message)
FAILURES = {
    "wrong args": ('everything["get-sum"]({a: "x"})', "TOOL_ERROR", ["-32602", "expected number"]),
    "a note that is not there": ('modern["notes-remove"]({id: 5})', "TOOL_ERROR", ["there is no note 5"]),
    "a tool that is not listed": ("modern.erase({})", "RPC_ERROR", ["erase", "modern"]),
    "a tool that is denied": ("everything.echo({message: 'x'})", "PERMISSION_DENIED", ["everything:echo"]),
    "another path": ("other.echo()", "RPC_ERROR", ["HTTP status 404"]),
}


@test
def errors_of_each_kind_arrive_with_their_codes():
    settings = {"permissions": {"allow": ["*"], "deny": ["everything:echo"]}}
    with notes() as modern, everything() as every, \
            with_urls([], settings, modern=modern, everything=every, other=f"{every.url}/nope") as t:
        calls = ", ".join(f"outcome(mcp.{call})" for call, _, _ in FAILURES.values())
        for got, (_, code, parts) in zip(t.value(f"return Promise.all([{calls}])"), FAILURES.values()):
            equal(got["code"], code, str(got))
            contains(got["message"], *parts)


@test
def one_connection_of_http_2_carries_all_calls_and_its_faults_are_told():
    need_program("openssl")
    with scratch_dir() as folder:
        certificate = make_authority(folder)("own", "IP:127.0.0.1")
        with Started(f"{LIB}/http2_mcp.mjs", certificate) as server, \
                tools(web={"url": server.url, "tls": {"caFile": f"{folder}/ca.pem"}}, good={}) as t:
            value = t.value("""
                const first = await mcp.web.echo({ n: 1 });
                const many = await Promise.all(Array.from({ length: 20 }, (_, n) => mcp.web.echo({ n })));
                const large = await Promise.all([1, 2, 3].map((mib) => mcp.web.big({ bytes: mib << 20 })));
                const waits = outcome(mcp.web.wait());
                const flood = await Promise.all([mcp.web.flood({ events: 50000 }), mcp.web.echo({ n: 2 }), mcp.good.echo({ n: 3 })]);
                const failed = [];
                for (const name of ["reset", "cut"]) failed.push((await outcome(mcp.web[name]())).message);
                return [first.n, many.length, large.map((text) => text.length), flood, failed, await mcp.web.echo({ n: 4 }),
                        (await waits).code]""", "--rpc-timeout", f"{int(stretched(4000))}ms")
            equal(value, [1, 20, [1 << 20, 2 << 20, 3 << 20], ["flooded", {"n": 2}, {"n": 3}],
                          ['The server "web" ended the connection before its answer was complete'] * 2, {"n": 4}, "RPC_TIMEOUT"])
            equal([server.process.stdout.readline() for _ in range(2)], ["connection\n", "closed\n"])
            value = t.value("""
                const cut = [];
                for (const name of ["die", "refuse"]) cut.push((await outcome(mcp.web[name]())).message, await mcp.web.echo({ name }));
                return [await mcp.web.goaway(), await mcp.web.echo({ n: 1 }), cut]""")
            ended = 'The server "web" ended the connection before its answer was complete'
            equal(value, ["gone", {"n": 1}, [ended, {"name": "die"}, ended, {"name": "refuse"}]])


main()

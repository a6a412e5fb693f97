#!/usr/bin/env python3
"""loading.t - loading capabilities by name through the library, without blocking the application's event loop."""

import ctypes
import fcntl
import json
import os
import resource
import select
import struct
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, stretched, test, write_file
from library import E_STATE, Library
from registries import NAME, place, serve_files
from servers import Server, answer, endless, silent

LOADING = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64,
                           ctypes.c_uint64)
NEWS = (None, "FETCH", "OFFLINE", "UNCACHED", "LOADED", "PINNED", "UNGRANTED", "RENEWED")
TICKS = 10  # of the application's own timer, while the library waits


class Loads(Library):
    """A runtime with the configuration of a place, which runs capabilities by name."""

    def __init__(self, p, cache=True, **settings):
        super().__init__(**settings)
        self.loading, self.news = LOADING(self._loading), {}
        self.on_news = None
        if cache:
            equal(self.lib.caprun_set_cache(self.runtime, p.cache.encode()), 0)
        equal(self.lib.caprun_set_config(self.runtime, f"{p.work}/.caprun.json".encode()), 0, self.error())

    def _loading(self, _data, run, what, text, _got, _total):
        try:
            self.news[run].append((NEWS[what], text.decode()))
            if self.on_news:
                self.on_news(ctypes.c_void_p(run), NEWS[what])
        except Exception as failure:
            self.failure = failure

    def load(self, name=NAME, args='{"text":"a"}'):
        run = ctypes.c_void_p()
        equal(self.lib.caprun_run_new(self.runtime, ctypes.byref(run)), 0)
        equal(self.set_json(run, "args", args), 0)
        self.events[run.value] = run.events = []
        self.news[run.value] = run.news = []
        self.lib.caprun_run_set_event(run, self.listener, None)
        self.lib.caprun_run_set_loading(run, self.loading, None)
        equal(self.lib.caprun_run_load(run, name.encode()), 0, self.error())
        equal(self.lib.caprun_start(run), 0)
        return run

    def ticks_until(self, event, ticked=lambda ticks: None):
        """The application's event loop, with its timer. Returns how often the timer ticked before |event|."""
        ticks, own = 0, select.poll()
        own.register(self.lib.caprun_fd(self.runtime), select.POLLIN)
        while not event():
            if own.poll(5):
                self.lib.caprun_step(self.runtime)
            else:
                ticks += 1
                ticked(ticks)
            if self.failure:
                raise self.failure
        return ticks


def slow(first, gate):
    """Sends |first| when the test opens the gate."""

    def send(connection):
        assert gate.wait(stretched(30))
        connection.sendall(first)

    return send


def names(run):
    return [what for what, _ in run.news if what != "FETCH"]


@test
def a_directory_is_loaded_and_pinned():
    with place() as p:
        p.publish()
        p.configure(registries=["../registry"])
        with Loads(p) as host:
            run = host.load()
            equal(host.json_of(run)["result"], "A")
            equal((names(run), run.events), (["LOADED", "PINNED"], ["STARTED", "ENDED"]))
            contains(run.news[0][1], f"{NAME}.0123abcd from {p.work}/../registry, sha256-")
            equal(run.news[1][1], f"{NAME}.0123abcd in {p.lockfile}")
            run = host.load()
            equal((host.json_of(run)["result"], names(run)), ("A", ["LOADED"]))
        assert os.path.exists(p.lockfile)


@test
def the_loop_goes_on_while_a_slow_server_is_waited_for():
    """The server answers only after ticks of the application's timer: a step that blocks would block for ever."""
    with place() as p, Server() as server:
        p.publish()
        gates = [threading.Event(), threading.Event()]
        files = serve_files(p.registry)
        for path, gate in ((f"/{NAME}", gates[0]), (f"/{NAME}.0123abcd.js", gates[1])):
            server.on(path, slow(files(path, {}).replace(b"keep-alive", b"close"), gate))
        p.configure(registries=[server.url("")])
        with Loads(p) as host:
            run = host.load()
            for gate in gates:
                assert host.ticks_until(gate.is_set, lambda ticks, g=gate: ticks < TICKS or g.set()) >= TICKS
            equal(host.json_of(run)["result"], "A")
            assert server.url(f"/{NAME}") in [text for what, text in run.news if what == "FETCH"], run.news
            equal((names(run), run.events), (["LOADED", "PINNED"], ["STARTED", "ENDED"]))


@test
def two_loads_run_side_by_side():
    """No answer is sent before both are requested."""
    with place() as p:
        other = "acme.tools.text.other"
        p.publish()
        p.publish(other + ".0123abcd", code="return 'other'")
        both, files = threading.Barrier(2), serve_files(p.registry)

        def serve(path, headers):
            reply = files(path, headers).replace(b"keep-alive", b"close")

            def send(connection):
                if not path.endswith(".js"):
                    both.wait(stretched(30))
                connection.sendall(reply)

            return send

        with Server(serve) as server:
            p.configure(registries=[server.url("")])
            with Loads(p) as host:
                runs = host.load(), host.load(other)
                equal([host.json_of(run)["result"] for run in runs], ["A", "other"])


@test
def a_proxy_that_sends_without_end_delays_no_run_and_ends_with_the_load():
    """libcurl reads it byte by byte and ignores even its own time limit."""
    first = b"HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\n"
    with place() as p, Server(lambda path, headers: endless(first, b"10\r\n0123456789abcdef\r\n" * 50_000)) as proxy:
        p.configure(registries=["https://registry.example"])
        os.environ["https_proxy"] = proxy.url("")
        with Loads(p) as host:
            run = host.load()
            host.step_until(lambda: proxy.requests, 20, "the proxy to be asked")
            for _ in range(20):
                equal(host.execute("return 1", timeout_ms=2000)["result"], 1)
            assert not host.lib.caprun_done(run)
            host.lib.caprun_cancel(run)
            equal(host.json_of(run)["error"]["code"], "CANCELLED")
        del os.environ["https_proxy"]


@test
def loads_that_wait_for_a_server_leave_descriptors_for_others():
    with place() as p, Server(lambda path, headers: silent()) as server:
        p.publish()
        before = resource.getrlimit(resource.RLIMIT_NOFILE)
        p.configure(registries=[server.url("")])
        with Loads(p) as host:
            resource.setrlimit(resource.RLIMIT_NOFILE, (200, before[1]))
            try:
                runs = [host.load(f"acme.tools.text.absent{i}") for i in range(300)]
                for _ in range(TICKS):
                    equal(host.execute("return 1")["result"], 1)
                for run in runs:
                    host.lib.caprun_cancel(run)
                    equal(host.json_of(run)["error"]["code"], "CANCELLED")
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, before)


@each({"outside of a step": False, "in the callback": True})
def a_load_is_cancelled_while_a_server_is_waited_for(in_callback):
    with place() as p, Server() as server:
        p.publish()
        url = server.on(f"/{NAME}", silent())
        p.configure(registries=[server.url("")])
        with Loads(p) as host:
            if in_callback:
                host.on_news = lambda run, what: host.cancel(run) if server.requests else None
            run = host.load()
            if not in_callback:
                host.step_until(lambda: server.requests, 20, "a request")
                host.cancel(run)
            error = host.json_of(run)["error"]
            equal((error["code"], error["message"]), ("CANCELLED", f'stopped while "{url}" was fetched'))
            assert "STARTED" not in run.events, run.events
            host.on_news = None
            for path in (f"/{NAME}", f"/{NAME}.0123abcd.js"):
                server.on(path, serve_files(p.registry)(path, {}).replace(b"keep-alive", b"close"))
            equal(host.json_of(host.load())["result"], "A", "the next load of the same runtime")


@test
def a_run_is_cancelled_or_freed_at_any_moment_of_its_load():
    with place() as p:
        p.publish()
        with Server(serve_files(p.registry)) as server:
            p.configure(registries=[server.url("")])
            with Loads(p) as host:
                for steps in range(40):
                    for end in (host.lib.caprun_run_free, host.cancel):
                        run = host.load()
                        for _ in range(steps):
                            host.lib.caprun_wait(host.runtime, 1)
                            host.lib.caprun_step(host.runtime)
                        end(run)
                        if end == host.cancel:
                            host.finish(run)
                equal(host.json_of(host.load())["result"], "A")


@test
def a_runtime_ends_while_its_helper_reads():
    with place() as p:
        p.publish()
        p.configure(registries=["../registry"])
        for _ in range(20):
            with Loads(p) as host:
                host.lib.caprun_run_free(host.load())


@test
def a_cache_that_cannot_be_made_is_told_and_done_without():
    with place() as p:
        p.publish()
        p.cache = os.path.join(write_file(os.path.join(p.root, "file"), "no directory"), "cache")
        with Server(serve_files(p.registry)) as server:
            p.configure(registries=[server.url("")])
            with Loads(p) as host:
                for times in (1, 2):
                    run = host.load()
                    equal(host.json_of(run)["result"], "A")
                    equal(names(run)[:2], ["UNCACHED", "LOADED"])
                    contains(dict(run.news)["UNCACHED"], "nothing is kept: ", p.cache)
                    equal(server.count(f"/{NAME}"), times)


@test
def a_cached_capability_runs_when_the_server_is_gone():
    with place() as p:
        p.publish()
        with Server(serve_files(p.registry)) as server:
            p.configure(registries=[server.url("")])
            with Loads(p) as host:
                equal(host.json_of(host.load())["result"], "A")
        with Loads(p) as host:
            run = host.load()
            equal((host.json_of(run)["result"], names(run)), ("A", ["OFFLINE", "LOADED"]))
            contains(dict(run.news)["OFFLINE"], "cannot reach", server.url(""))


@each({
    "no name": ("nothing", "INVALID_FQDN", "is not the name of a capability"),
    "not there": ("acme.tools.text.nothing", "NOT_FOUND", "is not in the registry"),
    "with other code": (NAME + ".9999abcd", "INTEGRITY_MISMATCH", "is not what its metadata promises"),
    "that needs a server": ("acme.tools.text.needs", "PERMISSION_DENIED", "needs the MCP server"),
})
def each_error_has_its_outcome(case):
    name, code, words = case
    with place() as p:
        p.publish()
        p.publish(NAME + ".9999abcd", publishedAt="2025-01-01T00:00:00Z", integrity="sha256-" + "0" * 64)
        p.publish("acme.tools.text.needs.0123abcd", mcpDeps=[{"name": "files"}])
        p.configure(registries=["../registry"])
        with Loads(p) as host:
            run = host.load(name)
            host.wait_for(run, "ENDED")
            error = host.json_of(run)["error"]
            equal(error["code"], code, str(error))
            contains(error["message"], words)
            equal(run.events, ["ENDED"])
            equal(host.json_of(host.load())["result"], "A")


@test
def an_unpinned_capability_does_not_run_frozen():
    with place() as p:
        p.publish()
        p.configure(registries=["../registry"])
        with Loads(p) as host:
            equal(host.set("frozen", 1), 0)
            error = host.json_of(host.load())["error"]
            equal(error["code"], "INTEGRITY_MISMATCH")
            contains(error["message"], "is not pinned", "frozen")
            equal(host.set("frozen", 0), 0)
            equal(host.json_of(host.load())["result"], "A")
            p.publish(code="return 'changed'")
            contains(host.json_of(host.load())["error"]["message"], "sha256-")


@test
def the_loop_goes_on_while_another_process_writes_the_lockfile():
    with place() as p:
        p.publish()
        p.configure(registries=["../registry"])
        turn = write_file(os.path.join(p.work, ".caprun.lock.busy"), "")
        os.chmod(turn, 0o600)
        with Loads(p) as host, open(turn, "r+b") as held:
            lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
            fcntl.fcntl(held, fcntl.F_OFD_SETLK, lock)
            run = host.load()
            host.step_until(lambda: "LOADED" in names(run), 20, "what is pinned next")
            ticks = []
            assert host.ticks_until(lambda: len(ticks) >= TICKS, ticks.append) >= TICKS
            equal((names(run), run.events), (["LOADED"], []))
            held.close()
            equal((host.json_of(run)["result"], names(run)), ("A", ["LOADED", "PINNED"]))


@test
def more_loads_than_the_queue_has_places_all_run():
    with place() as p:
        p.publish()
        p.configure(registries=["../registry"])
        with Loads(p, warm=1, max_workers=1, max_waiting=1) as host:
            runs = [host.load(args=json.dumps({"text": str(n)})) for n in range(20)]
            equal([host.json_of(run)["result"] for run in runs], [str(n) for n in range(20)])


@test
def without_a_configuration_there_is_nothing_to_load_from():
    with Library() as host:
        run = host.run("return 1")
        equal(host.lib.caprun_run_load(run, NAME.encode()), E_STATE)
        contains(host.error(), "no configuration")
        equal(host.lib.caprun_start(run), 0)
        equal(host.json_of(run)["result"], 1)


main()

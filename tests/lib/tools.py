"""tools.py - a working directory whose configuration has MCP servers: fakes, or npm's real ones.

    with tools(a={"banner": True}, b={}) as t:
        equal(t.value("return mcp.a.echo({x: 1})"), {"x": 1})
        equal(t.called("a"), ["echo"])

A server is the settings of fake_mcp.py, and "config": its other settings in .caprun.json. If it has a
"command" or a "url", it is the configuration itself. Every call is allowed unless |permissions| say otherwise.
"""

import contextlib
import json
import os
import sys

from harness import LIB, ROOT, equal, need, scratch_dir, write_file
from registries import Place

FAKE = [sys.executable, "-I", "-S", os.path.join(LIB, "fake_mcp.py")]
PACKAGES = os.path.join(ROOT, "build/npm-servers/node_modules")

# For code: the outcome of a call, success or failure.
OUTCOME = """
    const outcome = (call) => call.then((value) => ({ value }),
        (e) => ({ code: e.code, message: e.message, name: e.name }));
"""


class Tools(Place):
    def serve(self, servers, permissions=None, **settings):
        """Writes the configuration."""
        configured = {name: server if "command" in server or "url" in server else self.fake(name, **server)
                      for name, server in servers.items()}
        self.configure(mcpServers=configured, permissions=permissions or {"allow": ["*"]}, **settings)

    def fake(self, name, config=None, **script):
        script = {"trace": self.path_of(name), **script}
        return {"command": FAKE[0], "args": [*FAKE[1:], json.dumps(script)], **(config or {})}

    def path_of(self, name, suffix="trace"):
        return os.path.join(self.root, f"{name}.{suffix}")

    def trace(self, name):
        """What the fake server |name| has received, in order, over all its starts."""
        try:
            with open(self.path_of(name), encoding="utf-8") as file:
                lines = file.read().split("\n")[:-1]  # text after the last line end is still being written
                return [json.loads(line) for line in lines]
        except FileNotFoundError:
            return []

    def starts(self, name):
        """The pids of all its starts."""
        return [line["started"] for line in self.trace(name) if "started" in line]

    def methods(self, name):
        return [line["method"] for line in self.trace(name) if "method" in line]

    def called(self, name):
        """The tools of |name| that calls arrived for."""
        return [line["params"]["name"] for line in self.trace(name) if line.get("method") == "tools/call"]

    def execute(self, code, *options, seconds=60, **more):
        """The envelope of `caprun exec`, with the exit status as "status"."""
        done = self.start("exec", "-", "--json", *options, code=OUTCOME + code, **more).end(seconds)
        return done.envelope | {"status": done.status, "process": done}

    def value(self, code, *options, **more):
        envelope = self.execute(code, *options, **more)
        assert envelope["success"], f"it failed: {envelope['error']}"
        return envelope["result"]

    def error(self, code, *options, **more):
        """(exit status, error) of code that must fail."""
        envelope = self.execute(code, *options, **more)
        assert not envelope["success"], f"it returned {envelope['result']!r:.500}"
        return envelope["status"], envelope["error"]

    def listing(self, *words, status=0):
        """{name: server} of `caprun tools --json`."""
        done = self.run("tools", "--json", *words)
        equal(done.status, status, f"status; stderr {done.err!r:.500}")
        listed = json.loads(done.out)["servers"]
        equal(len({server["name"] for server in listed}), len(listed), "different names")
        return {server["name"]: server for server in listed}

    def servers_pinned(self):
        with open(self.lockfile, encoding="utf-8") as file:
            return json.load(file).get("servers", {})


@contextlib.contextmanager
def tools(permissions=None, settings=None, **servers):
    with scratch_dir() as root:
        t = Tools(root)
        t.serve(servers, permissions, **(settings or {}))
        yield t


# --- npm's servers ---------------------------------------------------------------------------


def real_config(root):
    """samples/config/tools.json for another folder: its files are below |root|/files."""
    need(os.path.exists(PACKAGES), "there are no servers; `make test-data` gets them")
    with open(os.path.join(ROOT, "samples/config/tools.json"), encoding="utf-8") as file:
        config = json.load(file)
    servers = config["mcpServers"]
    for server in servers.values():
        server["args"] = [os.path.join(ROOT, word.removeprefix("../../")) for word in server["args"]]
    servers["filesystem"]["args"][-1] = os.path.join(root, "files")
    servers["memory"]["env"]["MEMORY_FILE_PATH"] = os.path.join(root, "files/memory.jsonl")
    config["registries"] = [os.path.join(ROOT, "samples/registry")]
    return config


@contextlib.contextmanager
def real_tools(only=None, urls=None, **changes):
    """npm's servers, or |only| some of them, with two texts below files/texts; and servers behind |urls|."""
    with scratch_dir() as root:
        t = Tools(root)
        os.makedirs(os.path.join(root, "files/texts"))
        for name, text in (("one.txt", "to be or\nnot to\n"), ("two.txt", "that is the question\n")):
            with open(os.path.join(root, "files/texts", name), "w", encoding="utf-8") as file:
                file.write(text)
        config = {**real_config(root), **changes}
        chosen = config["mcpServers"] if only is None else only
        config["mcpServers"] = {name: config["mcpServers"][name] for name in chosen}
        config["mcpServers"].update({name: {"url": url} for name, url in (urls or {}).items()})
        t.configure(**config)
        yield t


@contextlib.contextmanager
def unrecorded_tools(*words, **servers):
    """The same, but runs are not recorded: a call that a person has to decide about is denied, not suspended."""
    with tools(*words, **servers) as t:
        os.makedirs(t.path_of("state", "d/caprun"))
        write_file(t.path_of("state", "d/caprun/runs"), "not a directory")
        t.env["XDG_STATE_HOME"] = t.path_of("state", "d")
        yield t

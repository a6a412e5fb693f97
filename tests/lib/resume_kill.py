"""resume_kill.py - a run with twenty effects on npm's filesystem server, and a host that is killed meanwhile.

    with effects() as e:
        run = e.start_run("one")       # caprun, with its files below files/one
        run.kill_at(0.4)
        run.start_resume()
        run.check(run.running.end().envelope, the_result_of_an_undisturbed_run)

tee() is between caprun and the server: it logs each line before the server can read it. So the log has each
call that could have had an effect, also after the run was killed and resumed. No two calls have the same args.
"""

import collections
import contextlib
import json
import os
import signal
import sys
import time

from harness import equal, need, reap_orphans, scratch_dir, wait_until, write_file
from tools import PACKAGES, Tools

SERVER = os.path.join(PACKAGES, "@modelcontextprotocol/server-filesystem/dist/index.js")
MOVED, WRITTEN = 10, 10  # effects; other calls fail, or only read

TEE = """
import os, subprocess, sys
log = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE)
while data := os.read(0, 1 << 20):
    os.write(log, data)
    os.write(server.stdin.fileno(), data)
server.stdin.close()
sys.exit(server.wait())
"""

# Calls in sequence, at once, and after timers; failed calls are retried elsewhere, unknown calls are not.
CODE = """
const at = (name) => `${args.dir}/${name}`;
const outcome = {};
const effect = async (key, call) => {
    try { await call; outcome[key] = "done"; } catch (e) {
        if (e.code === "TOOL_ERROR") throw e;
        outcome[key] = e.code;
    }
};
const move = (i, to = "out") => mcp.files.move_file({ source: at(`in/${i}`), destination: at(`${to}/${i}`) });
const write = (i) => mcp.files.write_file({ path: at(`new/${i}`), content: `number ${i}\\n` });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

for (let i = 0; i < 4; i++) {
    await effect(`move ${i}`, move(i));
    await pause(3);
}
await Promise.all([4, 5, 6, 7].map((i) => effect(`move ${i}`, move(i)))
    .concat([0, 1, 2, 3].map((i) => effect(`write ${i}`, write(i)))));
for (let i = 8; i < 10; i++) {  // the folder does not exist: retry with another
    try { await effect(`move ${i}`, move(i, "nowhere")); } catch {
        await pause(2);
        await effect(`move ${i}`, move(i));
    }
}
await Promise.all([4, 5, 6].map(async (i) => { await pause(10 - i); await effect(`write ${i}`, write(i)); }));
console.log("nearly");
await Promise.race([pause(5), effect("write 7", write(7))]);
for (let i = 8; i < 10; i++)
    await effect(`write ${i}`, write(i));
while (!outcome["write 7"])
    await pause(1);
const listed = await mcp.files.list_directory({ path: at("out") }).catch((e) => ({ content: e.code }));
const sorted = Object.fromEntries(Object.entries(outcome).sort());
return [sorted, listed.content.split("\\n").sort(), Object.keys(outcome).length];
"""


class Effects(Tools):
    def __init__(self, root):
        super().__init__(root)
        self.env["XDG_STATE_HOME"] = os.path.join(root, "state")
        self.files = os.path.join(root, "files")
        self.log = os.path.join(root, "received")
        os.mkdir(self.files)
        tee = write_file(os.path.join(root, "tee.py"), TEE)
        words = ["-I", "-S", tee, self.log, "node", SERVER, self.files]
        self.serve({"files": {"command": sys.executable, "args": words, "idempotent": ["list_*"]}},
                   registries=[self.registry])
        self.publish("acme.tools.files.twenty.0123abcd", CODE,
                     tools=["files:move_file", "files:write_file", "files:list_directory"])

    def start_run(self, name, by_name=False):
        for folder in ("in", "out", "new"):
            os.makedirs(f"{self.files}/{name}/{folder}")
        for i in range(MOVED):
            write_file(f"{self.files}/{name}/in/{i}", f"{i}\n")
        return Killed(self, name, by_name)

    def received(self):
        """{(tool, args as text): how often the call reached the server}."""
        counts = collections.Counter()
        with open(self.log, encoding="utf-8") as file:
            for line in file:
                message = json.loads(line)
                if message.get("method") == "tools/call":
                    params = message["params"]
                    counts[params["name"], json.dumps(params["arguments"])] += 1
        return counts


class Killed:
    """One run, with all its resumes."""

    def __init__(self, place, name, by_name):
        self.place, self.name = place, name
        self.state = os.path.join(place.root, "states", name)
        self.env = {"XDG_STATE_HOME": self.state}
        args = json.dumps({"dir": f"{place.files}/{name}"})
        words = ["acme.tools.files.twenty", args] if by_name else ["exec", "-", args]
        self.running = place.start(*words, "--json", code="" if by_name else CODE, env=self.env)
        self.kills = 0

    @property
    def journal(self):
        try:
            found = [name for name in os.listdir(f"{self.state}/caprun/runs") if name.endswith(".jsonl")]
        except FileNotFoundError:
            return None
        return f"{self.state}/caprun/runs/{found[0]}" if found else None

    @property
    def id(self):
        return os.path.basename(self.journal)[:36]

    def lines(self):
        if not self.journal:
            return []
        with open(self.journal, "rb") as file:
            whole = [line for line in file if line.endswith(b"\n")]
        return [json.loads(line) for line in whole]

    def kill_at(self, moment, in_calls=False):
        """Sends SIGKILL so many seconds after the start, or after the first call since the start or resume, unless
        caprun has ended by then. Returns whether it was killed."""
        since = self.running.started
        sent = self._sent()
        while in_calls and self.is_going() and self._sent() == sent:
            since = time.monotonic()
        while self.is_going() and time.monotonic() < since + moment:
            time.sleep(0.0002)
        if self.is_going():
            self.running.send(signal.SIGKILL)
            self.kills += 1
        return self.running.end(60).status == -signal.SIGKILL

    def _sent(self):
        """Compares bytes: resuming a run cuts off an incomplete line, and that may happen while we read."""
        if not self.journal:
            return 0
        with open(self.journal, "rb") as file:
            return file.read().count(b',"send":')

    def is_going(self):
        return os.waitid(os.P_PID, self.running.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def start_resume(self, *options):
        self.running = self.place.start("resume", self.id, "--json", "--fail-unknown", *options, env=self.env)

    def calls(self):
        """{number: (tool, args as text)}, from the journal."""
        return {line["n"]: (line["method"].partition(":")[2], json.dumps(line["args"]))
                for line in self.lines() if line.get("from") == "call"}

    def check(self, envelope, undisturbed):
        """Checks what must hold after any number of kills. Returns the numbers of the unknown calls."""
        assert envelope["success"], envelope
        received, calls = self.place.received(), self.calls()
        mine = {call: n for call, n in received.items() if f"/{self.name}/" in call[1] or f"/{self.name}\"" in call[1]}
        twice = {call: n for call, n in mine.items() if n > 1 and call[0] != "list_directory"}
        equal(twice, {}, "calls that were made twice")
        equal(len(envelope["calls"]), len(calls), "calls")
        unknown = []
        for call in envelope["calls"]:
            tool, args = calls[call["n"]]
            if call["state"] == "done":
                assert mine.get((tool, args), 0) >= 1, f"{tool} {args} is done, and was never made"
            else:
                equal(call["state"], "in_flight_unknown", f"{tool} {args}")
                unknown.append((tool, args))
        equal(set(mine) - set(calls.values()), set(), "calls that the journal does not have")
        self._check_files(envelope["result"][0], unknown)
        if not unknown:
            equal(envelope["result"], undisturbed, "the result")
        return unknown

    def _check_files(self, outcome, unknown):
        base = f"{self.place.files}/{self.name}"
        for i in range(MOVED):
            if outcome[f"move {i}"] == "done":
                equal((os.path.exists(f"{base}/in/{i}"), os.path.exists(f"{base}/out/{i}")), (False, True), f"move {i}")
            else:
                equal(outcome[f"move {i}"], "RPC_ERROR")
                assert any(tool == "move_file" and f"/in/{i}\"" in args for tool, args in unknown), (i, unknown)
        for i in range(WRITTEN):
            if outcome[f"write {i}"] == "done":
                with open(f"{base}/new/{i}", encoding="utf-8") as file:
                    equal(file.read(), f"number {i}\n")
            else:
                assert any(tool == "write_file" and f"/new/{i}\"" in args for tool, args in unknown), (i, unknown)


@contextlib.contextmanager
def effects():
    need(os.path.exists(SERVER), "there are no servers; `make test-data` gets them")
    with scratch_dir() as root:
        yield Effects(root)
        wait_until(lambda: not reap_orphans(), 20, "the end of orphans")

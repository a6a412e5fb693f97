"""fake_mcp.py - an MCP server with any behaviour or fault that a test asks for.

    python3 -I -S fake_mcp.py '{"era": "legacy", "banner": true, "trace": "/path"}'

Its settings, all optional:

    era             "legacy" (the default), "modern", or "both"
    trace           a file that gets {"started": pid} and then every received line
    banner          lines on standard output that are not messages, before anything else
    words           a text for standard error, at the start
    bootMs          reads nothing for so many milliseconds at first
    bootExit        exits at once with that status
    bootExitOnce    a file; if it is missing, makes it and exits at once
    silent          methods that it never answers
    exitOn          methods on which it exits with status 1, without an answer
    exitOnUnknown   exits in the same way on every method that its era does not know
    version         the protocol version that it claims to support
    crlf            lines end with CR LF
    noise           a line that is not a message, before every answer
    pingFirst       asks for a ping before it answers the first request
    deaf            methods that it answers, but after which it reads nothing
    hangAtEnd       ignores the end of its input, and SIGTERM
    grandchild      a file for the pid of a process that leaves the group and keeps the pipes open
    tools           more tools: [{"name": "a-b"}]; they echo
    only            lists only those tools
    count           so many more tools, named t0, t1 ...
    page            tools in a page of tools/list
    cursors         "loop": always the same cursor; "cycle": two in turn; "endless": always a new
                    one; "empty": the second page has the empty string as its cursor
    descriptions    a file with {"tool": "description"}, read at the start

Its tools are the methods named tool_*, below; each docstring says what the tool does.
"""

import fcntl
import heapq
import json
import os
import select
import signal
import sys
import termios
import time

MODERN, LEGACY = "2026-07-28", "2025-11-25"
META = "io.modelcontextprotocol/"
NOT_FOUND, BAD_PARAMS, UNSUPPORTED_VERSION = -32601, -32602, -32022
BANNER = [b"Welcome to the fake server!", b"", b"{not json", b"[]", b"null", b"42", b'"text"', b"\xff\xfe\x80",
          b'{"jsonrpc":"2.0"}', b'{"hello":"world"}', b"   ", b"x" * 100000]
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def write(data):
    view = memoryview(data)
    while view:
        view = view[os.write(1, view):]


def unread():
    """The number of bytes that were written and not read yet."""
    try:
        count = fcntl.ioctl(1, termios.TIOCOUTQ, b"\0\0\0\0")  # of a socket
    except OSError:
        count = fcntl.ioctl(1, termios.FIONREAD, b"\0\0\0\0")  # of a pipe
    return int.from_bytes(count, sys.byteorder)


def wait_until_read():
    deadline = time.monotonic() + 10
    while unread() and time.monotonic() < deadline:
        time.sleep(0.0005)


def text(words, **more):
    return {"content": [{"type": "text", "text": words}], **more}


def structured(value):
    return text(json.dumps(value), structuredContent=value)


class Fake:
    def __init__(self, script):
        self.script = script
        self.era = script.get("era", "legacy")
        self.later = []  # a heap of (time, number, function)
        self.number = 0
        self.asked = {}  # our requests: id -> function that gets the client's answer
        self.calls = {}  # unanswered calls: id -> progress token
        self.on_cancel = {}
        self.flooding = None
        self.reads = True
        self.pinged = not script.get("pingFirst")
        self.descriptions = {}
        if "descriptions" in script:
            with open(script["descriptions"], encoding="utf-8") as file:
                self.descriptions = json.load(file)

    # --- lines ---------------------------------------------------------------------------------

    def send(self, message):
        end = b"\r\n" if self.script.get("crlf") else b"\n"
        write(json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + end)

    def answer(self, id, result):
        if self.script.get("noise"):
            write(b"debug: about to answer\n")
        self.calls.pop(id, None)
        if self.era != "legacy" and isinstance(result, dict):
            result = {"resultType": "complete", **result}
        self.send({"id": id, "result": result})

    def refuse(self, id, code, message, **more):
        self.calls.pop(id, None)
        self.send({"id": id, "error": {"code": code, "message": message, **more}})

    def notify(self, method, **params):
        self.send({"method": method, "params": params})

    def ask(self, method, params, then):
        self.number += 1
        self.asked[f"ask-{self.number}"] = then
        self.send({"id": f"ask-{self.number}", "method": method, **({"params": params} if params else {})})

    def after(self, ms, function):
        self.number += 1
        heapq.heappush(self.later, (time.monotonic() + ms / 1000, self.number, function))

    def record(self, line):
        if "trace" in self.script:
            with open(self.script["trace"], "ab") as file:
                file.write(line + b"\n")

    # --- requests ------------------------------------------------------------------------------

    def receive(self, line):
        self.record(line)
        message = json.loads(line)
        if "method" not in message:
            self.asked.pop(message["id"])(message)
        elif "id" not in message:
            self.notified(message)
        else:
            self.request(message)
        if message.get("method") in self.script.get("deaf", []):
            self.reads = False

    def notified(self, message):
        id = message.get("params", {}).get("requestId")
        if message["method"] == "notifications/cancelled" and id in self.on_cancel:
            self.on_cancel.pop(id)()

    def request(self, message):
        method, id, params = message["method"], message["id"], message.get("params", {})
        if method in self.script.get("silent", []):
            return
        if not self.pinged:
            self.pinged = True
            self.ask("ping", None, lambda answer: self.request(message))
            return
        known = {"server/discover": self.discover, "initialize": self.initialize, "tools/list": self.list,
                 "tools/call": self.call, "ping": lambda id, params: self.answer(id, {})}
        knows = method in known and method not in {"legacy": ["server/discover"], "modern": ["initialize"]}.get(
            self.era, [])
        if method in self.script.get("exitOn", []) or (not knows and self.script.get("exitOnUnknown")):
            os.write(2, f"fatal: unknown method {method}\n".encode())
            os._exit(1)
        if not knows:
            self.refuse(id, NOT_FOUND, "Method not found")
        elif self.era == "legacy" or method == "initialize" or self.speaks_modern(id, params):
            known[method](id, params)

    def speaks_modern(self, id, params):
        """Checks that a modern request has all required fields; rejects it otherwise."""
        if self.era == "both":
            return True
        meta = params.get("_meta", {})
        missing = [key for key in ("protocolVersion", "clientCapabilities", "clientInfo") if META + key not in meta]
        if missing:
            self.refuse(id, BAD_PARAMS, f"no {missing} in _meta")
        elif meta[META + "protocolVersion"] != self.script.get("version", MODERN):
            self.refuse(id, UNSUPPORTED_VERSION, "Unsupported protocol version",
                        data={"supported": [self.script.get("version", MODERN)],
                              "requested": meta[META + "protocolVersion"]})
        else:
            return True
        return False

    def info(self):
        return {"name": "fake", "version": "1.0"}

    def discover(self, id, params):
        self.answer(id, {"supportedVersions": [self.script.get("version", MODERN)], "capabilities": {"tools": {}},
                         "_meta": {META + "serverInfo": self.info()}, "ttlMs": 0, "cacheScope": "private"})

    def initialize(self, id, params):
        self.answer(id, {"protocolVersion": self.script.get("version", LEGACY), "capabilities": {"tools": {}},
                         "serverInfo": self.info()})

    def list(self, id, params):
        tools, cursor = self.tools(), params.get("cursor")
        size, cursors = self.script.get("page", len(tools) or 1), self.script.get("cursors")
        start = 0 if cursor is None else size if cursor == "" else int(cursor.partition("-")[2] or 0)
        page, following = tools[start:start + size], start + size
        result = {"tools": page}
        if cursors == "loop":
            result = {"tools": page if cursor is None else [], "nextCursor": "again"}
        elif cursors == "cycle":
            result = {"tools": page if cursor is None else [], "nextCursor": "b" if cursor == "a" else "a"}
        elif cursors == "endless":
            self.number += 1
            result = {"tools": page if cursor is None else [], "nextCursor": f"new{self.number}-0"}
        elif following < len(tools):
            result["nextCursor"] = "" if cursors == "empty" and cursor is None else f"at-{following}"
        if self.era != "legacy":
            result |= {"ttlMs": 0, "cacheScope": "private"}
        self.answer(id, result)

    def tools(self):
        own = [] if self.script.get("only") else [
            {"name": name[5:], "description": getattr(self, name).__doc__} for name in dir(self)
            if name.startswith("tool_")]
        many = [{"name": f"t{i}", "description": f"Tool {i}."} for i in range(self.script.get("count", 0))]
        listed = [{"inputSchema": {"type": "object"}, **tool} for tool in own + self.script.get("tools", []) + many]
        for tool in listed:
            if tool["name"] in self.descriptions:
                tool["description"] = self.descriptions[tool["name"]]
        return listed

    def call(self, id, params):
        name, arguments = params["name"], params.get("arguments", {})
        if name not in [tool["name"] for tool in self.tools()]:
            self.refuse(id, BAD_PARAMS, f"Unknown tool: {name}")
            return
        self.calls[id] = params.get("_meta", {}).get("progressToken")
        self.params = params
        getattr(self, f"tool_{name}", lambda id, args: self.answer(id, structured({"name": name, "args": args})))(
            id, arguments)

    # --- tools ---------------------------------------------------------------------------------

    def tool_echo(self, id, args):
        """Answers with its arguments."""
        self.answer(id, structured(args))

    def tool_text(self, id, args):
        """Answers with a text."""
        self.answer(id, text(args["text"]))

    def tool_raw(self, id, args):
        """Answers with the result in the args."""
        self.answer(id, args["result"])

    def tool_image(self, id, args):
        """Answers with an image and a text."""
        self.answer(id, {"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"},
                                     {"type": "text", "text": "a pixel"}]})

    def tool_structured(self, id, args):
        """Answers with structuredContent of any type."""
        self.answer(id, structured(args["value"]))

    def tool_fail(self, id, args):
        """Answers with a tool error."""
        self.answer(id, text(args.get("text", "no such file"), isError=True))

    def tool_error(self, id, args):
        """Answers with a JSON-RPC error."""
        self.refuse(id, args["code"], args.get("message", "an error"))

    def tool_env(self, id, args):
        """Answers with facts about its own process."""
        with os.scandir("/proc/self/fd") as entries:
            links = {int(entry.name): os.readlink(entry.path) for entry in entries
                     if not os.readlink(entry.path).startswith(f"/proc/{os.getpid()}/fd")}
        self.answer(id, structured({"env": dict(os.environ), "cwd": os.getcwd(), "fds": sorted(links),
                                    "pid": os.getpid(), "group": os.getpgrp(), "session": os.getsid(0),
                                    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, []))}))

    def tool_sleep(self, id, args):
        """Answers after so many milliseconds; handles other requests meanwhile."""
        self.after(args["ms"], lambda: self.answer(id, structured(args)))

    def tool_never(self, id, args):
        """Never answers."""

    def tool_late(self, id, args):
        """Answers only after the call was cancelled."""
        self.on_cancel[id] = lambda: self.answer(id, structured("too late"))

    def tool_progress(self, id, args):
        """Reports progress so many times, so many milliseconds apart, then answers."""
        left, token = args["count"], self.calls[id]
        more = {"message": args["message"]} if "message" in args else {}

        def go_on(done=0):
            if done == left:
                self.answer(id, structured("done"))
            elif id in self.calls:
                self.notify("notifications/progress", progressToken=token, progress=done + 1, total=left, **more)
                self.after(args["ms"], lambda: go_on(done + 1))

        go_on()
        self.on_cancel[id] = lambda: self.calls.pop(id, None)

    def tool_flood(self, id, args):
        """Sends notifications for ever, and no answer."""
        line = b'{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"%s"}}\n'
        self.flooding = line % (b"x" * args.get("bytes", 100)) * 100

    def tool_big(self, id, args):
        """Answers with a text of so many bytes."""
        self.calls.pop(id)
        write(b'{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"' % id)
        left, chunk = args["bytes"], b"x" * (1 << 20)
        while left:
            write(chunk[:left])
            left -= min(left, len(chunk))
        write(b'"}]}}\n')

    def tool_padded(self, id, args):
        """Answers with a text of so many bytes, in a line with so many MiB that mean nothing."""
        self.calls.pop(id)
        write(b'{"jsonrpc":"2.0","id":%d,"padding":"' % id)
        for _ in range(args["mib"]):
            write(b"x" * (1 << 20))
        write(b'","result":{"content":[{"type":"text","text":"%s"}]}}\n' % (b"y" * args["bytes"]))

    def tool_long_line(self, id, args):
        """Writes a line of so many bytes that is not an answer, and then answers."""
        left, chunk = args["bytes"], b"x" * (1 << 20)
        while left > 0:
            write(chunk)
            left -= len(chunk)
        write(b"\n")
        self.answer(id, structured("after the line"))

    def tool_long_id(self, id, args):
        """Asks for a ping with an id of so many bytes, and then answers."""
        self.asked["x" * args["bytes"]] = lambda answer: None
        write(b'{"jsonrpc":"2.0","method":"ping","id":"' + b"x" * args["bytes"] + b'"}\n')
        self.answer(id, structured("asked"))

    def tool_split(self, id, args):
        """Answers in pieces that are cut inside characters."""
        words = "a\u00e9\u20ac\U0001f600z"
        line = json.dumps({"jsonrpc": "2.0", "id": id, "result": text(words)}, ensure_ascii=False).encode() + b"\n"
        self.calls.pop(id)
        start = line.index(b"a\xc3")
        write(line[:start])
        for at in range(start, start + len(words.encode())):
            wait_until_read()
            write(line[at:at + 1])
        wait_until_read()
        write(line[start + len(words.encode()):])

    def tool_wrong_id(self, id, args):
        """Answers calls that do not exist, then this call unless the args say not to."""
        for wrong in (id + 1000000, str(id), -id, id + 0.5, None, 0, [id], 2**64 + id):
            self.send({"id": wrong, "result": text("wrong")})
        if args.get("answer", True):
            self.answer(id, structured("right"))

    def tool_twice(self, id, args):
        """Answers twice, with different results."""
        self.answer(id, structured("first"))
        self.answer(id, structured("second"))
        self.refuse(id, -32000, "third")

    def tool_malformed(self, id, args):
        """Answers with messages that are not results."""
        for member in args["members"]:
            write(b'{"jsonrpc":"2.0","id":%d,%s}\n' % (id, member.encode()))

    def tool_ask(self, id, args):
        """Sends a request to the client, and answers with the client's answer."""
        self.ask(args["method"], args.get("params"), lambda answer: self.answer(id, structured(answer)))

    def tool_crash(self, id, args):
        """Exits during the call."""
        os.write(2, args.get("words", "panic: out of cheese\n").encode())
        if "signal" in args:
            os.kill(os.getpid(), args["signal"])
        os._exit(args.get("status", 3))

    def tool_close(self, id, args):
        """Closes standard output and keeps running."""
        os.close(1)

    def tool_deaf(self, id, args):
        """Answers, and reads nothing afterwards."""
        self.reads = False
        self.answer(id, structured("deaf from now on"))

    def tool_talk(self, id, args):
        """Writes so many bytes to standard error, then answers."""
        os.write(2, b"talk " * (args["bytes"] // 5))
        self.answer(id, structured("said"))

    def tool_confirm(self, id, args):
        """Modern: asks for input in its result, and answers with the input."""
        if "inputResponses" in self.params:
            self.answer(id, structured({key: self.params.get(key) for key in ("requestState", "inputResponses")}))
            return
        request = {"method": "elicitation/create", "params": {"mode": "form", "message": "Sure?", "requestedSchema": {
            "type": "object", "properties": {"sure": {"type": "boolean"}}}}}
        self.answer(id, {"resultType": "input_required", "requestState": "state-1", "inputRequests": {"k": request}})

    # --- the loop ------------------------------------------------------------------------------

    def run(self):
        buffered = b""
        while True:
            if self.later and self.later[0][0] <= time.monotonic():
                heapq.heappop(self.later)[2]()
                continue
            if self.flooding:
                write(self.flooding)
            timeout = 0 if self.flooding else self.later[0][0] - time.monotonic() if self.later else None
            if not select.select([0] if self.reads else [], [], [], timeout and max(timeout, 0))[0]:
                continue
            data = os.read(0, 1 << 20)
            if not data:
                return
            *lines, buffered = (buffered + data).split(b"\n")
            for line in lines:
                self.receive(line)


def make_grandchild(path):
    """A process that has left the group and the session, and keeps the pipes open."""
    if os.fork():
        os.wait()
        return
    os.setsid()
    if os.fork():
        os._exit(0)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    with open(path + ".new", "w", encoding="ascii") as file:
        file.write(str(os.getpid()))
    os.rename(path + ".new", path)
    while True:
        signal.pause()


def boot(script):
    os.write(2, script.get("words", "").encode())
    if script.get("hangAtEnd"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "grandchild" in script:
        make_grandchild(script["grandchild"])
    if script.get("banner"):
        write(b"\n".join(BANNER) + b"\n")
    if "bootExit" in script:
        sys.exit(script["bootExit"])
    if "bootExitOnce" in script and not os.path.exists(script["bootExitOnce"]):
        with open(script["bootExitOnce"], "wb"):
            sys.exit(1)
    time.sleep(script.get("bootMs", 0) / 1000)


def main():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    script = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    fake = Fake(script)
    fake.record(json.dumps({"started": os.getpid()}).encode())
    boot(script)
    fake.run()
    while script.get("hangAtEnd"):
        signal.pause()


if __name__ == "__main__":
    main()

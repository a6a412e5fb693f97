"""fake_http.py - MCP servers behind HTTP on loopback, with any behaviour or fault that a test asks for.

    with FakeHttp() as server:                      # legacy, with a session; era="modern"
        server.on("tools/call", lambda x: x.reply(503))
        server.on("tool:echo", hook)                # for calls of this tool only
        ... {"url": server.url()} ...
        equal(server.called(), ["echo"])

A hook gets an Exchange, and answers it in any way; if it returns DEFAULT, the server answers as usual. A list of
hooks: one for each request, the last repeats. server.requests has all requests, as Exchange, in order.
"""

import contextlib
import json
import socket
import ssl
import struct
import threading
import time

MODERN, LEGACY = "2026-07-28", "2025-11-25"
REASONS = {200: "OK", 202: "Accepted", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed",
           429: "Too Many Requests", 500: "Internal Server Error"}
TOOLS = ["echo", "sleep", "progress", "big", "fail", "x y\u00e9"]
DEFAULT = object()


class Exchange:
    """One request, and the means to answer it."""

    def __init__(self, server, connection, verb, path, headers, body):
        self.server, self.connection, self.verb, self.path, self.headers = server, connection, verb, path, headers
        self.body = body
        self.message = json.loads(body) if body else {}
        self.method = self.message.get("method")
        self.params = self.message.get("params") or {}
        self.tool = self.params.get("name") if self.method == "tools/call" else None
        self.args = self.params.get("arguments")
        self.keep = True  # may the connection be used again?
        self.is_chunked = False

    # --- bytes

    def raw(self, data):
        self.connection.sendall(data)

    def reply(self, status=200, body=b"", *headers, type="application/json"):
        body = body if isinstance(body, bytes) else json.dumps(body).encode()
        lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}", f"Content-Length: {len(body)}", *headers]
        if body and type:
            lines.append(f"Content-Type: {type}")
        self.raw("\r\n".join([*lines, "", ""]).encode() + body)

    def stream(self, *headers, type="text/event-stream"):
        lines = ["HTTP/1.1 200 OK", f"Content-Type: {type}", "Transfer-Encoding: chunked", *headers]
        self.raw("\r\n".join([*lines, "", ""]).encode())
        self.is_chunked = True

    def chunk(self, data):
        self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    def event(self, message):
        self.chunk(b"event: message\ndata: " + json.dumps(message).encode() + b"\n\n")

    def end(self):
        self.raw(b"0\r\n\r\n")

    def cut(self):
        """Closes the connection."""
        self.keep = False

    def reset(self):
        """Resets the connection: what the client writes is lost."""
        self.keep = False
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def wait_for_close(self, seconds=60):
        """Waits until the client closes the connection. Returns whether it does."""
        self.keep = False
        self.connection.settimeout(seconds)
        with contextlib.suppress(OSError):
            while self.connection.recv(65536):
                pass
            self.server.closed.append(self.tool or self.method)
            return True
        return False

    # --- messages

    def answer(self, result=None, error=None):
        message = {"jsonrpc": "2.0", "id": self.message.get("id")}
        return message | ({"error": error} if error else {"result": result})

    def result(self, result, *headers):
        self.respond(self.answer(result), *headers)

    def text(self, text):
        self.result({"content": [{"type": "text", "text": text}]})

    def error(self, code, words, status=200):
        self.reply(status, self.answer(error={"code": code, "message": words}))

    def respond(self, message, *headers):
        if self.server.answers_with == "json":
            self.reply(200, message, *headers)
        else:
            self.stream(*headers)
            self.event(message)
            self.end()


class FakeHttp:
    def __init__(self, era="legacy", answers_with="sse", session=True, certificate=None, port=0):
        self.era, self.answers_with, self.has_session = era, answers_with, session
        self.requests, self.closed, self.sessions, self.connections = [], [], set(), 0
        self._hooks, self._number, self._lock, self._tls = {}, 0, threading.Lock(), None
        self._open = set()
        if certificate:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
        self._socket = socket.create_server(("127.0.0.1", port), backlog=128)
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def url(self, path="/mcp", host="127.0.0.1"):
        return f"http{'s' if self._tls else ''}://{host}:{self.port}{path}"

    def on(self, what, *hooks):
        self._hooks[what] = list(hooks)
        return self

    def methods(self):
        return [x.method or x.verb for x in list(self.requests)]

    def called(self):
        return [x.tool for x in list(self.requests) if x.tool]

    def forget_sessions(self):
        self.sessions.clear()

    # --- connections

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            connection.settimeout(120)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._tls:
                connection = self._tls.wrap_socket(connection, server_side=True)
            with self._lock:
                self._open.add(connection)
            rest = b""
            while rest is not None:
                rest = self._one(connection, rest)
        with self._lock:
            self._open.discard(connection)
        with contextlib.suppress(OSError):
            connection.close()

    def _one(self, connection, data):
        """Handles one request. Returns the bytes behind it, or None if it was the last."""
        while b"\r\n\r\n" not in data:
            if not (more := connection.recv(65536)):
                return None
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        first, *lines = head.decode().split("\r\n")
        verb, path, _ = first.split()
        headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines}
        length = int(headers.get("content-length", 0))
        while len(body) < length:
            if not (more := connection.recv(1 << 20)):
                return None
            body += more
        x = Exchange(self, connection, verb, path, headers, body[:length])
        with self._lock:
            self.requests.append(x)
        self._handle(x)
        return body[length:] if x.keep else None

    def _hook(self, x):
        for what in (f"tool:{x.tool}" if x.tool else None, x.method or x.verb, "*"):
            if what in self._hooks:
                with self._lock:
                    hooks = self._hooks[what]
                    return hooks.pop(0) if len(hooks) > 1 else hooks[0]
        return None

    def _handle(self, x):
        hook = self._hook(x)
        if not hook or hook(x) is DEFAULT:
            self._answer(x)

    # --- the protocol

    def _answer(self, x):
        if x.verb == "GET":
            x.reply(405)
        elif x.verb == "DELETE":
            self.sessions.discard(x.headers.get("mcp-session-id"))
            x.reply(200)
        elif self.era == "modern":
            self._answer_modern(x)
        elif x.method == "initialize":
            self._initialize(x)
        elif self.has_session and x.headers.get("mcp-session-id") not in self.sessions:
            unknown = "mcp-session-id" in x.headers
            x.error(-32001 if unknown else -32000, "Session not found" if unknown else "Bad Request: no session",
                    404 if unknown else 400)
        elif "id" not in x.message or not x.method:
            x.reply(202)
        else:
            self._answer_request(x)

    def _initialize(self, x):
        with self._lock:
            self._number += 1
            session = f"session-{self._number}"
        self.sessions.add(session)
        x.result({"protocolVersion": LEGACY, "capabilities": {"tools": {}}, "serverInfo": {"name": "fake", "version": "1"}},
                 *([f"Mcp-Session-Id: {session}"] if self.has_session else []))

    def _answer_modern(self, x):
        wrong = self._wrong_header(x)
        if wrong:
            x.error(-32020, f"header mismatch: {wrong}", 400)
        elif x.method == "server/discover":
            x.result({"resultType": "complete", "supportedVersions": [MODERN], "capabilities": {"tools": {}},
                      "serverInfo": {"name": "fake", "version": "1"}})
        elif "id" not in x.message:
            x.reply(202)
        else:
            self._answer_request(x)

    def _wrong_header(self, x):
        from base64 import b64decode
        name = x.headers.get("mcp-name")
        if name and name.startswith("=?base64?"):
            name = b64decode(name[9:-2]).decode()
        wanted = {"mcp-protocol-version": MODERN, "mcp-method": x.method}
        for header, value in wanted.items():
            if x.headers.get(header) != value:
                return header
        if name != x.tool:
            return "mcp-name"
        meta = x.params.get("_meta", {}).get("io.modelcontextprotocol/protocolVersion")
        return None if meta == MODERN else "_meta"

    def _answer_request(self, x):
        if x.method == "tools/list":
            x.result({"resultType": "complete", "tools": [{"name": name, "inputSchema": {"type": "object"}}
                                                          for name in TOOLS]})
        elif x.method != "tools/call":
            x.error(-32601, "Method not found")
        elif x.tool == "sleep":
            time.sleep(x.args["ms"] / 1000)
            x.text("slept")
        elif x.tool == "progress":
            self._progress(x)
        elif x.tool == "big":
            x.text("b" * x.args["bytes"])
        elif x.tool == "fail":
            x.result({"isError": True, "content": [{"type": "text", "text": "it failed"}]})
        else:
            x.text(json.dumps(x.args))

    def _progress(self, x):
        x.stream()
        for i in range(x.args["count"]):
            x.event({"jsonrpc": "2.0", "method": "notifications/progress",
                     "params": {"progressToken": x.params["_meta"]["progressToken"], "progress": i}})
            time.sleep(x.args["ms"] / 1000)
        x.event(x.answer({"content": [{"type": "text", "text": "done"}]}))
        x.end()

"""servers.py - HTTP servers on loopback that send exactly the bytes of a test, valid or not.

    with Server() as server:
        server.on("/x", answer(503), answer(200, b"body"))   # one for each request, the last repeats
        ... server.url("/x") ...
        equal(server.count("/x"), 2)

An answer is bytes, or a function that gets the connection. The connection is closed after the answer,
unless its headers have KEEP. server.requests lists the requests: (path, headers in lower case).

    with Server(lambda path, headers: answer(404)) as server:            # for all other paths
"""

import contextlib
import os
import socket
import ssl
import struct
import subprocess
import threading

KEEP = "Connection: keep-alive"
REASONS = {200: "OK", 302: "Found", 304: "Not Modified", 404: "Not Found", 503: "Service Unavailable"}


def answer(status=200, body=b"", *headers, length=None):
    """The bytes of an answer; |length| is its Content-Length, False for no such header."""
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Whatever')}", *headers]
    if KEEP not in headers:
        lines.append("Connection: close")
    if length is not False:
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def redirect(to, status=302):
    return answer(status, b"", f"Location: {to}")


def endless(first, piece):
    """Sends |first|, then |piece| until the client closes."""

    def send(connection):
        connection.sendall(first)
        while True:
            connection.sendall(piece)

    return send


def silent(first=b""):
    """Sends |first|, then nothing until the client closes."""

    def send(connection):
        connection.sendall(first)
        while connection.recv(4096):
            pass

    return send


def reset(first=b""):
    """Sends |first|, then resets the connection: what the client writes is lost."""

    def send(connection):
        connection.sendall(first)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        os.close(connection.detach())

    return send


class Server:
    def __init__(self, other=lambda path, headers: answer(404), certificate=None):
        self._other, self._tls = other, None
        if certificate:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(f"{certificate}.pem", f"{certificate}.key")
        self._answers, self.requests = {}, []
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=128)
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

    def url(self, path="/x"):
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}{path}"

    def on(self, path, *answers):
        self._answers[path] = list(answers)
        return self.url(path)

    def count(self, path="/x"):
        return sum(asked == path for asked, _ in self.requests)

    def header(self, name, number=-1):
        """The value of this header in request |number|, or None."""
        return self.requests[number][1].get(name)

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
            stack.enter_context(connection)
            connection.settimeout(60)
            if self._tls:
                connection = stack.enter_context(self._tls.wrap_socket(connection, server_side=True))
            while self._answer(connection):
                pass

    def _answer(self, connection):
        """Returns whether there may be another request."""
        asked = b""
        while b"\r\n\r\n" not in asked:
            if not (more := connection.recv(65536)):
                return False
            asked += more
        first, *lines = asked.decode().split("\r\n\r\n")[0].split("\r\n")
        path = first.split()[1]
        headers = dict(line.lower().split(": ", 1) for line in lines)
        with self._lock:
            self.requests.append((path, headers))
            answers = self._answers.get(path) or [self._other(path, headers)]
            reply = answers.pop(0) if len(answers) > 1 else answers[0]
        if callable(reply):
            reply(connection)
            return False
        connection.sendall(reply)
        return KEEP.encode() in reply


@contextlib.contextmanager
def nobody_accepts():
    """A URL whose server never accepts a connection: its queue is full."""
    with contextlib.ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/x"


def _openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def make_authority(folder):
    """Makes ca.pem in |folder|, and returns a function that makes a certificate for a host."""
    path = os.path.join(folder, "ca")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    _openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=caprun test", "-keyout", f"{path}.key",
             "-out", f"{path}.pem")

    def certificate(name, host):
        own = os.path.join(folder, name)
        with open(f"{own}.ext", "w", encoding="utf-8") as file:
            file.write(f"subjectAltName={host}\n")
        _openssl("req", *key, "-subj", f"/CN={name}", "-keyout", f"{own}.key", "-out", f"{own}.csr")
        _openssl("x509", "-req", "-in", f"{own}.csr", "-CA", f"{path}.pem", "-CAkey", f"{path}.key",
                 "-CAcreateserial", "-days", "2", "-extfile", f"{own}.ext", "-out", f"{own}.pem")
        return own

    return certificate

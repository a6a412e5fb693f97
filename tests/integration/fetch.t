#!/usr/bin/env python3
"""fetch.t - fetching URLs: from good, bad and slow servers, and without a server."""

import contextlib
import ctypes.util
import gzip
import os
import sys
import zlib

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from fetching import BODY, CUT, INVALID, UNREACHABLE, environment, fails, has, run, start
from harness import (BUILD, CAPRUN, SANITIZED, Process, between, contains, each, equal, main, need_program, scratch_dir,
                     stretched, test, write_file)
from servers import Server, answer, endless, make_authority, nobody_accepts, redirect, reset, silent

# --- a good server ---------------------------------------------------------------------------


@test
def a_body_comes_as_it_was_sent():
    with Server() as server:
        has(run("raw", server.on("/x", answer(200, BODY))), BODY)
        equal((server.header("accept"), server.header("accept-encoding")), ("application/json", "gzip"))
        contains(server.header("user-agent"), "caprun/")
        equal([server.header(name) for name in ("cookie", "authorization", "referer")], [None] * 3)
        has(run("raw", server.on("/x", answer(200, b""))), b"")


@each({"gzip": ["gzip"], "GZip": ["GZip"], "x-gzip": ["x-gzip"], "gzip and identity": ["gzip", "identity"]})
def a_gzip_body_is_unpacked(codings):
    with Server() as server:
        url = server.on("/x", answer(200, gzip.compress(BODY), *(f"Content-Encoding: {coding}" for coding in codings)))
        has(run("raw", url), BODY)


@test
def chunks_and_a_body_that_ends_with_the_connection_are_read():
    with Server() as server:
        chunks = b"3\r\nabc\r\n2\r\nde\r\n0\r\nEtag: \"no\"\r\n\r\n"
        url = server.on("/x", answer(200, chunks, "Transfer-Encoding: chunked", length=False))
        equal(has(run("raw", url), b"abcde")["etag"], "")
        has(run("raw", server.on("/x", answer(200, b"abc", length=False))), b"abc")


@test
def a_fragment_is_not_sent():
    with Server() as server:
        has(run("raw", server.on("/x", answer(200, BODY)) + "#part"), BODY)


@test
def a_missing_file_is_an_answer():
    with Server() as server:
        for status in (404, 410):
            equal(run("raw", server.on("/x", answer(status, b"no such thing")))["status"], status)


@each({
    "a short one": ('"v1"', '"v1"'),
    "a weak one": ('W/"v 1"', 'W/"v 1"'),
    "the longest": (f'"{"x" * 253}"', f'"{"x" * 253}"'),
    "too long": (f'"{"x" * 254}"', ""),
    "not ASCII": ('"\u00e9"', ""),
})
def an_etag_is_kept_as_received_or_not_at_all(case):
    sent, kept = case
    with Server() as server:
        equal(run("raw", server.on("/x", answer(200, BODY, f"ETag: {sent}")))["etag"], kept)


@test
def an_etag_is_sent_and_304_understood():
    with Server() as server:
        url = server.on("/x", answer(304, b"", length=False))
        equal(run("-e", '"v1"', "raw", url)["status"], 304)
        equal(server.header("if-none-match"), '"v1"')
        fails(run("raw", url), UNREACHABLE, "answered 304")


@each({
    "none": ([], -1, False),
    "max-age": (["Cache-Control: max-age=60"], 60, False),
    "among others, in capitals": (["Cache-Control: Public, MAX-AGE=60 , x"], 60, False),
    "in quotes": (['Cache-Control: max-age="60"'], 60, False),
    "the shortest of two": (["Cache-Control: max-age=60", "Cache-Control: max-age=30"], 30, False),
    "less the time in other caches": (["Cache-Control: max-age=60", "Age: 50"], 10, False),
    "all of it spent in other caches": (["Cache-Control: max-age=60", "Age: 500"], 0, False),
    "a week at most": (["Cache-Control: max-age=31536000"], 7 * 86400, False),
    "too many digits": (["Cache-Control: max-age=99999999999999999999"], 0, False),
    "nonsense": (["Cache-Control: max-age=soon"], 0, False),
    "no-cache": (["Cache-Control: max-age=60, no-cache"], 0, False),
    "no-store": (["Cache-Control: no-store, max-age=60"], 60, True),
})
def cache_control_is_read(case):
    headers, max_age, no_store = case
    with Server() as server:
        result = run("raw", server.on("/x", answer(200, BODY, *headers)))
        equal((result["maxAge"], result["noStore"]), (max_age, no_store))


# --- temporary errors ------------------------------------------------------------------------

PASSES = {
    "429": (answer(429), "answered 429 Too Many Requests"),
    "502": (answer(502), "answered 502 Bad Gateway"),
    "503": (answer(503), "answered 503 Service Unavailable"),
    "503 with a body that does not come": (answer(503, b"", length=9), "answered 503"),
    "504": (answer(504), "answered 504 Gateway Timeout"),
    "an empty answer": (b"", "Empty reply"),
    "half an answer": (CUT, "cannot reach"),
    "half a head": (b"HTTP/1.1 200 OK\r\nContent-Le", "cannot reach"),
    "chunks that are cut": (answer(200, b"5\r\nab", "Transfer-Encoding: chunked", length=False), "cannot reach"),
    "half of a gzip body": (answer(200, gzip.compress(os.urandom(999))[:99], "Content-Encoding: gzip",
                                   length=1000), "cannot reach"),
}


@each(PASSES)
def temporary_errors_are_retried(case):
    bad, words = case
    with Server() as server:
        url = server.on("/x", bad, bad, answer(200, BODY))
        has(run("raw", url), BODY)
        equal(server.count(), 3)
        result = fails(run("raw", server.on("/x", bad)), UNREACHABLE, f'"{url}"', words, "(tried 3 times)")
        assert result["hint"], result
        equal(server.count(), 6)


LASTS = {
    "400": (answer(400), UNREACHABLE, "answered 400 Bad Request"),
    "401": (answer(401), UNREACHABLE, "answered 401 Unauthorized"),
    "500": (answer(500), UNREACHABLE, "answered 500 Internal Server Error"),
    "201": (answer(201, BODY), UNREACHABLE, "answered 201"),
    "204": (answer(204), UNREACHABLE, "answered 204"),
    "206": (answer(206, BODY), UNREACHABLE, "answered 206"),
    "a redirect to nowhere": (answer(302), UNREACHABLE, "answered 302 Found"),
    "HTTP/0.9": (BODY, UNREACHABLE, "HTTP/0.9"),
    "garbage": (b"\x00\xff\x16\x03" * 99, UNREACHABLE, "cannot reach"),
    "a status that is not a number": (b"HTTP/1.1 abc OK\r\n\r\n", UNREACHABLE, "cannot reach"),
    "NUL in a header": (answer(200, BODY, "A: b\0c"), UNREACHABLE, "cannot reach"),
    "invalid gzip": (answer(200, BODY * 9, "Content-Encoding: gzip"), INVALID, "cannot be unpacked"),
    "a head without end": (endless(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 99), INVALID, "over 65536 bytes"),
    "a header without end": (endless(b"HTTP/1.1 200 OK\r\nA: ", b"b" * 999), INVALID, "over 65536 bytes"),
    "informational answers without end": (endless(b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 99), INVALID,
                                          "over 65536 bytes"),
}


@each(LASTS)
def permanent_errors_are_not_retried(case):
    bad, outcome, words = case
    with Server() as server:
        url = server.on("/x", bad)
        result = fails(run("raw", url), outcome, f'"{url}"', words)
        assert "tried" not in result["text"] and result["hint"], result
        equal(server.count(), 1)


@test
def informational_answers_come_before_the_real_one():
    with Server() as server:
        early = b"HTTP/1.1 103 Early Hints\r\nETag: \"no\"\r\n\r\n"
        equal(has(run("raw", server.on("/x", early + answer(200, BODY))), BODY)["etag"], "")


@test
def a_closed_port_is_unreachable():
    with Server() as server:
        url = server.url()
    result = fails(run("raw", url), UNREACHABLE)
    equal(result["text"], f'cannot reach "{url}": Connection refused (tried 3 times)')
    contains(result["hint"], "address")
    equal(run("-n", "1", "raw", url)["text"], f'cannot reach "{url}": Connection refused')


@test
def a_host_that_is_not_known():
    fails(run("raw", "http://no-such-host.invalid/x"), UNREACHABLE, "no-such-host.invalid", "(tried 3 times)")


@test
def a_server_that_says_when_is_asked_then():
    with Server() as server:
        url = server.on("/x", answer(503, b"", "Retry-After: 1"), answer(200, BODY))
        between(has(run("raw", url), BODY)["process"].seconds, 1, stretched(5))
        url = server.on("/x", answer(503, b"", "Retry-After: 3600"), answer(200, BODY))
        fails(run("raw", url), UNREACHABLE, "503")
        equal(server.count(), 3)


@test
def pauses_grow():
    with Server() as server:
        result = run("-p", "200", "raw", server.on("/x", answer(503)))
        between(result["process"].seconds, 0.6, stretched(3))


# --- time ------------------------------------------------------------------------------------


@each({"before the head": b"", "in the head": b"HTTP/1.1 200 OK\r\n", "in the body": CUT})
def a_server_that_stalls_is_given_up(first):
    with Server() as server:
        url = server.on("/x", silent(first))
        result = fails(run("-s", "300", "raw", url), UNREACHABLE, f'"{url}"', "nothing came for 300 ms")
        between(result["process"].seconds, 0.3, stretched(3))
        equal(server.count(), 1)


@test
def a_server_that_drips_is_given_up():
    with Server() as server:
        def drip(connection):
            connection.sendall(answer(200, b"", length=10000))
            while True:
                connection.sendall(b"x")
                connection.settimeout(0.02)
                with contextlib.suppress(TimeoutError):
                    if not connection.recv(1):
                        return

        url = server.on("/x", drip)
        result = fails(run("-t", "500", "-s", "400", "raw", url), UNREACHABLE, "not finished after 500 ms")
        between(result["process"].seconds, 0.5, stretched(3))
        equal(server.count(), 1)


@test
def a_connection_that_is_not_made_is_given_up():
    with nobody_accepts() as url:
        result = fails(run("-c", "200", "raw", url), UNREACHABLE, "no connection after 200 ms (tried 3 times)")
        between(result["process"].seconds, 0.6, stretched(4))


@test
def a_handshake_that_is_not_made_is_given_up():
    with Server() as server:
        url = server.url().replace("http:", "https:")
        fails(run("-c", "200", "raw", url), UNREACHABLE, "no connection after 200 ms (tried 3 times)")


@test
def all_tries_together_have_one_limit():
    with nobody_accepts() as url:
        result = fails(run("-c", "400", "-t", "600", "-n", "100", "raw", url), UNREACHABLE)
        between(result["process"].seconds, 0.6, stretched(3))


@test
def a_fetch_is_stopped_where_it_waits():
    with Server() as server, nobody_accepts() as unaccepted:
        for words in (["raw", server.on("/x", silent())], ["raw", server.on("/y", silent(CUT))],
                      ["raw", unaccepted], ["-p", "60000", "-t", "600000", "raw", server.on("/z", answer(503))]):
            result = fails(run("-x", "5", *words), "CANCELLED", words[-1])
            between(result["process"].seconds, 0, stretched(3))


@test
def ticks_come_ten_times_a_second():
    with Server() as server:
        between(run("-s", "1000", "raw", server.on("/x", silent()))["ticks"], 8, 1000)


@each({"a body": b"Content-Length: 999999999999", "chunks": b"Transfer-Encoding: chunked"})
def a_fetch_that_keeps_libcurl_busy_without_end_is_killed_when_its_time_is_over(field):
    piece = b"10\r\n0123456789abcdef\r\n" * 50_000
    with Server(lambda path, headers: endless(b"HTTP/1.1 407 No\r\n" + field + b"\r\n\r\n", piece)) as proxy:
        result = fails(run("-t", "1000", "raw", "https://registry.example/x", env=environment(https_proxy=proxy.url(""))),
                       UNREACHABLE, "not finished after 1 s")
        between(result["process"].seconds, 1, stretched(4))


# --- too much --------------------------------------------------------------------------------


def bomb(layers):
    """A hundred million zeros, compressed |layers| times."""
    packer, piece = zlib.compressobj(9, zlib.DEFLATED, 31), bytes(1 << 20)
    data = b"".join([*(packer.compress(piece) for _ in range(100)), packer.flush()])
    for _ in range(layers - 1):
        data = gzip.compress(data)
    return answer(200, data, "Content-Encoding: " + ", ".join(["gzip"] * layers))


TOO_LONG = {
    "a byte too many": lambda: answer(200, bytes(1001)),
    "a byte too many, without a length": lambda: answer(200, bytes(1001), length=False),
    "a gigabyte, by its length": lambda: endless(answer(200, b"", length=1 << 30), bytes(1 << 16)),
    "a gigabyte that is announced and not sent": lambda: silent(answer(200, b"", length=1 << 30)),
    "no end": lambda: endless(answer(200, b"", length=False), bytes(1 << 16)),
    "a gzip bomb": lambda: bomb(1),
}


def header(text):
    return answer(200, b"x", text)


def empty_blocks(layers):
    """Many empty deflate blocks, compressed |layers| times: long work, but no output."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    blocks = b"\0\0\0\xff\xff" * 200_000
    data = packer.compress(b"\x1f\x8b\x08\0\0\0\0\0\0\3")
    data += b"".join([*(packer.compress(blocks) for _ in range(100)), packer.flush()])
    for _ in range(layers - 2):
        data = gzip.compress(data)
    return answer(200, data, "Content-Encoding: " + ", ".join(["gzip"] * layers))


ENCODED = {
    "a gzip bomb in a gzip bomb": lambda: bomb(2),
    "a gzip bomb packed five times": lambda: bomb(5),
    "nothing, packed twice": lambda: empty_blocks(2),
    "nothing, packed four times": lambda: empty_blocks(4),
    "gzip, said twice": lambda: header("Content-Encoding: gzip\r\nContent-Encoding: gzip"),
    "what was not asked for": lambda: header("Content-Encoding: deflate"),
    "a coding of the transfer": lambda: header("Transfer-Encoding: gzip, chunked"),
}


@each(ENCODED)
def a_body_that_is_encoded_in_another_way_than_asked_for_is_refused(make):
    """A few hundred bytes could keep libcurl busy for hours, so it must not begin to decode them."""
    with Server() as server:
        url = server.on("/x", make())
        result = fails(run("raw", url), INVALID)
        equal(result["text"], f'what came from "{url}" is encoded in a way that was not asked for')
        equal(server.count(), 1)
        between(result["process"].seconds, 0, stretched(5))


@each(TOO_LONG)
def a_body_that_is_too_long_is_refused(make):
    with Server() as server:
        url = server.on("/x", make())
        result = fails(run("-m", "1000", "raw", url), INVALID)
        equal(result["text"], f'what came from "{url}" is over 1000 bytes')
        equal(server.count(), 1)
        if not SANITIZED:
            between(result["process"].max_rss, 0, 60 << 20, "memory")
        between(result["process"].seconds, 0, stretched(5))


@test
def a_body_of_the_full_length_is_taken():
    with Server() as server:
        has(run("-m", "1000", "raw", server.on("/x", answer(200, bytes(1000)))), bytes(1000))
        packed = answer(200, gzip.compress(bytes(1000)), "Content-Encoding: gzip")
        has(run("-m", "1000", "raw", server.on("/x", packed)), bytes(1000))
        has(run("-m", "9000000", "raw", server.on("/x", answer(200, bytes(9000000)))), bytes(9000000))


@test
def an_error_page_without_end_is_not_read():
    with Server() as server:
        page = endless(answer(404, b"", length=False), bytes(1 << 16))
        equal(run("-m", "1000", "raw", server.on("/x", page))["status"], 404)
        page = endless(answer(404, b"", length=1 << 40), bytes(1 << 16))
        equal(run("-m", "1000", "raw", server.on("/x", page))["status"], 404)


# --- URLs ------------------------------------------------------------------------------------

RESOLVED = {
    "a name": ("http://h/r", "x.js", "http://h/r/x.js"),
    "a base with a slash": ("http://h/r/", "x.js", "http://h/r/x.js"),
    "a base without a path": ("http://h", "x.js", "http://h/x.js"),
    "a base with a query": ("http://h/r?q", "x.js", "http://h/r/x.js"),
    "a folder": ("http://h/r", "a/b/x.js?v=1", "http://h/r/a/b/x.js?v=1"),
    "dots": ("http://h/r/s", "../x.js", "http://h/r/x.js"),
    "dots over the top": ("http://h/r", "../../../x.js", "http://h/x.js"),
    "from the root": ("http://h/r", "/x.js", "http://h/x.js"),
    "another host": ("http://h/r", "//i/x.js", "http://i/x.js"),
    "a URL": ("https://h/r", "https://i/x.js", "https://i/x.js"),
    "a safer one": ("http://h/r", "https://i/x.js", "https://i/x.js"),
    "a fragment": ("http://h/r", "x.js#f", "http://h/r/x.js"),
    "a less safe one": ("https://h/r", "http://i/x.js", None),
    "a file": ("http://h/r", "file:///etc/passwd", None),
    "ftp": ("http://h/r", "ftp://h/x.js", None),
    "data": ("http://h/r", "data:text/javascript,1", None),
    "a user": ("http://h/r", "http://u@h/x.js", None),
    "a password": ("http://h/r", "//u:p@h/x.js", None),
    "a space": ("http://h/r", "a b", None),
    "a line feed": ("http://h/r", "a\nb", None),
    "not ASCII": ("http://h/r", "\u00e9", None),
    "nothing": ("http://h/r", "", None),
    "too long": ("http://h/r", "x" * 2048, None),
"a base that is not a URL": ("h/r", "x.js", None),
    "a base with a password": ("http://u:p@h/r", "x.js", None),
}


@each(RESOLVED)
def a_reference_is_resolved_or_refused(case):
    base, reference, url = case
    result = run("resolve", base, reference)
    if url:
        equal(result.get("url"), url, str(result))
    else:
        fails(result, INVALID)
        assert result["hint"], result


@each({
    "no scheme": "127.0.0.1/x", "a file": "file:///etc/hostname", "ftp": "ftp://127.0.0.1/x", "no host": "http:///x",
    "a user": "http://u@127.0.0.1/", "a password": "http://u:p@127.0.0.1/", "a space": "http://127.0.0.1/a b",
    "a tab": "http://127.0.0.1/\t", "a control": "http://127.0.0.1/\x01", "DEL": "http://127.0.0.1/\x7f",
    "not ASCII": "http://127.0.0.1/\u00e9", "too long": "http://127.0.0.1/" + "x" * 2032,
})
def an_invalid_url_is_refused_without_a_request(url):
    fails(run("raw", url), INVALID, "is not a URL that can be fetched")


@test
def the_longest_url_is_taken():
    with Server() as server:
        path = "/" + "x" * (2048 - len(server.url("/")))
        has(run("raw", server.on(path, answer(200, BODY))), BODY)


# --- redirects -------------------------------------------------------------------------------


@test
def redirects_are_followed():
    with Server() as server:
        for status in (301, 302, 303, 307, 308):
            url = server.on("/x", redirect("y#f", status))
            server.on("/y", answer(200, BODY, 'ETag: "y"'))
            result = has(run("-e", '"x"', "raw", url), BODY)
            equal([path for path, _ in server.requests[-2:]], ["/x", "/y"])
            equal([server.header("if-none-match", n) for n in (-2, -1)], ['"x"', None])
            equal(result["etag"], "", "an ETag that belongs to another URL")


@each({"a page": answer(302, b"<p>", "Location: /y"),
       "a page that is too long": answer(302, bytes(5000), "Location: /y"),
       "a page that does not come": answer(302, b"", "Location: /y", length=10),
       "a page without a length": answer(302, bytes(5000), "Location: /y", length=False)})
def a_redirect_may_have_a_page(first):
    with Server() as server:
        server.on("/y", answer(200, BODY))
        has(run("-m", "1000", "raw", server.on("/x", first)), BODY)


@test
def five_redirects_are_followed_and_six_are_not():
    with Server() as server:
        for n in range(9):
            server.on(f"/{n}", redirect(f"/{n + 1}"))
        server.on("/9", answer(200, BODY))
        has(run("raw", server.url("/4")), BODY)
        fails(run("raw", server.url("/3")), INVALID, server.url("/8"), '"/9"', "redirect")
        server.on("/round", redirect("/round"))
        fails(run("raw", server.url("/round")), INVALID, "redirect")
        equal(server.count("/round"), 6)


@each({"a file": "file:///etc/passwd", "ftp": "ftp://127.0.0.1/x", "a user": "http://u@127.0.0.1/x",
       "a script": "javascript:1", "no host": "http://", "gopher": "gopher://127.0.0.1:1/x",
       "too long": "/" + "x" * 3000})
def a_redirect_to_elsewhere_is_refused(target):
    with Server() as server:
        url = server.on("/x", redirect(target))
        fails(run("raw", url), INVALID, f'"{url}" redirects to "', target[:100], "not followed")
        equal(len(server.requests), 1)


@test
def the_cache_headers_of_a_redirect_count_too():
    with Server() as server:
        server.on("/y", answer(200, BODY, "Cache-Control: max-age=600"))
        equal(run("raw", server.on("/x", redirect("/y")))["maxAge"], -1)
        slow = answer(302, b"", "Location: /y", "Cache-Control: max-age=60")
        equal(run("raw", server.on("/x", slow))["maxAge"], 60)
        never = answer(302, b"", "Location: /y", "Cache-Control: no-store")
        equal(run("raw", server.on("/x", never))["noStore"], True)


# --- TLS -------------------------------------------------------------------------------------


@contextlib.contextmanager
def secure_servers():
    """(trusted server, server with a certificate for another host, environment with the trusted authority)"""
    need_program("openssl")
    with scratch_dir() as folder:
        certificate = make_authority(folder)
        with Server(certificate=certificate("good", "IP:127.0.0.1")) as good, \
                Server(certificate=certificate("other", "DNS:other.example")) as other:
            yield good, other, environment(SSL_CERT_FILE=os.path.join(folder, "ca.pem"))


@test
def certificates_are_verified():
    with secure_servers() as (good, other, trusting):
        url = good.on("/x", answer(200, BODY))
        has(run("raw", url, env=trusting), BODY)
        fails(run("raw", url), UNREACHABLE, f'"{url}"', "ertificate")
        contains(run("raw", url)["hint"], "SSL_CERT_FILE")
        for result in (run("raw", other.on("/x", answer(200, BODY)), env=trusting), run("raw", url)):
            assert "tried" not in fails(result, UNREACHABLE)["text"]
        equal((good.count(), other.count()), (1, 0))
        fails(run("raw", url, env=environment(SSL_CERT_FILE="/nowhere.pem")), UNREACHABLE)


@test
def a_redirect_leads_to_the_same_scheme_or_a_safer_one():
    with secure_servers() as (good, _, trusting), Server() as plain:
        good.on("/x", answer(200, BODY))
        plain.on("/x", answer(200, BODY))
        has(run("raw", good.on("/same", redirect("/x")), env=trusting), BODY)
        has(run("raw", plain.on("/safer", redirect(good.url("/x"))), env=trusting), BODY)
        down = good.on("/down", redirect(plain.url("/x")))
        fails(run("raw", down, env=trusting), INVALID, down, plain.url("/x"), "not followed")
        fails(run("raw", plain.on("/round", redirect(down)), env=trusting), INVALID, down, plain.url("/x"))
        equal(plain.count("/x"), 0)


@test
def a_connection_that_breaks_ends_nothing_but_the_try():
    with secure_servers() as (good, _, trusting), Server() as plain:
        for server in (good, plain):
            for first in (b"", CUT):
                url = server.on("/x", reset(first), reset(first), answer(200, BODY))
                has(run("raw", url, env=trusting), BODY)
                fails(run("raw", server.on("/x", reset(first)), env=trusting), UNREACHABLE, "(tried 3 times)")


@test
def plain_http_on_a_secure_port_and_the_other_way_round():
    with secure_servers() as (good, _, trusting), Server() as plain:
        fails(run("-n", "1", "-c", "500", "raw", plain.url().replace("http:", "https:"), env=trusting), UNREACHABLE)
        fails(run("-n", "1", "raw", good.url().replace("https:", "http:"), env=trusting), UNREACHABLE)


# --- the library -----------------------------------------------------------------------------


@test
def the_command_is_not_linked_with_libcurl_and_does_not_open_it():
    need_program("strace")
    for program in (CAPRUN, os.path.join(BUILD, "libcaprun.so")):
        assert "libcurl" not in Process(["ldd", program]).end().out
    with scratch_dir() as folder:
        trace = os.path.join(folder, "trace")
        watched = ["strace", "-f", "-qq", "-o", trace, "-e", "trace=open,openat"]
        equal(Process([*watched, CAPRUN, "exec", "-"], stdin=b"return 1").end().out, "1\n")
        with open(trace, encoding="utf-8") as file:
            assert "libcurl" not in file.read()
        fails(run("-n", "1", "raw", "http://127.0.0.1:1/", under=watched), UNREACHABLE)
        with open(trace, encoding="utf-8") as file:
            contains(file.read(), "libcurl.so.4")
        equal(start("-d", folder, "list", "http://x/", under=watched).end().status, 0)
        with open(trace, encoding="utf-8") as file:
            assert "libcurl" not in file.read()


@test
def without_libcurl_it_says_what_to_install():
    with scratch_dir() as folder, Server() as server:
        url = server.on("/x", answer(200, BODY))
        for name in ("libcurl.so.4", "libcurl-gnutls.so.4"):
            write_file(os.path.join(folder, name), b"")
        broken = environment(LD_LIBRARY_PATH=folder)
        for words in (["raw", url], ["resolve", url, "x"]):
            result = fails(run(*words, env=broken), "INTERNAL", "libcurl", "URLs")
            contains(result["hint"], "install libcurl4")
        os.unlink(os.path.join(folder, "libcurl-gnutls.so.4"))
        if ctypes.util.find_library("curl-gnutls"):
            has(run("raw", url, env=broken), BODY)


main()

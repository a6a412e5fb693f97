#!/usr/bin/env python3
"""bad_registry.t - broken registries: the command names the registry, ends in time, and uses little memory."""

import gzip
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import MULTIPLIER, SANITIZED, between, contains, each, equal, main, test
from registries import CODE, NAME, place
from servers import Server, answer, endless, nobody_accepts, redirect, reset, silent

FULL = NAME + ".0123abcd"
METADATA = json.dumps({"fqdn": FULL, "type": "js", "codeUrl": FULL + ".js"}).encode()
HEAD = b"HTTP/1.1 200 OK\r\n"
GIGABYTE = 1 << 30
BOMB = gzip.compress(bytes(100 << 20), 1)
UNREACHABLE, INVALID = "REGISTRY_UNREACHABLE", "METADATA_INVALID"
GOOD = answer(200, METADATA)

# the answer to /NAME, the answer to /FULL.js, the code of the error, part of the message
SERVERS = {
    "that resets": (reset(), None, UNREACHABLE, "tried 3 times"),
    "that sends half an answer": (answer(200, METADATA[:9], length=len(METADATA)), None, UNREACHABLE, "tried 3"),
    "that sends no HTTP": (b"220 mail.example ESMTP\r\n\r\n", None, UNREACHABLE, ""),
    "that is overloaded": (answer(503), None, UNREACHABLE, "503"),
    "that is broken": (answer(500), None, UNREACHABLE, "500"),
    "that wants a password": (answer(401), None, UNREACHABLE, "401"),
    "that announces a gigabyte": (silent(HEAD + b"Content-Length: %d\r\n\r\n" % GIGABYTE), None, INVALID, "1048576"),
    "that sends without end": (endless(HEAD + b"\r\n", b" " * 65536), None, INVALID, "1048576"),
    "that sends headers without end": (endless(HEAD, b"A: b\r\n" * 1000), None, INVALID, ""),
    "that sends a gzip bomb": (answer(200, BOMB, "Content-Encoding: gzip"), None, INVALID, "1048576"),
    "that redirects for ever": (redirect(f"/{NAME}"), None, INVALID, "redirect"),
    "that redirects to a file": (redirect("file:///etc/passwd"), None, INVALID, "file:"),
    "that sends a page": (answer(200, b"<html>"), None, INVALID, "line 1, column 1"),
    "that has no code": (GOOD, answer(404), "NOT_FOUND", FULL + ".js"),
    "that has code without end": (GOOD, endless(HEAD + b"\r\n", b" " * 65536), INVALID, "1048576"),
    "that sends half of the code": (GOOD, answer(200, b"return", length=60), UNREACHABLE, FULL + ".js"),
    "whose code is elsewhere": (answer(200, METADATA.replace(FULL.encode() + b".js", b"file:///etc/passwd")), None,
                                INVALID, "file:"),
}


def begin(p, url):
    return p.start(NAME, '{"text":"a"}', "--registry", url, "--json")


def failed(p, run, code, words):
    error = run.end(60).envelope["error"]
    equal((run.status, error["code"]), (6, code), error)
    contains(error["message"], words)
    assert error["hint"], error
    assert SANITIZED or run.max_rss < 64 << 20, run.max_rss
    assert not os.path.exists(p.lockfile)
    return error


def fails(p, url, code, words):
    return failed(p, begin(p, url), code, words)


@each(SERVERS)
def a_server_is_named_and_given_up(row):
    metadata, code, outcome, words = row
    with place() as p, Server() as server:
        server.on(f"/{NAME}", metadata)
        server.on(f"/{FULL}.js", code or answer(200, CODE.encode()))
        error = fails(p, server.url("/"), outcome, words)
        contains(error["message"], server.url("/"))
        server.on(f"/{NAME}", GOOD)
        server.on(f"/{FULL}.js", answer(200, CODE.encode()))
        equal(p.run(NAME, '{"text":"a"}', "--registry", server.url("/")).out, '"A"\n')


@each({"a closed port": lambda: "http://127.0.0.1:1/", "an unknown host": lambda: "http://nowhere.invalid/"})
def a_registry_that_is_not_there_is_named(url):
    with place() as p:
        fails(p, url(), UNREACHABLE, url())


@test
def servers_that_do_not_answer_in_time_are_given_up():
    with place() as p, Server() as mute, Server() as slow, nobody_accepts() as deaf:
        mute.on(f"/{NAME}", silent())
        slow.on(f"/{NAME}", silent(HEAD + b"Content-Length: 100\r\n\r\n{"))
        runs = {url: begin(p, url) for url in (mute.url("/"), slow.url("/"), deaf)}
        for url, run in runs.items():
            failed(p, run, UNREACHABLE, url)
            between(run.seconds, 4, 35 * MULTIPLIER, "seconds")


main()

#!/usr/bin/env python3
"""cache.t - the cache of fetched files on disk: used again, also offline and after crashes."""

import contextlib
import hashlib
import json
import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from fetching import BODY, CUT, INVALID, UNREACHABLE, fails, has, run, start
from harness import reap_orphans, contains, each, equal, main, need, need_program, scratch_dir, test, wait_until, write_file
from servers import Server, answer, redirect, silent


@contextlib.contextmanager
def server_and_cache():
    with Server() as server, scratch_dir() as folder:
        yield server, os.path.join(folder, "deep/cache")


def entries(cache):
    """The content of the cache: {URL: body}. Every file must be complete."""
    found = {}
    for name in os.listdir(cache) if os.path.exists(cache) else []:
        if name.endswith(".tmp"):
            continue
        with open(os.path.join(cache, name), "rb") as file:
            line, _, body = file.read().partition(b"\n")
        head = json.loads(line)
        equal(name, hashlib.sha256(f"{head['accept']}\n{head['url']}".encode()).hexdigest(), "name")
        equal((head["length"], head["sha256"]), (len(body), hashlib.sha256(body).hexdigest()), "body")
        found[head["url"]] = body
    return found


# --- what is stored --------------------------------------------------------------------------


@test
def a_fresh_entry_is_not_requested_again():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY, "Cache-Control: max-age=600"))
        has(run("-d", cache, "get", url), BODY, "net")
        equal(os.stat(cache).st_mode & 0o777, 0o700)
        has(run("-d", cache, "get", url), BODY, "kept")
        equal(server.count(), 1)
        equal(entries(cache), {url: BODY})
        has(run("-d", cache, "-a", "*/*", "get", url), BODY, "net")
        equal(server.count(), 2)


@test
def a_stale_entry_is_requested_with_its_etag():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY, 'ETag: "1"'), answer(304, b"", length=False),
                        answer(304, b"", "Cache-Control: max-age=600", length=False))
        has(run("-d", cache, "get", url), BODY, "net")
        for _ in range(3):
            has(run("-d", cache, "get", url), BODY, "kept")
        equal([server.header("if-none-match", n) for n in range(3)], [None, '"1"', '"1"'])
        equal(server.count(), 3)
        equal(entries(cache), {url: BODY})


@test
def a_changed_body_replaces_the_entry():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, b"old", 'ETag: "1"'), answer(200, b"new"), answer(200, b"newest"))
        for body in (b"old", b"new", b"newest"):
            has(run("-d", cache, "get", url), body, "net")
            equal(entries(cache), {url: body})
        equal([server.header("if-none-match", n) for n in range(3)], [None, '"1"', None])


@each({"404": answer(404), "410": answer(410), "no-store": answer(200, b"new", "Cache-Control: no-store")})
def an_answer_that_must_not_be_stored_removes_the_entry(reply):
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY), reply)
        has(run("-d", cache, "get", url), BODY, "net")
        equal(entries(cache), {url: BODY})
        equal(run("-d", cache, "get", url)["r"], 0 if reply.endswith(b"new") else 1)
        equal(entries(cache), {})


@test
def without_the_server_the_entry_is_used():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY))
        has(run("-d", cache, "get", url), BODY, "net")
        server.on("/x", answer(500))
        result = has(run("-d", cache, "get", url), BODY, "offline")
        contains(result["reason"], url, "answered 500")
        server.close()
        result = has(run("-d", cache, "get", url), BODY, "offline")
        contains(result["reason"], url, "Connection refused")
        assert "tried" not in result["reason"], result  # no retries, since the cache has a copy
        fails(run("-d", cache, "-a", "*/*", "get", url), UNREACHABLE, "Connection refused")
        fails(run("get", url), UNREACHABLE, "Connection refused")


@test
def an_answer_that_is_refused_is_not_replaced_by_an_old_one():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY), answer(200, bytes(2000)), redirect("file:///x"))
        has(run("-d", cache, "-m", "1000", "get", url), BODY, "net")
        fails(run("-d", cache, "-m", "1000", "get", url), INVALID, "over 1000 bytes")
        fails(run("-d", cache, "-m", "1000", "get", url), INVALID, "not followed")
        fails(run("-d", cache, "-x", "1", "get", server.on("/x", silent())), "CANCELLED")
        equal(entries(cache), {url: BODY})


def bend(change):
    """Returns a function that replaces a cache file by |change|(head, body)."""

    def apply(path):
        with open(path, "rb") as file:
            line, _, body = file.read().partition(b"\n")
        write_file(path, change(json.loads(line), body))

    return apply


def joined(head, body):
    return json.dumps(head).encode() + b"\n" + body


BENT = {
    "empty": lambda head, body: b"",
    "cut in the head": lambda head, body: joined(head, body)[:50],
    "cut in the body": lambda head, body: joined(head, body)[:-1],
    "longer": lambda head, body: joined(head, body) + b"x",
    "a byte of the body": lambda head, body: joined(head, b"X" + body[1:]),
    "another URL": lambda head, body: joined(head | {"url": head["url"] + "y"}, body),
    "another Accept": lambda head, body: joined(head | {"accept": "*/*"}, body),
    "another version": lambda head, body: joined(head | {"version": 2}, body),
    "no version": lambda head, body: joined({k: v for k, v in head.items() if k != "version"}, body),
    "an ETag of two lines": lambda head, body: joined(head | {"etag": "a\r\nB: c"}, body),
    "a time that is text": lambda head, body: joined(head | {"fetched": "1"}, body),
    "a time below zero": lambda head, body: joined(head | {"fetched": -1}, body),
    "a time in the future": lambda head, body: joined(head | {"fetched": head["fetched"] + 9999}, body),
    "an age over the most": lambda head, body: joined(head | {"maxAge": 10**9}, body),
    "no JSON": lambda head, body: b"{" + joined(head, body),
    "zeros": lambda head, body: bytes(len(joined(head, body))),
    "a head without end": lambda head, body: b"x" * 100000,
}


@each(BENT)
def a_file_that_is_not_right_is_fetched_again(change):
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY, "Cache-Control: max-age=600"))
        has(run("-d", cache, "get", url), BODY, "net")
        path = os.path.join(cache, os.listdir(cache)[0])
        bend(joined)(path)
        has(run("-d", cache, "get", url), BODY, "kept")
        bend(change)(path)
        has(run("-d", cache, "get", url), BODY, "net")
        has(run("-d", cache, "get", url), BODY, "kept")
        equal(entries(cache), {url: BODY})


@test
def a_directory_or_a_pipe_in_place_of_a_file_stops_nothing():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY, "Cache-Control: max-age=600"))
        has(run("-d", cache, "get", url), BODY, "net")
        path = os.path.join(cache, os.listdir(cache)[0])
        os.unlink(path)
        os.mkfifo(path)
        has(run("-d", cache, "get", url), BODY, "net")
        equal(entries(cache), {url: BODY})
        os.unlink(path)
        os.mkdir(path)
        has(run("-d", cache, "get", url), BODY, "net")


@test
def without_a_usable_cache_a_fetch_still_works():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY, "Cache-Control: max-age=600"))
        file = write_file(os.path.join(os.path.dirname(os.path.dirname(cache)), "file"), b"")
        for path in (file, file + "/below", "/proc/nowhere", "x" * 5000):
            contains(has(run("-d", path, "get", url), BODY, "net")["note"], "nothing is kept: cannot use", path[:50])
        os.makedirs(cache)
        for mode in (0o777, 0o720, 0o702):
            os.chmod(cache, mode)
            contains(has(run("-d", cache, "get", url), BODY, "net")["note"], "can be written by others", "chmod")
        equal(entries(cache), {})
        os.chmod(cache, 0o755)
        equal(has(run("-d", cache, "get", url), BODY, "net")["note"], "")
        has(run("-d", cache, "get", url), BODY, "kept")


@test
def a_cache_of_another_user_is_not_used():
    need(os.getuid() == 0, "only root can give a directory away")
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY, "Cache-Control: max-age=600"))
        os.makedirs(cache, 0o755)
        os.chown(cache, 65534, 65534)
        contains(has(run("-d", cache, "get", url), BODY, "net")["note"], "another user")
        equal(entries(cache), {})


@test
def a_cache_that_cannot_be_written_fails_nothing():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, BODY))
        need_program("strace")
        for what in ("fsync:error=ENOSPC", "rename,renameat,renameat2:error=EROFS", "getrandom:error=ENOSYS"):
            result = run("-d", cache, "get", url, under=["strace", "-qq", "-o", "/dev/null", "-e", f"inject={what}"])
            has(result, BODY, "net")
            equal(os.listdir(cache), [], what)
        has(run("-d", cache, "get", url, under=["strace", "-qq", "-o", "/dev/null"]), BODY, "net")
        equal(entries(cache), {url: BODY})


@test
def the_cache_lists_what_it_has():
    with server_and_cache() as (server, cache):
        for path in ("/r/a.b", "/r/c.d", "/s/e"):
            run("-d", cache, "get", server.on(path, answer(200, BODY)))
        write_file(os.path.join(cache, "0" * 64), b"nonsense")
        write_file(os.path.join(cache, "others"), b"")
        done = start("-d", cache, "list", server.url("/r/")).end()
        equal(sorted(done.out.split()), ["a.b", "c.d"])
        equal(start("-d", cache, "list", "http://nowhere/").end().out, "")
        equal(start("list", server.url("/r/")).end().out, "")


# --- many at once, and crashes ---------------------------------------------------------------


@test
def fifty_at_once_get_the_same_and_keep_it_once():
    with server_and_cache() as (server, cache):
        body = os.urandom(200000)
        url = server.on("/x", answer(200, body, "Cache-Control: max-age=600"))
        running = [start("-d", cache, "get", url) for _ in range(50)]
        for process in running:
            has(json.loads(process.end(60).out), body)
        equal(entries(cache), {url: body})
        equal(len(os.listdir(cache)), 1, "files")
        has(run("-d", cache, "get", url), body, "kept")


def moments(cache, url):
    """System calls at which strace kills a fetch: a sample of all, and every one while it writes to disk."""
    need_program("strace")
    with scratch_dir() as folder:
        trace = os.path.join(folder, "trace")
        has(run("-d", cache, "get", url, under=["strace", "-qq", "-o", trace]), b"new" * 5000, "net")
        with open(trace, encoding="utf-8") as file:
            calls = file.read().splitlines()
    writing = [number for number, call in enumerate(calls) if ".tmp" in call]
    assert len(writing) == 2, writing  # opened and renamed
    names = [call.partition("(")[0] for call in calls]
    return [f"{names[n]}:signal=KILL:when={names[:n + 1].count(names[n])}"
            for n in [*range(1, len(calls) - 1, len(calls) // 40), *range(writing[0] - 10, writing[1] + 10)]]


@test
def whenever_a_fetch_is_killed_the_next_one_works():
    body = b"new" * 5000
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, b"old"), answer(200, body))
        has(run("-d", cache, "get", url), b"old", "net")
        seen = set()
        for moment in moments(cache, url):
            for path in os.listdir(cache):
                os.unlink(os.path.join(cache, path))
            server.on("/x", answer(200, b"old"), answer(200, body))
            has(run("-d", cache, "get", url), b"old", "net")
            start("-d", cache, "get", url, under=["strace", "-qq", "-o", "/dev/null", "-e", f"inject={moment}"]).end()
            wait_until(lambda: not reap_orphans(), 10, "the end of its caprun-fetch")
            assert entries(cache) in ({url: b"old"}, {url: body}), entries(cache)
            seen.add((entries(cache)[url][:3], len(os.listdir(cache))))
            has(run("-d", cache, "get", url), body, "net")
            equal(entries(cache), {url: body})
        equal(seen, {(b"old", 1), (b"old", 2), (b"new", 1)}, "what was there, and how many files")


@test
def a_fetch_that_is_killed_half_way_leaves_the_old_one():
    with server_and_cache() as (server, cache):
        url = server.on("/x", answer(200, b"old"), silent(CUT), answer(200, b"new"))
        has(run("-d", cache, "get", url), b"old", "net")
        killed = start("-d", cache, "get", url)
        wait_until(lambda: server.count() == 2, 10, "the request")
        killed.send(signal.SIGKILL)
        equal(killed.end().status, -signal.SIGKILL)
        wait_until(lambda: not reap_orphans(), 10, "the end of its caprun-fetch")
        equal(entries(cache), {url: b"old"})
        has(run("-d", cache, "get", url), b"new", "net")


main()

#!/usr/bin/env python3
"""registry.t - from a capability's name to a run: directories, servers, the cache, and errors."""

import json
import os
import shutil
import signal
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from fetching import TRACED
from harness import contains, each, equal, main, need_program, reap_orphans, test, wait_until, write_file
from registries import CODE, NAME, place, serve_files, sha256
from servers import Server, answer, redirect, silent

FULL = NAME + ".0123abcd"


def fails(done, status, code, *words):
    """Requires an error with this status, this code and |words|, and no output."""
    equal((done.status, done.out), (status, ""), f"status and output, after {done.err!r}")
    contains(done.err, f"({code})", *words)
    return done


# --- directories -----------------------------------------------------------------------------


@test
def a_capability_runs_from_a_directory_and_is_pinned():
    with place() as p:
        p.publish(integrity=sha256(CODE))
        done = p.upper()
        equal((done.status, done.out, done.err), (0, '"A"\n', ""))
        pin = p.pins()[NAME]
        equal((pin["fqdn"], pin["code"]), (FULL, sha256(CODE)))
        before = os.stat(p.lockfile)
        equal(p.run("run", FULL, '{"text":"b"}', "--registry", p.registry).out, '"B"\n')
        equal(os.stat(p.lockfile).st_mtime_ns, before.st_mtime_ns, "the lockfile's time")


@test
def the_registry_comes_from_the_config_too():
    with place() as p:
        p.publish()
        p.configure(registries=["../registry"])
        equal(p.run(NAME, '{"text":"x"}').out, '"X"\n')
        below = os.path.join(p.work, "below")
        os.mkdir(below)
        done = p.run(NAME, '{"text":"x"}', "-v", cwd=below)
        equal(done.out, '"X"\n')
        contains(done.err, "work/../registry", FULL)
        equal(os.listdir(below), [])


@test
def a_name_without_a_hash_finds_the_newest():
    with place() as p:
        p.publish(NAME + ".aaaa", "return 'old'", publishedAt="2026-01-01T00:00:00Z")
        p.publish(NAME + ".bbbb", "return 'new'", publishedAt="2026-01-01T02:00:00+01:00")
        p.publish("acme.tools.text.upperx.cccc", "return 'other'", publishedAt="2027-01-01")
        equal(p.upper().out, '"new"\n')
        os.unlink(p.lockfile)
        equal(p.run(NAME + ".aaaa", "--registry", p.registry).out, '"old"\n')


@test
def two_of_the_same_time_are_an_error_that_names_both():
    with place() as p:
        p.publish(NAME + ".aaaa")
        p.publish(NAME + ".bbbb")
        fails(p.upper(), 6, "METADATA_INVALID", NAME + ".aaaa", NAME + ".bbbb", "hint:")
        equal(p.run(NAME + ".aaaa", '{"text":"a"}', "--registry", p.registry).out, '"A"\n')


@test
def the_first_registry_that_has_it_wins():
    with place() as p:
        p.publish(code="return 'second'")
        first = os.path.join(p.root, "first")
        os.mkdir(first)
        equal(p.run(NAME, "--registry", first, "--registry", p.registry).out, '"second"\n')
        shutil.copy(p.path(FULL, "json"), first)
        write_file(os.path.join(first, FULL + ".js"), "return 'first'")
        os.unlink(p.lockfile)
        equal(p.run(NAME, "--registry", first, "--registry", p.registry).out, '"first"\n')


@test
def a_missing_capability_is_reported_with_the_nearest_name():
    with place() as p:
        p.publish()
        fails(p.run("acme.tools.text.uper", "--registry", p.registry), 6, "NOT_FOUND",
              "'acme.tools.text.uper'", p.registry, f"did you mean '{NAME}'?")
        fails(p.run(NAME + ".ffff", "--registry", p.registry), 6, "NOT_FOUND", "another hash")
        fails(p.run("x.y.z.w", "--registry", p.registry), 6, "NOT_FOUND", "caprun config")
        fails(p.run(NAME), 6, "NOT_FOUND", "there is no registry", "--registry", '"registries"')
        fails(p.upper(source=os.path.join(p.root, "nowhere")), 6, "NOT_FOUND", "nowhere")
        assert not os.path.exists(p.lockfile)


@test
def metadata_without_code_is_reported():
    with place() as p:
        p.publish()
        os.unlink(p.path(FULL, "js"))
        fails(p.upper(), 6, "NOT_FOUND", FULL + ".js")


BAD_METADATA = {
    "that is no JSON": ("{", "line 1"),
    "of another capability": ({"fqdn": "acme.tools.text.lower.0123abcd", "type": "js"}, "text.lower"),
    "of another version": ({"fqdn": NAME + ".ffff", "type": "js"}, NAME + ".ffff"),
    "without a name": ({"type": "js"}, '"fqdn"'),
    "without a type": ({"fqdn": FULL}, '"type"'),
    "with an invalid tool": ({"fqdn": FULL, "type": "js", "tools": ["a:b", "c"]}, "/tools/1"),
    "with an invalid integrity": ({"fqdn": FULL, "type": "js", "integrity": "md5-0"}, "/integrity"),
    "with an invalid date": ({"fqdn": FULL, "type": "js", "publishedAt": "soon"}, "/publishedAt"),
    "of a remote server": ({"fqdn": FULL, "type": "http"}, "remote MCP server"),
}


@each(BAD_METADATA)
def bad_metadata_is_refused(row):
    fields, words = row
    with place() as p:
        p.publish()
        p.write_metadata(FULL, fields)
        fails(p.upper(), 6, "METADATA_INVALID", words)
        assert not os.path.exists(p.lockfile)


@test
def pipes_in_place_of_files_do_not_block_for_ever():
    with place() as p:
        p.publish()
        os.unlink(p.path(FULL, "js"))
        os.mkfifo(p.path(FULL, "js"))
        fails(p.upper(), 6, "NOT_FOUND", "not a regular file")
        os.unlink(p.path(FULL, "json"))
        os.mkfifo(p.path(FULL, "json"))
        fails(p.upper(), 6, "METADATA_INVALID", "not a regular file")


@test
def code_over_a_mebibyte_is_refused_and_of_a_mebibyte_runs():
    with place() as p:
        p.publish(code="return 1//".ljust((1 << 20) + 1, "x"))
        fails(p.upper(), 2, "VALIDATION_ERROR", "1048576")
        p.publish(code="return 1//".ljust(1 << 20, "x"))
        equal(p.upper().out, "1\n")


@test
def the_envelope_is_printed_on_failure_too():
    with place() as p:
        p.publish()
        done = p.run("x.y.z.w", "--registry", p.registry, "--json")
        error = done.envelope["error"]
        equal((done.status, error["type"], error["code"]), (6, "LoadError", "NOT_FOUND"))


# --- names ------------------------------------------------------------------------------------

NAMES = {
    "dots": "..", "parent": "../a.b.c", "parents": "a.b.c.../../d", "slash": "a.b.c.d/e",
    "encoded slash": "a.b.c.d%2fe", "absolute": "/a.b.c.d", "unicode dots": "a\u2024b.c.d.e",
    "full-width dots": "a.b.c\uff0ed", "letters": "a.b.c.\u00e9", "three parts": "a.b.c",
    "two parts": "a.b", "six parts": "a.b.c.d.1234.e", "empty part": "a..b.c",
    "at the start": ".a.b.c.d", "at the end": "a.b.c.d.", "a digit first": "a.b.c.1d",
    "a dash first": "a.-b.c.d", "300 characters": "a.b.c." + "d" * 300,
    "65 characters": "a.b.c." + "d" * 65, "space": "a.b.c.d ", "newline": "a.b.c.d\n",
    "tab": "a.b.\tc.d", "colon": "a.b.c:d", "hash of three": "a.b.c.d.123",
    "hash of 65": "a.b.c.d." + "a" * 65, "upper-case hash": "a.b.c.d.ABCD", "no hex": "a.b.c.d.wxyz",
    "query": "a.b.c.d?x", "escape": "a.b.c.\x1b[31m", "url": "http://a.b.c/d",
}


@each(NAMES)
def an_invalid_name_opens_nothing(name):
    need_program("strace")
    with place() as p:
        write_file(os.path.join(p.work, ".caprun.json"), "{")  # reading it would be another error
        trace = os.path.join(p.root, "trace")
        done = p.run(name, "{}", "--registry", p.registry, env=TRACED,
                     under=["strace", "-f", "-e", "trace=file,network,process", "-s", "4096", "-o", trace])
        equal((done.status, done.out), (2, ""), done.err)
        contains(done.err, "(INVALID_FQDN)", "hint:")
        assert "\x1b" not in done.err
        with open(trace, encoding="utf-8", errors="replace") as file:
            calls = file.read()
        for thing in (p.registry, ".caprun.json", "caprun.lock", "socket(AF_INET", "clone(", "clone3(", "fork("):
            lines = [line for line in calls.splitlines() if thing in line and "execve" not in line]
            equal(lines, [], f"calls about {thing}")


@test
def names_of_the_right_form_are_looked_for():
    with place() as p:
        for name in ("a.b.c.d", "_a.B-1.c_.d.0123", "a.b.c." + "d" * 64, "a.b.c.d." + "a" * 64):
            fails(p.run(name, "--registry", p.registry), 6, "NOT_FOUND")


# --- changes of code and metadata ---------------------------------------------------------------


def stops_until_accepted(p, change, *words, **more):
    equal(p.upper(**more).out, '"A"\n')
    old = p.pins()[NAME]
    change()
    done = fails(p.upper(**more), 6, "INTEGRITY_MISMATCH", f"caprun lock --accept {NAME}", *words)
    equal(p.pins()[NAME], old, "the pin")
    source = ["--registry", more.get("source") or p.registry]
    equal(p.run("lock", *source).status, 6)
    accepted = p.run("lock", "--accept", NAME, *source)
    equal(accepted.status, 0, accepted.err)
    new = p.pins()[NAME]
    for field in old:
        if old[field] != new[field] and field != "fqdn":
            contains(done.err, old[field], new[field])
    assert old != new
    equal(p.upper(**more).status, 0)
    equal(p.run("lock", *source).status, 0)


@test
def changed_code_stops_until_it_is_accepted():
    with place() as p:
        p.publish()
        stops_until_accepted(p, lambda: p.publish(code="return 'evil'"), sha256(CODE),
                             sha256("return 'evil'"))


@test
def changed_metadata_stops_until_it_is_accepted():
    with place() as p:
        p.publish(tools=[])
        stops_until_accepted(p, lambda: p.publish(tools=["shell:exec"]), "metadata")


@test
def a_new_version_stops_until_it_is_accepted():
    with place() as p:
        p.publish()
        stops_until_accepted(
            p, lambda: p.publish(NAME + ".ffff", "return 'new'", publishedAt="2027-01-01"), FULL,
            NAME + ".ffff")


@test
def a_new_description_or_order_of_fields_is_no_change():
    with place() as p:
        p.publish(tools=["a:b"], description="old")
        equal(p.upper().status, 0)
        p.write_metadata(FULL, json.dumps({"tools": ["a:b"], "type": "js", "fqdn": FULL,
                                           "description": "new"}, indent=8))
        equal(p.upper().status, 0)


@test
def code_that_is_not_what_the_metadata_promises_stops():
    with place() as p:
        p.publish(integrity=sha256(CODE + " "))
        fails(p.upper(), 6, "INTEGRITY_MISMATCH", sha256(CODE), sha256(CODE + " "), "hint:")
        assert not os.path.exists(p.lockfile)
        fails(p.run("lock", "--accept", NAME, "--registry", p.registry), 6, "INTEGRITY_MISMATCH")


@test
def a_frozen_lockfile_does_not_change():
    with place() as p:
        p.publish()
        fails(p.upper("--frozen"), 6, "INTEGRITY_MISMATCH", NAME, "--frozen", sha256(CODE))
        assert not os.path.exists(p.lockfile)
        equal(p.upper().status, 0)
        equal(p.upper("--frozen").out, '"A"\n')
        fails(p.run("lock", "--accept", NAME, "--frozen", "--registry", p.registry), 2, "USAGE")


@each({"empty": "", "torn": '{"version":1,"capab', "other": "[]", "newer": '{"version":2,"capabilities":{}}',
       "bad hash": '{"version":1,"capabilities":{"a.b.c.d":{"fqdn":"a.b.c.d","code":"x","metadata":"y"}}}'})
def a_lockfile_that_cannot_be_read_is_an_error(text):
    with place() as p:
        p.publish()
        write_file(p.lockfile, text)
        fails(p.upper(), 2, "CONFIG_ERROR", "caprun.lock", "hint:")
        fails(p.run("lock"), 2, "CONFIG_ERROR", "caprun.lock")
        fails(p.run("lock", "--accept", NAME, "--registry", p.registry), 2, "CONFIG_ERROR")
        with open(p.lockfile, encoding="utf-8") as file:
            equal(file.read(), text)


@test
def the_lock_command_shows_what_is_pinned():
    with place() as p:
        p.publish()
        contains(p.run("lock").out, "pins nothing yet")
        equal(p.upper().status, 0)
        source = ["--registry", p.registry]
        contains(p.run("lock", *source).out, "ok ", FULL, sha256(CODE))
        shown = json.loads(p.run("lock", "--json", *source).out)
        equal([(c["name"], c["state"], c["code"]) for c in shown["capabilities"]],
              [(NAME, "ok", sha256(CODE))])
        os.unlink(p.path(FULL, "json"))
        done = p.run("lock", *source)
        equal(done.status, 6)
        contains(done.out, "missing")
        fails(p.run("lock", "--accept", "text:upper", *source), 2, "USAGE", "tool")
        fails(p.run("lock", "--accept", "x", *source), 2, "INVALID_FQDN")


@test
def the_lock_command_shows_pinned_tools_too():
    with place() as p:
        empty = sha256("{}")
        write_file(p.lockfile, json.dumps({"version": 1, "capabilities": {}, "servers": {
            "files": {"read": {"sha256": empty, "definition": {}},
                      "x\n\x1b[1m": {"sha256": empty, "definition": {}}}}}))
        done = p.run("lock")
        equal((done.status, done.err), (0, ""))
        equal(done.out, f"unknown      files:read\n             tool      {empty}\n"
                        f"unknown      files:x\\n\\u001b[1m\n             tool      {empty}\n")
        shown = json.loads(p.run("lock", "--json").out)
        equal((shown["file"], shown["capabilities"]), (p.lockfile, []))
        equal(shown["servers"], [
            {"server": "files", "tool": name, "state": "unknown", "sha256": empty}
            for name in ("read", "x\n\x1b[1m")])
        p.publish()
        equal(p.upper().status, 0)  # pins, and keeps the tools
        shown = json.loads(p.run("lock", "--json", "--registry", p.registry).out)
        equal((len(shown["capabilities"]), len(shown["servers"])), (1, 2))


@test
def a_tool_that_was_changed_by_hand_stops_everything():
    with place() as p:
        p.publish()
        text = json.dumps({"version": 1, "capabilities": {}, "servers": {
            "files": {"read": {"sha256": sha256("{}"), "definition": {"title": "x"}}}}}, indent=2)
        write_file(p.lockfile, text)
        fails(p.upper(), 2, "CONFIG_ERROR", "caprun.lock:7:19: 'sha256' is not that of the 'definition'", "hint:")


@test
def two_hundred_first_runs_at_once_leave_one_lockfile():
    with place() as p:
        names = [f"acme.tools.many.n{i}" for i in range(50)]
        for name in names:
            p.publish(name + ".0123abcd", "return args.n")
        for start in range(0, 200, 40):
            started = [p.start(names[i % 50], '{"n":%d}' % i, "--registry", p.registry)
                       for i in range(start, start + 40)]
            for i, run in enumerate(started, start):
                run.end(120)
                equal((run.status, run.out), (0, f"{i}\n"), run.err)
        equal(sorted(p.pins()), sorted(names))
        equal(sorted(os.listdir(p.work)), ["caprun.lock"])


@test
def a_kill_at_any_moment_leaves_what_the_next_run_works_with():
    with place() as p:
        p.publish()
        with Server(serve_files(p.registry)) as server:
            for i in range(60):
                if os.path.exists(p.lockfile) and i % 3 == 0:
                    os.unlink(p.lockfile)
                run = p.start(NAME, '{"text":"a"}', "--registry", server.url("") if i % 2 else p.registry)
                moment = run.started + i * 0.0004
                wait_until(lambda: time.monotonic() > moment, 5, "a moment")
                run.send(signal.SIGKILL)
                run.end()
                wait_until(lambda: not reap_orphans(), 10, "the end of its workers")
            equal(p.upper(source=server.url("")).out, '"A"\n')
            equal(p.upper().out, '"A"\n')


# --- servers ------------------------------------------------------------------------------------


@test
def a_capability_runs_from_a_server_and_from_the_cache_when_it_is_gone():
    with place() as p:
        p.publish(FULL)
        with Server(serve_files(p.registry)) as server:
            equal(p.upper(source=server.url("")).out, '"A"\n')
            equal([path for path, _ in server.requests], [f"/{NAME}", f"/{FULL}.js"])
            equal(server.requests[0][1]["accept"], "application/json")
            equal(p.upper(source=server.url("")).out, '"A"\n')
            assert all("if-none-match" in headers for _, headers in server.requests[2:])
        done = p.upper(source=server.url(""))
        equal((done.status, done.out), (0, '"A"\n'))
        contains(done.err, "Connection refused", server.url(""))
        equal(p.upper("-q", source=server.url("")).err, "")
        shutil.rmtree(p.cache)
        fails(p.upper(source=server.url("")), 6, "REGISTRY_UNREACHABLE", server.url(""), "hint:")


@test
def a_changed_byte_on_the_server_stops_until_it_is_accepted():
    with place() as p:
        p.publish()
        with Server(serve_files(p.registry)) as server:
            stops_until_accepted(p, lambda: write_file(p.path(FULL, "js"), CODE + " "), sha256(CODE + " "),
                                 source=server.url(""))


@test
def a_short_name_may_be_redirected_to_the_whole_one():
    with place() as p:
        p.publish()
        files = serve_files(p.registry)

        with Server(lambda path, headers: files(path.removeprefix("/base"), headers)) as server:
            server.on(f"/base/{NAME}", redirect(f"/base/{FULL}"))
            equal(p.upper(source=server.url("/base")).out, '"A"\n')
            equal(p.upper(source=server.url("/base/")).out, '"A"\n')
            equal(p.pins()[NAME]["fqdn"], FULL)


@test
def metadata_of_another_capability_from_a_server_is_refused():
    with place() as p:
        other = "acme.tools.text.lower.0123abcd"
        p.publish(other)
        with Server() as server, open(p.path(other, "json"), "rb") as metadata:
            server.on(f"/{NAME}", answer(200, metadata.read()))
            fails(p.upper(source=server.url("")), 6, "METADATA_INVALID", "text.lower", NAME)


@test
def metadata_without_a_code_url_is_refused_from_a_server():
    with place() as p:
        p.publish(codeUrl=None)
        with Server(serve_files(p.registry)) as server:
            fails(p.upper(source=server.url("")), 6, "METADATA_INVALID", '"codeUrl"')
        equal(p.upper().out, '"A"\n')  # in a directory the code is in the file beside the metadata


@test
def a_registry_that_is_down_is_not_skipped_for_the_next():
    with place() as p:
        p.publish()
        with Server() as server:
            gone = server.url("")
        fails(p.run(NAME, '{"text":"a"}', "--registry", gone, "--registry", p.registry), 6,
              "REGISTRY_UNREACHABLE", gone)
        with Server() as server:
            equal(p.run(NAME, '{"text":"a"}', "--registry", server.url(""), "--registry", p.registry).out, '"A"\n')


@test
def an_interrupt_ends_a_fetch_with_an_envelope():
    with place() as p:
        with Server(lambda path, headers: silent()) as server:
            run = p.start(NAME, "--json", "--registry", server.url(""))
            wait_until(lambda: server.requests, 10, "the request")
            run.send(signal.SIGINT)
            run.end()
            equal((run.status, run.envelope["error"]["code"]), (130, "CANCELLED"))


# --- what a reviewer tried ------------------------------------------------------------------------


@test
def a_url_is_never_read_as_a_directory():
    with place() as p:
        p.publish()
        for url in ("https://u:pw@h/mcp", "https://b\u00fccher.example/mcp", "ftp://h/mcp"):
            shutil.copytree(p.registry, os.path.join(p.work, url))
            done = p.upper(source=url)
            equal((done.status, done.out), (2, ""), done.err)
            assert "pw" not in done.err, done.err
        shutil.copytree(p.registry, os.path.join(p.work, "https", "h"))
        equal(p.upper(source="https/h").out, '"A"\n')


@test
def a_bad_answer_does_not_replace_what_is_kept():
    with place() as p:
        p.publish(integrity=sha256(CODE))
        with Server(serve_files(p.registry)) as server:
            url = server.url("/")
            equal(p.upper(source=url).out, '"A"\n')
            for bad in (answer(200, b"<html>", "Cache-Control: max-age=99999"),
                        answer(200, b'{"fqdn":"a.b.c.d","type":"js"}', "Cache-Control: max-age=99999")):
                server.on(f"/{NAME}", bad)
                fails(p.upper(source=url), 6, "METADATA_INVALID")
            server.on(f"/{NAME}")
            server.on(f"/{FULL}.js", answer(200, b"return 2", "Cache-Control: max-age=99999"))
            fails(p.upper(source=url), 6, "INTEGRITY_MISMATCH")
        equal(p.upper(source=url).out, '"A"\n')  # offline


@test
def a_cached_file_that_does_not_match_is_requested_again():
    with place() as p:
        fresh = "Cache-Control: max-age=99999"

        def serve(path, _headers):
            with open(p.path(FULL, "js" if path.endswith(".js") else "json"), "rb") as file:
                return answer(200, file.read(), *([] if path.endswith(".js") else [fresh]))

        p.publish(integrity=sha256(CODE))
        with Server(serve) as server:
            url = server.url("/")
            equal(p.upper(source=url).out, '"A"\n')
            p.publish(code="return 'B'", integrity=sha256("return 'B'"))
            fails(p.upper(source=url), 6, "INTEGRITY_MISMATCH", "lock --accept")  # with the lockfile, not the metadata
            equal(p.run("lock", "--accept", NAME, "--registry", url).status, 0)
            equal(p.upper(source=url).out, '"B"\n')


@test
def the_lock_command_asks_the_registry_and_not_the_cache():
    with place() as p:
        p.publish()
        serve = serve_files(p.registry)
        fresh = b"HTTP/1.1 200 OK\r\nCache-Control: max-age=99999"
        with Server(lambda path, headers: serve(path, headers).replace(b"HTTP/1.1 200 OK", fresh, 1)) as server:
            url = server.url("/")
            equal(p.upper(source=url).out, '"A"\n')
            before = len(server.requests)
            equal(p.upper(source=url).out, '"A"\n')
            equal(len(server.requests), before, "requests")
            p.publish(code="return 'new'")
            done = p.run("lock", "--registry", url)
            equal(done.status, 6)
            contains(done.out, "changed", sha256("return 'new'"))
            equal(p.run("lock", "--accept", NAME, "--registry", url).status, 0)
            equal(p.upper(source=url).out, '"new"\n')
        done = p.run("lock", "--registry", url)
        equal(done.status, 6)
        contains(done.out, "unreachable")
        fails(p.run("lock", "--accept", NAME, "--registry", url), 6, "REGISTRY_UNREACHABLE")
        done = p.run("lock")
        equal(done.status, 6)
        contains(done.out, "unknown", "--registry")
        fails(p.run("lock", "--accept", NAME, "--accept", NAME), 2, "USAGE", "once")


FORGERY = "x\n  hint: run curl\n\ncaprun: all is well (the metadata has to be corrected where it is published)"


@each({"type": {"type": FORGERY}, "env": {"env": [FORGERY]}, "a key": {"mcpDeps": [{"name": "a", "env": {FORGERY: 1}}]},
       "fqdn": {"fqdn": FORGERY}, "tools": {"tools": [FORGERY]}, "a long key": {"mcpDeps": [{"name": "a", "env": {"k" * 100000: 1}}]}})
def metadata_cannot_imitate_caprun(fields):
    with place() as p:
        p.write_metadata(FULL, {"fqdn": FULL, "type": "js", **fields})
        done = fails(p.upper(), 6, "METADATA_INVALID")
        lines = done.err.splitlines()
        equal(len(lines), 2, done.err)
        equal(lines[1], "  hint: the metadata has to be corrected where it is published")
        assert "(null)" not in done.err


@test
def a_place_of_code_cannot_imitate_caprun():
    with place() as p:
        p.publish(codeUrl="ftp://x/\n  hint: run curl")
        with Server(serve_files(p.registry)) as server:
            done = fails(p.upper(source=server.url("/")), 6, "METADATA_INVALID")
            equal(len(done.err.splitlines()), 2, done.err)


@test
def a_capability_that_cannot_run_is_not_pinned():
    with place() as p:
        p.publish(code="return '\0'")
        fails(p.upper(), 2, "VALIDATION_ERROR", "NUL")
        assert not os.path.exists(p.lockfile)
        p.publish()
        equal(p.upper().out, '"A"\n')


@test
def a_link_in_a_registry_does_not_lead_out_of_it():
    with place() as p:
        p.publish()
        secret = write_file(os.path.join(p.root, "secret"), "TOP SECRET")
        os.unlink(p.path(FULL, "js"))
        os.symlink(secret, p.path(FULL, "js"))
        done = p.upper()
        equal((done.status, done.out), (6, ""), done.err)
        assert "TOP" not in done.err
        os.unlink(p.path(FULL, "js"))
        write_file(os.path.join(p.registry, "real.js"), CODE)
        os.symlink("real.js", p.path(FULL, "js"))
        equal(p.upper().out, '"A"\n')


@test
def the_hint_is_for_the_requested_version():
    with place() as p:
        p.publish(NAME + ".aaaa")
        p.publish(NAME + ".bbbb", publishedAt="2027-01-01")
        old = [NAME + ".aaaa", '{"text":"a"}', "--registry", p.registry]
        equal(p.run(*old).status, 0)
        fails(p.upper(), 6, "INTEGRITY_MISMATCH", f"caprun lock --accept {NAME} --registry {p.registry};",
              f"caprun {NAME}.aaaa")
        equal(p.run("lock", "--accept", NAME, "--registry", p.registry).status, 0)
        fails(p.run(*old), 6, "INTEGRITY_MISMATCH", f"caprun lock --accept {NAME}.aaaa --registry {p.registry};")
        equal(p.run("lock", "--accept", NAME + ".aaaa", "--registry", p.registry).status, 0)
        equal(p.run(*old).out, '"A"\n')


@test
def too_many_variables_are_an_error_with_words():
    with place() as p:
        p.publish(env=["A", "B", "C"])
        p.configure(registries=["../registry"], env={NAME: ["A", "B", "C"]})
        fails(p.run(NAME, env=dict.fromkeys("ABC", "x" * 100000)), 2, "VALIDATION_ERROR", "over 262144 bytes")
        p.publish(code="return args.env", env=["A", "A"])
        os.path.exists(p.lockfile) and os.unlink(p.lockfile)
        equal(p.run(NAME, env={"A": "x"}).out, '{"A":"x"}\n')


@test
def a_file_that_may_not_grow_is_an_error():
    with place() as p:
        p.publish()
        done = p.upper(under=["sh", "-c", '(ulimit -f 0; exec "$0" "$@" 2>&1) | cat'])
        contains(done.out, "(CONFIG_ERROR)", "File too large")
        assert os.listdir(p.work) == [], os.listdir(p.work)


@test
def a_file_s_path_is_told_from_a_name():
    with place() as p:
        for word in ("hello.js", "./hello.js", "dir/a.b.c.d"):
            fails(p.run(word), 2, "INVALID_FQDN", f"caprun exec {word}")


@test
def a_denied_call_stops_the_run_if_the_config_says_so():
    with place() as p:
        p.publish(code="try { await mcp.a.b() } catch { return 'went on' }")
        equal(p.upper().out, '"went on"\n')
        p.configure(registries=["../registry"], onDenied="stop")
        done = fails(p.run(NAME), 3, "PERMISSION_DENIED", "a:b is not in the capability's list of tools")
        equal(p.run(NAME, "--json").envelope["error"]["toolName"], "a:b", done.err)


# --- args, env and tools --------------------------------------------------------------------------


@test
def args_are_checked_against_the_schema():
    with place() as p:
        p.publish(parametersSchema={"type": "object", "required": ["text"],
                                    "properties": {"text": {"type": "string"}}})
        equal(p.upper().out, '"A"\n')
        fails(p.upper(args='{"text":1}'), 2, "VALIDATION_ERROR", "/text")
        fails(p.upper(args="{}"), 2, "VALIDATION_ERROR", '"text"')


@test
def a_schema_that_is_broken_is_the_metadata_s_fault():
    with place() as p:
        p.publish(parametersSchema={"type": "strnig"})
        fails(p.upper(), 6, "METADATA_INVALID", "/type")


CALL = """try { await mcp.%s.go({}) } catch (e) { return e.code }"""


@test
def a_call_outside_its_tools_is_denied():
    with place() as p:
        p.publish(code="return [await (async () => { %s })(), await (async () => { %s })()]"
                  % (CALL % "listed", CALL % "other"), tools=["listed:go"])
        done = p.upper("--json")
        equal(done.envelope["result"], ["RPC_ERROR", "PERMISSION_DENIED"])
        equal([c["state"] for c in done.envelope["calls"]], ["failed", "denied"])
        p.publish(NAME + ".ffff", code=CALL % "listed", publishedAt="2027-01-01")
        os.unlink(p.lockfile)
        equal(p.upper().out, '"PERMISSION_DENIED"\n')  # the metadata has an empty list of tools


@test
def variables_are_given_only_if_the_config_grants_them():
    with place() as p:
        p.publish(code="return args.env ?? null", env=["LANG_A", "SECRET", "UNSET"])
        env = {"LANG_A": "de", "SECRET": "s3cret", "OTHER": "x"}
        equal(p.upper(env=env).out, "null\n")
        p.configure(registries=["../registry"], env={NAME: ["LANG_A", "UNSET", "OTHER"]})
        equal(p.run(NAME, "{}", env=env).out, '{"LANG_A":"de"}\n')
        p.configure(registries=["../registry"], env={"acme.tools.text.lower": ["LANG_A"]})
        equal(p.run(NAME, "{}", env=env).out, "null\n")
        p.configure(registries=["../registry"], env={NAME: ["LANG_A"]})
        fails(p.run(NAME, '{"env":{}}', env=env), 2, "VALIDATION_ERROR", "env")


@test
def metadata_starts_nothing():
    need_program("strace")
    with place() as p:
        marker = os.path.join(p.root, "marker")
        p.publish(mcpDeps=[{"name": "bad", "type": "stdio", "command": "touch", "args": [marker]},
                           {"name": "far", "type": "http", "httpUrl": "http://127.0.0.1:9/"}],
                  install={"command": "touch", "args": [marker]},
                  code="try { await mcp.bad.go() } catch {} return 1", tools=["bad:go"])
        trace = os.path.join(p.root, "trace")
        under = ["strace", "-f", "-e", "trace=execve,connect", "-o", trace]
        fails(p.upper(under=under, env=TRACED), 3, "PERMISSION_DENIED", '"touch"', marker,
              '"bad": {"command": "touch"')
        with open(trace, encoding="utf-8") as file:
            lines = [line for line in file if "execve(" in line or "connect(" in line]
        equal(len([line for line in lines if "caprun" not in line]), 0, lines)
        assert not os.path.exists(marker)


@test
def a_capability_that_is_a_server_starts_nothing_by_itself():
    with place() as p:
        marker = os.path.join(p.root, "marker")
        p.publish(type="stdio", install={"command": "touch", "args": [marker], "envRequired": ["TOKEN"]})
        fails(p.upper(), 3, "PERMISSION_DENIED", "'text'", '"touch"', "TOKEN",
              '"text": {"command": "touch", "args": ')
        assert not os.path.exists(marker)


@test
def libcurl_is_opened_only_for_a_url():
    need_program("strace")
    with place() as p:
        p.publish()
        trace = os.path.join(p.root, "trace")
        under = ["strace", "-f", "-e", "trace=openat", "-o", trace]

        def opened():
            with open(trace, encoding="utf-8") as file:
                return "libcurl" in file.read()

        equal(p.upper(under=under, env=TRACED).out, '"A"\n')
        assert not opened()
        with Server(serve_files(p.registry)) as server:
            equal(p.upper(under=under, env=TRACED, source=server.url("")).out, '"A"\n')
        assert opened()


@test
def limits_of_the_config_hold_for_a_capability():
    with place() as p:
        p.publish(code="for (;;);")
        p.configure(registries=["../registry"], limits={"timeoutMs": 200})
        fails(p.run(NAME), 4, "EXECUTION_TIMEOUT", "200 ms")


@test
def names_are_listed_for_the_shell_without_a_network():
    with place() as p:
        p.publish()
        p.publish("acme.tools.text.lower.0123abcd")
        write_file(os.path.join(p.registry, "README.json"), "{}")
        equal(sorted(p.run("complete-names", "--registry", p.registry).out.split()),
              ["acme.tools.text.lower", NAME])
        with Server(serve_files(p.registry)) as server:
            equal(p.run("complete-names", "--registry", server.url("")).out, "")
            equal(p.upper(source=server.url("")).status, 0)
        equal(p.run("complete-names", "--registry", server.url("")).out, NAME + "\n")


main()

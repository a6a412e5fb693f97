#!/usr/bin/env python3
"""registry_dev.t - a registry in development: its changed code runs, and its pin is renewed with a note."""

import ctypes
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, need, test
from library import Library
from registries import NAME, place, serve_files, sha256
from servers import Server

FIRST, SECOND = "return 1", "return 2"
NOTE = f"caprun: {NAME}: the code changed ({sha256(FIRST)[7:15]} to {sha256(SECOND)[7:15]}); its pin is renewed\n"


def dev(p):
    p.configure(registries=[{"path": "../registry", "dev": True}])


def run(p, *words, **options):
    return p.run(NAME, "{}", *words, **options)


def refused(p, *words, says=()):
    """The capability has changed, and does not run; its pin stays as it is."""
    before = p.pins()
    done = run(p, *words)
    equal((done.status, done.out), (6, ""))
    contains(done.err, "INTEGRITY_MISMATCH", "the code changed", *says)
    equal(p.pins(), before)


@test
def changed_code_of_a_directory_runs_and_its_pin_is_renewed_with_a_note():
    with place() as p:
        dev(p)
        p.publish(code=FIRST)
        equal((run(p).out, run(p).err), ("1\n", ""))
        p.publish(code=SECOND)
        done = run(p)
        equal((done.status, done.out, done.err), (0, "2\n", NOTE))
        equal(p.pins()[NAME]["code"], sha256(SECOND))
        equal((run(p).out, run(p).err), ("2\n", ""))
        p.publish(code=FIRST)
        equal((run(p, "-q").err, p.pins()[NAME]["code"]), ("", sha256(FIRST)))


@test
def the_option_does_the_same_for_all_directories_that_are_given():
    with place() as p:
        p.publish(code=FIRST)
        equal(run(p, "--registry", p.registry).out, "1\n")
        p.publish(code=SECOND)
        refused(p, "--registry", p.registry)
        done = run(p, "--registry", p.registry, "--dev")
        equal((done.out, done.err), ("2\n", NOTE))
        p.configure(registries=["../registry"])
        p.publish(code=FIRST)
        refused(p)
        equal(run(p, "--dev").out, "1\n")


@test
def changed_metadata_and_a_new_version_are_named():
    with place() as p:
        dev(p)
        p.publish(code=FIRST)
        equal(run(p).status, 0)
        p.publish(code=FIRST, tools=["a:b"])
        done = run(p)
        equal(done.status, 0)
        assert re.fullmatch(rf"caprun: {NAME}: the metadata changed \([0-9a-f]{{8}} to [0-9a-f]{{8}}\); its pin is renewed\n",
                            done.err), done.err
        p.publish(NAME + ".99887766", SECOND, publishedAt="2026-02-01T00:00:00Z", tools=["a:b"])
        contains(run(p).err, "the version changed (0123abcd to 99887766), the code changed (")
        equal(p.pins()[NAME]["fqdn"], NAME + ".99887766")


@each({"an object without dev": {"path": "../registry"}, "dev is false": {"path": "../registry", "dev": False}})
def a_registry_may_be_an_object_that_is_not_in_development(registry):
    with place() as p:
        p.configure(registries=[registry])
        p.publish(code=FIRST)
        equal(run(p).out, "1\n")
        p.publish(code=SECOND)
        refused(p, says=["caprun lock --accept"])


@test
def a_frozen_lockfile_is_not_renewed():
    with place() as p:
        dev(p)
        p.publish(code=FIRST)
        equal((run(p).out, run(p, "--frozen").out), ("1\n", "1\n"))
        p.publish(code=SECOND)
        refused(p, "--frozen", says=["in development, but the lockfile is frozen"])
        done = run(p, "--frozen", "--dev")
        equal((done.status, done.out), (2, ""))
        contains(done.err, "USAGE", "--dev", "--frozen")


@each({"the directory": "", "the code": "code", "the metadata": "metadata"})
def what_others_can_write_is_not_in_development(which):
    with place() as p:
        dev(p)
        p.publish(code=FIRST)
        equal(run(p).out, "1\n")
        p.publish(code=SECOND)
        path = {"": p.registry, "code": p.path(NAME + ".0123abcd", "js"), "metadata": p.path(NAME + ".0123abcd", "json")}[which]
        mode = os.stat(path).st_mode
        os.chmod(path, mode | 0o002)
        refused(p, says=["not used as one in development", f"/{os.path.basename(path)}'", "can be written by others"])
        refused(p, "--dev")
        os.chmod(path, mode)
        equal(run(p).out, "2\n")


@each({"the directory": "", "the code": "code", "the metadata": "metadata"})
def what_belongs_to_another_user_is_not_in_development(which):
    need(os.geteuid() == 0, "only root can give files away")
    with place() as p:
        dev(p)
        p.publish(code=FIRST)
        equal(run(p).out, "1\n")
        p.publish(code=SECOND)
        path = {"": p.registry, "code": p.path(NAME + ".0123abcd", "js"), "metadata": p.path(NAME + ".0123abcd", "json")}[which]
        os.chown(path, 12345, 0)
        refused(p, says=["not used as one in development", f"/{os.path.basename(path)}'", "belongs to another user (uid 12345)"])
        os.chown(path, 0, 0)
        equal(run(p).out, "2\n")


@test
def a_registry_behind_http_is_never_in_development():
    with place() as p, Server(serve_files(p.registry)) as server:
        p.configure(registries=[server.url("/")])
        p.publish(code=FIRST)
        equal(run(p, "--dev").out, "1\n")
        p.publish(code=SECOND)
        refused(p, "--dev")
        p.configure(registries=[{"path": server.url("/"), "dev": True}])
        done = run(p)
        equal(done.status, 2)
        contains(done.err, 'CONFIG_ERROR', '"path" has to be the path of a directory, not a URL')


@test
def nothing_is_renewed_if_the_new_capability_cannot_run():
    with place() as p:
        dev(p)
        p.publish(code=FIRST)
        equal(run(p).out, "1\n")
        before = p.pins()
        p.publish(code=SECOND, mcpDeps=[{"name": "missing"}])
        done = run(p)
        equal((done.status, done.out), (3, ""))
        equal(p.pins(), before)


@test
def the_configuration_shows_it():
    with place() as p:
        p.configure(registries=[{"path": "../registry", "dev": True}, {"path": "b", "dev": False}, "https://a.example"])
        shown = json.loads(p.run("config", "--json").out)["settings"]["registries"]["value"]
        equal(shown, [{"path": f"{p.work}/../registry", "dev": True}, f"{p.work}/b", "https://a.example"])


@each({"no path": ({"dev": True}, 'needs "path"'), "a misspelt key": ({"path": "x", "deb": True}, 'did you mean "dev"?'),
       "a number": (1, "each of \"registries\" has to be a string or an object, not 1"),
       "no flag": ({"path": "x", "dev": 1}, '"dev" has to be true or false'), "an empty path": ({"path": ""}, '"path" has to be')})
def a_mistake_in_the_object_is_an_error(case):
    registry, words = case
    with place() as p:
        path = p.configure(registries=[registry])
        done = run(p)
        equal((done.status, done.out), (2, ""))
        contains(done.err, f"CONFIG_ERROR): {path}:1:", words)


@test
def the_library_understands_the_object_too():
    with place() as p:
        dev(p)
        p.publish(code=FIRST)
        for code, wanted in ((FIRST, 1), (SECOND, 2)):
            p.publish(code=code)
            with Library() as host:
                running = ctypes.c_void_p()
                equal(host.lib.caprun_set_config(host.runtime, f"{p.work}/.caprun.json".encode()), 0, host.error())
                equal(host.lib.caprun_run_new(host.runtime, ctypes.byref(running)), 0)
                equal(host.lib.caprun_run_load(running, NAME.encode()), 0, host.error())
                equal(host.lib.caprun_start(running), 0)
                equal(host.json_of(running)["result"], wanted)
        equal(p.pins()[NAME]["code"], sha256(SECOND))


main()

#!/usr/bin/env python3
"""finding.t - finding out what there is, and what it needs: list, info, tools, and notes at a run."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, test, write_file
from registries import CODE, NAME, place, serve_files
from servers import Server

WIDE = {"COLUMNS": "80"}
OTHER = "acme.tools.text.lower"


# --- variables that are wanted ---------------------------------------------------------------


def note_of(p, *words):
    return p.upper(*words).err


@test
def a_variable_that_is_not_granted_is_noted_with_the_line_to_add():
    with place() as p:
        p.publish(env=["LANG", "TOKEN", "TOKEN"])
        equal(note_of(p, "--no-input"),
              f'caprun: {NAME} wants variables that "env" in .caprun.json does not grant: LANG, TOKEN; to grant them, '
              f'put there: "{NAME}": ["LANG", "TOKEN"]\n')
        p.configure(env={NAME: ["LANG", "OTHER"]})
        err = note_of(p)
        contains(err, "does not grant: TOKEN;", f'"{NAME}": ["LANG", "OTHER", "TOKEN"]\n')
        p.configure(**json.loads("{" + f'"env": {{{err.partition("put there: ")[2]}}}' + "}"))
        equal(note_of(p), "")


@test
def the_note_is_not_shown_with_q_and_not_if_nothing_is_missing():
    with place() as p:
        p.publish(env=["TOKEN"])
        equal((p.upper("-q").out, note_of(p, "-q")), ('"A"\n', ""))
        p.publish(env=[])
        equal(p.upper("--registry", p.registry, "--frozen").err.count("wants variables"), 0)


@test
def of_many_variables_some_are_named_and_no_setting_is_cut():
    with place() as p:
        p.publish(env=[f"V{n}_{'X' * 200}" for n in range(256)])
        err = note_of(p)
        contains(err, "V0_XXX", " and 251 more\n")
        equal(err.count("\n"), 1)
        assert "put there" not in err, err


# --- caprun list -----------------------------------------------------------------------------


def listed(p, *words, status=0):
    done = p.run("list", "--json", *words)
    equal(done.status, status, done.err)
    return {row["name"]: row for row in json.loads(done.out)["capabilities"]}


@test
def the_capabilities_of_a_directory_are_a_table_in_80_columns():
    with place() as p:
        p.publish(description="Text in capital letters, and " + "more of it " * 20 + "\nA second line")
        p.publish(OTHER)
        p.configure(registries=[p.registry])
        p.run(NAME, '{"text": "a"}')
        done = p.run("list", env=WIDE)
        equal((done.status, done.err), (0, ""))
        head, titles, lower, upper = done.out.splitlines()
        equal((head, titles), (p.registry, "  name                   pinned   description"))
        equal(lower, f"  {OTHER}  no")
        equal((upper[:35], len(upper), upper[-1]), (f"  {NAME}  yes      T", 80, "…"))


@test
def several_versions_are_listed_with_their_hashes_and_a_changed_one_is_marked():
    with place() as p:
        p.publish(NAME + ".aaaa", publishedAt="2025-01-01")
        p.upper()
        p.publish(NAME + ".bbbb", publishedAt="2026-01-01")
        done = p.run("list", "--registry", p.registry)
        equal([line.split() for line in done.out.splitlines()[2:]], [[NAME + ".aaaa", "yes"], [NAME + ".bbbb", "other"]])
        write_file(p.path(NAME + ".aaaa", "js"), CODE + "+ 1")
        contains(p.run("list", "--registry", p.registry).out, NAME + ".aaaa  changed\n")


BROKEN = {
    "torn": ({"json": "{"}, "is not JSON: line 1, column 2"),
    "empty": ({"json": ""}, "is not JSON"),
    "a wrong field": ({"json": '{"fqdn": "%s", "type": "js", "tools": [7]}'}, "/tools/0: expected a string"),
    "another name": ({"json": '{"fqdn": "a.b.c.d", "type": "js"}'}, "is of another capability"),
    "no code": ({"js": None}, "is there, but"),
    "other code than promised": ({"json": '{"fqdn": "%s", "type": "js", "integrity": "sha256-' + "0" * 64 + '"}'},
                                 "is not what its metadata promises"),
    "an escape": ({"json": '{"fqdn": "%s", "type": "\\u001b[2J\\u202e"}'}, '"\\u001b[2J\\u202e"'),
}


@each(BROKEN)
def what_is_broken_is_a_row_that_says_why(row):
    files, words = row
    with place() as p:
        p.publish(OTHER, description="It is good.")
        p.publish(NAME)
        for suffix, text in files.items():
            if text is None:
                os.unlink(p.path(NAME, suffix))
            else:
                write_file(p.path(NAME, suffix), text.replace("%s", NAME))
        done = p.run("list", "--registry", p.registry, env=WIDE)
        equal(done.status, 6)
        contains(" ".join(done.out.split()), f"{NAME} broken", words, f"{OTHER} no It is good.")
        assert "\x1b" not in done.out and "\u202e" not in done.out, done.out
        row = listed(p, "--registry", p.registry, status=6)[NAME]
        assert set(row["error"]) == {"code", "message"} and "fqdn" not in row, row
        equal(p.run("list", "lower", "--registry", p.registry).status, 0)  # it is about another capability


@test
def a_file_with_a_wrong_name_is_a_row_and_other_files_are_not():
    with place() as p:
        p.publish(NAME)
        for file in ("acme.tools.upper.json", "acme.tools.upper.js", "package.json", "notes.txt", "lib.js"):
            write_file(os.path.join(p.registry, file), "{}")
        rows = listed(p, "--registry", p.registry, status=6)
        equal(sorted(rows), [NAME, "acme.tools.upper.json"])
        contains(rows["acme.tools.upper.json"]["error"]["message"], "3 parts, and needs four")


@test
def words_choose_by_name_and_description():
    with place() as p:
        p.publish(description="In CAPITAL letters")
        p.publish(OTHER, description="In small letters")
        p.configure(registries=[p.registry])
        equal(sorted(listed(p)), [OTHER, NAME])
        equal(sorted(listed(p, "letters", "capital")), [NAME])
        equal(sorted(listed(p, "text.low")), [OTHER])
        equal(listed(p, "nothing"), {})
        contains(p.run("list", "nothing").out, "nothing fits these words")


@test
def a_registry_behind_a_url_shows_what_is_cached_and_says_so():
    with place() as p, Server(serve_files(p.registry)) as server:
        url = server.url("/")
        p.publish(description="From afar.")
        p.publish(OTHER)
        done = p.run("list", "--registry", url)
        equal((done.status, done.out), (0, f"{url} (only what is cached)\n  nothing\n"))
        contains(done.err, f"{url} cannot be listed")
        equal(p.run("list", "-q", "--registry", url).err, "")
        p.upper(source=url)
        before = len(server.requests)
        row = listed(p, "--registry", url)[NAME]
        equal((row["cached"], row["pinned"], row["description"]), (True, "yes", "From afar."))
        equal(len(server.requests), before, "requests")


@test
def a_registry_that_cannot_be_read_is_said_and_the_others_are_listed():
    with place() as p:
        p.publish()
        done = p.run("list", "--registry", p.registry, "--registry", "nowhere")
        equal(done.status, 6)
        contains(done.err, "cannot open the registry", "nowhere")
        contains(done.out, NAME)
        done = p.run("list")
        equal((done.status, done.out), (0, ""))
        contains(done.err, "there is no registry")


@test
def a_list_writes_nothing_and_needs_a_lockfile_that_can_be_read():
    with place() as p:
        p.publish()
        equal(p.run("list", "--registry", p.registry).status, 0)
        equal(os.listdir(p.work), [])
        write_file(p.lockfile, "{")
        done = p.run("list", "--registry", p.registry)
        equal((done.status, done.out), (2, ""))
        contains(done.err, "CONFIG_ERROR", "caprun.lock")


main()

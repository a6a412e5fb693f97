#!/usr/bin/env python3
"""finding.t - finding out what there is, and what it needs: list, info, tools, and notes at a run."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, test, write_file
from registries import CODE, NAME, place, serve_files, sha256
from servers import Server
from tools import tools

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


# --- caprun info -----------------------------------------------------------------------------

SCHEMA = {
    "type": "object", "required": ["mode", "rows"],
    "$defs": {"node": {"properties": {"size": {"type": "integer"}, "next": {"$ref": "#/$defs/node"}}}},
    "properties": {
        "mode": {"enum": ["fast", "slow"], "description": "How to do it, and " + "more " * 30},
        "limit": {"type": ["integer", "null"], "default": 10},
        "rows": {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "string"}},
                                            "required": ["id"]}},
        "tree": {"$ref": "#/$defs/node"}, "either": {"anyOf": [{}, {}]}, "any": True}}


def info_of(p, *words, name=NAME):
    done = p.run("info", name, "--registry", p.registry, "--json", *words)
    equal(done.status, 0, done.err)
    return json.loads(done.out)


@test
def info_shows_what_a_capability_is_and_writes_nothing():
    with place() as p:
        p.publish(description="One line.\nAnother line.", tools=[])
        done = p.run("info", NAME, "--registry", p.registry, env=WIDE)
        equal((done.status, done.err, os.listdir(p.work)), (0, "", []))
        lines = done.out.splitlines()
        equal(lines[:3], [f"{NAME}.0123abcd", "  One line.", "  Another line."])
        contains(done.out, "type     js (code), published 2026-01-01T00:00:00Z\n", f"from     {p.registry}\n",
                 "pin      not pinned in caprun.lock: the first run pins it\n", f"code     {sha256(CODE)}\n",
                 "no schema: args are not checked", "none: every call is denied")
        equal(lines[-1], "it could run now")
        equal(max(map(len, lines)), 80)
        told = info_of(p)
        equal((told["fqdn"], told["pin"], told["ready"], told["missing"]), (f"{NAME}.0123abcd", "not pinned", True, []))


@test
def the_schema_is_a_table_of_properties_by_path():
    with place() as p:
        p.publish(parametersSchema=SCHEMA)
        rows = info_of(p)["args"]
        equal([(row["name"], row["type"], row["required"]) for row in rows], [
            ("mode", "one of 2", True), ("limit", "integer|null", False), ("rows", "array of object", True),
            ("rows[].id", "string", True), ("tree", "object", False), ("tree.size", "integer", False),
            ("tree.next", "object", False), ("either", "any of 2", False), ("any", "any", False)])
        equal((rows[0]["enum"], rows[1]["default"]), (["fast", "slow"], 10))
        done = p.run("info", NAME, "--registry", p.registry, env=WIDE)
        contains(done.out, "  name       type             required  default  description\n",
                 "  limit      integer|null     no        10\n", '"fast", "slow": How')
        assert max(map(len, done.out.splitlines())) <= 80, done.out


@test
def a_schema_of_any_size_is_cut():
    deep = {"type": "string"}
    for _ in range(30):
        deep = {"properties": {"a": deep}}
    with place() as p:
        for schema in ({"properties": {f"k{n}": True for n in range(1000)}}, deep,
                       {"$ref": "#"}, {"properties": {"a": {"$ref": "#/properties/a"}}}, True, {}, {"properties": {}}):
            p.publish(parametersSchema=schema)
            told = info_of(p)
            assert len(told["args"]) <= 200
            equal(told["argsCut"], "k1" in str(schema) or schema is deep)


def permissions_of(told):
    return {tool["name"]: (tool["permission"], tool.get("pattern"), tool["configured"]) for tool in told["tools"]}


@test
def each_tool_says_what_the_permissions_say_and_starts_nothing():
    permissions = {"allow": ["s:plain", "s:x/y"], "deny": ["s:a-b"]}
    with tools(permissions, s={}, other_one={}) as t:
        t.publish(tools=["s:plain", "s:a_b", "s:x_y", "other-one:z", "other_one:z", "gone:z"])
        told = info_of(t)
        equal(permissions_of(told), {
            "s:plain": ("allowed", "s:plain", True), "s:a_b": ("would ask", None, True),
            "s:x_y": ("allowed", "s:x/y", True), "other-one:z": ("would ask", None, False),
            "other_one:z": ("would ask", None, True), "gone:z": ("would ask", None, False)})
        equal((told["canStart"], told["ready"]), (True, False))
        equal(told["missing"], ["these calls would fail: s:a_b (would ask), other-one:z (no server), "
                                "other_one:z (would ask), gone:z (no server)"])
        told = info_of(t, "--deny", "s:*", "--allow", "other_one")
        equal([tool["by"] for tool in told["tools"]][::4], ["--deny s:*", "--allow other_one"])
        equal(permissions_of(told)["other_one:z"][0], "allowed")
        done = t.run("info", NAME, "--registry", t.registry, env=WIDE)
        contains(" ".join(done.out.split()), 's:plain allowed "permissions": {"allow": ["s:plain"]} of .caprun.json',
                 'gone:z would ask nothing in "permissions" allows it; its server is not in mcpServers',
                 "it could start now, but these calls would fail")
        equal((t.starts("s"), t.starts("other_one")), ([], []))
        t.publish(tools=["s:plain"])
        equal(info_of(t)["ready"], True)


@test
def a_rule_that_looks_at_the_args_is_said():
    rule = {"id": "r", "tool": "s:plain", "then": "deny", "when": {"/x": {"equals": 1}}}
    for more, looks in (({}, True), ({"for": NAME}, True), ({"for": OTHER}, False)):
        with tools({"allow": ["s"], "rules": [{**rule, **more}]}, s={}) as t:
            t.publish(tools=["s:plain", "s:a"])
            told = info_of(t)
            equal(permissions_of(told)["s:plain"][0], "allowed")
            equal([tool["looksAtArgs"] for tool in told["tools"]], [looks, False])
            out = t.run("info", NAME, "--registry", t.registry).out
            equal("a rule looks at the args" in out, looks)


@test
def what_info_calls_ready_runs_and_what_it_calls_impossible_does_not():
    with tools({"allow": ["s:echo"]}, s={}) as t:
        cases = {
            "ready": ({"tools": ["s:echo"]}, (), 0, None),
            "a server": ({"mcpDeps": [{"name": "gone", "command": "x"}]}, (), 3, "a server that it needs"),
            "frozen": ({}, ("--frozen",), 6, "--frozen forbids"),
            "remote": ({"type": "http"}, (), 6, "remote MCP server"),
        }
        for what, (metadata, words, status, missing) in cases.items():
            t.publish(code="return mcp.s.echo({})" if not status else "return 1", **metadata)
            told = info_of(t, *words)
            equal((told["canStart"], told["ready"]), (not status, not status), what)
            contains("\n".join(told["missing"]), missing or "")
            equal(t.run(NAME, "--registry", t.registry, *words).status, status, what)
            if os.path.exists(t.lockfile):
                os.unlink(t.lockfile)


@test
def a_pin_is_compared_hash_by_hash():
    with place() as p:
        p.publish()
        p.upper()
        told = info_of(p)
        equal((told["pin"], told["code"]["state"], told["metadata"]["state"]), ("same", "same", "same"))
        before = told["code"]["sha256"]
        write_file(p.path(NAME + ".0123abcd", "js"), "return 2")
        told = info_of(p)
        equal((told["pin"], told["code"]["state"], told["code"]["pinned"], told["metadata"]["state"]),
              ("changed", "changed", before, "same"))
        equal((told["canStart"], told["missing"]), (False, ["it is not what caprun.lock pins"]))
        equal(info_of(p, "--dev")["canStart"], True)
        contains(p.run("info", NAME, "--registry", p.registry).out, "changed; caprun.lock pins", f"  pinned {before}\n")
        p.publish(NAME + ".ffff", publishedAt="2027-01-01")
        equal(info_of(p)["pin"], "other version")


@test
def variables_are_granted_or_have_the_line_to_add():
    with place() as p:
        p.configure(env={NAME: ["LANG"]})
        p.publish(env=["LANG", "NO_SUCH_VARIABLE", "LANG"])
        equal(info_of(p, "-q")["variables"], [{"name": "LANG", "granted": True, "set": "LANG" in p.env},
                                        {"name": "NO_SUCH_VARIABLE", "granted": False, "set": False}])
        contains(p.run("info", NAME, "--registry", p.registry).out,
                 f'to grant them, put into "env" of .caprun.json:\n  "{NAME}": ["LANG", "NO_SUCH_VARIABLE"]\n')


@test
def untrusted_text_is_escaped():
    evil = "\x1b[2J\u202e"
    with place() as p:
        p.publish(description=f"a{evil}\ncaprun: b", parametersSchema={"properties": {f"k{evil}": {
            "type": f"t{evil}", "description": f"d{evil}", "default": f"v{evil}", "enum": [f"e{evil}"]}}})
        for out in (p.run("info", NAME, "--registry", p.registry).out, p.run("list", "--registry", p.registry).out):
            assert "\x1b" not in out and "\u202e" not in out and "\ncaprun:" not in out, out
            contains(out, "\\u001b[2J")


@test
def a_name_that_cannot_be_loaded_is_the_same_error_as_in_a_run():
    with place() as p:
        p.publish()
        for words, status, code in ((["acme.tools.text.uper"], 6, "NOT_FOUND"), (["a.b"], 2, "INVALID_FQDN"),
                                    ([], 2, "USAGE"), ([NAME, "x"], 2, "USAGE")):
            done = p.run("info", *words, "--registry", p.registry)
            equal((done.status, done.out), (status, ""))
            contains(done.err, code)
        contains(p.run("info", "files:read").err, "to see a tool: caprun tools files:read")


@test
def info_of_a_url_fetches_as_a_run_does():
    with place() as p, Server(serve_files(p.registry)) as server:
        p.publish()
        done = p.run("info", NAME, "--registry", server.url("/"), "--json")
        equal((done.status, json.loads(done.out)["offline"]), (0, False))
        server.close()
        done = p.run("info", NAME, "--registry", server.url("/"), "--json")
        equal((done.status, json.loads(done.out)["offline"]), (0, True))
        contains(done.err, "this is the cached copy")


# --- caprun tools NS:ACTION ------------------------------------------------------------------

WHOLE = {"name": "read-it", "title": "Reader\x1b[2J", "description": "Reads it.", "inputSchema": {"type": "object"},
         "outputSchema": {"type": "object", "title": "Answer"},
         "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": "x"}}
SEVERAL = {"only": True, "tools": [WHOLE, {"name": "a-b"}, {"name": "a.b"}, {"name": "a_c"}, {"name": "a-c"}]}


@test
def one_tool_is_shown_with_title_annotations_and_both_schemas():
    with tools(**{"my-s": SEVERAL, "other": {}}) as t:
        for word in ("my-s:read-it", "my_s:read_it"):
            done = t.run("tools", word)
            equal((done.status, done.err), (0, ""))
            contains(done.out, "my-s:read-it\n  Reads it.\n  title: Reader\\u001b[2J\n", '"title": "Answer"',
                     "  in the server's own words, it only reads, destroys nothing\n")
        equal(t.starts("other"), [])
        contains(t.run("tools", "my-s:a_c").out, "my-s:a_c\n")  # the exact name wins
        contains(t.run("tools", "my-s:read_it", "--json").out, '"outputSchema"')


@each({"a wrong tool": ("my-s:reed-it", "did you mean my-s:read-it?"), "no such tool": ("my-s:zzzzzz", "has no tool"),
       "a wrong server": ("my-t:read-it", "did you mean my-s:read-it?"),
       "two tools": ("my-s:a_b", 'could be "a-b" or "a.b"')})
def a_tool_that_is_not_there_has_a_near_name(case):
    word, words = case
    with tools(**{"my-s": SEVERAL}) as t:
        done = t.run("tools", word)
        equal((done.status, done.out), (6, ""))
        contains(done.err, words)


main()

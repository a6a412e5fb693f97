#!/usr/bin/env python3
"""schema.t - args are checked against the capability's schema before its code is loaded; env is added afterwards."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import MULTIPLIER, between, contains, each, equal, main, test
from library import CRASHES, Library
from look import LOOK

E_INVAL = -2
E_TOOBIG, E_STATE = -3, -5
FIT = "The args do not fit the capability's parametersSchema:\n"
BROKEN = "The capability's parametersSchema is broken:\n"


def text_of(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def run(schema, args, code="return args", **options):
    """Runs |code|. |schema| and |args| are values or JSON texts."""
    with Library() as library:
        return library.execute(code, schema=text_of(schema), args=text_of(args), **options)


def lines_of(schema, args, code="VALIDATION_ERROR", heading=FIT, **options):
    envelope = run(schema, args, **options)
    assert not envelope["success"], "it ran"
    error = envelope["error"]
    equal(error["code"], code, error["message"])
    equal((envelope["logs"], envelope["calls"], envelope["blocked"], error.get("stack")), ([], [], [], None))
    assert error["message"].startswith(heading), error["message"]
    return error["message"][len(heading):].split("\n")


def faults_of(schema):
    """The errors of a schema, without the word at the start of each line."""
    lines = lines_of(schema, "{}", "METADATA_INVALID", BROKEN)
    assert all(line.startswith("parametersSchema") for line in lines), lines
    return [line.removeprefix("parametersSchema") for line in lines]


# --- messages --------------------------------------------------------------------------------

OBJECT = {"type": "object", "properties": {"color": {}, "size": {}}, "additionalProperties": False}
SHAPES = {"oneOf": [
    {"properties": {"kind": {"const": "circle"}, "radius": {"type": "number"}}, "required": ["kind", "radius"]},
    {"properties": {"kind": {"const": "square"}, "side": {"type": "number"}}, "required": ["kind", "side"]}]}


@each({
    "type": ({"properties": {"a": {"type": "number"}}}, {"a": "x"}, '/a: expected number, got string "x"'),
    "types": ({"type": ["string", "null"]}, "1", "/: expected string or null, got number 1"),
    "three types": ({"type": ["string", "null", "array"]}, "{}", "/: expected string, null or array, got object"),
    "integer": ({"type": "integer"}, "1.5", "/: expected integer, got number 1.5"),
    "required": ({"required": ["name"]}, {}, '/: "name" is missing'),
    "minimum": ({"properties": {"items": {"items": {"properties": {"qty": {"minimum": 1}}}}}},
                {"items": [{}, {}, {}, {"qty": 0}]}, "/items/3/qty: expected at least 1, got 0"),
    "maximum": ({"maximum": 1}, "2", "/: expected at most 1, got 2"),
    "exclusiveMinimum": ({"exclusiveMinimum": 1}, "1", "/: expected more than 1, got 1"),
    "exclusiveMaximum": ({"exclusiveMaximum": 1}, "1", "/: expected less than 1, got 1"),
    "multipleOf": ({"multipleOf": 0.5}, "0.75", "/: expected a multiple of 0.5, got 0.75"),
    "minLength": ({"minLength": 2}, '"é"', '/: expected at least 2 characters, got "é"'),
    "maxLength": ({"maxLength": 1}, '"😀😀"', '/: expected at most 1 character, got "😀😀"'),
    "pattern": ({"pattern": "^a+$"}, '"b"', '/: expected what matches "^a+$", got "b"'),
    "minItems": ({"minItems": 2}, "[1]", "/: expected at least 2 items, got 1"),
    "maxItems": ({"maxItems": 1}, "[1,2]", "/: expected at most 1 item, got 2"),
    "uniqueItems": ({"uniqueItems": True}, '[1,{"a":1,"b":2},2,{"b":2,"a":1}]',
                    "/: expected items that differ, and /1 and /3 are equal"),
    "contains": ({"contains": {"type": "string"}}, "[1]", '/: expected at least 1 item as "contains" says, got 0'),
    "maxContains": ({"contains": {"type": "number"}, "maxContains": 1}, "[1,2]",
                    '/: expected at most 1 item as "contains" says, got 2'),
    "minProperties": ({"minProperties": 2}, {"a": 1}, "/: expected at least 2 properties, got 1"),
    "maxProperties": ({"maxProperties": 0}, {"a": 1}, "/: expected at most 0 properties, got 1"),
    "enum": ({"properties": {"mode": {"enum": ["fast", "slow"]}}}, {"mode": "fats"},
             '/mode: expected one of "fast", "slow", got "fats"'),
    "enum of one": ({"enum": [1]}, "2", "/: expected 1, got 2"),
    "const": ({"const": {"a": [1]}}, "{}", '/: expected {"a":[1]}, got object'),
    "not": ({"not": {"type": "string"}}, '"x"', '/: is what "not" excludes'),
    "false": ({"properties": {"a": False}}, {"a": 1}, "/a: nothing is allowed here"),
    "additionalProperties": (OBJECT, {"colour": 1}, '/: "colour" is not a known property; did you mean "color"?'),
    "additionalProperties, far off": (OBJECT, {"weight": 1}, '/: "weight" is not a known property'),
    "unevaluatedProperties": ({"$ref": "#/$defs/o", "unevaluatedProperties": False, "$defs": {
        "o": {"properties": {"a": {}}}}}, {"a": 1, "b": 2}, '/: "b" is not a known property'),
    "additionalProperties of a kind": ({"additionalProperties": {"type": "string"}}, {"a": 1},
                                       "/a: expected string, got number 1"),
    "propertyNames": ({"propertyNames": {"maxLength": 1}}, {"ab": 1},
                      '/: the name "ab": expected at most 1 character, got "ab"'),
    "propertyNames through allOf": ({"propertyNames": {"allOf": [{"$ref": "#/$defs/a"}]}, "$defs": {"a": {"pattern": "^x"}}},
                                    {"ab": 1}, '/: the name "ab": expected what matches "^x", got "ab"'),
    "dependentRequired": ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, '/: "b" is missing, and "a" needs it'),
    "prefixItems": ({"prefixItems": [{"type": "string"}], "items": False}, '["x",1]', "/1: nothing is allowed here"),
    "if and then": ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, {"a": 1}, '/: "b" is missing'),
    "anyOf types": ({"anyOf": [{"type": "string"}, {"type": ["number", "null"]}]}, "true",
                    "/: expected string, number or null, got boolean true"),
    "anyOf, one that is meant": ({"anyOf": [{"type": "string"}, {"type": "object", "required": ["a"]}]}, {},
                                 '/: "a" is missing'),
    "anyOf, none that is meant": ({"anyOf": [{"required": ["a"]}, {"properties": {"b": {"type": "null"}}}]}, {"b": 1},
                                  '/: fits none of 2 alternatives: "a" is missing; or /b: expected null, got number 1'),
    "oneOf by a constant": (SHAPES, {"kind": "square"}, '/: "side" is missing'),
    "oneOf, both": ({"oneOf": [True, {}]}, {}, "/: fits 2 of 2 alternatives, and may fit only one"),
    "allOf through a $ref": ({"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"required": ["x"]}}}, {},
                             '/: "x" is missing'),
    "a tilde and a slash": ({"additionalProperties": {"type": "null"}}, {"a/b~c": 1},
                            "/a~1b~0c: expected null, got number 1"),
    "other scripts": ({"required": ["größe"], "properties": {"色": {"type": "null"}}}, {"色": "赤", "größe": 1},
                      '/色: expected null, got string "赤"'),
    "the end of a line in a name": ({"additionalProperties": {"type": "null"}}, {"a\ncaprun: b": "c\nd"},
                                    '/a\\u000acaprun: b: expected null, got string "c\\nd"'),
    "a long text": ({"type": "null"}, json.dumps("x" * 100000), f'/: expected null, got string "{"x" * 60}…"'),
    "a cut within a character": ({"type": "null"}, json.dumps("x" + "😀" * 100),
                                 f'/: expected null, got string "x{"😀" * 29}…"'),
    "draft-07": ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}],
                  "dependencies": {"a": ["b"]}}, "[1]", "/0: expected string, got number 1"),
    "dependencies": ({"$schema": "http://json-schema.org/draft-07/schema", "dependencies": {"a": ["b"]}}, {"a": 1},
                     '/: "b" is missing, and "a" needs it'),
    "2019-09": ({"$schema": "https://json-schema.org/draft/2019-09/schema", "$recursiveAnchor": True,
                 "additionalProperties": {"$recursiveRef": "#"}, "type": "object"}, {"a": {"b": 1}},
                "/a/b: expected object, got number 1"),
    "the schema false": (False, {}, "/: nothing is allowed here"),
})
def one_thing_that_is_wrong_is_one_line(case):
    schema, args, line = case
    equal(lines_of(schema, args), [line])


@test
def all_that_is_wrong_is_said_at_once_and_once():
    schema = {"type": "object", "required": ["name"], "additionalProperties": False,
              "properties": {"a": {"type": "number"}, "b": {"allOf": [{"minimum": 3}, {"minimum": 3}]}}}
    equal(lines_of(schema, {"a": "x", "b": 1, "c": 2}),
          ['/: "name" is missing', '/: "c" is not a known property', '/a: expected number, got string "x"',
           "/b: expected at least 3, got 1"])


@test
def fifty_lines_are_enough_and_the_rest_is_counted():
    lines = lines_of({"items": {"type": "string"}}, json.dumps([1] * 3000))
    equal((len(lines), lines[49], lines[50]), (51, "/49: expected string, got number 1", "and 2950 more"))


@test
def the_message_has_a_limit_however_many_errors_there_are():
    schema = {"additionalProperties": {"type": "null"}}
    lines = lines_of(schema, json.dumps({f"{i}" + "名" * 5000: "値" * 5000 for i in range(60)}))
    equal(len(lines), 51)
    between(max(map(len, lines)), 100, 400)


@test
def a_hint_says_who_has_to_change_what():
    equal(run({"type": "null"}, {})["error"]["hint"], "change the args; the schema is in the capability's metadata")
    equal(run({"type": "nil"}, {})["error"]["hint"], "tell the capability's author")
    equal(run({"type": "nil"}, {})["error"]["type"], "LoadError")


# --- args that fit ---------------------------------------------------------------------------

@each({
    "a schema that says nothing": ("{}", {"a": [1, {"b": None}]}),
    "true": ("true", "1"),
    "unknown keywords": ({"x-widget": {"type": "nonsense"}, "title": 1}, "[]"),
    "formats are not checked": ({"format": "email"}, '"no address"'),
    "definitions": ({"$ref": "#/definitions/a", "definitions": {"a": {"type": "array"}}}, "[]"),
    "a pointer into what is no keyword": ({"$ref": "#/components/a", "components": {"a": {"type": "array"}}}, "[]"),
    "a tree": ({"$ref": "#/$defs/t", "$defs": {"t": {"properties": {"l": {"$ref": "#/$defs/t"}}}}},
               {"l": {"l": {"l": {}}}}),
    "a pattern with a property of characters": ({"pattern": r"^\p{L}+$"}, '"Größe"'),
    "names of Object.prototype": ({"properties": {"constructor": {"type": "number"}}, "required": ["toString"]},
                                  {"constructor": 1, "toString": 2}),
    "an integer with a fraction of zero": ({"type": "integer"}, "1.0"),
})
def args_that_fit_arrive_as_they_are(case):
    schema, args = case
    envelope = run(schema, args)
    assert envelope["success"], envelope["error"]
    equal(envelope["result"], json.loads(text_of(args)))


@test
def names_that_code_would_inherit_are_names_like_others():
    schema = '{"properties":{"__proto__":{"type":"string"}},"required":["__proto__"],"additionalProperties":false}'
    equal(lines_of(schema, "{}"), ['/: "__proto__" is missing'])
    equal(lines_of(schema, '{"__proto__":1}'), ["/__proto__: expected string, got number 1"])
    equal(lines_of('{"additionalProperties":false}', '{"__proto__":1,"constructor":1,"toString":1}'),
          [f'/: "{name}" is not a known property' for name in ("__proto__", "constructor", "toString")])
    equal(lines_of('{"__proto__":{"type":"string"},"type":"null"}', "{}"), ["/: expected null, got object"])
    equal(run(schema, '{"__proto__":"x"}', code="return Object.keys(args).join()")["result"], "__proto__")


# --- broken schemas --------------------------------------------------------------------------

TYPES = 'expected one of "null", "boolean", "object", "array", "number", "string", "integer"'


@each({
    "no schema": ("[]", [": expected a schema, got array"]),
    "no schema within": ({"properties": {"a": 1}}, ["/properties/a: expected a schema, got 1"]),
    "no type": ({"properties": {"a": {"type": "strin"}}}, [f'/properties/a/type: {TYPES}, got "strin"']),
    "no types": ({"type": ["string", 1]}, [f"/type/1: {TYPES}, got 1"]),
    "type is empty": ({"type": []}, ["/type: expected at least one type, got array"]),
    "properties": ({"properties": []}, ["/properties: expected object, got array"]),
    "items": ({"items": [{}]}, ["/items: expected a schema, got array"]),
    "required": ({"required": "a"}, ['/required: expected a list of strings, got "a"']),
    "anyOf": ({"anyOf": []}, ["/anyOf: expected a list of schemas, got array"]),
    "enum": ({"enum": "a"}, ['/enum: expected array, got "a"']),
    "minLength": ({"minLength": -1}, ["/minLength: expected an integer that is not negative, got -1"]),
    "minimum": ({"minimum": "1"}, ['/minimum: expected number, got "1"']),
    "multipleOf": ({"multipleOf": 0}, ["/multipleOf: expected a number over 0, got 0"]),
    "uniqueItems": ({"uniqueItems": 1}, ["/uniqueItems: expected boolean, got 1"]),
    "pattern": ({"pattern": 1}, ["/pattern: expected string, got 1"]),
    "a name with a tilde and a slash": ({"properties": {"a/b~c": 1}}, ["/properties/a~1b~0c: expected a schema, got 1"]),
    "a reference to nothing": ({"$ref": "#/$defs/a"}, ['/$ref: "#/$defs/a" leads to no schema']),
    "a reference to no schema": ({"$ref": "#/title", "title": "x"}, ['/$ref: "#/title" leads to no schema']),
    "a reference to no anchor": ({"$dynamicRef": "#a"}, ['/$dynamicRef: "#a" leads to no schema']),
    "a reference past Object.prototype": ({"$ref": "#/constructor"}, ['/$ref: "#/constructor" leads to no schema']),
    "another document": ({"$ref": "https://example.com/a"},
                         ['/$ref: "https://example.com/a" is in another document, and only this one is read']),
    "a file": ({"$ref": "file:///etc/passwd"},
               ['/$ref: "file:///etc/passwd" is in another document, and only this one is read']),
    "no URI": ({"$ref": "#%"}, ['/$ref: "#%" is not a URI']),
    "no reference": ({"$ref": 1}, ["/$ref: expected string, got 1"]),
    "an unknown dialect": ({"$schema": "http://example.com/x"}, [
        '/$schema: expected 2020-12, 2019-09 or draft-07, as in "https://json-schema.org/draft/2020-12/schema", '
        'got "http://example.com/x"']),
    "an $id twice": ({"$defs": {"a": {"$id": "x:y"}, "b": {"$id": "x:y"}}},
                     ['/$defs/b/$id: "$id" is that of another schema too']),
    "no $id": ({"$id": 1}, ["/$id: expected string, got 1"]),
    "no anchor": ({"$anchor": "#a"}, ['/$anchor: expected a name of letters, digits, -, _ and ., got "#a"']),
    "all at once": ({"type": 1, "properties": {"a": {"minimum": None}, "b": {"$ref": "#/x"}}}, [
        f"/type: {TYPES}, got 1", "/properties/a/minimum: expected number, got null",
        '/properties/b/$ref: "#/x" leads to no schema']),
    "a reference to itself": ({"$ref": "#"},
                              [": refers to itself without end, or nests deeper than can be checked"]),
    "references in a circle": ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
                               [": refers to itself without end, or nests deeper than can be checked"]),
    "as deep as JSON may be": ('{"not":' * 999 + "{}" + "}" * 999,
                               [": refers to itself without end, or nests deeper than can be checked"]),
})
def a_broken_schema_is_told_with_its_places(case):
    schema, faults = case
    equal(faults_of(schema), faults)


@each({"a pattern": {"pattern": "(["}, "a name": {"patternProperties": {"([": {}}}})
def a_broken_regular_expression_is_told(schema):
    [fault] = faults_of(schema)
    contains(fault, '"([" is not a regular expression: ')


@test
def a_deep_but_simple_schema_is_fine():
    schema, args = {"type": "string"}, "x"
    for _ in range(60):
        schema, args = {"properties": {"a": schema}}, {"a": args}
    assert run(schema, args)["success"]
    equal(len(lines_of(schema, text_of(args).replace('"x"', "1"))), 1)


@test
def args_that_are_too_deep_to_check_are_not_the_authors_fault():
    schema = {"additionalProperties": {"$ref": "#"}}
    equal(lines_of(schema, '{"a":' * 900 + "{}" + "}" * 900), ["/: nests deeper than can be checked"])
    assert run(schema, '{"a":' * 90 + "{}" + "}" * 90)["success"]


# --- hostile schemas -------------------------------------------------------------------------

TWICE = {"$ref": "#/$defs/0", "$defs": {
    **{f"{i}": {"allOf": [{"$ref": f"#/$defs/{i + 1}"}, {"$ref": f"#/$defs/{i + 1}"}]} for i in range(60)}, "60": {}}}


@each({
    "backtracking": ({"pattern": "^(a+)+$"}, json.dumps("a" * 60 + "b")),
    "twice as many schemas at each step": (TWICE, "{}"),
    "conditions within conditions": (
        {"$ref": "#/$defs/0", "$defs": {**{f"{i}": {"if": {"$ref": f"#/$defs/{i + 1}"}, "then": {}, "else": {}}
                                          for i in range(60)}, "60": {}}}, "{}"),
})
def a_schema_that_takes_long_ends_by_the_clock(case):
    schema, args = case
    envelope = run(schema, args, timeout_ms=300)
    equal(envelope["error"]["code"], "EXECUTION_TIMEOUT")
    equal(envelope["error"].get("stack"), None)
    between(envelope["metrics"]["executionTimeMs"], 290, 1000 * MULTIPLIER)


@each({
    "many schemas": json.dumps({"allOf": [{}] * 200000}),
    "many references": json.dumps({"allOf": [{"$ref": "#/$defs/a"}] * 30000, "$defs": {"a": {}}}),
    "many names": json.dumps({"properties": {f"{i}": True for i in range(60000)}}),
    "a long pattern": json.dumps({"pattern": "(a|b)?" * 100000}),
    "a long enum": json.dumps({"enum": list(range(100000))}),
    "a long $id": json.dumps({"$id": "/.." * 200000}),
})
def a_large_schema_ends_as_runs_do_and_crashes_nothing(schema):
    with Library() as library:
        for memory in (0, 4):
            envelope = library.execute("return 1", schema=schema, args="{}", timeout_ms=2000, memory_mib=memory)
            code = "SUCCESS" if envelope["success"] else envelope["error"]["code"]
            assert code in ("SUCCESS", "VALIDATION_ERROR", "METADATA_INVALID", "MEMORY_LIMIT", "EXECUTION_TIMEOUT"), envelope
        equal(library.count(CRASHES), 0)
        equal(library.execute("return 1", schema="{}", args="{}")["result"], 1)


@test
def a_schema_that_takes_too_much_memory_ends_by_it():
    schema = json.dumps({"allOf": [{"type": "object"}] * 50000})
    equal(run(schema, "{}", memory_mib=4)["error"]["code"], "MEMORY_LIMIT")


# --- what the code sees of it ----------------------------------------------------------------

@test
def code_finds_the_same_globals_with_a_schema_and_without():
    schema = '{"type":"object","properties":{"__proto__":{"polluted":1},"a":{"pattern":"^x"}},"__proto__":{"polluted":1}}'
    with Library() as library:
        with_one = library.execute(LOOK, schema=schema, args='{"a":"xy"}')["result"]
        without = library.execute(LOOK, args='{"a":"xy"}')["result"]
    equal(with_one, without)


@test
def code_that_does_not_parse_is_not_read_before_the_args_fit():
    equal(run({"type": "null"}, {}, code="this is no code")["error"]["code"], "VALIDATION_ERROR")
    equal(run({"type": "object"}, {}, code="this is no code")["error"]["code"], "CODE_ERROR")


@test
def a_run_with_a_schema_may_call_and_log_as_ever():
    with Library(lambda call: call.reply(call.args)) as library:
        envelope = library.execute("console.log('x'); return mcp.a.b(args)", schema='{"required":["n"]}', args='{"n":1}')
    equal((envelope["result"], envelope["logs"], len(envelope["calls"])), ({"n": 1}, ["x"], 1))


# --- env -------------------------------------------------------------------------------------

@test
def granted_variables_are_in_args_env_after_the_check():
    schema = {"additionalProperties": False, "properties": {"a": {}}}
    envelope = run(schema, {"a": 1}, env='{"LANG":"de","__proto__":"x"}', code="""
        args.env.more = 1;
        return [Object.keys(args), args.env.LANG, Object.hasOwn(args.env, "__proto__"), Object.keys(args.env)]""")
    equal(envelope["result"], [["a", "env"], "de", True, ["LANG", "__proto__", "more"]])
    with Library() as library:
        equal(library.execute("return args", env="{}", args="{}")["result"], {"env": {}})
        equal(library.execute("export default (args, { mcp }) => args.env.A", env='{"A":"b"}')["result"], "b")
        equal(library.execute("return 'env' in args", args="{}")["result"], False)


@each({"an env of their own": ('{"env":1}', "/env: is where granted variables go; leave it out"),
       "a list": ("[]", '/: expected object, because granted variables go into its "env"'),
       "null": ("null", '/: expected object, because granted variables go into its "env"'),
       "a text": ('"x"', '/: expected object, because granted variables go into its "env"')})
def args_that_have_no_room_for_env_do_not_fit(case):
    args, line = case
    equal(lines_of("true", args, env="{}"), [line])
    with Library() as library:
        error = library.execute("return 1", args=args, env="{}")["error"]
    equal((error["code"], error["message"]), ("VALIDATION_ERROR", f"The args have no room for granted variables:\n{line}"))


@each({"a number": '{"A":1}', "an object": '{"A":{}}', "a list": '["A"]', "a text": '"A"', "null": "null",
       "no JSON": "{A}", "a key twice": '{"A":"1","A":"2"}', "true within": '{"A":"\\"","B":true}', "blanks": "  "})
def an_env_is_an_object_of_strings(env):
    with Library() as library:
        run = library.run("return args.env")
        equal(library.set_json(run, "env", '{"kept":"1"}'), 0)
        equal(library.set_json(run, "env", env), E_INVAL)
        contains(library.error(), "env")
        equal(library.lib.caprun_start(run), 0)
        equal(json.loads(library.finish(run))["result"], {"kept": "1"})


# --- the library -----------------------------------------------------------------------------

@test
def a_schema_and_an_env_have_limits_and_can_be_taken_back():
    with Library() as library:
        run = library.run("return args")
        for name, most in {"schema": 1 << 20, "env": 256 << 10}.items():
            equal(library.set_json(run, name, "{" + " " * (most - 2) + "}"), 0)
            equal(library.set_json(run, name, "{" + " " * (most - 1) + "}"), E_TOOBIG)
            contains(library.error(), f"the {name} is over {most} bytes")
            equal(library.set_json(run, name, "{"), E_INVAL)
            contains(library.error(), f"the {name} is not acceptable JSON: ")
            equal(library.set_json(run, name, ""), 0)
        equal(library.lib.caprun_start(run), 0)
        for name in ("schema", "env"):
            equal(library.set_json(run, name, "{}"), E_STATE)
            equal(library.set_json(run, name, ""), E_STATE)
        equal(json.loads(library.finish(run))["result"], {})


main()

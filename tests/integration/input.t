#!/usr/bin/env python3
"""input.t - code and args that are refused, and similar ones that are accepted."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import caprun, check_shape, contains, each, equal, main, run_json, scratch_dir, write_file

MIB = 1 << 20
BODY = b"return 1//"
INPUTS = {
    "code of 1 MiB and a byte": (BODY.ljust(MIB + 1, b"x"), b"{}", "1048576"),
    "NUL in the code": (b"return 1\0", b"{}", "NUL"),
    "code that is not UTF-8": (b"return '\xff'", b"{}", "UTF-8"),
    "code with an encoded surrogate": (b"return '\xed\xa0\x80'", b"{}", "UTF-8"),
    "code that ends within a character": (b"return 1//\xe2\x82", b"{}", "UTF-8"),
    "args that are no JSON": (BODY, b"{a:1}", "JSON"),
    "args that end early": (BODY, b'{"a":', ""),
    "args with something after them": (BODY, b"{} {}", ""),
    "empty args": (BODY, b"", ""),
    "a key twice": (BODY, b'{"a":1,"b":{"c":1,"c":2}}', "duplicate key"),
    "a key twice, once as an escape": (BODY, b'{"a":1,"\\u0061":2}', "duplicate key"),
    "args that are not UTF-8": (BODY, b'{"a":"\xff"}', "UTF-8"),
    "args with a byte-order mark": (BODY, b"\xef\xbb\xbf{}", ""),
    "args with a control character": (BODY, b'{"a":"\x01"}', ""),
    "args with a leading zero": (BODY, b'{"a":01}', ""),
    "args with half a number": (BODY, b'{"a":1.}', ""),
    "args with a comma too many": (BODY, b'{"a":1,}', ""),
    "args with a comment": (BODY, b"{} // x", ""),
    "args with a lone surrogate": (BODY, b'{"a":"\\ud800"}', ""),
    "args with a raw NUL": (BODY, b'{"a":1}\0', ""),
    "args with an escaped NUL": (BODY, b'{"a":"\\u0000"}', "NUL"),
    "args of 100,000 levels": (BODY, b"[" * 100000 + b"]" * 100000, "deep"),
    "args over 16 MiB": (BODY, b'"' + b"x" * (16 * MIB - 1) + b'"', "16777216"),
}


def with_input(code, args):
    with scratch_dir() as directory:
        path = write_file(f"{directory}/args.json", args)
        return run_json(code, args=path)


@each(INPUTS)
def bad_input_is_a_validation_error(case):
    code, args, part = case
    envelope = with_input(code, args)
    check_shape(envelope)
    error = envelope["error"]
    equal((envelope["status"], error["type"], error["code"]), (2, "InputError", "VALIDATION_ERROR"))
    contains(error["message"], part)


@each({
    "code of 1 MiB": (BODY.ljust(MIB, b"x"), b"{}"),
    "args of 16 MiB": (b"return args.length - 16777214 + 1", b'"' + b"x" * (16 * MIB - 2) + b'"'),
    "keys that differ in case": (b"return args.id - args.ID", b'{"ID":1,"id":2}'),
    "a byte-order mark in the code": (b"return 1 //\xef\xbb\xbf", b"{}"),
    "white space around args": (b"return args.a", b' \r\n\t{"a" : 1}\n'),
    "a surrogate pair": (b"return args.length - 1", b'"\\ud83d\\ude00"'),
    "args of 100 levels": (b"return args.length", b"[" * 100 + b"]" * 100),
    "no code": (b"", b"{}"),
})
def good_input_at_the_edge_is_accepted(case):
    code, args = case
    envelope = with_input(code, args)
    assert envelope["success"], envelope["error"]
    equal(envelope["result"], 1 if code else None)


@each({"no command": [], "an unknown option": ["exec", "-", "--nope"], "no FILE": ["exec"],
       "a bad duration": ["exec", "-", "--timeout", "x"], "a missing file": ["exec", "/nonexistent"]})
def a_usage_error_has_an_envelope_too(words):
    for place in ([*words, "--json"], ["--json", *words]):
        done = caprun(*place)
        envelope = done.envelope | {"status": done.status}
        check_shape(envelope)
        equal((done.status, envelope["error"]["code"], envelope["error"]["type"]),
              (2, "USAGE", "InputError"))


main()

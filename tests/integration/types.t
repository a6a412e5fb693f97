#!/usr/bin/env python3
"""types.t - `caprun types`: what it declares is what TypeScript accepts, and nothing else."""

import json
import os
import random
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, TORTURE, Process, contains, each, equal, main, test, write_file
from tools import real_tools, tools

NPM = f"{ROOT}/build/npm/node_modules"


def declarations(t, *words):
    done = t.run("types", *words)
    equal((done.status, done.err), (0, ""))
    return done.out


def checked(t, text, code=""):
    """What tsc says of |code| with the declarations |text|."""
    write_file(f"{t.work}/mcp.d.ts", text)
    write_file(f"{t.work}/code.ts", code + "\nexport {};\n")
    done = Process(["node", f"{NPM}/typescript/bin/tsc", "--strict", "--noEmit", "--target", "esnext",
                    "mcp.d.ts", "code.ts"], env=dict(os.environ), cwd=t.work).end(120)
    return done.out


def statements(t):
    """The kinds of the statements in the declarations, and the names that they declare."""
    code = """const ts = require(process.argv[1]), fs = require("fs");
    const file = ts.createSourceFile("a.ts", fs.readFileSync("mcp.d.ts", "utf8"), 99, true);
    console.log(JSON.stringify(file.statements.map((s) => [ts.SyntaxKind[s.kind], s.name?.text ?? ""])));"""
    return json.loads(Process(["node", "-e", code, f"{NPM}/typescript"], cwd=t.work).end(60).out)


CALLS = {
    "a right call": ('const text = await mcp.filesystem.read_text_file({ path: "a", head: 3 })', ""),
    "a right call by the alias": ("await mcp.everything.get_sum({ a: 1, b: 2 })", ""),
    "the answer as it is": ('const a: unknown = await mcp.filesystem.read_text_file.raw({ path: "a" })', ""),
    "an unknown tool": ('await mcp.filesystem.read_txt_file({ path: "a" })', "'read_txt_file' does not exist"),
    "an unknown server": ("await mcp.filesystems.x()", "'filesystems' does not exist"),
    "an unknown name of an argument": ('await mcp.filesystem.read_text_file({ pth: "a" })', "'pth' does not exist"),
    "a missing argument": ("await mcp.filesystem.read_text_file({})", "Argument of type '{}' is not assignable"),
    "no args": ("await mcp.filesystem.read_text_file()", "Expected 1 arguments"),
    "an argument of another type": ("await mcp.filesystem.read_text_file({ path: 5 })", "'number' is not assignable to type 'string'"),
    "a member of another type": ('await mcp.memory.create_entities({ entities: [{ name: "a", entityType: "b", observations: [1] }] })',
                                 "'number' is not assignable to type 'string'"),
}


@test
def calls_of_real_servers_are_checked_by_tsc():
    with real_tools() as t:
        lines = [f"async () => {{ {call}; }};" for call, _ in CALLS.values()]
        said = checked(t, declarations(t), "\n".join(lines))
        for number, (name, (_, says)) in enumerate(CALLS.items(), 1):
            of_line = [line for line in said.splitlines() if line.startswith(f"code.ts({number},")]
            equal(len(of_line), 1 if says else 0, name)
            contains("".join(of_line), says)


@test
def servers_can_be_chosen_and_a_wrong_name_is_explained():
    with tools(**{"one-a": {}, "two": {}}) as t:
        text = declarations(t, "one_a", "one-a")
        equal((text.count('"one-a": {'), "two" in text), (1, False))
        done = t.run("types", "tow")
        equal(done.status, 6)
        contains(done.err, 'there is no server "tow" in mcpServers', "did you mean two?")


@test
def a_server_that_fails_is_left_out_with_a_note():
    with tools(good={}, bad={"command": "false"}) as t:
        done = t.run("types")
        equal(done.status, 1)
        contains(done.out, "good: {")
        contains(done.err, "bad is left out: ")
        equal("bad" in done.out, False)


# --- strangers' schemas ----------------------------------------------------------------------

NASTY = ["a", "b", "*/", "\u202e", "\n", "\r\n", '"', "'", "`", "${x}", "\\", "\u2028", "/*", "//", "@ts-ignore", "x y", "1a",
         "__proto__", "constructor", "é", "🎉", "};", "declare const x: 1", "/// <reference path='x'/>", "", ".", "class"]
REFERENCES = ["#", "#/$defs/a", "#/$defs/b~1", "#/properties/x", "https://e.example", "#/zz", "#/$defs/a/%"]


class Random(random.Random):
    def text(self):
        return "".join(self.choice(NASTY) for _ in range(self.randint(0, 4)))

    def leaf(self):
        return self.choice([{}, True, False, None, 5, "x", [], {"type": "string"}, {"type": ["string", "null"]}, {"const": self.text()},
                            {"enum": [self.text(), 1, None, -1e5]}, {"$ref": self.choice(REFERENCES)}, {"type": 5}, {"enum": 5},
                            {"enum": []}, {"properties": []}, {"items": 5}, {"required": "x", "type": "object"}])

    def schema(self, depth):
        if depth == 0 or self.random() < .1:
            return self.leaf()
        inner = lambda: self.schema(depth - 1)
        some = lambda most: [inner() for _ in range(self.randint(0, most))]
        parts = {
            "description": (.5, self.text), "type": (.6, lambda: self.choice(["object", "array", "string", ["object", "null"], "any"])),
            "properties": (.6, lambda: {self.text(): each for each in some(3)}), "required": (.3, lambda: [self.text(), self.text()]),
            "additionalProperties": (.3, inner), "patternProperties": (.1, lambda: {self.text(): each for each in some(2)}),
            "items": (.3, lambda: self.choice([inner(), some(2)])), "prefixItems": (.15, lambda: some(3)),
            "minItems": (.1, lambda: self.choice([0, 1, 2, -1, 1.5])), "anyOf": (.15, lambda: some(3)),
            "oneOf": (.15, lambda: some(3)), "allOf": (.15, lambda: some(3)), "nullable": (.1, lambda: True),
            "$ref": (.05, lambda: self.choice(REFERENCES)),
        }
        return {key: make() for key, (chance, make) in parts.items() if self.random() < chance}

    def of_object(self):
        schema = self.schema(3)
        return {**(schema if isinstance(schema, dict) else {}), "type": "object",
                "$defs": {"a": self.schema(2), "b/": self.schema(2)}}

    def tool(self, number):
        return {"name": f"t{number}" + self.choice(["", "-x", ".y", "/z"]), "description": self.text() * 3,
                "inputSchema": self.of_object(), "outputSchema": self.of_object()}


# A server whose list is too long for a command line: it is in a file.
SERVER = """import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif message.get("method") == "tools/list":
        with open(sys.argv[1]) as file:
            result = {"tools": json.load(file)}
    else:
        continue
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
"""


@each({f"seed {seed}": seed for seed in range(20 if TORTURE else 1)})
def no_schema_breaks_out_of_its_declaration(seed):
    chance = Random(seed)
    with tools(s={"command": sys.executable, "args": ["server.py", "tools.json"], "era": "legacy"}) as t:
        write_file(f"{t.work}/server.py", SERVER)
        write_file(f"{t.work}/tools.json", json.dumps([chance.tool(number) for number in range(200)]))
        text = declarations(t)
        equal(checked(t, text)[:400], "")
        kinds = statements(t)
        equal([kind for kind in kinds if kind[0] != "TypeAliasDeclaration"],
              [["InterfaceDeclaration", "McpTool"], ["InterfaceDeclaration", "McpToolWithoutArgs"], ["FirstStatement", ""],
               ["InterfaceDeclaration", "Mcp"]])
        equal([name for kind, name in kinds if kind == "TypeAliasDeclaration" and not name.startswith(("Args", "Answer"))], [])


main()

#!/usr/bin/env python3
"""config_schema.t - the JSON Schema that ships with caprun accepts and refuses the same configurations as caprun.

Each text below is given to both. A schema cannot express all of caprun's rules; a separate list has
the texts that only caprun refuses.
"""

import glob
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, Process, caprun, each, equal, main, need, scratch_dir, test, write_file

MODULES = os.path.join(ROOT, "build/npm-tests/node_modules")
NODE = os.path.join(MODULES, ".bin/node")
ENV = {name: value for name, value in os.environ.items() if name != "CAPRUN_CONFIG"} | {
    "TOKEN": "t", "SEARCH_KEY": "k", "URL": "https://x"}

# All keys of the contract, except the rules.
CONTRACT = """{
  "registries": ["./registry", "https://registry.example/mcp"],
  "mcpServers": {
    "filesystem": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "."],
                   "env": {"TOKEN": "${TOKEN}"}, "cwd": ".", "era": "auto", "maxConcurrent": 16,
                   "idempotent": ["read_*"]},
    "search": {"url": "https://tools.example/mcp", "headers": {"x-api-key": "${SEARCH_KEY}"}}
  },
  "routing": {"server": ["billing:*"], "cloud": {"url": "https://cloud.example/", "headers": {}}},
  "permissions": {
    "allow": ["filesystem:read_*"], "ask": ["*"], "deny": ["shell:*"],
    "rules": [{"id": "own-files", "for": "acme.tools.report.weekly", "tool": "filesystem:write_file",
               "when": {"/path": {"under": "./out"}, "/url": {"host": "*.example.com:8080"}}, "maxCalls": 20, "then": "allow"}]
  },
  "onDenied": "continue",
  "env": {"acme.tools.report.weekly": ["REPORT_LANG"]},
  "limits": {"timeoutMs": 300000, "cpuMs": 0, "rpcTimeoutMs": 30000, "memoryMB": 512, "resultBytes": 0,
             "logBytes": 0, "maxCalls": 0, "maxConcurrentCalls": 0, "maxDepth": 0},
  "pool": {"warm": 0, "maxWorkers": 0, "maxMemoryMB": 0},
  "sandbox": {"requireAllLayers": false, "freshProgram": false, "uidBase": 0},
  "record": "all",
  "audit": {"file": "./.caprun/audit.jsonl", "args": false, "off": false}
}"""


def server(**keys):
    return {"mcpServers": {"a": keys}}


def rule(**keys):
    return {"permissions": {"rules": [{"tool": "*", "then": "ask"} | keys]}}


def when(**predicates):
    return rule(when={"/a": {name.rstrip("_"): value for name, value in predicates.items()}})


RANGES = {"limits": {"timeoutMs": 2073600000, "cpuMs": 2073600000, "rpcTimeoutMs": 2073600000,
                     "memoryMB": 16384, "resultBytes": 64 << 20, "logBytes": 16 << 20,
                     "maxCalls": 100000, "maxConcurrentCalls": 1024, "maxDepth": 8},
          "pool": {"warm": 4096, "maxWorkers": 4096, "maxMemoryMB": 64 << 20},
          "sandbox": {"uidBase": (1 << 32) - 65538}}

GOOD = [
    {}, {"$schema": "x"}, {"registries": []}, {"registries": ["http://127.0.0.1:80/", "..", "a:b", "${TOKEN}"]},
    {"registries": [{"path": "x"}, {"path": "${TOKEN}/x", "dev": True}, {"path": "/x", "dev": False}]},
    {"mcpServers": {"a-B_9": {"command": "x"}, "x" * 64: {"url": "http://[::1]/"}}},
    server(command="${TOKEN}", type="stdio", args=[], env={"a b": "", "c": "$x {y}"}, cwd="${TOKEN}/x"),
    server(url="https://${TOKEN}.example/", headers={"X-_a!": "b\tc\u00e9"}, era="modern", maxConcurrent=1024),
    server(url="${URL}", disabled=False), server(url="https://x", tls={"caFile": "ca.pem"}, proxy="http://proxy:3128"), server(command="x", idempotent=["*", "a.b/c-d?"]),
    {"routing": {}}, {"routing": {"server": ["*"], "cloud": {"url": "https://x"}}},
    {"permissions": {}}, {"permissions": {"allow": ["*", "ns", "n?:*", "*:a.b/c-d", "${TOKEN}:*"], "ask": [], "deny": []}},
    {"onDenied": "stop"}, {"record": "none"}, {"record": "failed"},
    {"env": {}}, {"env": {"_a.b-c.D9.e": ["A", "_b9"]}}, RANGES,
    *({name: {key: 0}} for name, keys in RANGES.items() for key in keys),
]

GOOD += [  # rules
    rule(id="own-files", tool="filesystem:write_file", when={"/path": {"under": "./out"}}, maxCalls=20, then="allow"),
    rule(), rule(then="deny"), rule(id="a.b-c_D"), rule(maxCalls=1), rule(**{"for": "exec"}), rule(**{"for": "a.b-c.d.e"}),
    when(host="*.a.example"), when(host="[::1]:8080"), when(host="${TOKEN}.example"), when(host="127.0.0.1"), rule(rate={"calls": 1, "perMs": 1}),
    rule(when={"": {"absent": False}, "/a~0b~1c/0": {"equals": None}}), when(in_=[1, "a", [{"b": "$"}]]),
    when(equals={"a": ["${TOKEN}"]}, glob="", under="x", host="h", min=-1.5, max=1e300, absent=True),
]

BAD = [
    [], 1, None, {"permisions": {}}, {"$schema": 1}, {"registries": "x"}, {"registries": [1]}, {"registries": [""]},
    {"registries": ["ftp://x"]}, {"registries": ["https:///x"]}, {"registries": ["http://a b"]}, {"registries": ["${"]},
    {"registries": [{}]}, {"registries": [{"dev": True}]}, {"registries": [{"path": ""}]}, {"registries": [{"path": 1}]},
    {"registries": [{"path": "https://x"}]}, {"registries": [{"path": "x", "dev": 1}]}, {"registries": [{"path": "x", "d": 1}]},
    {"mcpServers": []}, {"mcpServers": {"a b": {"command": "x"}}}, {"mcpServers": {"x" * 65: {"command": "x"}}},
    {"mcpServers": {"": {"command": "x"}}}, {"mcpServers": {"a": "x"}}, server(), server(type="stdio"),
    server(command="x", url="https://x"), server(command=""), server(command=["x"]), server(command="x", args="y"),
    server(command="x", args=[1]), server(command="x", env={"A": 1}), server(command="x", env={"A=B": ""}),
    server(command="x", env={"": ""}), server(command="x", env=[]),
    {"mcpServers": {f"s{i}": {"command": "x"} for i in range(1001)}}, server(command="x", cwd=""),
    server(command="x", era="old"), server(command="x", maxConcurrent=0), server(command="x", maxConcurrent=4097),
    server(command="x", idempotent=["a b"]), server(command="x", idempotent="a"), server(command="${"),
    server(command="${}"), server(command="${env:X}"), server(command="a${B"), server(url=""), server(url="x.example"),
    server(url="https://"), server(url="https://x", headers={"a b": ""}), server(url="https://x", headers={"a": "\n"}),
    server(url="https://x", headers={"a": "\x7f"}), server(url="https://x", headers={"Content-Type": "a"}),
    server(url="https://x", headers={"mcp-name": "a"}), server(url="https://x", headers={"Proxy-Authorization": "a"}),
    server(url="https://u:p@x"), server(url="https://x#y"), server(url="https://x", tls={}), server(url="https://x", tls="ca.pem"),
    server(url="https://x", tls={"caFile": ""}), server(url="https://x", tls={"cafile": "x"}), server(url="https://x", proxy="x"), server(url="https://x", headers={"": "a"}),
    {"routing": {"client": []}}, {"routing": {"server": ["a:"]}}, {"routing": {"cloud": {}}},
    {"routing": {"cloud": {"url": "https://x", "era": "auto"}}}, {"permissions": []}, {"permissions": {"dney": []}},
    {"permissions": {"deny": "*"}}, {"permissions": {"deny": ["a b"]}}, {"permissions": {"deny": [""]}},
    {"permissions": {"deny": [":a"]}}, {"permissions": {"deny": ["a:b:c"]}}, {"permissions": {"deny": ["a.b:c"]}},
    {"permissions": {"deny": ["x" * 65]}}, {"permissions": {"deny": ["a:" + "x" * 129]}},
    {"permissions": {"rules": {}}}, {"permissions": {"rules": [{"tool": "*"}]}},
    {"permissions": {"rules": [{"then": "ask"}]}}, {"permissions": {"rules": [{"tool": "*", "then": "ask"}] * 1001}},
    rule(then="Allow"), rule(tool="a b"), rule(id=""), rule(id="a b"), rule(id="x" * 65), rule(maxCalls=0),
    rule(maxCalls=1000001), rule(rate="10/min"), rule(rate={}), rule(rate={"calls": 1}),
    rule(rate={"calls": 0, "perMs": 1}), rule(rate={"calls": 1, "perMs": 2073600001}), rule(unless={}),
    rule(when={}), rule(when={"a": {"absent": True}}), rule(when={"/~2": {"absent": True}}), rule(when={"/a": {}}),
    rule(when={"/~": {"absent": True}}), when(equal=1), when(in_=[]), when(in_=1), when(glob=1), when(under=""),
    when(host=1), when(host="https://x"), when(host="*"), rule(**{"for": "a.b.c"}), rule(**{"for": "execs"}),
    rule(then="deny", maxCalls=1), rule(then="deny", rate={"calls": 1, "perMs": 1}), when(min="1"), when(max=None), when(absent=1), when(equals=["${"]),
    {"onDenied": "halt"}, {"onDenied": True}, {"record": ""}, {"audit": ""}, {"audit": 1},
    {"audit": {"file": ""}}, {"audit": {"args": 1}}, {"audit": {"on": True}},
    {"env": {"a.b.c": []}}, {"env": {"a.b.c.d.1234": []}}, {"env": {"a.b.c.9": []}}, {"env": {"a.b.c.d": "A"}},
    {"env": {"a.b.c.d": ["9"]}}, {"env": {"a.b.c.d": ["A-B"]}}, {"env": {"a..c.d": []}},
    {"limits": []}, {"limits": {"timeout": 1}}, {"sandbox": {"freshProgram": 1}}, {"sandbox": {"requireAllLayers": "no"}},
    *({name: {key: bad}} for name, keys in RANGES.items() for key, most in keys.items()
      for bad in (most + 1, -1, 1.5, "1", None)),
]

# Errors that a schema cannot express.
CAPRUN_REFUSES = {
    "a variable that is not set": '{"audit": "${CAPRUN_TEST_UNSET}"}',
    "a variable that leads to a bad text": '{"record": "${TOKEN}"}',
    "two rules of one id": '{"permissions": {"rules": [{"id": "a", "tool": "*", "then": "ask"},'
                           ' {"id": "a", "tool": "ns", "then": "ask"}]}}',
    "two servers of one alias": '{"mcpServers": {"a-b": {"command": "x"}, "a_b": {"command": "x"}}}',
    "a whole number with a fraction": '{"limits": {"maxCalls": 1.0}}',
    "a whole number with an exponent": '{"limits": {"maxCalls": 1e2}}',
    "a key twice": '{"record": "all", "record": "all"}',
}

def judge(texts):
    """{text: None if it fits the schema, else the reason}."""
    need(os.path.exists(NODE), "there is no Node; `make test-data` gets it")
    need(os.path.exists(f"{MODULES}/ajv"), "there is no ajv; `make test-data` gets it")
    with open(f"{ROOT}/host/config/caprun.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    done = Process([NODE, f"{ROOT}/tests/node/validate.js"], env={"NODE_PATH": MODULES},
                   stdin=json.dumps({"schema": schema, "texts": texts})).end(60)
    equal((done.status, done.err), (0, ""))
    return dict(zip(texts, json.loads(done.out)))


def caprun_refuses(text):
    with scratch_dir() as folder:
        done = caprun("config", "-q", "--config", write_file(f"{folder}/c.json", text), env=ENV)
    assert done.status == 0 or "CONFIG_ERROR" in done.err, done.err
    return done.err if done.status else None


def check(texts, refused):
    wrong = []
    for text, schema in judge(texts).items():
        ours = caprun_refuses(text)
        if bool(schema) != refused or bool(ours) != refused:
            wrong.append(f"{text:.300}\n  schema: {schema}\n  caprun: {ours}")
    assert not wrong, "\n".join([f"{len(wrong)} of {len(texts)}", *wrong])


@test
def the_example_of_the_contract_fits():
    check([CONTRACT], False)


@test
def both_accept_what_is_good():
    check([json.dumps(value) for value in GOOD], False)


@test
def both_refuse_what_is_bad():
    check([json.dumps(value) for value in BAD], True)


@each(CAPRUN_REFUSES)
def caprun_refuses_more(text):
    assert caprun_refuses(text)
    equal(judge([text]), {text: None})


@test
def the_samples_fit():
    samples = sorted(glob.glob(f"{ROOT}/samples/config/*.json"))
    need(samples, "there are no samples of configurations")
    texts = []
    for path in samples:
        with open(path, encoding="utf-8") as file:
            texts.append(file.read())
    equal([why for why in judge(texts).values() if why], [])


main()

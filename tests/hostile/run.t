#!/usr/bin/env python3
"""run.t - runs every hostile file through the library. README.md describes the format of a file.

`run.t values_long_text` runs one file; `run.t reach` all files with this prefix; `run.t bridge_polluted_global/Map` one case.
Words in CAPRUN_ATTACKS do the same under prove.
"""

import ctypes
import fnmatch
import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lib"))
import harness
from harness import BUILD, SANITIZED, between, contains, equal, main, parse_envelope, stretched
from hook import hooked, use_hook
from library import Library, resident_kib

HOOKED = ("frames", "native")  # run in the test-only worker
AREAS = ("reach", "bridge", "values", "time", "memory", *HOOKED)
SECRET = "hunter2-" + os.urandom(8).hex()
CHARACTERS = {"«NUL»": "\0", "«BOM»": "\ufeff", "«CR»": "\r", "«LS»": "\u2028", "«PS»": "\u2029"}
CLOCK_SLACK_MS = 10  # how early a worker may report that its time is over
MAX_GROWTH_KIB = (512 if SANITIZED else 64) * 1024  # of this process, over all files: a few hold a result of 16 MiB
STATES = {"echo": "done", "value": "done", "fail": "failed"}
FAIL_MESSAGE = "the test refuses"
LIMITS = ("max-result", "max-log", "max-calls", "max-calls-at-once")

# The answers to tool:NAME: results of an MCP tools/call, as bytes.
PROTO = (r'{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"then":"t","toJSON":"j",'
         r'"a":1,"a":2,"negativeZero":-0,"infinite":1e999,"big":9007199254740993,"nul":"x\u0000y",'
         r'"lone":"\ud800","":0,"ls":"' + "\u2028" + r'"}')
DEEP = "[" * 900 + "]" * 900


def text_item(text):
    return json.dumps({"type": "text", "text": text})


def content(*items, **more):
    rest = "".join(f',"{name}":{value}' for name, value in more.items())
    return f'{{"content":[{",".join(items)}]{rest}}}'


TOOLS = {
    "text": content(text_item("just text")),
    "json": content(text_item('{"a":[1,{"b":null}]}')),
    "array": content(text_item("[1,2]")),
    "number": content(text_item("42")),
    "quoted": content(text_item('"quoted"')),
    "null": content(text_item("null")),
    "broken": content(text_item('{"a":')),
    "spaced": content(text_item(' \n{"a":1} ')),
    "empty_text": content(text_item("")),
    "duplicate": content(text_item('{"a":1,"a":2}')),
    "structured": content(text_item('{"from":"text"}'), structuredContent='{"from":"structured"}'),
    "structured_null": content(text_item("text"), structuredContent="null"),
    "structured_zero": content(text_item("text"), structuredContent="0"),
    "structured_array": content(structuredContent="[1]"),
    "error": content(text_item("no such row"), isError="true"),
    "error_json": content(text_item('{"reason":"r"}'), isError="true"),
    "error_structured": content(text_item("bad"), structuredContent='{"row":7}', isError="true"),
    "error_empty": content(isError="true"),
    "error_false": content(text_item("fine"), isError="false"),
    "error_text": content(text_item("fine"), isError='"true"'),
    "many": content(text_item("one"), text_item("two")),
    "image": content('{"type":"image","data":"AAAA","mimeType":"image/png"}'),
    "none": content(),
    "no_content": "{}",
    "extra": content(text_item("x"), _meta='{"k":1}', resultType='"complete"'),
    "proto": content(structuredContent=PROTO),
    "proto_text": content(text_item('{"__proto__":{"polluted":1},"then":1}')),
    "proto_result": '{"__proto__":{"isError":true,"structuredContent":{"evil":1}},"content":[]}',
    "deep": content(structuredContent=DEEP),
}
VALUES = {"proto": PROTO, "null": "null", "zero": "-0", "text": '"x"', "deep": DEEP,
          "then": '{"then":{"then":1}}', "long": json.dumps("x" * (1 << 20)), "spaced": " [1 , 2] "}


# --- files -----------------------------------------------------------------------------------


class Section:
    """One run: its options and expectations from the comments, and its code."""

    KEYS = ("expect", "expect-length", "expect-call", "expect-call-refused", "expect-call-count", "expect-blocked",
            "expect-call-denied", "expect-blocked-count", "expect-log", "args", "schema", "env", "memory", "timeout",
            "cpu", "twice", "later", "loose", "tools", *LIMITS)

    def __init__(self, kind, text):
        self.kind, self.asked = kind, {key: [] for key in self.KEYS}
        while match := re.match(rf"// ({'|'.join(self.KEYS)})(?:: (.*))?\n", text):
            self.asked[match[1]].append(match[2] or "")
            text = text[match.end():]
        for name, character in CHARACTERS.items():
            text = text.replace(name, character)
        self.code = text[:-1] if text.endswith("\n") else text
        equal(len(self.asked["expect"]), 1, "lines that begin with expect:")
        self.outcome, self.type, self.value = self._expected(self.asked["expect"][0])
        exact = self.value or self.type or self.asked["twice"] or self.asked["expect-length"]
        assert exact or self.outcome == "REFUSED", f"says too little: {self.asked['expect'][0]}"

    @staticmethod
    def _expected(line):
        match = re.fullmatch(r"([A-Z_]+)(?: ([A-Z][A-Za-z]+))?(?: ([\[{\"0-9tfn-].*))?", line)
        assert match, f"not an expectation: {line}"
        return match.groups()

    def one(self, key, otherwise=None):
        return self.asked[key][0] if self.asked[key] else otherwise


def table_of(head):
    """[{"CASE": its name, COLUMN: its text}] of the rows at the start of a file; only a table has columns."""
    columns = re.findall(r"// columns (.*)\n", head)
    names = ["CASE", *(columns[0].split(" | ") if columns else [])]
    rows = [row.split(" | ") if columns else [row] for row in re.findall(r"// with (.*)\n", head)]
    for row in rows:
        equal(len(row), len(names), f"texts of {row[0]}")
    return [dict(zip(names, row)) for row in rows]


def cases_of(path):
    """{name of the test: text} of a file: one test, or one for each `// with` line."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    name, head = os.path.basename(path)[:-len(".js")], re.match(r"(?:// columns .*\n)?(?:// with .*\n)*", text).group()
    text, table, cases = text[len(head):], table_of(head), {}
    for row in table:
        used = set(re.findall(r"\$([A-Z]+)\b", text))
        equal(used | {"CASE"}, set(row), f"columns that {name} uses")
        cases[f"{name}/{row['CASE']}"] = re.sub(r"\$([A-Z]+)\b", lambda match, row=row: row[match[1]], text)
    equal(len(cases), len(table), f"different cases of {name}")
    assert cases or "$CASE" not in text, f"{name} has $CASE and no case"
    return cases or {name: text}


def sections_of(text):
    parts = re.split(r"^// (case|twin)\n", text, flags=re.M)
    assert parts[0].startswith("// expect: "), "the first line does not say how it ends"
    sections = [Section("attack", parts[0])]
    sections += [Section(kind, text) for kind, text in zip(parts[1::2], parts[2::2])]
    twins = [s for s in sections if s.kind == "twin"]
    assert twins and all(t.outcome == "SUCCESS" for t in twins), "no twin that succeeds"
    return sections


# --- the host --------------------------------------------------------------------------------


class Host(Library):
    """One runtime, and the answers to calls. An attack and the honest run after it share this runtime."""

    def __init__(self, area):
        own = area in HOOKED
        super().__init__(self._asked, warm=2)  # each file has a separate pool
        if own:
            use_hook(self)
        self.made = hooked if own else str
        self.calls, self.waiting, self.later = [], [], False

    def _asked(self, call):
        self.calls.append(f"{call.method} {call.args.decode()}")
        if self.later:
            self.waiting.append(call)
        else:
            self._answer(call)

    @staticmethod
    def _answer(call):
        namespace, action = call.method.split(":", 1)
        if namespace == "echo":
            equal(call.reply(call.args), 0)
        elif namespace == "value":
            equal(call.reply(VALUES[action]), 0)
        elif namespace == "tool":
            equal(call.reply_tool(TOOLS[action]), 0)
        elif namespace != "never":
            equal(call.fail(FAIL_MESSAGE), 0)

    def new_run(self, code, args=None, memory=None, timeout=None, cpu=None, tools=None, limits=(), **more):
        run = self.run(self.made(code), args, int(timeout or stretched(30000)), memory_mib=int(memory or 0), **more)
        if cpu:
            equal(self.lib.caprun_run_set_cpu(run, ctypes.c_uint64(int(cpu))), 0)
        if tools is not None:
            equal(self.set_tools(run, *tools.split()), 0)
        for name, value in limits:
            equal(self.limit(run, name.removeprefix("max-").replace("-", "_"), int(value)), 0)
        return run

    def envelope_of(self, run):
        """Runs |run| to its end and frees it. Returns the envelope as text; self.calls has its calls."""
        self.calls, self.waiting = [], []
        equal(self.lib.caprun_start(run), 0)
        while not self.lib.caprun_done(run):
            self.step(1)
            while self.waiting and not self.lib.caprun_done(run):
                self._answer(self.waiting.pop())  # the last call first
        return self.finish(run)


# --- what must hold after each ---------------------------------------------------------------

POINTER = re.compile(r"\b(0x)?(7f|55|56)[0-9a-f]{10}\b|\b0x[0-9a-f]{6,}\b")
BLAME = "if the code is not hostile, this is a bug of caprun: please report it"
OURS = [SECRET, BUILD, os.path.dirname(BUILD), sys.executable, "caprun-worker", "libcaprun", "prelude",
        "caprun:"]


def tells_nothing(envelope):
    seen = json.dumps([envelope.get(k) for k in ("result", "error", "logs", "blocked", "calls")],
                      ensure_ascii=False).replace(BLAME, "")
    for word in OURS:
        assert word not in seen, f"{word!r} is seen: {seen:.400}"
    assert not (found := POINTER.search(seen)), f"an address is seen: {found[0]}"


class Watch:
    """Remembers memory, descriptors and pool after a first run, and checks that they stay the same."""

    memory = None  # after the first run of all files

    def __init__(self, host):
        self.host = host
        self.answers()
        self.descriptors = host.settled_descriptors()
        Watch.memory = Watch.memory or resident_kib()

    def answers(self):
        run = self.host.new_run("return [args.n, typeof ''.polluted]", '{"n": 7}')
        envelope = parse_envelope(self.host.envelope_of(run) + "\n")
        equal(envelope.get("result"), [7, "undefined"], str(envelope.get("error")))

    def check(self):
        self.answers()
        self.host.settle()
        self.host.has_no_more_descriptors_than(self.descriptors)
        between(resident_kib() - self.memory, -(1 << 30), MAX_GROWTH_KIB, "KiB more")


# --- one section -----------------------------------------------------------------------------


def as_seen(value):
    """A text that is equal for equal values only; in Python True == 1."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def check_end(section, envelope):
    outcome = "SUCCESS" if envelope["success"] else envelope["error"]["code"]
    what = envelope["result"] if envelope["success"] else envelope["error"]
    assert outcome == section.outcome, f"it ended with {outcome}: {what!r:.600}"
    if envelope["success"]:
        if length := section.one("expect-length"):
            equal(len(what), int(length), "length of the result")
        if section.value is not None and not section.asked["twice"]:
            equal(as_seen(envelope["result"]), as_seen(json.loads(section.value)), "result")
        return
    if section.type:
        equal(what["type"], section.type, "type")
    if section.value:
        contains(what["message"], json.loads(section.value))


def check_limits(section, envelope):
    """A limit must be neither early nor late, and the reported memory must be what the host measured."""
    metrics = envelope["metrics"]
    if section.outcome == "EXECUTION_TIMEOUT":
        limit = int(section.one("timeout"))
        between(metrics["executionTimeMs"], limit - CLOCK_SLACK_MS, limit + stretched(2000), "executionTimeMs")
    if section.outcome == "CPU_TIMEOUT":
        limit = int(section.one("cpu"))
        between(metrics["cpuTimeMs"], limit - 0.1, limit + stretched(500), "cpuTimeMs")
    if section.outcome == "MEMORY_LIMIT" and section.one("memory"):
        between(metrics["memoryUsedMB"], 0.1, int(section.one("memory")) + 8, "memoryUsedMB")


def check_blocked(section, envelope):
    if count := section.one("expect-blocked-count"):
        if count != "any":
            equal(len(envelope["blocked"]), int(count), "entries of blocked")
        return
    got = [(b["api"], b["access"], b.get("target") or "-") for b in envelope["blocked"]]
    wanted = [tuple(line.split(" ", 2)) for line in section.asked["expect-blocked"]]
    same = len(got) == len(wanted) and all(
        g[:2] == w[:2] and fnmatch.fnmatchcase(g[2], w[2]) for g, w in zip(got, wanted))
    assert same, f"blocked: got {got}, wanted {wanted}"


def check_logs(section, envelope):
    lines = iter(envelope["logs"])
    for text in section.asked["expect-log"]:
        parts = text.split(" … ")
        assert any(all(p in line for p in parts) for line in lines), f"{text!r} is not in the log {envelope['logs']!r:.400}"


def check_calls(section, calls, envelope):
    count = section.one("expect-call-count")
    if count == "any":
        return
    if count:
        equal(len(calls), int(count), "number of calls")
    else:
        equal(calls, section.asked["expect-call"], "calls")
    sent, refused = [c.split(" ")[0] for c in calls], section.asked["expect-call-refused"]
    denied = section.asked["expect-call-denied"]
    equal([c["method"] for c in envelope["calls"]], refused or denied or sent, "calls in the envelope")
    for call in envelope["calls"]:
        if refused or denied:
            equal(call["state"], "failed" if refused else "denied", f"state of {call['method']}")
            continue
        state = STATES.get(call["method"].split(":")[0])
        if state and not section.asked["later"]:  # later is too late for a run that has ended
            equal(call["state"], state, f"state of {call['method']}")


def run_once(host, section):
    limits = [(name, section.one(name)) for name in LIMITS if section.asked[name]]
    run = host.new_run(section.code, section.one("args"), section.one("memory"), section.one("timeout"),
                       section.one("cpu"), section.one("tools"), limits, schema=section.one("schema"),
                       env=section.one("env"))
    if section.outcome == "REFUSED":
        return equal(run, None, "the run that should not be")
    assert run, "the library does not take the code"
    text = host.envelope_of(run)
    envelope = json.loads(text) if section.asked["loose"] else parse_envelope(text + "\n")
    check_end(section, envelope)
    check_limits(section, envelope)
    check_blocked(section, envelope)
    check_logs(section, envelope)
    check_calls(section, host.calls, envelope)
    tells_nothing(envelope)
    return envelope.get("result")


def run_section(host, section):
    host.later = bool(section.asked["later"])
    result = run_once(host, section)
    if section.asked["twice"]:
        assert result != run_once(host, section), f"the same twice: {result!r:.400}"
    host.later = False


# --- all files -------------------------------------------------------------------------------


def run_case(name, text):
    area = name.split("_")[0]
    assert area in AREAS, "no area of this name"
    with Host(area) as host:
        watch = Watch(host)
        for number, section in enumerate(sections_of(text), 1):
            try:
                run_section(host, section)
                watch.check()
            except AssertionError as failure:
                raise AssertionError(f"section {number} ({section.kind}): {failure}") from None


def chosen(cases):
    words = sys.argv[1:] or os.environ.get("CAPRUN_ATTACKS", "").split()
    del sys.argv[1:]
    return {name: text for name, text in cases.items() if not words or any(map(name.startswith, words))}


os.environ["API_KEY"] = os.environ["CAPRUN_SECRET"] = SECRET
ALL = {}
for one in sorted(glob.glob(os.path.join(HERE, "*.js"))):
    ALL |= cases_of(one)
for one, code in chosen(ALL).items():
    def attack(name=one, text=code):
        run_case(name, text)
    attack.__name__ = one
    harness.test(attack)
main()

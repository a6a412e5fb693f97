#!/usr/bin/env python3
"""samples.t - the capabilities of samples/registry agree with their metadata, and give the expected results.

Each is run with samples/args/NS.ACTION.json and must print samples/expected/NS.ACTION.json; an older
version has its own result in NS.ACTION.HASH.json. No server is configured, so every call fails.
mcp_real.t runs the capabilities that need the servers of samples/config/tools.json.
samples/recordings/NS.ACTION.jsonl is a recorded run with answers; it must replay.
"""

import base64
import glob
import hashlib
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, caprun, contains, each, equal, main, scratch_dir, test, write_file

SAMPLES = os.path.join(ROOT, "samples")
REGISTRY = os.path.abspath(os.path.join(SAMPLES, "registry"))

FIELDS = ["fqdn", "type", "description", "publishedAt", "tools", "codeUrl", "integrity", "parametersSchema"]
NAMES = sorted(os.path.basename(path)[:-5] for path in glob.glob(f"{REGISTRY}/*.json"))
EACH = {name: name for name in NAMES}

# Args that the capability's schema does not allow, and the word that the message must name.
BAD = {
    "check.emails": ('{"addresses": "ada@example.org"}', "addresses"),
    "check.iban": ('{"ibans": [1]}', "ibans"),
    "city.briefing": ('{"city": "Lisbon"}', "date"),
    "data.csv-to-json": ('{"csv": "a", "separator": "ab"}', "separator"),
    "data.diff": ('{"before": 1}', "after"),
    "data.flatten": ('{"value": 1}', "value"),
    "data.group": ('{"rows": [], "by": []}', "by"),
    "date.business-days": ('{"from": "1 April", "to": "2026-04-30"}', "from"),
    "date.next-weekdays": ('{"after": "2026-04-01", "weekdays": ["mardi"]}', "weekdays"),
    "files.report": ('{"dir": "", "out": "report.md"}', "dir"),
    "log.summary": ('{"lines": [], "top": 1.5}', "top"),
    "money.convert": ('{"amount": 1, "from": "EUR", "to": ["dollar"]}', "to"),
    "notes.digest": ('{"notes": [{"text": "x", "tags": "y"}]}', "tags"),
    "people.circle": ('{"people": [{"name": "Ada"}]}', "knows"),
    "report.weekly": ('{"week": "2026-W07", "rows": [{"project": "x", "task": "y", "hours": 200}]}', "hours"),
    "stats.percentiles": ('{"values": []}', "values"),
    "text.count": ('{"text": "", "wordsPerMinute": 1}', "wordsPerMinute"),
    "text.slug": ('{"titles": ["a"], "title": "b"}', "title"),
    "text.summary": ('{"text": "One. Two.", "sentences": 0}', "sentences"),
    "trip.plan": ('{"from": "", "to": "Bergen", "departure": "2026-05-04T08:00:00Z"}', "from"),
    "web.fetch": ('{"url": "https://a.example", "attempts": 1000}', "attempts"),
}

# Args that only the code can reject: the capability, the args, and its message.
WRONG = {
    "an open quote": ("data.csv-to-json", '{"csv": "a,b\\n1,\\"2"}',
                      'a quote is never closed; the field begins with "2"'),
    "a short record": ("data.csv-to-json", '{"csv": "a,b\\n1"}', "record 1 has 1 fields, but there are 2 columns"),
    "a column twice": ("data.csv-to-json", '{"csv": "a,a\\n1,2"}', "the first line names a column twice: a,a"),
    "a path twice": ("data.flatten", '{"value": {"a.b": 1, "a": {"b": 2}}}', 'two values have the path "a.b"'),
    "no such column": ("data.group", '{"rows": [{"a": 1}, {}], "by": ["a"]}', 'row 2 has no column "a"'),
    "the sum of a text": ("data.group", '{"rows": [{"a": "x"}], "by": ["a"], '
                          '"aggregates": [{"column": "a", "function": "sum"}]}', 'row 1: "a" is "x", not a number'),
    "29 February": ("date.business-days", '{"from": "2026-02-29", "to": "2026-04-30"}',
                    '"from" is "2026-02-29", which is no day of the calendar'),
    "the end first": ("date.business-days", '{"from": "2026-02-02", "to": "2026-02-01"}',
                      '"to" (2026-02-01) is before "from" (2026-02-02)'),
    "month 13": ("date.next-weekdays", '{"after": "2026-13-01", "weekdays": ["monday"]}',
                 '"after" is "2026-13-01", which is no day of the calendar'),
}


def read(*path):
    with open(os.path.join(SAMPLES, *path), "rb") as file:
        return file.read()


def pair_of(name):
    """acme.tools.text.slug.0123abcd -> text.slug"""
    return ".".join(name.split(".")[2:4])


def newest(pair):
    """The five-part name that the four-part name with |pair| selects."""
    versions = [name for name in NAMES if pair_of(name) == pair]
    return max(versions, key=lambda name: json.loads(read("registry", f"{name}.json"))["publishedAt"])


def expected(name):
    own = f"{pair_of(name)}.{name.split('.')[4]}.json"
    return read("expected", own if name != newest(pair_of(name)) else f"{pair_of(name)}.json").decode()


def needs_servers(name):
    """Does the capability call tools of the servers in samples/config/tools.json?"""
    servers = json.loads(read("config", "tools.json"))["mcpServers"]
    tools = json.loads(read("registry", f"{name}.json"))["tools"]
    return any(tool.partition(":")[0] in servers for tool in tools)


def run(name, args, config="{}", **variables):
    """Runs the capability in a new folder, because of the lockfile and the cache."""
    with scratch_dir() as folder:
        os.chmod(write_file(f"{folder}/.caprun.json", config), 0o600)
        own = {"HOME": folder, "XDG_CACHE_HOME": f"{folder}/cache"}
        return caprun(name, args, "--registry", REGISTRY, cwd=folder, env={**os.environ, **own, **variables})


# --- recordings ------------------------------------------------------------------------------


@each({os.path.basename(path): path for path in glob.glob(f"{SAMPLES}/recordings/*.jsonl")})
def a_recording_is_of_the_code_in_the_registry_and_replays(path):
    pair = os.path.basename(path)[:-len(".jsonl")]
    with open(path, encoding="utf-8") as file:
        head = json.loads(file.readline())
    equal(head["origin"]["fqdn"], newest(pair))
    equal(head["code"], read("registry", f"{newest(pair)}.js").decode())
    done = caprun("replay", path)
    equal((done.status, done.out.split()[0]), (0, "same"))
    twin = caprun("replay", path, "--code", os.path.join(REGISTRY, f"{newest('text.count')}.js"))
    equal(twin.status, 8)


# --- metadata --------------------------------------------------------------------------------


@each(EACH)
def the_metadata_is_that_of_the_code(name):
    code = read("registry", f"{name}.js")
    metadata = json.loads(read("registry", f"{name}.json"))
    equal([field for field in FIELDS if field not in metadata], [], "missing fields")
    digest = hashlib.sha256(code)
    right = ".".join([*name.split(".")[:4], digest.hexdigest()[:8]])
    equal(name, right, f"the code has changed, so its name has to be {right}; the name of the files")
    equal(metadata["fqdn"], name, "fqdn")
    equal(metadata["type"], "js", "type")
    equal(metadata["codeUrl"], f"{name}.js", "codeUrl")
    equal(metadata["integrity"], "sha256-" + base64.b64encode(digest.digest()).decode(), "integrity")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", metadata["publishedAt"]), metadata["publishedAt"]
    assert metadata["description"].endswith("."), metadata["description"]
    equal(metadata["parametersSchema"]["additionalProperties"], False, "additionalProperties")


@each(EACH)
def the_tools_are_those_that_the_code_calls(name):
    calls = re.findall(r'\bmcp\.(\w+)(?:\.(\w+)|\["([^"]+)"\])\(', read("registry", f"{name}.js").decode())
    equal(json.loads(read("registry", f"{name}.json"))["tools"], [f"{ns}:{word or exact}" for ns, word, exact in calls])


@test
def every_file_belongs_to_a_capability():
    pairs = sorted(set(map(pair_of, NAMES)))
    older = [".".join(name.split(".")[2:]) for name in NAMES if name != newest(pair_of(name))]
    equal(len(pairs) >= 15, True, "fifteen or more")
    equal(sorted(os.listdir(REGISTRY)), sorted(f"{name}.{kind}" for name in NAMES for kind in ("js", "json")))
    equal(sorted(os.listdir(f"{SAMPLES}/args")), [f"{pair}.json" for pair in pairs])
    equal(sorted(os.listdir(f"{SAMPLES}/expected")), sorted(f"{x}.json" for x in pairs + older))
    equal(sorted(BAD), pairs, "bad args")


# --- runs ------------------------------------------------------------------------------------


@each({name: name for name in NAMES if not needs_servers(name)})
def it_gives_the_expected_result(name):
    done = run(name, os.path.abspath(f"{SAMPLES}/args/{pair_of(name)}.json"))
    equal((done.status, done.out), (0, expected(name)), f"status and output; stderr {done.err!r:.300}")


@test
def a_name_without_a_hash_means_the_newest_version():
    equal(len([name for name in NAMES if pair_of(name) == "text.slug"]), 2, "versions of text.slug")
    equal(run("acme.tools.text.slug", '{"titles": ["Straße"]}').out, '[{"title":"Straße","slug":"strasse"}]\n')


@each({pair: (pair, *case) for pair, case in BAD.items()})
def args_that_the_schema_does_not_allow_are_an_error_of_input(case):
    pair, args, word = case
    done = run(f"acme.tools.{pair}", args)
    equal((done.status, done.out), (2, ""), f"status and output; stderr {done.err!r:.300}")
    contains(done.err, "VALIDATION_ERROR", word)


@each(WRONG)
def args_that_make_no_sense_are_explained(case):
    pair, args, message = case
    done = run(f"acme.tools.{pair}", args)
    equal((done.status, done.out), (1, ""), "status and output")
    contains(done.err, "CODE_ERROR", message)


@each({"de": ("de", "Woche"), "de_AT.UTF-8": ("de_AT.UTF-8", "Woche"), "fr": ("fr", "Semaine"),
       "an unknown one": ("xx", "Week"), "an empty one": ("", "Week")})
def the_report_speaks_the_language_that_is_granted_to_it(case):
    language, word = case
    config = '{"env": {"acme.tools.report.weekly": ["REPORT_LANG"]}}'
    done = run("acme.tools.report.weekly", '{"week": "2026-W07", "rows": []}', config, REPORT_LANG=language)
    contains(done.out, f"# {word} 2026-W07")


@test
def the_report_is_english_when_nothing_is_granted():
    done = run("acme.tools.report.weekly", '{"week": "2026-W07", "rows": []}', REPORT_LANG="de")
    contains(done.out, "# Week 2026-W07")


main()

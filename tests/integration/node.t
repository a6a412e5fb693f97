#!/usr/bin/env python3
"""node.t - ordinary modern JavaScript gives the same results here as in Node.

tests/node/snippets/TOPIC.js has snippets, each the body of an async function, below a line with its
name. A snippet whose name is followed by `// with` lines stands for one snippet per line,
in which $CASE is the text of that line:

    // --- padding
    // with "5".padStart(3, "0")
    // with "abc".padEnd(2)
    return $CASE

tests/node/differences lists the snippets that are known to differ, below the reason; a listed snippet
that agrees is a failure, too. Only the names of errors are compared: each engine has its own messages.
"""

import functools
import glob
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, Process, each, equal, main, need, test
from library import Library

NODE = os.path.join(ROOT, "build/npm-tests/node_modules/.bin/node")
FOLDER = os.path.join(ROOT, "tests/node")


def text_of(path):
    with open(os.path.join(FOLDER, path), encoding="utf-8") as file:
        return file.read()


# --- snippets --------------------------------------------------------------------------------


def parse(text):
    """The snippets of a topic's file: {name: body}."""
    found = {}
    for part in re.split(r"^// --- ", text, flags=re.M)[1:]:
        name, _, rest = part.partition("\n")
        cases = re.match(r"(?:// with .*\n)*", rest).group()
        body = rest[len(cases):]
        made = {f"{name}: {case}": body.replace("$CASE", case)
                for case in re.findall(r"// with (.*)\n", cases)} or {name: body}
        assert not found.keys() & made.keys(), f"{name!r} is there twice"
        assert ("$CASE" in body) == bool(cases), f"{name!r}: $CASE and `// with` go together"
        found |= made
    return found


TOPICS = {os.path.basename(path)[:-3]: parse(text_of(path))
          for path in sorted(glob.glob(f"{FOLDER}/snippets/*.js"))}
DIFFERENT = set(re.findall(r"^    (.+)$", text_of("differences"), re.M))
SHOW = text_of("show.js")


def canonical(text):
    """JSON with the order of keys and the spelling of numbers kept, but escapes made equal."""
    return json.dumps(json.loads(text, parse_int=lambda n: f"number {n}", parse_float=lambda n: f"number {n}",
                                 object_pairs_hook=lambda pairs: {"object": pairs}))


# --- running the snippets --------------------------------------------------------------------


@functools.cache
def node_outcomes():
    """{topic: {name: outcome}}; one process of Node runs all snippets."""
    need(os.path.exists(NODE), "there is no Node; `make test-data` gets it")
    bodies = [SHOW + body for topic in TOPICS.values() for body in topic.values()]
    done = Process([NODE, f"{FOLDER}/in_node.js"], stdin=json.dumps(bodies),
                   env={"TZ": "UTC", "LANG": "C.UTF-8"}).end(60)
    equal((done.status, done.err), (0, ""))
    outcomes = iter(json.loads(done.out))
    return {topic: {name: canonical(next(outcomes)) for name in snippets}
            for topic, snippets in TOPICS.items()}


def thrown(error):
    """The name of an error. A message in the envelope begins with the name, unless it is Error."""
    if error["type"] == "SyntaxError":
        return "SyntaxError"
    if error["code"] != "CODE_ERROR":
        return error["code"]
    match = re.match(r"(\w*Error)(: |$)", error["message"])
    return match.group(1) if match else "Error"


def outcome_of(envelope):
    parsed = json.loads(envelope)
    if not parsed["success"]:
        return canonical(json.dumps({"threw": thrown(parsed["error"])}))
# cut out as text, since parsing would lose the spelling of numbers
    return canonical(re.search(r'^\{"success":true,"result":(.*),"logs":', envelope).group(1))


def caprun_outcomes(snippets):
    outcomes = {}
    with Library() as library:
        for name, body in snippets.items():
            run = library.run(SHOW + body)
            equal(library.lib.caprun_start(run), 0)
            outcomes[name] = outcome_of(library.finish(run))
    return outcomes


# --- tests -----------------------------------------------------------------------------------


@test
def there_are_a_thousand_different_snippets():
    bodies = {body.strip() for topic in TOPICS.values() for body in topic.values()}
    equal(len(bodies), sum(map(len, TOPICS.values())), "different ones")
    assert len(bodies) >= 1000, len(bodies)


@test
def every_known_difference_names_a_snippet():
    names = {f"{topic}/{name}" for topic, snippets in TOPICS.items() for name in snippets}
    equal(DIFFERENT - names, set())


@each({f"{topic} ({len(snippets)})": topic for topic, snippets in TOPICS.items()})
def snippets_give_what_node_gives(topic):
    ours, theirs = caprun_outcomes(TOPICS[topic]), node_outcomes()[topic]
    wrong = []
    for name in ours:
        listed, agree = f"{topic}/{name}" in DIFFERENT, ours[name] == theirs[name]
        if listed == agree:
            why = "agrees now, so it is no difference any more" if agree else "differs"
            wrong.append(f"{topic}/{name}\n  {why}\n    caprun {ours[name]:.1500}\n    node   {theirs[name]:.1500}")
    assert not wrong, "\n".join([f"{len(wrong)} of {len(ours)} are not as expected", *wrong])


main()

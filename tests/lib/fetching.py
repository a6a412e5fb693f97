"""fetching.py - build/tests/fetch, which gets URLs by the library's own functions: see its source."""

import hashlib
import json
import os

from harness import BUILD, Process, contains, equal
from servers import answer

FETCH = os.path.join(BUILD, "tests/fetch")
SHORT = ["-p", "1"]  # pauses; the limits of time stay as they are
UNREACHABLE, INVALID = "REGISTRY_UNREACHABLE", "METADATA_INVALID"
BODY = b'{"a": 1}'
CUT = answer(200, b"half", length=1000)
TRACED = {"ASAN_OPTIONS": "detect_leaks=0"}  # which does not work under strace


def environment(**more):
    """No proxy, and no authorities but those of the test."""
    kept = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy") and k != "SSL_CERT_FILE"}
    return {**kept, **more}


def start(*words, under=(), env=None):
    env = (env or environment()) | (TRACED if under else {})
    return Process([*under, FETCH, *SHORT, *words], env=env)


def run(*words, **options):
    """Runs it to its end; the one line that it prints, and the process as "process"."""
    done = start(*words, **options).end(40)
    equal((done.status, done.err), (0, ""), "status and standard error")
    return json.loads(done.out) | {"process": done}


def fails(result, outcome, *parts):
    equal(result["r"], -2, str(result))
    equal(result["outcome"], outcome, str(result))
    contains(result["text"], *parts)
    return result


def has(result, body, source=None):
    equal((result["r"], result.get("sha256")), (0, hashlib.sha256(body).hexdigest()), str(result))
    if source:
        equal(result["source"], source)
    return result

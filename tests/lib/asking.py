"""asking.py - an application that asks a person: libcaprun with a configuration, whose questions a test answers.

    with tools(permissions={"ask": ["s:*"]}, s={}) as t, asking(t, allow()) as app:
        equal(app.execute("return mcp.s.echo({x: 1})")["result"], {"x": 1})
        equal(app.questions[0]["waiting"], 1)
"""

import contextlib
import ctypes
import json

from harness import equal, wait_until
from library import Library

ASK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_char_p, ctypes.c_size_t)


class Asking(Library):
    """|person| is called as person(app, run, question) for each question, with a run's address; None: it waits."""

    def __init__(self, t, person=None):
        super().__init__(warm=1)
        self.person, self.questions, self.withdrawn = person, [], []
        self.asker = ASK(self._asked)
        self.lib.caprun_set_ask(self.runtime, self.asker, None)
        equal(self.lib.caprun_set_config(self.runtime, f"{t.work}/.caprun.json".encode()), 0, "caprun_set_config")

    def _asked(self, _data, run, number, text, length):
        try:
            if text is None:
                self.withdrawn.append(number)
                return
            equal(len(text), length)  # it ends with a NUL, and has none
            question = json.loads(text)
            equal(question["id"], number)
            self.questions.append(question)
            if self.person:
                self.person(self, ctypes.c_void_p(run), question)
        except Exception as failure:  # as in library.py
            self.failure = failure

    def decide(self, run, question, decision):
        text = decision.encode() if isinstance(decision, str) else json.dumps(decision).encode()
        number = question["id"] if isinstance(question, dict) else question
        return self.lib.caprun_decide(run, ctypes.c_uint32(number), text, ctypes.c_size_t(len(text)))

    def suspend(self, run):
        return self.lib.caprun_suspend(run)

    def args_of(self, run, call):
        length = ctypes.c_size_t()
        self.lib.caprun_get_asked_args.restype = ctypes.c_void_p
        text = self.lib.caprun_get_asked_args(run, ctypes.c_uint32(call), ctypes.byref(length))
        return ctypes.string_at(text, length.value) if text else None

    def begin(self, code, journal=None, **options):
        """Starts a run, which is recorded if there is a |journal|."""
        run = self.run(code, **options)
        if journal:
            equal(self.lib.caprun_run_record(run, str(journal).encode()), 0, "caprun_run_record")
        equal(self.lib.caprun_start(run), 0)
        return run

    def resume(self, journal):
        run = ctypes.c_void_p()
        equal(self.lib.caprun_run_new(self.runtime, ctypes.byref(run)), 0)
        self.events[run.value] = run.events = []
        self.lib.caprun_run_set_event(run, self.listener, None)
        equal(self.lib.caprun_run_resume(run, str(journal).encode()), 0, self.error())
        equal(self.lib.caprun_start(run), 0)
        return run

    def wait_for_question(self, number=1):
        wait_until(lambda: self.step(1) or len(self.questions) >= number, 30, f"question {number}")
        return self.questions[number - 1]

    def execute(self, code, journal=None, **options):
        return json.loads(self.finish(self.begin(code, journal, **options)))


def deciding(**decision):
    """A person who decides at once, and always in the same way."""

    def person(app, run, question):
        equal(app.decide(run, question, decision), 0, app.error())

    return person


def suspending(app, run, _question):
    equal(app.suspend(run), 0, app.error())


@contextlib.contextmanager
def asking(t, person=None):
    with Asking(t, person) as app:
        yield app


def tools_of(question):
    """{exact name: [args of each call]} of a question."""
    return {tool["tool"]: [call["args"] for call in tool["calls"]] for tool in question["tools"]}

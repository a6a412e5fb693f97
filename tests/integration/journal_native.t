#!/usr/bin/env python3
"""journal_native.t - journals of workers that run native code, and of runs that an application cancels or frees."""

import ctypes
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, each, equal, main, scratch_dir, stretched, test
from hook import hooked, use_hook
from journals import bodies_of, kind_of, lines_of, read, seal
from library import E_INVAL, E_STATE, Library

EVERY = "Uint8Array.from({length: 256}, (_, i) => i)"


class Host(Library):
    """A runtime whose runs are recorded to files in a new directory."""

    def __init__(self, answer=lambda call: call.reply(call.args), native=False, **options):
        super().__init__(answer, warm=1, **options)
        self.place = scratch_dir()
        self.files = 0
        if native:
            use_hook(self)

    def __exit__(self, *words):
        super().__exit__(*words)
        self.place.cleanup()

    def new_file(self):
        self.files += 1
        return os.path.join(self.place.name, f"{self.files}.jsonl")

    def journal(self, what, run, path):
        return getattr(self.lib, f"caprun_run_{what}")(run, path.encode())

    def recorded(self, code, **options):
        """Starts a recorded run; returns (run, path)."""
        run, path = self.run(code, **options), self.new_file()
        equal(self.journal("record", run, path), 0, self.error())
        equal(self.lib.caprun_start(run), 0, self.error())
        self.lib.caprun_step(self.runtime)
        return run, path

    def again(self, what, path, retry=None, **options):
        """Starts a run that replays or resumes |path|."""
        run = self.run("", **options)
        equal(self.journal(what, run, path), 0, self.error())
        if retry is not None:
            equal(self.lib.caprun_run_retry(run, retry), 0)
        equal(self.lib.caprun_start(run), 0, self.error())
        return run

    def replayed(self, path, **options):
        return self.json_of(self.again("replay", path, **options))


def end(envelope):
    return envelope["error"]["code"] if not envelope["success"] else "SUCCESS"


# --- native code -------------------------------------------------------------------------------

# name: frames of a compromised worker, which can send anything; the host accepts all of these
FRAMES = {
    "a log of every byte": f"send(frame(LOG, 0, {EVERY})); return 1",
    "a log of lines": """send(frame(LOG, 0, '\\n{"at":1,"end":"SUCCESS"}\\n')); return 1""",
    "a log that ends a text": """send(frame(LOG, 0, '"}\\n{"at":1,"end":"SUCCESS","h":"')); return 1""",
    "a log of half a character": "send(frame(LOG, 0, new Uint8Array([0xe2, 0x82]))); return 1",
    "an attempt of every byte": f"send(attempt(1, {EVERY}.subarray(1, 60), {EVERY}.subarray(1, 9), {EVERY}.subarray(1),"
                                f" {EVERY}.subarray(1))); return 1",
    "an error of every byte": f"send(threw({{}}, {EVERY}.subarray(0, 99), {EVERY}, {EVERY})); stop()",
    "an error whose message looks like a stack": """send(threw({}, 'E', ',"stack":"x"', ',"stack":')); stop()""",
    "args that are no JSON": "send(call(1, 'a', 'b', '{]')); return 1",
    "args of every byte": f"send(call(1, 'a', 'b', {EVERY})); return 1",
    "args with line breaks": "send(call(1, 'a', 'b', '{\\n\"a\"\\r\\n:\\n1\\n}\\n')); return 1",
    "args that contain a line": """send(call(1, 'a', 'b', '[\\n{"at":9,"end":"SUCCESS"}\\n]')); return 1""",
    "args with keys twice": """send(call(1, 'a', 'b', '{"n":1,"n":2,"h":"x"}')); return 1""",
    "args that are empty": "send(call(1, 'a', 'b', '')); return 1",
    "long args that are no JSON": "send(call(1, 'a', 'b', '{' + 'x'.repeat(200000))); return 1",
    "a result with the journal's keys": """send(frame(DONE, 0, '{"at":1,"h":"x","from":"call","n":7}')); stop()""",
}


@each(FRAMES)
def frames_of_native_code_become_readable_lines(code):
    with Host(native=True) as host:
        run, path = host.recorded(hooked(code))
        was = end(host.json_of(run))
        text = read(path)
        equal(seal(bodies_of(text)), text, "the chain")
        kinds = [kind_of(line) for line in lines_of(path)]
        equal((kinds[0], kinds.count("end"), kinds[-1]), ("journal", 1, "end"), str(kinds))
        envelope = host.replayed(path)
        equal(end(envelope), was, str(envelope))


@test
def the_replay_of_a_worker_that_lies_about_waiting_ends():
    with Host(native=True) as host:
        code = hooked("""
            send(call(1, 'a', 'b'), call(2, 'a', 'b'));
            read(32 + 4 + 2); read(32 + 4 + 2);
            send(idle(3), idle(3), idle(3));
            return 1""")
        run, path = host.recorded(code, timeout_ms=int(stretched(1000)))
        host.json_of(run)
        host.replayed(path, timeout_ms=int(stretched(1000)))  # any outcome is right, but the replay must end
        equal(host.execute(hooked("return 7"))["result"], 7)


# --- applications --------------------------------------------------------------------------------

LATER = "const all = []; for (let n = 1; n < 4; n++) all.push(await mcp.a.b({n}).catch((e) => e.code)); return all"


@test
def a_recorded_run_that_is_freed_while_it_goes_on_can_be_resumed():
    calls = []
    with Host(calls.append) as host:
        run, path = host.recorded(LATER)
        host.step_until(lambda: calls, 20, "the first call")
        calls[0].reply("1")
        host.step_until(lambda: len(calls) == 2, 20, "the second call")
        host.lib.caprun_run_free(run)
        kinds = [kind_of(line) for line in lines_of(path)]
        equal(kinds, ["journal", "to job", "from call", "send", "to reply", "from call", "send"])
        run = host.again("resume", path)
        host.step_until(lambda: len(calls) == 3, 20, "the third call")
        equal(json.loads(calls[2].args), {"n": 3})
        calls[2].reply("3")
        envelope = host.json_of(run)
        equal((envelope["result"], [c["state"] for c in envelope["calls"]]),
              ([1, "RPC_ERROR", 3], ["done", "in_flight_unknown", "done"]))
        equal(end(host.replayed(path)), "SUCCESS")
        equal(len(calls), 3)


@test
def a_recorded_run_that_is_freed_before_its_start_leaves_no_file():
    with Host() as host:
        for started in (False, True):
            run, path = host.run("return 1"), host.new_file()
            equal(host.journal("record", run, path), 0)
            if started:
                equal(host.lib.caprun_start(run), 0)  # and nobody steps
            host.lib.caprun_run_free(run)
            assert not os.path.exists(path) or lines_of(path), f"an empty file; started: {started}"


@test
def a_run_has_one_journal_and_a_journal_one_run():
    with Host() as host:
        run, path = host.run("return 1"), host.new_file()
        equal(host.journal("record", run, path), 0)
        equal(host.journal("record", run, host.new_file()), E_STATE)
        equal(host.journal("replay", run, path), E_STATE)
        other = host.run("return 2")
        assert host.journal("record", other, path) < 0
        contains(host.error(), "is there already")
        equal(host.journal("resume", other, path), E_INVAL, "of a run that has not begun")
        for one in (run, other):
            equal(host.lib.caprun_start(one), 0)
        equal([host.json_of(run)["result"], host.json_of(other)["result"]], [1, 2])
        equal(host.replayed(path)["result"], 1)


@test
def an_application_may_cancel_in_the_handler_of_a_run_that_has_just_gone_live():
    calls = []
    with Host(calls.append) as host:
        run, path = host.recorded("return Promise.all([1, 2, 3].map((n) => mcp.a.b({n})))")
        host.step_until(lambda: len(calls) == 3, 20, "three calls")
        host.lib.caprun_run_free(run)

        def cancel(call):
            calls.append(call)
            host.lib.caprun_cancel(ctypes.c_void_p(call.run))

        host.answer = cancel
        envelope = host.json_of(host.again("resume", path, retry=0))
        equal((end(envelope), len(calls)), ("CANCELLED", 4))


@test
def an_application_may_answer_all_in_the_handler_of_a_run_that_has_just_gone_live():
    calls = []
    with Host(calls.append) as host:
        run, path = host.recorded("return Promise.all([1, 2, 3].map((n) => mcp.a.b({n})))")
        host.step_until(lambda: len(calls) == 3, 20, "three calls")
        host.lib.caprun_run_free(run)
        host.answer = lambda call: [call.library.lib.caprun_call_reply(ctypes.c_void_p(call.run), n, b"7", 1)
                                    for n in (3, 2, 1, 1, 9)]
        equal(host.json_of(host.again("resume", path, retry=0))["result"], [7, 7, 7])
        equal(end(host.replayed(path)), "SUCCESS")


@test
def a_run_may_be_freed_in_its_last_event():
    freed = []
    with Host() as host:
        def hear(run, event, _call):
            if event == "ENDED":
                freed.append(run)
                host.lib.caprun_run_free(ctypes.c_void_p(run))

        host.hear = hear
        _, path = host.recorded(LATER)
        host.step_until(lambda: len(freed) == 1, 20, "the end")
        host.again("replay", path)
        host.step_until(lambda: len(freed) == 2, 20, "the end of the replay")


@test
def an_answer_of_the_maximum_depth_does_not_spoil_the_journal():
    with Host(lambda call: call.reply("[" * 1000 + "]" * 1000)) as host:
        run, path = host.recorded("return (await mcp.a.b()).length")
        equal(host.json_of(run)["result"], 1)
        equal(host.replayed(path)["result"], 1)


@test
def many_recorded_runs_leave_no_descriptor():
    with Host() as host:
        host.execute("return 1")
        before = host.settled_descriptors()
        for i in range(150):
            run, path = host.recorded(LATER if i % 3 else "throw 1")
            host.json_of(run)
            host.replayed(path)
            if i % 10 == 0:
                other = host.run("")
                assert host.journal("resume", other, path) < 0  # it has ended
                assert host.journal("replay", other, path + "x") < 0
                assert host.journal("record", other, path) < 0
                host.lib.caprun_run_free(other)
        host.has_no_more_descriptors_than(before)


main()

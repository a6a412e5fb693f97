"""people.py - a person at a terminal, who is asked by caprun.

    with tools(permissions={"ask": ["*"]}, s={}) as t, person(t, "exec", "-", code="…") as p:
        p.expect("may this call be made?")
        p.answer("y")
        equal(p.end().status, 0)
"""

import contextlib
import fcntl
import re
import termios
import time

from harness import Terminal, stretched

# The line to type at. Arguments that imitate it are behind a bar.
READY = re.compile(r"^(?:[^\n]*\r)?caprun: type [^\n]*then Enter: ", re.M)


class Person:
    def __init__(self, t, *words, columns=80, rows=24, **options):
        self.terminal = Terminal(columns)
        self.at = 0
        self.size(columns, rows)
        options["env"] = {"TERM": "xterm", "NO_COLOR": "1", **options.get("env", {})}
        self.before = options.pop("before", "")
        self.type(self.before)
        self.run = t.start(*words, stderr=self.terminal.theirs, start_new_session=True,
                           preexec_fn=self._take_terminal, **options)

    def _take_terminal(self):
        fcntl.ioctl(self.terminal.theirs, termios.TIOCSCTTY, 0)

    def size(self, columns, rows):
        termios.tcsetwinsize(self.terminal.ours, (rows, columns))

    def type(self, keys):
        if keys:
            self.terminal.type(keys.encode())

    @property
    def seen(self):
        return self.terminal.seen.decode(errors="surrogateescape").replace("\r\n", "\n")

    def expect(self, text, seconds=20):
        """Waits for |text|, or a match, after what was expected before. Returns what is before it."""
        deadline = time.monotonic() + stretched(seconds)
        pattern = text if isinstance(text, re.Pattern) else re.compile(re.escape(text))
        while not (found := pattern.search(self.seen, self.at)):
            assert time.monotonic() < deadline, f"no {text!r}; the terminal has {self.seen[self.at:]!r:.3000}"
            time.sleep(0.01)
        between, self.at = self.seen[self.at:found.start()], found.end()
        return between

    def question(self):
        """Waits until an answer counts. Returns the question."""
        return self.expect(READY)

    def answer(self, keys):
        question = self.question()
        self.type(keys + "\n")
        return question

    def end(self, seconds=60):
        return self.run.end(seconds)

    def close(self):
        if self.run.status is None:
            self.run.send(9)
            self.run._popen.wait()
        return self.terminal.text()


@contextlib.contextmanager
def person(t, *words, **options):
    p = Person(t, *words, **options)
    try:
        yield p
    finally:
        p.close()


def screen_lines(text):
    """The lines of a terminal, without colours, and without the line to type at."""
    return [line.split("\r")[-1] for line in re.sub("\x1b\\[[0-9;]*[mJK]", "", text).split("\n")]

"""at_terminal.py - caprun with a terminal of its own, at which it asks a person."""

import fcntl
import os
import termios

from harness import Terminal, start

QUESTION = b"[y/N] "


def on_terminal(*words, keys=b"", early=b"", columns=80, question=QUESTION, meanwhile=None, **options):
    """Types |keys| at the question; None: nothing is asked. Returns the process and what the terminal showed."""
    terminal = Terminal(columns)

    def take_terminal():
        os.setsid()
        fcntl.ioctl(terminal.theirs, termios.TIOCSCTTY, 0)

    terminal.type(early)
    run = start(*words, stderr=terminal.theirs, preexec_fn=take_terminal, **options)
    try:
        if keys is not None:
            terminal.wait_for(question, 20)
            if meanwhile:
                meanwhile()
            terminal.type(keys)
        run.end(60)
    finally:
        text = terminal.text()
    return run, text


def accept(cwd, state):
    """`caprun trust` in the directory |cwd|, with the state directory |state|."""
    env = {**os.environ, "XDG_STATE_HOME": state, "NO_COLOR": "1"}
    del env["CAPRUN_TRUST"]
    return on_terminal("trust", keys=b"y\n", columns=500, cwd=cwd, env=env)

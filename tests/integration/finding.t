#!/usr/bin/env python3
"""finding.t - finding out what there is, and what it needs: list, info, tools, and notes at a run."""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import contains, equal, main, test
from registries import NAME, place


# --- variables that are wanted ---------------------------------------------------------------


def note_of(p, *words):
    return p.upper(*words).err


@test
def a_variable_that_is_not_granted_is_noted_with_the_line_to_add():
    with place() as p:
        p.publish(env=["LANG", "TOKEN", "TOKEN"])
        equal(note_of(p, "--no-input"),
              f'caprun: {NAME} wants variables that "env" in .caprun.json does not grant: LANG, TOKEN; to grant them, '
              f'put there: "{NAME}": ["LANG", "TOKEN"]\n')
        p.configure(env={NAME: ["LANG", "OTHER"]})
        err = note_of(p)
        contains(err, "does not grant: TOKEN;", f'"{NAME}": ["LANG", "OTHER", "TOKEN"]\n')
        p.configure(**json.loads("{" + f'"env": {{{err.partition("put there: ")[2]}}}' + "}"))
        equal(note_of(p), "")


@test
def the_note_is_not_shown_with_q_and_not_if_nothing_is_missing():
    with place() as p:
        p.publish(env=["TOKEN"])
        equal((p.upper("-q").out, note_of(p, "-q")), ('"A"\n', ""))
        p.publish(env=[])
        equal(p.upper("--registry", p.registry, "--frozen").err.count("wants variables"), 0)


@test
def of_many_variables_some_are_named_and_no_setting_is_cut():
    with place() as p:
        p.publish(env=[f"V{n}_{'X' * 200}" for n in range(256)])
        err = note_of(p)
        contains(err, "V0_XXX", " and 251 more\n")
        equal(err.count("\n"), 1)
        assert "put there" not in err, err


main()

#!/usr/bin/env python3
"""large_answers.t - answers of megabytes arrive whole, and are in the host's memory only once."""

import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import (BUILD, LIB, ROOT, SANITIZED, VARIANT, Process, between, each, equal, main, need, proc,
                     scratch_dir, test)
from tools import tools

MIB = 1 << 20
LARGE = 64 * MIB - 1000  # the limit is 64 MiB, including the text around it
FLAGS = {"asan": ["-fsanitize=address,undefined"], "cover": ["--coverage"]}.get(VARIANT, [])

folder = scratch_dir()
PROGRAM = f"{folder.name}/large_answers"
subprocess.run(["gcc", "-std=gnu11", "-D_GNU_SOURCE", "-O1", "-g", "-Wall", "-Wextra", "-Werror", *FLAGS,
                f"-I{ROOT}/host", f"-I{LIB}", "-o", PROGRAM, f"{ROOT}/tests/integration/large_answers.c",
                f"{BUILD}/libcaprun.a", "-l:libnettle.a", "-pthread"], check=True)


def peak(pid):
    return int(proc(pid, "status").split("VmHWM:")[1].split()[0]) * 1024


# --- from a server ---------------------------------------------------------------------------

@each({"recorded": {}, "not recorded": {"record": "none"}})
def an_answer_of_a_server_is_in_the_hosts_memory_once(settings):
    need(not SANITIZED, "a sanitizer needs more memory")
    with tools(settings=settings, a={}) as t:
        run = t.start("exec", "-", code=f"""
            console.log("got", (await mcp.a.big({{bytes: {LARGE}}})).length);
            await mcp.a.sleep({{ms: 5000}})""")
        run.wait_for_log(f"got {LARGE}")
        most = peak(run.pid)
        run.send(15)
        run.end(20)
    between(most, LARGE, 1.5 * LARGE, "the most memory that the host had")


@each({"recorded": {}, "not recorded": {"record": "none"}})
def a_line_of_which_the_answer_is_a_small_part_is_not_kept(settings):
    """Each answer waits, because the code computes; only its own bytes wait with it."""
    need(not SANITIZED, "a sanitizer needs memory of its own")
    with tools(settings=settings, a={}) as t:
        run = t.start("exec", "-", "--timeout", "60s", "--cpu", "60s", code=f"""
            const all = Array.from({{length: 16}}, () => mcp.a.padded({{mib: 40, bytes: 200000}}));
            const last = mcp.a.text({{text: "all are answered"}});
            await Promise.resolve();
            setTimeout(() => {{ for (let i = 0; i < 2e8; i++); }}, 1);
            const sizes = (await Promise.all(all)).map((text) => text.length);
            console.log(new Set(sizes).size, sizes[0], await last);
            await mcp.a.sleep({{ms: 5000}})""")
        run.wait_for_log("1 200000 all are answered")
        most = peak(run.pid)
        run.send(15)
        run.end(20)
    between(most, 40 * MIB, 3 * 64 * MIB, "the most memory that the host had")


@test
def several_at_once_are_whole():
    with tools(a={}) as t:
        equal(t.value(f"""
            const all = await Promise.all([3, 9, 1, 30].map((n) => mcp.a.big({{bytes: n * {MIB} + n}})));
            return all.map((text) => text.length)"""), [n * MIB + n for n in (3, 9, 1, 30)])


@each({f"after {ms} ms": ms for ms in (20, 80, 150)})
def a_worker_that_ends_while_its_answer_is_on_the_way_leaves_nothing(ms):
    with tools(a={}) as t:
        equal(t.value(f"""
            mcp.a.big({{bytes: {LARGE}}});
            await new Promise((resolve) => setTimeout(resolve, args.ms));
            return 1""", json.dumps({"ms": ms})), 1)


@test
def rows_of_a_server_are_sifted():
    with tools(a={}) as t:
        equal(t.value("""
            const made = Array.from({length: 20000}, (_, i) => ({id: i, name: "n" + i, deep: {list: [i, String(i)]}}));
            const rows = await mcp.a.text({text: JSON.stringify(made)});
            return [rows.length, rows[19999].deep.list, rows.filter((row) => row.id % 5000 == 0).length]"""),
              [20000, [19999, "19999"], 4])


# --- from an application ---------------------------------------------------------------------

def application(how, size=LARGE):
    done = Process([PROGRAM, f"{BUILD}/caprun-worker", str(size), how]).end(60)
    equal((done.status, done.err), (0, ""))
    length, kib = done.out.split()
    equal(int(length), size - 2, "what the code saw")
    return int(kib) * 1024


@test
def an_answer_that_is_given_is_not_copied():
    most = application("give")
    need(not SANITIZED, "a sanitizer needs more memory")
    between(most, 0.9 * LARGE, 1.5 * LARGE, "by how much the application's memory grew")


@test
def an_answer_that_is_lent_is_copied():
    most = application("hold")
    need(not SANITIZED, "a sanitizer needs more memory")
    between(most, 1.5 * LARGE, 2.5 * LARGE, "by how much the application's memory grew")


@each({"nothing": 2, "a little": 100, "a socket's worth": 200 * 1024, "a megabyte": MIB})
def an_answer_of_any_length_is_given(size):
    application("give", size)
    application("reply", size)


main()

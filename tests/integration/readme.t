#!/usr/bin/env python3
"""readme.t - the commands print what README.md, docs/tour.md and docs/doctor.md show."""
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from at_terminal import accept
from harness import BUILD, CAPRUN, Process, each, equal, main, need, scratch_dir, test, write_file
from tools import PACKAGES

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = {"readme": "README.md", "tour": "docs/tour.md"}


def read_page(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as page:
        return page.read()


def sessions(page):
    """Pairs of a command and what it printed, for each console block of the page."""
    for block in re.findall(r"^```console\n(.*?)^```", read_page(page), re.M | re.S):
        steps = re.split(r"^\$ ", block, flags=re.M)[1:]
        yield [tuple(step.split("\n", 1)) for step in steps]


def needs_servers(steps):
    return any(command == "cd build/run" for command, _ in steps)


def prepare(here):
    """Makes the files of `make run` that the sessions need."""
    os.symlink(os.path.join(ROOT, "samples"), os.path.join(here, "samples"))
    for folder in ("build/run", "build/files/texts"):
        os.makedirs(os.path.join(here, folder))
    os.symlink(os.path.dirname(PACKAGES), os.path.join(here, "build/npm-servers"))
    shutil.copy(os.path.join(ROOT, "samples/config/tools.json"), os.path.join(here, "build/run/.caprun.json"))
    write_file(os.path.join(here, "build/files/texts/one.txt"), "to be or\nnot to\n")
    write_file(os.path.join(here, "build/files/texts/two.txt"), "that is the question\n")


def without_ids(text):
    """Each run has an id of its own."""
    return re.sub(r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", "ID", text)


def is_trust(command):
    return command.endswith("caprun trust")


def check_trust(steps, here):
    """What `caprun trust` shows and asks, on a terminal; "…" stands for lines that the page leaves out."""
    shown = next((printed for command, printed in steps if is_trust(command)), None)
    if not shown:
        return
    work = os.path.join(here, "build/run")
    done, text = accept(cwd=work, state=os.path.join(here, "state"))
    equal(done.status, 0, text)
    lines, at = (text + done.out).replace(work, "/srv/caprun/build/run").splitlines(), 0
    for line in shown.splitlines():
        if line != "…":
            assert line in lines[at:], (line, lines[at:])
            at = lines.index(line, at) + 1


def check(steps):
    asked, steps = steps, [step for step in steps if not is_trust(step[0])]
    script = "".join(f"{command}\necho '--- end'\n" for command, _ in steps)
    # `echo $?` must show the status of the command before it, not of our marker
    script = script.replace("echo '--- end'\necho $?", "status=$?; echo '--- end'\necho $status")
    script = script.replace("build/caprun", "caprun").replace("../caprun", "caprun")
    path = BUILD + os.pathsep + os.environ["PATH"]
    with scratch_dir() as here:  # a lockfile is written there
        prepare(here)
        check_trust(asked, here)
        out = subprocess.run(["sh", "-c", script], cwd=here, env={**os.environ, "PATH": path, "XDG_CACHE_HOME": here},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout
    equal([without_ids(printed) for printed in out.split("--- end\n")[:-1]],
          [without_ids(expected) for _, expected in steps])


@each(PAGES)
def every_session_prints_what_the_page_shows(page):
    alone = [steps for steps in sessions(page) if not needs_servers(steps)]
    assert alone
    for steps in alone:
        check(steps)


@each(PAGES)
def every_session_with_servers_prints_what_the_page_shows(page):
    need(os.path.exists(PACKAGES), "there are no servers; `make test-data` gets them")
    with_servers = [steps for steps in sessions(page) if needs_servers(steps)]
    assert with_servers
    for steps in with_servers:
        check(steps)


@test
def every_make_target_of_the_readme_exists():
    named = set(re.findall(r"\bmake ([a-z][a-z-]*)", "\n".join(
        re.findall(r"`make [a-z-]+`|^    make [a-z-]+", read_page("README.md"), re.M))))
    assert named
    targets = set(re.findall(r"^([a-z][a-z-]*):", read_page("Makefile"), re.M))
    equal(named - targets, set())


@test
def the_readme_explains_the_test_command_that_ci_runs():
    command = read_page(".ci/run").splitlines()[-1]
    assert re.search(rf"^    {re.escape(command)}  +\w.*tests", read_page("README.md"), re.M), command


@test
def the_doctor_prints_what_its_page_shows():
    shown = re.search(r"^```text\n\$ caprun doctor\n(.*?)^```", read_page("docs/doctor.md"), re.M | re.S)[1]
    printed = Process([CAPRUN, "doctor"], env={**os.environ, "COLUMNS": "80"}).end().out
    layer = re.compile(r"^  (?:present|absent|failed|not checkable) +(.*?): ", re.M)
    equal(layer.findall(printed), layer.findall(shown), "layers")
    need(os.geteuid() == 0, "an ordinary user may not look at everything")
    uid = re.compile(r"uid \d+")
    equal(uid.sub("uid", printed), uid.sub("uid", shown), "the doctor's report")


main()

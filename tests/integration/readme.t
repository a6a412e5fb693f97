#!/usr/bin/env python3
"""What the README shows is what the commands print."""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import BUILD, CAPRUN, Process, equal, main, need, scratch_dir, test

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def sessions():
    """Pairs of a command and what it printed, of every console block of the README."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        blocks = re.findall(r"^```console\n(.*?)^```", readme.read(), re.M | re.S)
    for block in blocks:
        steps = re.split(r"^\$ ", block, flags=re.M)[1:]
        yield [tuple(step.split("\n", 1)) for step in steps]


@test
def every_session_prints_what_the_readme_shows():
    assert list(sessions())
    for steps in sessions():
        script = "".join(f"{command}\necho '--- end'\n" for command, _ in steps)
        # `echo $?` is about the command before it, not about our marker
        script = script.replace("echo '--- end'\necho $?", "status=$?; echo '--- end'\necho $status")
        path = BUILD + os.pathsep + os.environ["PATH"]
        with scratch_dir() as here:  # a lockfile is written there
            os.symlink(os.path.join(ROOT, "samples"), os.path.join(here, "samples"))
            out = subprocess.run(["sh", "-c", script.replace("build/caprun", "caprun")], cwd=here,
                                 env={**os.environ, "PATH": path}, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, check=False).stdout
        shown = out.split("--- end\n")[:-1]
        assert shown == [expected for _, expected in steps], shown


@test
def the_doctor_prints_what_the_readme_shows():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        shown = re.search(r"^```text\n\$ caprun doctor\n(.*?)^```", readme.read(), re.M | re.S)[1]
    printed = Process([CAPRUN, "doctor"]).end().out
    layer = re.compile(r"^  (?:present|absent|failed|not checkable) +(.*?): ", re.M)
    equal(layer.findall(printed), layer.findall(shown), "layers")
    need(os.geteuid() == 0, "an ordinary user may not look at everything")
    uid = re.compile(r"uid \d+")
    equal(uid.sub("uid", printed), uid.sub("uid", shown), "the doctor's report")


main()

"""building.py - runs make and compilers, for tests of the installed files and of programs that link them."""

import contextlib
import os
import subprocess
import tempfile

from harness import BUILD

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def make(*arguments):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    variant = os.path.relpath(BUILD, os.path.join(ROOT, "build"))
    output("make", "-s", "-C", ROOT, f"VARIANT={'' if variant == '.' else variant}", *arguments,
           env=environment)


def read_text(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


@contextlib.contextmanager
def installed():
    """A folder where everything is installed, for use with `with`."""
    with tempfile.TemporaryDirectory() as prefix:
        make("install", f"PREFIX={prefix}")
        yield prefix


def link_flags(prefix):
    """The linker flags from pkg-config: {"shared": flags, "static": flags}."""
    environment = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}

    def pkg_config(*words):
        return output("pkg-config", "--cflags", "--libs", *words, "caprun", env=environment).split()

    return {"shared": [*pkg_config(), f"-Wl,-rpath,{prefix}/lib"],
            "static": ["-Wl,-Bstatic", *pkg_config("--static"), "-Wl,-Bdynamic"]}

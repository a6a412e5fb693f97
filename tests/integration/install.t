#!/usr/bin/env python3
"""`make install`: the program, the library and its pkg-config file work from where they are put."""
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import BUILD, SANITIZED, contains, equal, main, need, test

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SAMPLE = os.path.join(ROOT, "samples/smallest_host.c")


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout


def make(*arguments):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("MAKE")}
    variant = os.path.relpath(BUILD, os.path.join(ROOT, "build"))
    output("make", "-s", "-C", ROOT, f"VARIANT={'' if variant == '.' else variant}", *arguments,
           env=environment)


def files_below(folder):
    return sorted(os.path.relpath(os.path.join(where, name), folder)
                  for where, _, names in os.walk(folder) for name in names)


@test
def what_is_installed_runs_and_what_is_uninstalled_is_gone():
    with tempfile.TemporaryDirectory() as root:
        make("install", f"DESTDIR={root}", "PREFIX=/usr")
        equal(files_below(root), [
            "usr/bin/caprun", "usr/include/caprun.h", "usr/lib/libcaprun.a", "usr/lib/libcaprun.so",
            "usr/lib/libcaprun.so.0", "usr/lib/pkgconfig/caprun.pc",
            "usr/libexec/caprun/caprun-worker", "usr/share/doc/caprun/LICENSE",
            "usr/share/doc/caprun/THIRD_PARTY_LICENSES", "usr/share/man/man1/caprun.1"])
        equal(output(f"{root}/usr/bin/caprun", "exec", "-", input="return 1 + 1"), "2\n")
        make("uninstall", f"DESTDIR={root}", "PREFIX=/usr")
        equal(files_below(root), [])


@test
def the_notices_of_others_are_installed():
    with tempfile.TemporaryDirectory() as prefix:
        make("install", f"PREFIX={prefix}")
        with open(f"{prefix}/share/doc/caprun/THIRD_PARTY_LICENSES", encoding="utf-8") as file:
            parts = re.split(r"^=+\n", file.read(), flags=re.M)
    notices = {part.split(":")[0]: part for part in parts}
    for name, holder in (("quickjs-ng", "Fabrice Bellard"), ("musl", "Rich Felker"), ("nettle", "Niels Möller"),
                         ("whatwg-url", "Sebastian Mayr"), ("tr46", "Sebastian Mayr"),
                         ("punycode", "Mathias Bynens"), ("@exodus/bytes", "Exodus")):
        contains(notices.get(name, ""), holder)


@test
def a_program_links_with_what_pkg_config_says():
    need(not SANITIZED, "a sanitized library needs a sanitized program")
    with tempfile.TemporaryDirectory() as prefix:
        make("install", f"PREFIX={prefix}")
        environment = {**os.environ, "PKG_CONFIG_PATH": f"{prefix}/lib/pkgconfig"}
        shared = output("pkg-config", "--cflags", "--libs", "caprun", env=environment).split()
        static = output("pkg-config", "--cflags", "--libs", "--static", "caprun",
                        env=environment).split()
        for name, how in (("shared", [*shared, f"-Wl,-rpath,{prefix}/lib"]),
                          ("static", ["-Wl,-Bstatic", *static, "-Wl,-Bdynamic"])):
            program = f"{prefix}/bin/{name}"
            output("cc", "-Wall", "-Werror", "-o", program, SAMPLE, *how)
            assert '"result":42' in output(program), name


@test
def the_shared_library_exports_only_its_public_names():
    symbols = re.findall(r" [TDBR] (\S+)", output("nm", "-D", "--defined-only",
                                                  f"{BUILD}/libcaprun.so"))
    assert "caprun_run" in symbols
    equal([name for name in symbols if not name.startswith("caprun_")], [])


@test
def the_header_compiles_as_c99_and_as_cpp():
    for compiler in (["gcc", "-std=c99", "-pedantic", "-xc"], ["g++", "-std=c++11", "-xc++"]):
        output(*compiler, "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"{ROOT}/host/caprun.h")


main()

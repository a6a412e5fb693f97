#!/usr/bin/env python3
"""embedding.t - the library as used by other programs: header, symbols, samples, docs/embedding.md."""
import ctypes
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from building import ROOT, installed, link_flags, output, read_text
from harness import BUILD, SANITIZED, VARIANT, contains, each, equal, main, need, need_program, stretched, test, write_file
from registries import NAME, place
from tools import tools

C99 = ["gcc", "-xc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror"]
CPP11 = ["g++", "-xc++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
HEADER = read_text("host/caprun.h")
FUNCTIONS = re.findall(r"^CAPRUN_API [^(;]*?\b(caprun_\w+)\(", HEADER, re.M)
DOCUMENT = read_text("docs/embedding.md")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", DOCUMENT, re.M | re.S)


# --- the header and the symbols --------------------------------------------------------------


@test
def every_function_of_the_header_is_found():
    """The tests below use FUNCTIONS: it must have every function that is declared."""
    equal(len(FUNCTIONS), HEADER.count("CAPRUN_API ") - HEADER.count("define CAPRUN_API "))
    equal(len(set(FUNCTIONS)), len(FUNCTIONS))


@test
def every_function_is_below_a_comment():
    """A comment covers all declarations that follow without an empty line."""
    paragraphs = [p for p in re.split(r"\n\n+", HEADER) if "\nCAPRUN_API " in "\n" + p]
    equal([p for p in paragraphs if not p.startswith("/*")], [])


@test
def the_shared_library_exports_the_functions_of_the_header_and_nothing_else():
    lines = output("nm", "-D", "--defined-only", f"{BUILD}/libcaprun.so").splitlines()
    equal(sorted(line.split()[-1] for line in lines), sorted(FUNCTIONS))


@test
def the_static_library_has_no_global_name_without_its_prefixes():
    need(not VARIANT, "a variant adds more names")
    lines = output("nm", "-g", "--defined-only", f"{BUILD}/libcaprun.a").splitlines()
    names = [line.split()[-1] for line in lines if re.match(r"[0-9a-f]+ \w ", line)]
    assert set(FUNCTIONS) <= set(names)
    equal([name for name in names if not re.match(r"(caprun|cr|wire)_", name)], [])


@test
def the_shared_library_says_its_version():
    need(not SANITIZED, "a sanitized library needs a sanitized program")
    library = ctypes.CDLL(f"{BUILD}/libcaprun.so")
    library.caprun_version.restype = ctypes.c_char_p
    contains(HEADER, f'#define CAPRUN_VERSION "{library.caprun_version().decode()}"')


@test
def the_shared_library_is_never_unloaded():
    """A thread may be in caprun_wait() when its last handle is closed."""
    contains(output("readelf", "-d", f"{BUILD}/libcaprun.so"), "NODELETE")


def program_with_every_function():
    names = ", ".join(f"(function){name}" for name in FUNCTIONS)
    return ("#include <caprun.h>\n#include <stdio.h>\ntypedef void (*function)(void);\n"
            f"static function volatile all[] = {{{names}}};\n"
            'int main(void) { printf("%d\\n", (int)(sizeof(all) / sizeof(all[0]))); return 0; }\n')


@each({"c99": C99, "cpp11": CPP11})
def a_program_that_needs_every_function_links(compiler):
    need(not SANITIZED, "a sanitized library needs a sanitized program")
    with installed() as prefix:
        source = write_file(f"{prefix}/all", program_with_every_function())
        for name, flags in link_flags(prefix).items():
            output(*compiler, source, "-xnone", "-o", f"{prefix}/bin/{name}", *flags)
            equal(output(f"{prefix}/bin/{name}"), f"{len(FUNCTIONS)}\n")
            needs_library = "libcaprun.so.0" in output("readelf", "-d", f"{prefix}/bin/{name}")
            equal(needs_library, name == "shared")


# --- the samples -----------------------------------------------------------------------------


def check_smallest_host(program):
    equal(json.loads(output(program))["result"], 42)
    failed = subprocess.run([program, "throw 1"], stdout=subprocess.PIPE, text=True, check=False)
    equal((failed.returncode, json.loads(failed.stdout)["error"]["code"]), (1, "CODE_ERROR"))
    refused = subprocess.run([program, b"\xff"], stderr=subprocess.PIPE, text=True, check=False)
    equal(refused.returncode, 70)
    contains(refused.stderr, "not UTF-8")


def check_answers_calls(program):
    *lines, envelope = output(program).splitlines()
    contains("\n".join(lines), "call 1: clock:now", "call 5 is lost")
    equal(json.loads(envelope)["result"], {
        "now": "number", "day": "all quiet", "found": {"notes": ["buy tea", "drink tea"]},
        "failures": ["TOOL_ERROR: the notes are locked",
                     "RPC_TIMEOUT: RPC timeout: no answer from report:decade after 500 ms",
                     "RPC_ERROR: there is no such method"]})
# a run ends before its call is answered: the helper stops, and so does the program
    *lines, envelope = output(program, "mcp.report.decade(); return 1", timeout=stretched(20)).splitlines()
    equal(json.loads(envelope)["calls"][0]["state"], "in_flight_unknown")


def check_own_loop(program):
    *ticks, last = output(program, timeout=stretched(60)).splitlines()
    equal(last, "200 of 200 as expected")
    contains(ticks[0], "tick 1: ")


def run_tools(program, t, code):
    """Returns the status, the lines of standard output, and standard error."""
    done = subprocess.run([program, f"{t.work}/.caprun.json", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=stretched(60))
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def check_tools(program):
    with tools(a={"tools": [{"name": "write_file"}]}, gone={"command": "no-such-command"}) as t:
        status, (*servers, envelope), told = run_tools(program, t, "return mcp.a.echo({x: 1})")
        equal((status, envelope["result"]), (0, {"x": 1}))
        equal({s["name"]: s["state"] for s in servers}, {"a": "ok", "gone": "failed"})
        contains(told, "a:echo: done after ")
        status, lines, _ = run_tools(program, t, "return mcp.a.write_file({})")
        equal((status, lines[-1]["calls"][0]["by"]), (3, "rule:*:write_*"))
        status, lines, told = run_tools(program, t, "return mcp.gone.x()")
        equal((status, lines[-1]["error"]["code"]), (1, "RPC_ERROR"))
        contains(told, "gone:x: failed after 0 us in the server")
        equal(t.called("a"), ["echo"])


def check_by_name(program):
    with place() as p:
        p.publish()
        config = p.configure(registries=["../registry"])
        words = [NAME, '{"text":"a"}', NAME, '{"text":"b"}', "acme.tools.text.nothing", "{}"]
        done = subprocess.run([program, config, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              check=False, timeout=stretched(60))
        envelopes = [json.loads(line) for line in done.stdout.splitlines()]
        equal(sorted(e.get("result") or e["error"]["code"] for e in envelopes), ["A", "B", "NOT_FOUND"])
        equal(done.returncode, 6)
        contains(done.stderr, f"loaded {NAME}", f"pinned {NAME}")


def check_whole_program(program):
    equal(output(program), 'heat {"room":"kitchen","degrees":21}\n"kitchen is warm"\n')


SAMPLES = {"by_name": check_by_name, "smallest_host": check_smallest_host, "answers_calls": check_answers_calls,
           "own_loop": check_own_loop, "tools": check_tools, "whole_program": check_whole_program}


@test
def every_sample_has_a_check():
    files = os.listdir(os.path.join(ROOT, "samples"))
    equal(sorted(name[:-2] for name in files if name.endswith(".c")), sorted(SAMPLES))


@each({name: name for name in SAMPLES})
def a_sample_does_what_it_says(name):
    SAMPLES[name](f"{BUILD}/samples/{name}")


@each({name: name for name in SAMPLES})
def a_sample_works_with_what_is_installed(name):
    need(not SANITIZED, "a sanitized library needs a sanitized program")
    with installed() as prefix:
        for how, flags in link_flags(prefix).items():
            output(*C99, f"{ROOT}/samples/{name}.c", "-xnone", "-o", f"{prefix}/bin/{how}", *flags,
                   "-pthread")
            SAMPLES[name](f"{prefix}/bin/{how}")


@test
def the_smallest_host_is_cpp_too():
    need(not SANITIZED, "a sanitized library needs a sanitized program")
    with installed() as prefix:
        program = f"{prefix}/bin/cpp"
        output(*CPP11, f"{ROOT}/samples/smallest_host.c", "-xnone", "-o", program,
               *link_flags(prefix)["shared"])
        check_smallest_host(program)


# --- the document ----------------------------------------------------------------------------


@test
def c_in_the_document_is_a_part_of_a_sample():
    samples = [read_text(f"samples/{name}.c") for name in SAMPLES]
    assert len(blocks("c")) > 3
    equal([b for b in blocks("c") if not any("\n" + b in "\n" + text for text in samples)], [])


@test
def the_document_has_a_whole_program():
    assert read_text("samples/whole_program.c") in blocks("c")


def under_valgrind(*before):
    """Returns how the whole program ends: its status, standard output and standard error."""
    program = [*before, "valgrind", "-q", "--error-exitcode=99", "--leak-check=full", f"{BUILD}/samples/whole_program"]
    done = subprocess.run(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@test
def a_program_under_valgrind_works_with_the_small_library_of_the_document():
    need_program("valgrind")
    need(not SANITIZED, "valgrind and sanitizers do not work together")
    recipe = re.search(r"^    cc (-shared .*) -o pidfd_signal.so (.*)$", DOCUMENT, re.M)
    with tempfile.TemporaryDirectory() as folder:
        library = f"{folder}/pidfd_signal.so"
        output("gcc", *recipe[1].split(), "-o", library, f"{ROOT}/{recipe[2]}")
        equal(under_valgrind("env", f"LD_PRELOAD={library}")[:2], (0, 'heat {"room":"kitchen","degrees":21}\n"kitchen is warm"\n'))


@test
def without_that_library_the_error_says_why():
    need_program("valgrind")
    need(not SANITIZED, "valgrind and sanitizers do not work together")
    status, out, _ = under_valgrind()
    equal(status, 70)
    contains(json.loads(out)["error"]["message"], "valgrind does not know it", "Under valgrind")


@test
def every_callback_has_a_type():
    equal(re.findall(r"\(\*\w+\)\(", HEADER), [])
    equal(len(re.findall(r"^typedef void caprun_\w+_fn\(void \*data,", HEADER, re.M)), 8)


@test
def the_document_names_only_what_is_in_the_header():
    names = set(re.findall(r"\b(?:caprun_[a-z_]+\b(?!\*)|CAPRUN_[A-Z_]+\b(?!\*))", DOCUMENT))
    assert len(names) > 20
    equal([name for name in sorted(names) if not re.search(rf"\b{name}\b", HEADER)], [])


@test
def python_in_the_document_prints_what_it_says():
    need(not SANITIZED, "a sanitized library needs a sanitized program")
    code, printed = blocks("python"), blocks("text")
    equal((len(code), len(printed)), (1, 1))
    environment = {**os.environ, "LD_LIBRARY_PATH": BUILD}
    equal(output(sys.executable, "-c", code[0], env=environment), printed[0])


@test
def the_document_links_to_what_is_there():
    for link in re.findall(r"\]\(([^)#]+)", DOCUMENT):
        assert os.path.exists(os.path.join(ROOT, "docs", link)), link


main()

#!/usr/bin/env python3
"""install.t - `make install` and `make uninstall`. embedding.t links with the installed library."""
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from building import ROOT, installed, make, output
from harness import contains, equal, main, test


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
            "usr/libexec/caprun/caprun-fetch", "usr/libexec/caprun/caprun-guard", "usr/libexec/caprun/caprun-worker",
            "usr/share/bash-completion/completions/caprun",
            "usr/share/caprun/caprun.schema.json",
            *(f"usr/share/caprun/deno/{name}" for name in sorted(os.listdir(f"{ROOT}/host/bindings/deno"))),
            "usr/share/doc/caprun/CHANGELOG.md", "usr/share/doc/caprun/LICENSE", "usr/share/doc/caprun/README.md",
            "usr/share/doc/caprun/SECURITY.md", "usr/share/doc/caprun/THIRD_PARTY_LICENSES",
            *(f"usr/share/doc/caprun/docs/{name}" for name in sorted(os.listdir(f"{ROOT}/docs")) if name.endswith(".md")),
            "usr/share/man/man1/caprun.1", "usr/share/man/man3/caprun.3", "usr/share/man/man5/caprun.json.5",
            "usr/share/zsh/site-functions/_caprun"])
        equal(output(f"{root}/usr/bin/caprun", "exec", "-", input="return 1 + 1"), "2\n")
        make("uninstall", f"DESTDIR={root}", "PREFIX=/usr")
        equal(files_below(root), [])


@test
def all_may_read_what_is_installed_whatever_the_umask():
    before = os.umask(0o077)
    try:
        with installed() as prefix:
            modes = {name: os.stat(f"{prefix}/{name}").st_mode & 0o777 for name in files_below(prefix)}
    finally:
        os.umask(before)
    equal(modes["lib/pkgconfig/caprun.pc"], 0o644)
    equal([name for name, mode in modes.items() if mode not in (0o644, 0o755)], [])


@test
def the_notices_of_third_parties_are_installed():
    with installed() as prefix:
        with open(f"{prefix}/share/doc/caprun/THIRD_PARTY_LICENSES", encoding="utf-8") as file:
            parts = re.split(r"^=+\n", file.read(), flags=re.M)
    notices = {part.split(":")[0]: part for part in parts}
    for name, holder in (("quickjs-ng", "Fabrice Bellard"), ("musl", "Rich Felker"), ("nettle", "Niels Möller"),
                         ("whatwg-url", "Sebastian Mayr"), ("tr46", "Sebastian Mayr"),
                         ("punycode", "Mathias Bynens"), ("@exodus/bytes", "Exodus")):
        contains(notices.get(name, ""), holder)


@test
def links_between_installed_documents_work():
    with installed() as prefix:
        root = f"{prefix}/share/doc/caprun"
        pages = [name for name in files_below(root) if name.endswith(".md")]
        for page in pages:
            with open(f"{root}/{page}", encoding="utf-8") as file:
                links = re.findall(r"\]\(([^)#:\s]+)[^)]*\)", file.read())
            for link in links:
                path = os.path.normpath(os.path.join(os.path.dirname(page), link))
                if os.path.exists(f"{ROOT}/{path}") and path in ("README.md", "SECURITY.md", "CHANGELOG.md", "LICENSE") or \
                        re.fullmatch(r"docs/[^/]*\.md", path):
                    assert path in pages + ["LICENSE"], f"{page}: {link}"
        assert len(pages) > 10, pages


main()

"""registries.py - registries to run capabilities from: directories, and answers of HTTP servers."""

import contextlib
import hashlib
import json
import os
import re

from harness import scratch_dir, start, write_file
from servers import KEEP, answer

NAME = "acme.tools.text.upper"
CODE = "return args.text.toUpperCase()"


def sha256(data):
    return "sha256-" + hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


class Place:
    """A working directory with a registry in it, and a separate home."""

    def __init__(self, root):
        self.root = root
        self.registry = os.path.join(root, "registry")
        self.work = os.path.join(root, "work")
        self.cache = os.path.join(root, "cache")
        for path in (self.registry, self.work):
            os.mkdir(path)
        self.lockfile = os.path.join(self.work, "caprun.lock")
        self.env = {**os.environ, "XDG_CACHE_HOME": self.cache, "HOME": root}
        self.env.pop("CAPRUN_CONFIG", None)

    def publish(self, fqdn=NAME + ".0123abcd", code=CODE, file=None, **metadata):
        """Writes FQDN.json and FQDN.js; |metadata| adds fields, and None removes one."""
        fields = {"fqdn": fqdn, "type": "js", "codeUrl": fqdn + ".js",
                  "publishedAt": "2026-01-01T00:00:00Z", **metadata}
        self.write_metadata(file or fqdn, {k: v for k, v in fields.items() if v is not None})
        write_file(self.path(file or fqdn, "js"), code)

    def write_metadata(self, fqdn, fields):
        write_file(self.path(fqdn, "json"), json.dumps(fields) if isinstance(fields, dict) else fields)

    def path(self, fqdn, suffix):
        return os.path.join(self.registry, f"{fqdn}.{suffix}")

    def configure(self, **settings):
        return write_file(os.path.join(self.work, ".caprun.json"), json.dumps(settings))

    def start(self, *words, **options):
        env = {**self.env, **options.pop("env", {})}
        return start(*words, cwd=options.pop("cwd", self.work), env=env, **options)

    def run(self, *words, **options):
        return self.start(*words, **options).end(60)

    def upper(self, *words, source=None, args='{"text":"a"}', **options):
        """Runs the capability above from the directory, or from |source|."""
        return self.run(NAME, args, "--registry", source or self.registry, *words, **options)

    def pins(self):
        with open(self.lockfile, encoding="utf-8") as file:
            return json.load(file)["capabilities"]


@contextlib.contextmanager
def place():
    with scratch_dir() as root:
        yield Place(root)


def serve_files(directory):
    """For a Server: answers /FQDN, with or without the hash, with metadata, and /FQDN.js with code."""

    def find(name):
        files = sorted(os.listdir(directory))
        if name in files:
            return name
        return next((file for file in files if re.fullmatch(rf"{re.escape(name)}(\.\w+)?\.json", file)), None)

    def serve(path, headers):
        file = find(path.lstrip("/"))
        if not file:
            return answer(404, b"", KEEP)
        with open(os.path.join(directory, file), "rb") as found:
            body = found.read()
        etag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if headers.get("if-none-match") == etag:
            return answer(304, b"", KEEP, f"ETag: {etag}")
        return answer(200, body, KEEP, f"ETag: {etag}")

    return serve

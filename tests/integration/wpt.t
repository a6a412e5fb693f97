#!/usr/bin/env python3
"""wpt.t - URLs, host names and encodings, checked with public test data.

tests/get-data gets the data from Debian: the Web Platform Tests for URL, Unicode's IdnaTestV2.txt,
and the Encoding Standard's tables and labels from encoding_rs. The data may be some years old, so
rules that the standards have changed since then are listed here.
"""

import base64
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from harness import ROOT, caprun, each, equal, main, need, test

DATA = os.path.join(ROOT, "build/data")

# Where the standard differs from older data: (pattern of the case's name, reason).
CHANGED = [
    (r'"[a-z]+://[\x20-\x7e]*xn--', "an ASCII host is put into lower case, whatever ToASCII says of it"),
    (r"host(name)?=xn--", "the same, in a setter"),
    (r"//host/ .*\^", "^ is percent-encoded in a path"),
    (r"pathname=.*\^", "the same, in a setter"),
    (r"hostname=example\.com:", "the hostname setter takes no port, and then does nothing"),
    (r"^line \d+: [\ufe10-\ufe19\u9fb4-\u9fbb] is not [\ue000-\uf8ff]", "gb18030 of 2022: no private use"),
    (r"pathname=(\\\\|//)", "empty segments stay in the path of a file URL"),
]

PARSE = """
const fields = ["href", "protocol", "username", "password", "host", "hostname", "port", "pathname",
    "search", "hash", "origin"];
const wrong = [];
const parsed = ({ input, base }) => {
    try {
        return new URL(input, base ?? undefined);
    } catch (error) {
        if (!(error instanceof TypeError)) wrong.push(`${input}: ${error}`);
        return null;
    }
};
for (const t of JSON.parse(args.text)) {
    const name = JSON.stringify([t.input, t.base ?? null]), url = parsed(t);
    if (!url !== !!t.failure) wrong.push(`${name}: ${url ? "is " + url.href : "fails"}`);
    if (!url !== !URL.canParse(t.input, t.base ?? undefined)) wrong.push(`${name}: canParse`);
    if (!url || t.failure) continue;
    for (const f of fields) if (f in t && url[f] !== t[f]) wrong.push(`${name}: ${f} is ${url[f]}`);
}
return wrong;
"""

SET = """
const wrong = [];
for (const { href, setter, new_value, expected } of JSON.parse(args.text)) {
    const url = new URL(href);
    url[setter] = new_value;
    for (const f in expected)
        if (url[f] !== expected[f]) wrong.push(`${href} ${setter}=${new_value}: ${f} is ${url[f]}`);
}
return wrong;
"""

HOSTS = """
return JSON.parse(args.text).filter(([from, to]) => URL.parse(`https://${from}/`)?.host !== to)
    .map(([from, to]) => `${from}: ${URL.parse(`https://${from}/`)?.host} is not ${to}`);
"""

DECODE = """
const bytes = Uint8Array.fromBase64(args.bytes);
const whole = new TextDecoder(args.label).decode(bytes);
const stream = new TextDecoder(args.label);
let pieces = "";
for (let i = 0; i < bytes.length; i += 7) pieces += stream.decode(bytes.subarray(i, i + 7), { stream: true });
pieces += stream.decode();
const wanted = args.text.split("\\n");
return [whole, pieces].map((text) => text.split("\\n")).flatMap((got) =>
    Array.from({ length: Math.max(got.length, wanted.length) }, (_, i) => i).filter((i) => got[i] !== wanted[i])
        .map((i) => `line ${i + 1}: ${got[i]} is not ${wanted[i]}`));
"""

LABELS = """
const nameOf = (label) => { try { return new TextDecoder(label).encoding; } catch (e) { return e.name; } };
return args.labels.filter(([label, name]) => nameOf(label) !== name).map(([label]) => `${label}: ${nameOf(label)}`);
"""

BYTES = """
return JSON.parse(args.text).flatMap(([label, wanted]) => {
    const decoder = new TextDecoder(label);
    return wanted.map((char, byte) => [decoder.decode(Uint8Array.of(byte)), char, byte])
        .filter(([got, char]) => char !== null && got !== char)
        .map(([got, char, byte]) => `${label} ${byte.toString(16)}: ${got} is not ${char}`);
});
"""


def data(name):
    path = os.path.join(DATA, name)
    need(os.path.exists(path), f"there is no {name}: run tests/get-data build/data")
    with open(path, "rb") as file:
        return file.read()


def check(code, args, count, least):
    """Runs |code|, which returns a list of failures, on |count| cases; there must be at least |least|."""
    assert count >= least, f"{count} cases are too few, there were {least}"
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(args, file)
        file.flush()
        done = caprun("exec", "-", file.name, code=code)
    equal(done.err, "")
    wrong = json.loads(done.out)
    left = [w for w in wrong if not any(re.search(pattern, w, re.S) for pattern, _ in CHANGED)]
    print(f"# {count} cases, {len(wrong) - len(left)} by older rules")
    assert not left, f"{len(left)} of {count}:\n" + "\n".join(left[:50])


def as_text(cases):
    """Args with the cases as JSON in a string: the host refuses NUL and lone surrogates in args themselves."""
    return {"text": json.dumps(cases)}


@test
def urltestdata():
    cases = [c for c in json.loads(data("urltestdata.json")) if isinstance(c, dict)]
    check(PARSE, as_text(cases), len(cases), 600)


@test
def setters_tests():
    groups = json.loads(data("setters_tests.json"))
    cases = [c | {"setter": name} for name, group in groups.items() if name != "comment" for c in group]
    check(SET, as_text(cases), len(cases), 150)


@test
def idna_test_v2():
    """Only names that every rule allows; which names a rule forbids depends on the version of Unicode."""
    cases = []
    for line in data("IdnaTestV2.txt").decode().splitlines():
        fields = [f.strip() for f in line.split("#")[0].split(";")]
        if len(fields) < 7 or "\\" in fields[0]:
            continue
        source, unicode, status, ascii_name, ascii_status = fields[:5]
        if status or ascii_status or source.isascii():
            continue
        name = ascii_name or unicode or source
        if not re.search(r"\.\d+\.?$", name):  # a URL treats such a name as an IPv4 address
            cases.append([source, name])
    check(HOSTS, as_text(cases), len(cases), 250)


TABLES = {"big5_in": "big5", "euc_kr_in": "euc-kr", "gb18030_in": "gb18030", "shift_jis_in": "shift_jis",
          "iso_2022_jp_in": "iso-2022-jp", "jis0208_in": "euc-jp", "jis0212_in": "euc-jp"}


@each({name: (name, label) for name, label in TABLES.items()})
def encoding_table(row):
    name, label = row
    text = data(f"{name}_ref.txt").decode()
    args = {"label": label, "bytes": base64.b64encode(data(f"{name}.txt")).decode(), "text": text}
    check(DECODE, args, text.count("\n"), 5000)


@test
def encoding_labels():
    found = re.findall(r'for_label\(b"([^"]+)"\), Some\((\w+)\)', data("test_labels_names.rs").decode())
    names = {"REPLACEMENT": "RangeError", "SHIFT_JIS": "shift_jis", "X_USER_DEFINED": "x-user-defined"}
    cases = [[label, names.get(name, name.lower().replace("_", "-"))] for label, name in found]
    check(LABELS, {"labels": cases}, len(cases), 200)


# For these bytes Python's tables differ from the standard.
OTHER = {"koi8-u": b"\xae\xbe", "macintosh": b"\xdb", "x-mac-cyrillic": b"\xa2\xb6\xff"}


@test
def single_byte_encodings():
    codecs = {f"windows-{n}": f"cp{n}" for n in range(1250, 1259)} | {
        f"iso-8859-{n}": f"iso8859_{n}" for n in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)} | {
        "ibm866": "cp866", "koi8-r": "koi8_r", "koi8-u": "koi8_u", "macintosh": "mac_roman",
        "windows-874": "cp874", "x-mac-cyrillic": "mac_cyrillic"}
    tables = []
    for label, codec in codecs.items():
        chars = [bytes([b]).decode(codec, "replace") for b in range(256)]
        odd = OTHER.get(label, b"")
        tables.append([label, [None if c == "\ufffd" or b in odd else c for b, c in enumerate(chars)]])
    check(BYTES, as_text(tables), len(tables) * 256, 27 * 256)


main()

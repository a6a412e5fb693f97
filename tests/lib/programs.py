"""programs.py - random capability programs: everything a run can do, in any order, with calls that take time.

    Programs(seed)[7].code      program 7; it depends only on the seed and its number

A program calls the tools of fake_mcp.py under one namespace, `s`: echo, sleep, text, fail, error, big, never, and
`denied`, which policy denies. It also calls an unlisted tool and an unknown namespace. Answers() answers the same
calls for a program that runs in the library, after the time in their args, or after a random time.
"""

import heapq
import itertools
import json
import random
import time

# The beginning of all programs; no call is awaited twice.
HELP = """
const out = [], sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const caught = (p) => p.then((value) => ({ value }), (e) => ({ name: e.name, code: e.code, message: e.message }));
const retry = async (f, times) => {
    for (let i = 0; ; i++)
        try { return await f(i) } catch (e) {
            console.warn("attempt", i, e.code);
            if (i >= times) throw e;
            await sleep(2 ** i + Math.random() * 2);
        }
};
const short = (v) => typeof v === "string" && v.length > 100 ? [v.length, v.slice(0, 9)] : v;
"""

BLOCKED = ['fetch("https://evil.example/x")', 'Deno.readFile("/etc/passwd")', 'Deno.env.get("HOME")',
           'new Deno.Command("rm")', 'import("fs")', 'eval("1")', 'require("x")', "process.exit(1)"]


class Program:
    """One program: its |code| and its limits."""

    def __init__(self, chance, name):
        self.chance, self.name = chance, name
        self.tags = itertools.count(1)
        self.max_calls = chance.choice([0] * 8 + [3, 7])
        self.at_once = chance.choice([0] * 6 + [1, 2, 5])
        self.rpc_ms = chance.choice([0] * 5 + [40])
        self.stops = chance.random() < 0.05  # ends at the first denial
        self.args = {"n": chance.randrange(1000), "text": chance.choice(["", "é€😀", "a\nb", 'q"\\', "x" * 70000])}
        self.is_module = chance.random() < 0.15
        body = HELP + "".join(self.statement(2) for _ in range(chance.randrange(1, 7))) + self.ending()
        self.code = f"export default async function (args, {{ mcp }}) {{{body}}}\n" if self.is_module else body

    # --- expressions ---------------------------------------------------------------------------

    def call(self):
        """A call that may succeed or fail."""
        kinds = [self.good_call] * 6 + [self.bad_call] * 2
        return self.chance.choice(kinds)()

    def good_call(self):
        c, tag = self.chance, next(self.tags)
        value = c.choice(["Math.random()", "Date.now()", "performance.now()", "args.n", "crypto.randomUUID()",
                          "[out.length, null, {}]", '"\\u2028 é😀\\n"', "1e21", "-0", "args.text.length"])
        return c.choice([
            f"mcp.s.echo({{ tag: {tag}, value: {value} }})",
            f"mcp.s.sleep({{ tag: {tag}, ms: {c.choice([0, 0, 1, 2, 5, 12])} }})",
            f"mcp.s.sleep({{ tag: {tag}, ms: Math.floor(Math.random() * 10) }})",
            f'mcp.s.text({{ tag: {tag}, text: "{c.choice(["", "{}", "[1, 2]", "plain", "{broken"])}" }})',
            f"mcp.s.echo.raw({{ tag: {tag}, value: {value} }})",
            f"mcp.s.big({{ tag: {tag}, bytes: {c.choice([100, 65000, 66000, 200000])} }}).then(short)",
            f'mcp.s.echo({{ tag: {tag}, text: "y".repeat({c.choice([10, 65500, 70000])}) }}).then((v) => short(v.text))',
        ])

    def bad_call(self):
        c, tag = self.chance, next(self.tags)
        kinds = [f'mcp.s.fail({{ tag: {tag}, text: "no {tag}" }})', f"mcp.s.error({{ tag: {tag}, code: -32000 }})",
                 f"mcp.s.unlisted({{ tag: {tag} }})", f"mcp.nowhere.x({{ tag: {tag} }})",
                 f"mcp.s.denied({{ tag: {tag} }})", 'mcp.s["not a name"]()', "mcp.s.echo({ big: 1n })"]
        if self.rpc_ms:
            kinds += [f"mcp.s.never({{ tag: {tag} }})"] * 4
        return c.choice(kinds)

    def waited(self, depth):
        """Something that takes time and cannot fail."""
        c = self.chance
        kinds = [lambda: f"caught({self.call()})", lambda: f"sleep({c.choice([0, 1, 3, 8])})",
                 lambda: f"caught(retry((i) => i < {c.randrange(3)} ? {self.bad_call()} : {self.good_call()}, 2))"]
        if depth:
            kinds += [lambda: f"(async () => {{{self.statement(depth - 1)} return {self.value()} }})()",
                      lambda: self.together(depth - 1)]
        return c.choice(kinds)()

    def together(self, depth):
        way = self.chance.choice(["all", "race", "any", "allSettled"])
        parts = [self.waited(depth) for _ in range(self.chance.randrange(1, 5))]
        if way in ("race", "any", "allSettled"):
            parts += [self.call() for _ in range(self.chance.randrange(2))]
        settled = f"Promise.{way}([{', '.join(parts)}])"
        return settled if way == "all" else f"caught({settled}).then((v) => JSON.stringify(v))"

    def value(self):
        return self.chance.choice([
            "Math.random()", "Date.now()", "new Date().toISOString()", "performance.now()", "crypto.randomUUID()",
            "[...crypto.getRandomValues(new Uint8Array(4))]", "new Error('here').stack", "args", "out.length",
            "structuredClone({ a: [1] })", "new URL('a?b=c', 'http://d/').href", "btoa('x' + args.n)"])

    # --- statements ----------------------------------------------------------------------------

    def statement(self, depth):
        c = self.chance
        kinds = [self.waits, self.waits, self.waits, self.says, self.notes, self.tries, self.reaches, self.ticks,
                 self.leaves]
        return "\n" + c.choice(kinds)(depth)

    def waits(self, depth):
        return f"out.push(short(await {self.waited(depth)}));"

    def says(self, _depth):
        value = self.value()
        return self.chance.choice([
            f"console.log('said', {value});", f"console.error({value}, [1, {{ a: {value} }}]);", "console.table([{ a: 1 }]);",
            "console.count();", "console.time('t'); await sleep(1); console.timeEnd('t');",
            "console.log('x'.repeat(3000));", "console.assert(false, 'é\\u0007\\x1b[31m');", "console.log(new Error('e'));"])

    def notes(self, _depth):
        return f"out.push({self.value()});"

    def tries(self, depth):
        thrown = self.chance.choice(["new Error('t')", "new TypeError(String(Math.random()))", "null", "{ code: 'X' }"])
        return (f"try {{{self.statement(depth - 1) if depth else ''}\n if (Math.random() < 0.7) throw {thrown}; }}"
                " catch (e) { out.push(String(e)) } finally { out.push(performance.now()) }")

    def reaches(self, _depth):
        return f"try {{ await {self.chance.choice(BLOCKED)} }} catch (e) {{ out.push(e.message) }}"

    def ticks(self, _depth):
        c = self.chance
        if c.random() < 0.5:
            return ("await new Promise((r) => { let n = 0; const id = setInterval(() => { out.push(Date.now());"
                    f" if (++n === {c.randrange(1, 4)}) {{ clearInterval(id); r() }} }}, {c.choice([0, 1, 3])}) }});")
        return (f"setTimeout(() => out.push('timer', performance.now()), {c.choice([0, 1, 4])});"
                " queueMicrotask(() => out.push('micro'));")

    def leaves(self, _depth):
        """A statement that starts something and does not await it."""
        return self.chance.choice([f"caught({self.call()}).then((v) => console.log(v));", f"{self.good_call()};",
                                   f"{self.bad_call()};", "Promise.reject(new Error('unhandled'));"])

    def ending(self):
        c = self.chance
        kinds = ["return out;"] * 12 + [
            "throw new Error('the end ' + out.length);", f"return {self.bad_call()};", f"return await {self.good_call()};",
            "await new Promise(() => {});", "return fetch('http://a.b/');", "return { big: 'z'.repeat(70000), out };",
            "setTimeout(() => { throw new RangeError('late') }, 2); await sleep(20); return out;", "", "return 1n;",
            "return (;", f"for (let i = 0; i < 12; i++) caught({self.good_call()}); await sleep(3); return out;"]
        return "\n" + c.choice(kinds)


class Programs:
    """|self[n]| is program n of the seed."""

    def __init__(self, seed):
        self.seed = seed

    def __getitem__(self, number):
        return Program(random.Random(f"{self.seed}/{number}"), f"{self.seed}-{number}")


# --- answers, in the library ----------------------------------------------------------------------


class Answers:
    """Answers calls as fake_mcp.py does, each after a time."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.due = []  # a heap of (time, number, call, how)
        self.numbers = itertools.count()

    def take(self, call):
        args = json.loads(call.args)
        tool = call.method.partition(":")[2]
        ms = args.get("ms", self.chance.choice([None, None, 0, 1, 3])) if isinstance(args, dict) else None
        how = self.how(call, tool, args)
        if how and ms is None:
            how()
        elif how:
            heapq.heappush(self.due, (time.monotonic() + ms / 1000, next(self.numbers), call, how))

    @staticmethod
    def how(call, tool, args):
        def result(text, **more):
            return lambda: call.reply_tool(json.dumps({"content": [{"type": "text", "text": text}], **more}))

        if tool in ("echo", "sleep"):
            return result(json.dumps(args), structuredContent=args)
        if tool == "text":
            return result(args["text"])
        if tool == "big":
            return result("x" * args["bytes"])
        if tool == "fail":
            return result(args["text"], isError=True)
        return None if tool == "never" else lambda: call.fail(f"no tool {tool}")

    def give(self):
        """Answers the calls whose time has come."""
        while self.due and self.due[0][0] <= time.monotonic():
            heapq.heappop(self.due)[3]()

    def forget(self, run):
        """The run at this address has ended; another may get the address."""
        self.due = [entry for entry in self.due if entry[2].run != run]
        heapq.heapify(self.due)

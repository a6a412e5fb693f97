/** SandboxWorker: the behaviour that PML relies on. */
import {
  type RpcHandler,
  SANDBOX_EXECUTION_TIMEOUT_MS,
  SANDBOX_RPC_TIMEOUT_MS,
  type SandboxResult,
  SandboxWorker,
} from "../../host/bindings/deno/mod.ts";
import {
  equal,
  execute,
  failure,
  later,
  match,
  MULTIPLIER,
  noCalls,
  ok,
  sleep,
  test,
  value,
  valueOf,
} from "./help.ts";

const echo: RpcHandler = (method, args) => Promise.resolve({ method, args });

// --- values --------------------------------------------------------------------------------------

test("code returns a value, and sees its args", async () => {
  equal(await value("return {got: args, twice: args.n * 2}", { n: 21 }), {
    got: { n: 21 },
    twice: 42,
  });
});

test("await works at the top, and timers do", async () => {
  equal(await value("await new Promise((r) => setTimeout(r, 5)); return 'later'"), "later");
});

test("args are any JSON, and undefined is an empty object", async () => {
  for (const args of [null, 0, "text", [1, [2]], { a: { b: null } }, "\u{1f600}\n"]) {
    equal(await value("return args", args), args);
  }
  equal(await value("return args", undefined), {});
});

test("undefined as the result is null", async () => {
  equal(await value("return undefined"), null);
  equal(await value(""), null);
});

test("args that are not JSON are refused, and the next execution works", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  for (const args of [cycle, 1n, () => {}, Symbol("s"), "\ud800", "\0"]) {
    match(failure(await execute("return 1", args), "VALIDATION_ERROR"), /args/);
  }
  equal(await value("return 1"), 1);
});

test("code that is too long is refused", async () => {
  const long = `return "${"x".repeat(1 << 20)}"`;
  match(failure(await execute(long), "VALIDATION_ERROR"), /1048576/);
  equal(await value(`return "${"x".repeat(1 << 19)}".length`), 1 << 19);
});

test("code that is not a string is refused", async () => {
  for (const code of [5, undefined, null, () => 1] as unknown[]) {
    match(
      failure(await execute(code as string), "VALIDATION_ERROR"),
      /The code has to be a string/,
    );
  }
});

test("values are at most 1,000 levels deep, and hostile keys are only keys", async () => {
  const nest = (n: number) => `let a = []; for (let i = 1; i < ${n}; i++) a = [a];`;
  for (
    const [n, code] of [[1000, undefined], [1001, "CODE_ERROR"], [100000, "CODE_ERROR"]] as const
  ) {
    equal((await execute(`${nest(n)} return a`)).error?.code, code);
  }
  const keys = await value(`return JSON.parse('{"__proto__": {"x": 1}, "then": 1, "toJSON": 2}')`);
  equal(Object.keys(keys as object), ["__proto__", "then", "toJSON"]);
  equal(({} as Record<string, unknown>).x, undefined);
});

test("an error of the code has its message and its own lines", async () => {
  const { success, error, value } = await execute("\nthrow new TypeError('on purpose')");
  equal(success, false);
  equal(value, undefined);
  equal(error?.code, "CODE_ERROR");
  equal(error?.message, "TypeError: on purpose");
  match(error?.stack ?? "", /cap:[0-9a-f]{8}:2:/);
});

test("code that does not parse is an error of the code", async () => {
  const early = /^SyntaxError: .*ends too early.* at line 1, column 9/;
  match(failure(await execute("return {"), "CODE_ERROR"), early);
});

test("an error has the type of the envelope, and a syntax error its name", async () => {
  const { error } = await execute("this is not valid javascript {{{{");
  equal([error?.code, error?.type], ["CODE_ERROR", "SyntaxError"]);
  match(error?.message ?? "", /^SyntaxError: (?!SyntaxError)/);
  const thrown = await execute("throw new SyntaxError('of the code')");
  equal([thrown.error?.type, thrown.error?.message], ["RuntimeError", "SyntaxError: of the code"]);
  const late = await execute("for (;;) {}", {}, { executionTimeoutMs: 50 });
  equal(late.error?.type, "TimeoutError");
});

test("the time of the run is reported", async () => {
  const { durationMs } = await execute("await new Promise((r) => setTimeout(r, 30))");
  ok(durationMs >= 30, `${durationMs} ms`);
});

test("large data goes both ways", async () => {
  const rows = Array.from({ length: 60000 }, (_, i) => ({ id: i, name: `name ${i}`, ok: true }));
  const onRpc: RpcHandler = () => Promise.resolve(rows);
  const code =
    "const r = await mcp.db.rows(); return {n: r.length, last: r.at(-1), all: args.length}";
  equal(await value(code, rows, { onRpc }), {
    n: 60000,
    last: { id: 59999, name: "name 59999", ok: true },
    all: 60000,
  });
  equal(await value("return args", rows), rows);
});

// --- what is denied ------------------------------------------------------------------------------

const denied: Record<string, string> = {
  "await Deno.readFile('/etc/passwd')": 'Requires read access to "/etc/passwd"',
  "await Deno.readTextFile('/etc/passwd')": 'Requires read access to "/etc/passwd"',
  "Deno.readTextFileSync('/etc/passwd')": 'Requires read access to "/etc/passwd"',
  "await Deno.open('/etc/passwd')": 'Requires read access to "/etc/passwd"',
  "await Deno.stat('/etc/passwd')": 'Requires read access to "/etc/passwd"',
  "for await (const entry of Deno.readDir('/')) return entry": 'Requires read access to "/"',
  "await Deno.writeFile('/tmp/x', new Uint8Array(1))": 'Requires write access to "/tmp/x"',
  "await Deno.writeTextFile('/tmp/x', 'x')": 'Requires write access to "/tmp/x"',
  "await Deno.remove('/tmp/x')": 'Requires write access to "/tmp/x"',
  "await Deno.mkdir('/tmp/x')": 'Requires write access to "/tmp/x"',
  "await fetch('https://evil.example/x')": 'Requires net access to "evil.example"',
  "new WebSocket('wss://evil.example/x')": 'Requires net access to "evil.example"',
  "new EventSource('https://evil.example/x')": 'Requires net access to "evil.example"',
  "await Deno.connect({hostname: 'evil.example', port: 1})": "Requires net access",
  "Deno.listen({port: 1})": "Requires net access",
  "await new Deno.Command('ls').output()": 'Requires run access to "ls"',
  "Deno.env.get('HOME')": 'Requires env access to "HOME"',
  "process.env.HOME": 'Requires env access to "HOME"',
  "Deno.dlopen('libc.so.6', {})": "Requires ffi access",
  "await import('node:fs')": 'Requires import access to "node:fs"',
  "require('fs')": 'Requires import access to "fs"',
  "eval('1')": "Requires eval access",
  "new Function('return 1')()": "Requires eval access",
  "new Worker('data:text/javascript,1')": "Requires",
  "Bun.file('/etc/passwd')": "Requires",
  "process.kill(process.pid, 9)": "Requires",
  "process.kill(1, 'SIGKILL')": "Requires",
  "process.exit(0)": "Requires",
  "Deno.exit(0)": "Requires",
  "Deno.kill(1, 'SIGKILL')": "Requires",
  "self.Deno.readTextFileSync('/etc/passwd')": 'Requires read access to "/etc/passwd"',
  "globalThis.Deno.env.get('HOME')": 'Requires env access to "HOME"',
};

test("each direct access is denied, and can be caught", async () => {
  const sandbox = new SandboxWorker(noCalls);
  for (const [code, words] of Object.entries(denied)) {
    const caught = `try { ${code} } catch (e) { return [e.name, e.code, e.message] }`;
    const [name, denial, message] = valueOf(await sandbox.execute(caught, {})) as string[];
    equal([name, denial], ["PermissionDenied", "PERMISSION_DENIED"], code);
    ok(message?.startsWith(words), `${code}: ${message}`);
  }
  sandbox.shutdown();
});

test("an uncaught denial ends the run, with the same message", async () => {
  const sandbox = new SandboxWorker(noCalls);
  for (const [code, words] of Object.entries(denied)) {
    const message = failure(await sandbox.execute(code, {}), "PERMISSION_DENIED");
    ok(message.startsWith(words), `${code}: ${message}`);
  }
  sandbox.shutdown();
});

test("process.kill ends neither this process nor any other", async () => {
  const code = "try { process.kill(args.pid, 9) } catch (e) { return e.message }";
  match(String(await value(code, { pid: Deno.pid })), /^Requires/);
  equal(await value("return 'alive'"), "alive");
});

test("nothing is left of an earlier execution", async () => {
  const sandbox = new SandboxWorker(noCalls);
  await sandbox.execute("globalThis.left = 1; Array.prototype.left = 2; return 1", {});
  equal(valueOf(await sandbox.execute("return [typeof left, typeof [].left]", {})), [
    "undefined",
    "undefined",
  ]);
  sandbox.shutdown();
});

// --- calls ---------------------------------------------------------------------------------------

test("a call arrives as namespace:action with its args", async () => {
  equal(await value("return mcp.files.read({path: args.path})", { path: "a" }, { onRpc: echo }), {
    method: "files:read",
    args: { path: "a" },
  });
  equal(await value("return mcp['a-b']['c.d/e']()", {}, { onRpc: echo }), {
    method: "a-b:c.d/e",
    args: {},
  });
});

test("a function alone is the handler", async () => {
  const sandbox = new SandboxWorker(echo);
  equal(valueOf(await sandbox.execute("return (await mcp.a.b(7)).args", {})), 7);
  sandbox.shutdown();
});

test("calls in sequence arrive in their order", async () => {
  const seen: unknown[] = [];
  const onRpc: RpcHandler = (_, args) => Promise.resolve(seen.push(args));
  const code = "const r = []; for (let i = 0; i < 200; i++) r.push(await mcp.a.b(i)); return r";
  const numbers = Array.from({ length: 200 }, (_, i) => i);
  equal(await value(code, {}, { onRpc }), numbers.map((i) => i + 1));
  equal(seen, numbers);
});

test("calls in parallel are with the handler at once, and may be answered in any order", async () => {
  const waiting: (() => void)[] = [];
  const onRpc: RpcHandler = (_, args) =>
    new Promise((resolve) => {
      waiting.push(() => resolve(args));
      if (waiting.length === 20) { for (const answer of waiting.reverse()) answer(); }
    });
  const code = "return Promise.all(Array.from({length: 20}, (_, i) => mcp.a.b({i})))";
  equal(await value(code, {}, { onRpc }), Array.from({ length: 20 }, (_, i) => ({ i })));
});

test("more calls than may wait at once are all answered", async () => {
  const code =
    "return (await Promise.all(Array.from({length: 2000}, (_, i) => mcp.a.b(i)))).length";
  equal(await value(code, {}, { onRpc: echo }), 2000);
});

test("a handler can run other code in the same sandbox", async () => {
  const depth = async (n: number): Promise<unknown> => {
    const { value, error } = await sandbox.execute("return mcp.nest.down(args.n)", { n });
    return error?.message ?? value;
  };
  const sandbox: SandboxWorker = new SandboxWorker((_, n) =>
    (n as number) > 0 ? depth((n as number) - 1) : Promise.resolve("bottom")
  );
  equal(await depth(6), "bottom");
  sandbox.shutdown();
});

test("the args of a call can be answers of others", async () => {
  const code = "return mcp.math.add([await mcp.math.add([1, 2]), await mcp.math.add([3, 4])])";
  const onRpc: RpcHandler = (_, args) =>
    Promise.resolve((args as number[]).reduce((a, b) => a + b));
  equal(await value(code, {}, { onRpc }), 10);
});

test("an error of a handler arrives with the same message", async () => {
  const code =
    "try { await mcp.a.b() } catch (e) { return [e instanceof Error, e.message, e.code] }";
  const thrown: [unknown, string][] = [
    [new Error("no such file"), "no such file"],
    [new TypeError('wrong: \u{1f600} "quoted"\nand lines'), 'wrong: \u{1f600} "quoted"\nand lines'],
    [new Error(""), ""],
    ["just words", "just words"],
    [undefined, "undefined"],
    [{ message: "of an object" }, "of an object"],
    [Object.create(null), "what was thrown cannot be shown"],
  ];
  for (const [error, message] of thrown) {
    const onRpc = () => Promise.reject(error);
    equal(await value(code, {}, { onRpc }), [true, message, "RPC_ERROR"]);
  }
});

test("a handler that throws at once, or returns no promise, is a handler too", async () => {
  const throwing = (() => {
    throw new Error("at once");
  }) as unknown as RpcHandler;
  const code = "try { return await mcp.a.b() } catch (e) { return e.message }";
  equal(await value(code, {}, { onRpc: throwing }), "at once");
  equal(await value(code, {}, { onRpc: (() => 7) as unknown as RpcHandler }), 7);
});

test("an error of the handler that is not caught is the run's", async () => {
  const onRpc = () => Promise.reject(new Error("the tool is broken"));
  const result = await execute("await mcp.a.b()", {}, { onRpc });
  equal(failure(result, "RPC_ERROR"), "the tool is broken");
});

test("an answer that cannot be JSON is an error of that call only", async () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const answers = [cycle, 1n, undefined, () => {}, Number.NaN, "fine"];
  const onRpc: RpcHandler = () => Promise.resolve(answers.shift());
  const code = `const all = [];
    for (let i = 0; i < 6; i++) all.push(await mcp.a.b().catch((e) => e.code));
    return all`;
  equal(await value(code, {}, { onRpc }), [
    "RPC_ERROR",
    "RPC_ERROR",
    null,
    "RPC_ERROR",
    null,
    "fine",
  ]);
  const big = () => Promise.resolve(1n);
  match(
    String(await value("return mcp.a.b().catch((e) => e.message)", {}, { onRpc: big })),
    /^The answer of a:b cannot be JSON: .*BigInt/,
  );
});

test("an answer that is too large is an error of that call only", async () => {
  const answers = ["x".repeat(65 << 20), "small"];
  const onRpc: RpcHandler = () => Promise.resolve(answers.shift());
  const code = "return [await mcp.a.b().catch((e) => e.message), await mcp.a.b()]";
  equal(await value(code, {}, { onRpc }), ["The answer is over 64 MiB", "small"]);
});

test("the args of waiting calls have a limit in bytes", async () => {
  const { promise: goOn, resolve } = later();
  const onRpc: RpcHandler = async (method, args) => {
    if (method === "go:on") resolve();
    await goOn;
    return (args as string).length;
  };
  const code = `const call = () => mcp.a.b("x".repeat(15 << 20)).catch((e) => e.message);
    const all = [call(), call(), call()];
    await Promise.race(all);
    await mcp.go.on("");
    return [...await Promise.all(all), await call()]`;
  equal(await value(code, {}, { onRpc }), [
    15 << 20,
    15 << 20,
    "The args of calls that wait for their answers have over 32 MiB together",
    15 << 20,
  ]);
});

// --- limits --------------------------------------------------------------------------------------

test("the limits have the same names and values as before", () => {
  equal(SANDBOX_EXECUTION_TIMEOUT_MS, 300000);
  equal(SANDBOX_RPC_TIMEOUT_MS, 30000);
});

test("an endless loop is ended at the time limit", async () => {
  const result = await execute("for (;;) {}", {}, { executionTimeoutMs: 200 });
  equal(failure(result, "EXECUTION_TIMEOUT"), "Execution timeout after 200 ms");
  ok(result.durationMs >= 200);
  ok(result.durationMs < 10000 * MULTIPLIER, `${result.durationMs} ms`);
});

const endless = [
  "while (true) await 0",
  "Array.prototype.reverse.call({length: 2 ** 53 - 1})",
  "for (;;) try { for (;;) {} } catch {}",
  "/^(a+)+$/.test('a'.repeat(40) + 'b')",
  "await new Promise((resolve) => setTimeout(resolve, 1e9))",
  "const f = () => Promise.resolve().then(f); await f()",
];

test("other endless code is ended, too", async () => {
  const sandbox = new SandboxWorker({ onRpc: noCalls, executionTimeoutMs: 200 });
  const results = await Promise.all(endless.map((code) => sandbox.execute(code, {})));
  for (const [i, result] of results.entries()) {
    equal(result.error?.code, "EXECUTION_TIMEOUT", endless[i]);
  }
  sandbox.shutdown();
});

test("a memory bomb is ended at the memory limit", async () => {
  const bombs = [
    "const a = []; for (;;) a.push(new Array(1000).fill(a.length))",
    "const all = []; for (;;) all.push('x'.repeat(1 << 20) + all.length)",
    "const all = []; for (;;) all.push(new Uint8Array(1 << 20).fill(1))",
    "return 'x'.repeat(2 ** 29)",
  ];
  for (const bomb of bombs) {
    match(failure(await execute(bomb, {}, { memoryLimitMB: 32 }), "MEMORY_LIMIT"), /32 MiB/);
  }
  const fits = "return new Uint8Array(10 << 20).fill(1).length";
  equal(await value(fits, {}, { memoryLimitMB: 32 }), 10 << 20);
});

test("a call that takes too long fails in the code, which goes on", async () => {
  const { promise, resolve } = later<string>();
  const code = `try { await mcp.slow.one() } catch (e) { return [e.code, e.message] }`;
  const [error, message] = await value(code, {}, { onRpc: () => promise, rpcTimeoutMs: 50 }) as [
    string,
    string,
  ];
  equal(error, "RPC_TIMEOUT");
  match(message, /timeout/);
  resolve("too late"); // dropped quietly
});

test("a handler that never answers is no reason to wait longer than the run may take", async () => {
  const onRpc = () => new Promise(() => {});
  const result = await execute("await mcp.never.answered()", {}, {
    onRpc,
    executionTimeoutMs: 100,
  });
  failure(result, "EXECUTION_TIMEOUT");
});

test("invalid limits are refused when the object is made", () => {
  const bad: [object, RegExp][] = [
    [{ executionTimeoutMs: -1 }, /'executionTimeoutMs' has to be a number, 0 or more, and is -1/],
    [{ rpcTimeoutMs: Number.NaN }, /'rpcTimeoutMs'/],
    [{ memoryLimitMB: "64" }, /'memoryLimitMB'/],
    [{ memoryLimitMB: 1 << 20 }, /16 GiB/],
    [{ executionTimeoutMs: Infinity }, /'executionTimeoutMs'/],
    [
      { executionTimeout: 5 },
      /'executionTimeout' is not an option of SandboxWorker: there are onRpc,/,
    ],
    [{ onRpc: "no function" }, /'onRpc' has to be a function/],
    [{ onRpc: undefined }, /'onRpc' has to be a function/],
  ];
  for (const [options, words] of bad) {
    let message = "nothing was thrown";
    try {
      new SandboxWorker({ onRpc: noCalls, ...options });
    } catch (error) {
      message = (error as Error).message;
    }
    match(message, words);
  }
  new SandboxWorker({ onRpc: noCalls, executionTimeoutMs: 1.5, rpcTimeoutMs: 0 });
  new SandboxWorker({ onRpc: noCalls, rpcTimeoutMs: null as unknown as number }); // null means the default, as with ??
});

// --- shutdown and activity -----------------------------------------------------------------------

test("the sandbox is active from the first execution to the shutdown", async () => {
  const sandbox = new SandboxWorker(noCalls);
  equal(sandbox.isActive(), false);
  const running = sandbox.execute("return 1", {});
  equal(sandbox.isActive(), true);
  await running;
  equal(sandbox.isActive(), true);
  sandbox.shutdown();
  equal(sandbox.isActive(), false);
  sandbox.shutdown();
});

test("the processes can be started before the first execution", async () => {
  const sandbox = new SandboxWorker(noCalls);
  sandbox.warm();
  equal(sandbox.isActive(), false);
  equal(valueOf(await sandbox.execute("return 1", {})), 1);
  sandbox.shutdown();
  sandbox.warm();
  equal(sandbox.isActive(), false);
});

test("the object works with `using`", async () => {
  let sandbox: SandboxWorker;
  {
    using made = new SandboxWorker(noCalls);
    equal(valueOf(await made.execute("return 1", {})), 1);
    sandbox = made;
  }
  failure(await sandbox.execute("return 1", {}), "WORKER_TERMINATED");
});

test("after the shutdown an execution resolves to WORKER_TERMINATED", async () => {
  const sandbox = new SandboxWorker(noCalls);
  sandbox.shutdown();
  const { error } = await sandbox.execute("return 1", {});
  equal([error?.code, error?.type], ["WORKER_TERMINATED", "WorkerError"]);
  equal(sandbox.isActive(), false);
});

test("a shutdown ends its runs with WORKER_TERMINATED, and other objects continue", async () => {
  const { promise: called, resolve } = later();
  const never = new Promise(() => {});
  const sandbox = new SandboxWorker(() => (resolve(), never));
  const other = new SandboxWorker(noCalls);
  const goesOn = other.execute("await new Promise((r) => setTimeout(r, 50)); return 'done'", {});
  const running = [
    sandbox.execute("for (;;) {}", {}),
    sandbox.execute("await mcp.a.b()", {}),
    sandbox.execute("await new Promise(() => setTimeout(() => {}, 1e6))", {}),
  ];
  await called;
  sandbox.shutdown();
  for (const result of await Promise.all(running)) failure(result, "WORKER_TERMINATED");
  equal(valueOf(await goesOn), "done");
  other.shutdown();
});

test("a shutdown right after the start, and in a handler", async () => {
  const sandbox = new SandboxWorker(noCalls);
  const running = sandbox.execute("return 1", {});
  sandbox.shutdown();
  failure(await running, "WORKER_TERMINATED");
  const second: SandboxWorker = new SandboxWorker(() => {
    second.shutdown();
    return Promise.resolve("unused");
  });
  failure(await second.execute("return mcp.a.b()", {}), "WORKER_TERMINATED");
});

test("a shutdown in a toJSON, of args and of an answer", async () => {
  const down = (sandbox: () => SandboxWorker) => ({ toJSON: () => (sandbox().shutdown(), 1) });
  const first: SandboxWorker = new SandboxWorker(noCalls);
  failure(await first.execute("return 1", down(() => first)), "WORKER_TERMINATED");
  const second: SandboxWorker = new SandboxWorker(() => Promise.resolve(down(() => second)));
  failure(await second.execute("return mcp.a.b()", {}), "WORKER_TERMINATED");
});

test("an answer after the end is ignored, whether value or error", async () => {
  const answers: ReturnType<typeof later<unknown>>[] = [];
  const onRpc = () => {
    const answer = later<unknown>();
    answers.push(answer);
    return answer.promise;
  };
  const sandbox = new SandboxWorker({ onRpc, executionTimeoutMs: 50 });
  failure(
    await sandbox.execute("await Promise.all([mcp.a.b(), mcp.a.b()])", {}),
    "EXECUTION_TIMEOUT",
  );
  answers[0]?.resolve("too late");
  answers[1]?.reject(new Error("too late"));
  await sleep(1);
  sandbox.shutdown();
  equal(answers.length, 2);
});

test("a run may follow another at any moment", async () => {
  const sandbox = new SandboxWorker(noCalls);
  for (let ticks = 0; ticks < 130; ticks++) {
    valueOf(await sandbox.execute("return 1", {}));
    for (let i = 0; i < ticks; i++) await null;
    equal(valueOf(await sandbox.execute("return 2", {})), 2, `${ticks} ticks later`);
  }
  sandbox.shutdown();
});

// --- many at once --------------------------------------------------------------------------------

test("50 at once on one object, each with its own calls", async () => {
  const sandbox = new SandboxWorker((_, args) => Promise.resolve((args as number) * 2));
  const code = "let n = args.n; for (let i = 0; i < 3; i++) n = await mcp.math.double(n); return n";
  const all = Array.from({ length: 50 }, (_, n) => sandbox.execute(code, { n }));
  equal((await Promise.all(all)).map(valueOf), Array.from({ length: 50 }, (_, n) => n * 8));
  sandbox.shutdown();
});

test("50 objects at once, each with its own handler", async () => {
  const one = async (n: number): Promise<SandboxResult> => {
    const sandbox = new SandboxWorker(() => Promise.resolve(n));
    const result = await sandbox.execute("return mcp.who.am_i()", {});
    sandbox.shutdown();
    return result;
  };
  const results = await Promise.all(Array.from({ length: 50 }, (_, n) => one(n)));
  equal(results.map(valueOf), Array.from({ length: 50 }, (_, n) => n));
});

test("more executions at once than the limit of workers all run", async () => {
  const sandbox = new SandboxWorker(noCalls);
  const all = Array.from({ length: 600 }, (_, n) => sandbox.execute("return args.n", { n }));
  equal((await Promise.all(all)).map(valueOf), Array.from({ length: 600 }, (_, n) => n));
  sandbox.shutdown();
});

test("misbehaving executions do not harm others", async () => {
  const sandbox = new SandboxWorker({ onRpc: echo, executionTimeoutMs: 20000, memoryLimitMB: 64 });
  const short = new SandboxWorker({ onRpc: noCalls, executionTimeoutMs: 300, memoryLimitMB: 32 });
  const bad = ["for (;;) {}", "const a = []; for (;;) a.push(new Array(999).fill(1))", "throw 1"]
    .map((code) => short.execute(code, {}));
  const good = Array.from(
    { length: 10 },
    (_, n) => sandbox.execute("return mcp.a.b(args.n)", { n }),
  );
  equal(
    (await Promise.all(good)).map(valueOf),
    Array.from({ length: 10 }, (_, args) => ({ method: "a:b", args })),
  );
  const codes = (await Promise.all(bad)).map(({ error }) => error?.code);
  equal(codes, ["EXECUTION_TIMEOUT", "MEMORY_LIMIT", "CODE_ERROR"]);
  sandbox.shutdown();
  short.shutdown();
});

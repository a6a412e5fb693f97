/** createRuntime: the whole envelope, events, limits, cancelling, a separate pool. */
import { createRuntime, type RunEvent, type RuntimeOptions } from "../../host/bindings/deno/mod.ts";
import { equal, failure, later, match, MULTIPLIER, ok, sleep, test } from "./help.ts";

const TRIVIAL = "return {ok: args.a + 1}";

test("a run gives the whole envelope", async () => {
  await using runtime = createRuntime({ onRpc: (_, args) => args });
  const code = "console.log('a line'); try { eval('1') } catch {} return mcp.a.b([1])";
  const { metrics, calls, runId, ...rest } = await runtime.run(code);
  equal(rest, {
    success: true,
    result: [1],
    logs: [
      "a line",
      "[blocked] eval: Requires eval access; use code that is written out: only pinned code runs",
    ],
    blocked: [{ api: "eval", access: "eval" }],
  });
  const [{ ms, ...call }] = calls as [typeof calls[0]];
  equal(call, { n: 1, method: "a:b", state: "done", decision: "allow", by: "application" });
  ok(ms > 0 && metrics.executionTimeMs > 0 && metrics.memoryUsedMB > 0);
  equal(metrics.rpcCalls, 1);
  match(runId, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
});

test("an error has type, code, message, stack, tool and hint", async () => {
  await using runtime = createRuntime({ onRpc: () => Promise.reject(new Error("broken")) });
  const { error } = await runtime.run("await mcp.a.b()");
  equal([error?.type, error?.code, error?.message, error?.toolName], [
    "RuntimeError",
    "RPC_ERROR",
    "broken",
    "a:b",
  ]);
  match(error?.stack ?? "", /cap:/);
  const late = await runtime.run("for (;;) {}", {}, { limits: { timeoutMs: 50 } });
  equal(late.error?.type, "TimeoutError");
  match(late.error?.hint ?? "", /timeout/);
});

test("without a handler calls fail", async () => {
  await using runtime = createRuntime();
  match(failure(await runtime.run("await mcp.a.b()"), "RPC_ERROR"), /No onRpc was given/);
});

test("events come in order, during the run", async () => {
  const events: RunEvent[] = [];
  const seen: number[] = [];
  await using runtime = createRuntime({
    onRpc: () => seen.push(events.length),
    onEvent: (event) => events.push(event),
  });
  await runtime.run("console.log(1); await mcp.a.b(); try { eval('1') } catch {} console.log(2)");
  const [done] = events.splice(events.findIndex(({ type }) => type === "callDone"), 1);
  equal(done, { type: "callDone", n: 1, method: "a:b", state: "done" });
  equal(events.map((event) => event.type === "log" ? event.line.slice(0, 9) : event.type), [
    "started",
    "1",
    "call",
    "[blocked]",
    "blocked",
    "2",
  ]);
  equal(events[2], { type: "call", n: 1, method: "a:b", state: "not_started" });
  equal(seen, [3]); // the handler has the call before it is done
});

test("a signal cancels a run, before its start and during it", async () => {
  await using runtime = createRuntime();
  failure(await runtime.run(TRIVIAL, { a: 1 }, { signal: AbortSignal.abort() }), "CANCELLED");
  const abort = new AbortController();
  const running = runtime.run("console.log('here'); for (;;) {}", {}, {
    signal: abort.signal,
    onEvent: ({ type }) => type === "log" && abort.abort(),
  });
  const envelope = await running;
  failure(envelope, "CANCELLED");
  equal(envelope.logs, ["here"]);
  const other = await runtime.run(TRIVIAL, { a: 1 }, { signal: new AbortController().signal });
  equal(other.result, { ok: 2 });
});

test("a signal that is aborted after the end does nothing", async () => {
  await using runtime = createRuntime();
  const abort = new AbortController();
  equal((await runtime.run(TRIVIAL, { a: 1 }, { signal: abort.signal })).result, { ok: 2 });
  abort.abort();
  equal((await runtime.run(TRIVIAL, { a: 2 })).result, { ok: 3 });
});

test("the reason of a signal arrives as the cause", async () => {
  await using runtime = createRuntime();
  for (const reason of [new Error("enough"), "enough", { message: "enough", code: 7 }]) {
    const abort = new AbortController();
    const options = { signal: abort.signal, onEvent: () => abort.abort(reason) };
    const { error } = await runtime.run("for (;;) {}", {}, options);
    equal([error?.code, error?.message], ["CANCELLED", "Cancelled: enough"]);
    ok(error?.cause === reason);
  }
  const before = await runtime.run(TRIVIAL, {}, { signal: AbortSignal.abort(7) });
  equal([before.error?.message, before.error?.cause], ["Cancelled: 7", 7]);
  const late = await runtime.run("for (;;) {}", {}, { signal: AbortSignal.timeout(20) });
  equal((late.error?.cause as Error).name, "TimeoutError");
});

test("only a run that its signal has ended has a cause", async () => {
  await using runtime = createRuntime();
  const abort = new AbortController();
  const code = "throw new Error('its own')";
  const { error } = await runtime.run(code, {}, { signal: abort.signal });
  abort.abort("too late");
  equal([error?.message, Object.hasOwn(error ?? {}, "cause")], ["its own", false]);
});

test("the signal of a call has the reason of the run's signal", async () => {
  const abort = new AbortController(), early = later<unknown>();
  const seen: unknown[] = [];
  await using runtime = createRuntime({
    signal: abort.signal,
    onRpc: async (method, _, call) => {
      if (method === "a:b") {
        call.signal.addEventListener("abort", () => early.resolve(seen.push(call.signal.reason)));
        abort.abort("the user has left");
      }
      await early.promise;
      seen.push(call.signal.reason); // a:late reads it for the first time here
    },
  });
  failure(await runtime.run("await Promise.all([mcp.a.late(), mcp.a.b()])"), "CANCELLED");
  await sleep(0);
  equal(seen, Array(3).fill("the user has left"));
});

test("a handler is told when its answer is no longer needed", async () => {
  const lost: string[] = [];
  await using runtime = createRuntime({
    onRpc: (method, _, { signal, n }) =>
      new Promise((resolve) => {
        equal(signal.aborted, false);
        signal.addEventListener("abort", () => resolve(lost.push(`${method} ${n}`)));
      }),
  });
  const code = "await mcp.slow.one().catch(() => {}); await mcp.slow.two()";
  await runtime.run(code, {}, { limits: { rpcTimeoutMs: 50, timeoutMs: 5000 } });
  equal(lost, ["slow:one 1", "slow:two 2"]);
});

test("a signal that is first read after the call was lost is aborted", async () => {
  const { promise, resolve } = later<boolean>();
  await using runtime = createRuntime({
    onRpc: async (_method, _args, call) => {
      await sleep(60);
      resolve(call.signal.aborted);
    },
  });
  failure(
    await runtime.run("await mcp.a.b()", {}, { limits: { timeoutMs: 20 } }),
    "EXECUTION_TIMEOUT",
  );
  equal(await promise, true);
});

test("each limit holds", async () => {
  await using runtime = createRuntime({ onRpc: () => 1 });
  const cases: [string, object, string][] = [
    ["for (;;) {}", { timeoutMs: 50 }, "EXECUTION_TIMEOUT"],
    ["for (;;) {}", { cpuMs: 50 }, "CPU_TIMEOUT"],
    ["return 'x'.repeat(1000)", { resultBytes: 100 }, "OUTPUT_LIMIT"],
    ["for (;;) await mcp.a.b()", { maxCalls: 5 }, "CALL_LIMIT"],
    ["const a = []; for (;;) a.push([a.length])", { memoryMB: 16 }, "MEMORY_LIMIT"],
  ];
  for (const [code, limits, outcome] of cases) {
    failure(await runtime.run(code, {}, { limits }), outcome);
  }
  const { logs } = await runtime.run("for (let i = 0; i < 99; i++) console.log('a line')", {}, {
    limits: { logBytes: 50 },
  });
  ok(logs.length < 20, `${logs.length} lines`);
  equal(
    (await runtime.run("return mcp.a.b()", {}, { limits: { maxConcurrentCalls: 1 } })).result,
    1,
  );
});

test("the hint of a limit names its option", async () => {
  await using runtime = createRuntime({ onRpc: () => new Promise(() => {}) });
  const cases: [string, object, string][] = [
    ["for (;;) {}", { timeoutMs: 50 }, "limits.timeoutMs"],
    ["for (;;) {}", { cpuMs: 50 }, "limits.cpuMs"],
    ["await mcp.a.b()", { rpcTimeoutMs: 20 }, "limits.rpcTimeoutMs"],
    [
      "for (const a = [];;) a.push([])",
      { memoryMB: 16 },
      "limits.memoryMB; or keep less at a time",
    ],
    ["return 'x'.repeat(99)", { resultBytes: 9 }, "limits.resultBytes; or return less"],
    ["mcp.a.b(); mcp.a.b(); await 0", { maxCalls: 1 }, "limits.maxCalls"],
  ];
  for (const [code, limits, words] of cases) {
    const { error } = await runtime.run(code, {}, { limits });
    ok(error?.hint?.startsWith(`raise it with ${words}`), `${code}: ${error?.hint}`);
  }
});

test("limits of the runtime apply to its runs, unless a run sets its own", async () => {
  await using runtime = createRuntime({ limits: { timeoutMs: 50, resultBytes: 10 } });
  failure(await runtime.run("for (;;) {}"), "EXECUTION_TIMEOUT");
  failure(
    await runtime.run("return 'x'.repeat(100)", {}, { limits: { timeoutMs: 5000 } }),
    "OUTPUT_LIMIT",
  );
});

test("tools, schema, env and onDenied work as in the library", async () => {
  await using runtime = createRuntime({ onRpc: (method) => method });
  const tools = ["a:b", "c:d"];
  const code = "return [await mcp.a.b(), await mcp.c.d(), await mcp.e.f().catch((e) => e.code)]";
  equal((await runtime.run(code, {}, { tools })).result, ["a:b", "c:d", "PERMISSION_DENIED"]);
  failure(await runtime.run("await mcp.a.b()", {}, { tools: [] }), "PERMISSION_DENIED");
  const schema = { type: "object", required: ["a"], properties: { a: { type: "integer" } } };
  match(failure(await runtime.run(TRIVIAL, { a: "x" }, { schema }), "VALIDATION_ERROR"), /\/a/);
  equal((await runtime.run(TRIVIAL, { a: 1 }, { schema })).result, { ok: 2 });
  equal((await runtime.run("return args.env.LANG", {}, { env: { LANG: "en" } })).result, "en");
  const caught = "try { eval('1') } catch {} return 1";
  failure(await runtime.run(caught, {}, { onDenied: "stop" }), "PERMISSION_DENIED");
  equal((await runtime.run(caught, {}, { onDenied: "continue" })).result, 1);
});

test("a list of tools that changes while it is read cannot corrupt memory of C", async () => {
  await using runtime = createRuntime({ onRpc: (method) => method });
  const grows = new Proxy(["a:b"], {
    get: (list, key) => key === "length" && list.push("c:d") > 50 ? 5000 : Reflect.get(list, key),
  });
  const { error } = await runtime.run("await mcp.x.y()", {}, { tools: grows })
    .catch((thrown) => ({ error: { code: thrown.name } }));
  ok(["PERMISSION_DENIED", "TypeError"].includes(error?.code ?? ""), error?.code);
});

test("a run can be recorded", async () => {
  await using runtime = createRuntime({ onRpc: () => "the answer" });
  const dir = await Deno.makeTempDir();
  const record = `${dir}/run.jsonl`;
  await runtime.run("return mcp.a.b()", {}, { record });
  const journal = await Deno.readTextFile(record);
  match(journal, /the answer/);
  equal(journal.trim().split("\n").every((line) => JSON.parse(line) !== undefined), true);
  await Deno.remove(dir, { recursive: true });
});

test("invalid options are refused by name", async () => {
  const made: [object, RegExp][] = [
    [
      { limits: { timeout: 1 } },
      /'timeout' is not a setting of limits: there are timeoutMs, cpuMs/,
    ],
    [{ limits: { timeoutMs: "1s" } }, /'timeoutMs' has to be a number/],
    [{ pool: { warm: 1e9 } }, /too many: 4096 at most/],
    [{ pool: { warmth: 1 } }, /'warmth' is not a setting of pool/],
    [{ sandbox: { uidBase: 1 } }, /1 cannot be the first/],
    [{ onRcp: () => {} }, /'onRcp' is not a setting of a run/],
    [{ tools: ["no colon"] }, /'no colon' is not the name of a tool/],
    [{ onDenied: "never" }, /'onDenied' has to be "continue" or "stop", and is never/],
    [{ onRpc: {} }, /'onRpc' has to be a function/],
    [{ onEvent: 5 }, /'onEvent' has to be a function, and is 5/],
    [{ signal: new AbortController() }, /'signal' has to be an AbortSignal/],
    [{ tools: "a:b" }, /'tools' has to be a list of names/],
    [{ tools: ["a:b\0:c"] }, /a NUL in 'a:b\\0:c'/],
    [{ limits: { timeoutMs: 2 ** 64 } }, /24 days/],
    [{ limits: { timeoutMs: 2 ** 64 + 4096 } }, /24 days/],
    [{ limits: { memoryMB: 1e308 } }, /16 GiB/],
    [{ pool: { maxWorkers: 2 ** 32 } }, /4096 at most/],
    [{ record: 5 }, /'record' has to be a path/],
    [() => {}, /the options have to be an object/],
  ];
  for (const [options, words] of made) {
    let message = "nothing was thrown";
    try {
      createRuntime(options as RuntimeOptions);
    } catch (error) {
      message = (error as Error).message;
    }
    match(message, words);
  }
  await using runtime = createRuntime();
  const message = await runtime.run(TRIVIAL, {}, { limits: { memoryMB: -1 } })
    .then(() => "it ran", (error) => error.message);
  match(message, /'memoryMB' has to be a number/);
  equal((await runtime.run(TRIVIAL, { a: 1 })).result, { ok: 2 });
});

test("undefined options keep the values of the runtime", async () => {
  await using runtime = createRuntime({
    tools: ["a:b"],
    limits: { timeoutMs: 300 },
    onRpc: (m) => m,
  });
  const lifted = { tools: undefined, limits: { timeoutMs: undefined } } as object;
  failure(await runtime.run("await mcp.x.y()", {}, lifted), "PERMISSION_DENIED");
  failure(await runtime.run("for (;;) {}", {}, lifted), "EXECUTION_TIMEOUT");
  equal((await runtime.run("return mcp.x.y()", {}, { tools: ["x:y"] })).result, "x:y");
});

test("log lines arrive unchanged", async () => {
  const lines: string[] = [];
  await using runtime = createRuntime({
    onEvent: (event) => event.type === "log" && lines.push(event.line),
  });
  const { logs } = await runtime.run(
    "console.log(String.fromCharCode(0xfeff) + 'x'); console.log(''); console.log(String.fromCodePoint(0x1f600).repeat(30000))",
  );
  equal(lines, ["\ufeffx", "", "\u{1f600}".repeat(30000)]);
  equal(logs, lines);
});

test("many runs that call at the same time are all answered", async () => {
  let events = 0;
  await using runtime = createRuntime({ onRpc: () => 1, onEvent: () => void events++ });
  const code = "return (await Promise.all(Array.from({length: 256}, () => mcp.a.b()))).length";
  const all = await Promise.all(Array.from({ length: 60 }, () => runtime.run(code)));
  equal(all.map(({ result }) => result), all.map(() => 256));
  equal(events, 60 * (1 + 2 * 256)); // started, call, callDone
});

test("a pool can be warmed, counted and looked at", async () => {
  await using runtime = createRuntime({ pool: { warm: 3, maxWorkers: 5 } });
  equal(runtime.missingLayers(), undefined);
  runtime.warm();
  await runtime.run(TRIVIAL, { a: 1 });
  equal(typeof runtime.missingLayers(), "string");
  const counts = runtime.counts();
  equal([counts.running, counts.waiting, counts.zygotes, counts.crashes], [0, 0, 1, 0]);
  ok(counts.workers >= 1);
  const all = Array.from({ length: 40 }, (_, a) => runtime.run<{ ok: number }>(TRIVIAL, { a }));
  equal((await Promise.all(all)).map(({ result }) => result?.ok), all.map((_, a) => a + 1));
});

test("after warm() a worker is ready, so the first run takes no longer than the second", async () => {
  const slower: number[] = [];
  for (let i = 0; i < 9; i++) {
    await using runtime = createRuntime({ pool: { warm: 2 } }); // more would compete for the CPU
    runtime.warm();
    ok(runtime.counts().ready > 0);
    const times: number[] = [];
    for (const a of [1, 2]) {
      const start = performance.now();
      equal((await runtime.run(TRIVIAL, { a })).result, { ok: a + 1 });
      times.push(performance.now() - start);
    }
    slower.push((times[0] ?? 0) - (times[1] ?? 0));
  }
  const median = slower.sort((a, b) => a - b)[4] ?? 0;
  ok(median < 5 * MULTIPLIER, slower.join());
});

test("warm() waits for nothing while runs go on, and after a shutdown it does nothing", async () => {
  const { promise: called, resolve } = later();
  const waiting = later<number>();
  await using runtime = createRuntime({
    pool: { warm: 1, maxWorkers: 1 },
    onRpc: () => (resolve(), waiting.promise),
  });
  const running = runtime.run("return mcp.a.b()");
  await called;
  const start = performance.now();
  for (let i = 0; i < 20; i++) runtime.warm();
  ok(performance.now() - start < 20 * 250, "it waited for a worker");
  waiting.resolve(1);
  equal((await running).result, 1);
});

test("workers are replaced while nothing runs", async () => {
  await using runtime = createRuntime({ pool: { warm: 4 } });
  for (let i = 1; i <= 3; i++) {
    await runtime.run(TRIVIAL, { a: 1 });
    await sleep(20); // nothing is awaited
    equal(runtime.counts().workers, 4 + i);
  }
});

test("closing a runtime ends its runs, and later ones fail the same way", async () => {
  const runtime = createRuntime({ onRpc: () => new Promise(() => {}) });
  const running = [runtime.run("for (;;) {}"), runtime.run("await mcp.a.b()")];
  await Promise.all([runtime.close(), runtime.close()]);
  for (const envelope of await Promise.all(running)) {
    equal(failure(envelope, "WORKER_TERMINATED"), "The sandbox was shut down");
  }
  const { metrics, ...late } = await runtime.run(TRIVIAL);
  equal(metrics.executionTimeMs, 0);
  equal(late, {
    success: false,
    error: { type: "WorkerError", code: "WORKER_TERMINATED", message: "The sandbox was shut down" },
    logs: [],
    blocked: [],
    calls: [],
    runId: "",
  });
  await runtime.close();
});

test("a runtime can be closed in a toJSON, a handler and an event listener", async () => {
  const closing: Promise<void>[] = [];
  const inArgs = createRuntime();
  const args = { toJSON: () => (closing.push(inArgs.close()), 1) };
  failure(await inArgs.run(TRIVIAL, args), "WORKER_TERMINATED");
  const inHandler = createRuntime({ onRpc: () => void closing.push(inHandler.close()) });
  failure(await inHandler.run("await mcp.a.b(); for (;;) {}"), "WORKER_TERMINATED");
  const inEvent = createRuntime({ onEvent: () => void closing.push(inEvent.close()) });
  failure(await inEvent.run("for (;;) {}"), "WORKER_TERMINATED");
  await Promise.all(closing);
  ok(closing.length >= 3);
});

test("properties of Object.prototype are not options", async () => {
  const polluted = Object.prototype as Record<string, unknown>;
  polluted.strange = 1;
  try {
    await using runtime = createRuntime({ limits: { timeoutMs: 5000 }, pool: {} });
    equal((await runtime.run(TRIVIAL, { a: 1 })).result, { ok: 2 });
  } finally {
    delete polluted.strange;
  }
});

test("runtimes share nothing", async () => {
  await using one = createRuntime({ onRpc: () => "one" });
  await using two = createRuntime({ onRpc: () => "two" });
  const code = "return mcp.who.am_i()";
  const all = await Promise.all([one, two, one, two].map((runtime) => runtime.run(code)));
  equal(all.map(({ result }) => result), ["one", "two", "one", "two"]);
});

// --- the event loop ------------------------------------------------------------------------------

/** Counts turns of the event loop until there are enough, then calls |enough|. */
async function countTurns(turns: number, enough: () => void): Promise<void> {
  for (let i = 0; i < turns; i++) await sleep(0);
  enough();
}

test("the event loop has its turns while calls are answered at once", async () => {
  let isEnough = false;
  await using runtime = createRuntime({
    onRpc: () => !isEnough,
    limits: { timeoutMs: 20000 * MULTIPLIER, maxCalls: 100000 },
  });
  const counted = countTurns(20, () => isEnough = true);
  const { success, error } = await runtime.run("while (await mcp.go.on());");
  equal([success, error], [true, undefined]);
  await counted;
});

test("the event loop has its turns while code spins, floods and computes", async () => {
  const abort = new AbortController();
  await using runtime = createRuntime({
    onRpc: (_, args) => args,
    signal: abort.signal,
    limits: { timeoutMs: 20000 * MULTIPLIER, maxCalls: 100000 },
  });
  const codes = [
    "for (;;) {}",
    "for (;;) await mcp.a.b(1)",
    "for (;;) { mcp.a.b(1).catch(() => {}); await null }",
    "for (;;) console.log('x')",
  ];
  const runs = codes.map((code) => runtime.run(code));
  await countTurns(20, () => abort.abort());
  const ends = (await Promise.all(runs)).map(({ error }) => error?.code);
  ok(ends.every((code) => code === "CANCELLED" || code === "CALL_LIMIT"), ends.join());
});

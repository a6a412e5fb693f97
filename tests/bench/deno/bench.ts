/**
 * make bench-deno: compares a capability in caprun, through the binding, with a worker of Deno with
 * `permissions: "none"`, in one process and in turns. The worker is measured directly, and as PML's
 * SandboxWorker uses it: that waits 10 ms after the start.
 *
 *     deno run --allow-ffi --allow-read --unstable-worker-options bench.ts [ROUNDS]
 */
import { SandboxWorker } from "../../../host/bindings/deno/mod.ts";

const ROUNDS = Number(Deno.args[0] ?? 20);
const PAUSED = 5;
const AT_ONCE = 8;
const CALLS = 1000;
const BLOCK = 20; // one sample is the mean of so many calls

const TRIVIAL = "return {ok: args.a + 1}";
const CALLING = "for (let i = 0; i < args.count; i++) await mcp.bench.echo({n: i}); return {ok: 2}";

type Handler = (method: string, args: unknown) => Promise<unknown>;
type Execute = (code: string, args: unknown, onRpc: Handler) => Promise<{ ok: number }>;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

// --- the contenders ------------------------------------------------------------------------------

async function inCaprun(code: string, args: unknown, onRpc: Handler): Promise<{ ok: number }> {
  const sandbox = new SandboxWorker(onRpc);
  const { value, error } = await sandbox.execute<{ ok: number }>(code, args);
  sandbox.shutdown();
  if (!value) throw new Error(error?.message);
  return value;
}

const script = new URL("./worker.ts", import.meta.url).href;

async function inWorker(
  code: string,
  args: unknown,
  onRpc: Handler,
  pauseMs = 0,
): Promise<{ ok: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ ok: number }>();
  const options = { type: "module" as const, deno: { permissions: "none" as const } };
  const worker = new Worker(script, options);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.onmessage = async ({ data: { id, method, args, result } }) => {
    if (result) resolve(result);
    else worker.postMessage({ id, value: await onRpc(method, args) });
  };
  if (pauseMs) await sleep(pauseMs);
  worker.postMessage({ code, args });
  return promise.finally(() => worker.terminate());
}

/** For each contender: how many fresh sandboxes fit into a round, and the function that uses one. */
const contenders: Record<string, { count: number; execute: Execute }> = {
  "caprun": { count: 100, execute: inCaprun },
  "Deno worker": { count: 10, execute: (code, args, onRpc) => inWorker(code, args, onRpc) },
  "PML's way": { count: 5, execute: (code, args, onRpc) => inWorker(code, args, onRpc, 10) },
};

// --- the measurements ----------------------------------------------------------------------------

const echo: Handler = (_, args) => Promise.resolve(args);

async function trivial(execute: Execute): Promise<number> {
  const start = performance.now();
  const { ok } = await execute(TRIVIAL, { a: 1 }, echo);
  if (ok !== 2) throw new Error(`the trivial capability returned ${ok}`);
  return (performance.now() - start) * 1000;
}

async function fresh(execute: Execute, count: number): Promise<number[]> {
  const us = [];
  while (us.length < count) us.push(await trivial(execute));
  return us;
}

async function afterPause(execute: Execute): Promise<number[]> {
  const us = [];
  while (us.length < PAUSED) {
    await sleep(5);
    us.push(await trivial(execute));
  }
  return us;
}

/** Microseconds per run, for many runs, some of them in parallel. */
async function atOnce(execute: Execute, count: number): Promise<number[]> {
  let left = count;
  const one = async () => {
    while (left-- > 0) await trivial(execute);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return [(performance.now() - start) * 1000 / count];
}

/** The time between the arrivals of two successive calls is one round trip. */
async function calls(execute: Execute): Promise<number[]> {
  const us: number[] = [];
  let count = 0, last = 0;
  await execute(CALLING, { count: CALLS + 1 }, (_, args) => {
    if (count++ % BLOCK === 0) {
      const now = performance.now();
      if (last) us.push((now - last) * 1000 / BLOCK);
      last = now;
    }
    return Promise.resolve(args);
  });
  return us;
}

type Question = (execute: Execute, count: number) => Promise<number[]>;

const questions: Record<string, Question> = {
  "a fresh sandbox, one after the other": fresh,
  "a fresh sandbox, after 5 ms of nothing": afterPause,
  "a fresh sandbox, 8 at once, for each": atOnce,
  "a call and its answer": calls,
};

// --- the report ----------------------------------------------------------------------------------

/** For each question, the times of each contender in all rounds; the first round is only to warm up. */
async function measure(): Promise<number[][][]> {
  const found = Object.keys(questions).map(() => Object.keys(contenders).map(() => [] as number[]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [q, ask] of Object.values(questions).entries()) {
      for (const [c, { execute, count }] of Object.values(contenders).entries()) {
        const us = await ask(execute, count);
        if (round >= 0) found[q]?.[c]?.push(...us);
      }
    }
  }
  return found;
}

const quantile = (values: number[], share: number) =>
  values.sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN;
const shown = (us: number) => us < 100 ? us.toFixed(1) : Math.round(us).toLocaleString("en");
const row = (name: string, cells: string[]) =>
  console.log(name.padEnd(40) + cells.map((cell) => cell.padStart(17)).join(""));

const found = await measure();
console.log(`Deno ${Deno.version.deno}, ${ROUNDS} rounds in turns; µs: median (95 %)\n`);
row("", Object.keys(contenders));
for (const [q, name] of Object.keys(questions).entries()) {
  const all = found[q] ?? [];
  row(name, all.map((us) => `${shown(quantile(us, 0.5))} (${shown(quantile(us, 0.95))})`));
  const [caprun = NaN, ...others] = all.map((us) => quantile(us, 0.5));
  row("", ["", ...others.map((us) => `x ${(us / caprun).toFixed(1)}`)]);
}

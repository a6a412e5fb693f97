/**
 * make bench-deno: a capability in caprun, through the binding, beside a worker of Deno with
 * `permissions: "none"`, in one process and in turns.
 *
 *     deno run --allow-ffi --allow-read --unstable-worker-options bench.ts [ROUNDS]
 */
import { SandboxWorker } from "../../../host/bindings/deno/mod.ts";

const ROUNDS = Number(Deno.args[0] ?? 20);
const FRESH = { caprun: 100, deno: 10 };
const PAUSED = 5;
const AT_ONCE = 8;
const CALLS = 1000;
const BLOCK = 20; // calls whose mean is one sample

const TRIVIAL = "return {ok: args.a + 1}";
const CALLING = "for (let i = 0; i < args.count; i++) await mcp.bench.echo({n: i}); return {ok: 2}";

type Handler = (method: string, args: unknown) => Promise<unknown>;
type Execute = (code: string, args: unknown, onRpc: Handler) => Promise<{ ok: number }>;

// --- the two -------------------------------------------------------------------------------------

async function inCaprun(code: string, args: unknown, onRpc: Handler): Promise<{ ok: number }> {
  const sandbox = new SandboxWorker(onRpc);
  const { value, error } = await sandbox.execute<{ ok: number }>(code, args);
  sandbox.shutdown();
  if (!value) throw new Error(error?.message);
  return value;
}

const script = new URL("./worker.ts", import.meta.url).href;

function inDeno(code: string, args: unknown, onRpc: Handler): Promise<{ ok: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ ok: number }>();
  const options = { type: "module" as const, deno: { permissions: "none" as const } };
  const worker = new Worker(script, options);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.onmessage = async ({ data: { id, method, args, result } }) => {
    if (result) resolve(result);
    else worker.postMessage({ id, value: await onRpc(method, args) });
  };
  worker.postMessage({ code, args });
  return promise.finally(() => worker.terminate());
}

// --- what is measured ----------------------------------------------------------------------------

const echo: Handler = (_, args) => Promise.resolve(args);
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

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
    await pause();
    us.push(await trivial(execute));
  }
  return us;
}

/** Microseconds for each of many, some of them at once. */
async function atOnce(execute: Execute, count: number): Promise<number[]> {
  let left = count;
  const one = async () => {
    while (left-- > 0) await trivial(execute);
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return [(performance.now() - start) * 1000 / count];
}

/** The time between the arrivals of a call and the next is one round trip. */
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

const questions: Record<string, (execute: Execute, few: boolean) => Promise<number[]>> = {
  "a fresh sandbox, one after the other": (execute, few) =>
    fresh(execute, few ? FRESH.deno : FRESH.caprun),
  "a fresh sandbox, after 5 ms of nothing": (execute) => afterPause(execute),
  "a fresh sandbox, 8 at once, for each": (execute, few) =>
    atOnce(execute, few ? FRESH.deno : FRESH.caprun),
  "a call and its answer": (execute) => calls(execute),
};

// --- the report ----------------------------------------------------------------------------------

const quantile = (values: number[], share: number) =>
  values.sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] ?? NaN;
const shown = (us: number) => us < 100 ? us.toFixed(1) : Math.round(us).toLocaleString("en");

const found = Object.keys(questions).map((name) => ({ name, caprun: [], deno: [] } as {
  name: string;
  caprun: number[];
  deno: number[];
}));
for (let round = -1; round < ROUNDS; round++) {
  for (const { name, caprun, deno } of found) {
    const ours = await questions[name]?.(inCaprun, false) ?? [];
    const theirs = await questions[name]?.(inDeno, true) ?? [];
    if (round < 0) continue; // until the code is hot
    caprun.push(...ours);
    deno.push(...theirs);
  }
}
console.log(`Deno ${Deno.version.deno}, ${ROUNDS} rounds in turns; µs: median (95 %)\n`);
console.log(`${"".padEnd(40)}${"caprun".padStart(16)}${"Deno worker".padStart(20)}   ratio`);
for (const { name, caprun, deno } of found) {
  const [ours, theirs] = [caprun, deno].map((us) => [quantile(us, 0.5), quantile(us, 0.95)]);
  const cell = (us: number[]) => `${shown(us[0]!)} (${shown(us[1]!)})`;
  const ratio = (theirs![0]! / ours![0]!).toFixed(1);
  console.log(
    `${name.padEnd(40)}${cell(ours!).padStart(16)}${cell(theirs!).padStart(20)}${
      ratio.padStart(8)
    }`,
  );
}

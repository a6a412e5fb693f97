/**
 * endurance.ts ROUNDS: executes code 100 times a round, and prints this process's memory before and after.
 *
 * A separate program, so that no other memory is counted. It needs V8's --expose-gc.
 */
import { SandboxWorker } from "../../host/bindings/deno/mod.ts";
import { equal, sleep, valueOf } from "./help.ts";

const EACH = 100;
const rounds = Number(Deno.args[0]);

const descriptors = () => [...Deno.readDirSync("/proc/self/fd")].length;

/** Memory in use, without V8's reserve for future garbage, and without pages of files. */
async function memoryKiB(): Promise<number> {
  for (let i = 0; i < 5; i++) { // V8 frees memory in steps, and partly in the background
    (globalThis as unknown as { gc: () => void }).gc();
    await sleep(50);
  }
  const { heapTotal, heapUsed } = Deno.memoryUsage();
  const rollup = await Deno.readTextFile("/proc/self/smaps_rollup");
  return Number(/^Anonymous:\s+(\d+)/m.exec(rollup)?.[1]) - (heapTotal - heapUsed) / 1024;
}

/** All kinds of use: values, calls, errors, limits, shutdowns, in many objects. */
async function round(): Promise<void> {
  for (let i = 0; i < EACH; i += 10) {
    const sandbox = new SandboxWorker({
      onRpc: (method, args) =>
        method === "a:fail" ? Promise.reject(new Error("no")) : Promise.resolve(args),
      memoryLimitMB: i % 100 === 0 ? 32 : 512,
    });
    const codes = [
      "return args",
      "return mcp.a.b(args)",
      "return mcp.a.fail().catch(() => args)",
      "console.log('x'.repeat(100)); return args",
      "try { eval('1') } catch { return args }",
    ];
    const all = [...codes, ...codes].map((code) => sandbox.execute(code, { i }));
    for (const result of await Promise.all(all)) equal(valueOf(result), { i });
    const cut = sandbox.execute("for (;;) {}", {});
    sandbox.shutdown();
    equal((await cut).error?.code, "WORKER_TERMINATED");
  }
}

const use = async () => ({ descriptors: descriptors(), memoryKiB: await memoryKiB() });

for (let i = 0; i < 20; i++) await round(); // until memory has reached its final size
const before = await use();
for (let i = 0; i < rounds; i++) await round();
console.log(JSON.stringify({ before, after: await use() }));

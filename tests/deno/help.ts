/** Helpers for all tests. */
import { deepStrictEqual, match, ok } from "node:assert/strict";
import {
  type Envelope,
  type RpcHandler,
  type SandboxResult,
  SandboxWorker,
  type SandboxWorkerOptions,
} from "../../host/bindings/deno/mod.ts";

export { deepStrictEqual as equal, match, ok };

/** A test after which nothing may be left over. */
export function test(name: string, fn: () => void | Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: true, sanitizeResources: true, sanitizeExit: true });
}

/** A handler for code that makes no calls. */
export const noCalls: RpcHandler = (method) => Promise.reject(new Error(`${method} was called`));

/** One execution in a new sandbox. */
export async function execute(
  code: string,
  args: unknown = {},
  options: Partial<SandboxWorkerOptions> = {},
): Promise<SandboxResult> {
  const sandbox = new SandboxWorker({ onRpc: noCalls, ...options });
  try {
    return await sandbox.execute(code, args);
  } finally {
    sandbox.shutdown();
  }
}

/** Returns the code's value; fails if it threw. */
export async function value(
  code: string,
  args: unknown = {},
  options: Partial<SandboxWorkerOptions> = {},
): Promise<unknown> {
  return valueOf(await execute(code, args, options));
}

export function valueOf({ success, value, error }: SandboxResult): unknown {
  equalTo(error, undefined);
  equalTo(success, true);
  return value;
}

/** Fails unless the error has |code|; returns its message. */
export function failure(
  { success, error }: Pick<SandboxResult | Envelope, "success" | "error">,
  code: string,
): string {
  equalTo(success, false);
  equalTo(error?.code, code);
  return error?.message ?? "";
}

const equalTo: (got: unknown, wanted: unknown) => void = deepStrictEqual;

/** Stretches deadlines on slow machines and under sanitizers. */
export const MULTIPLIER = Number(Deno.env.get("CAPRUN_TEST_TIMEOUT_MULTIPLIER") ?? 1) || 1;

/** True in `make torture`, which runs long series in full. */
export const isTorture = Deno.env.has("CAPRUN_TORTURE");

/** A promise with its resolve and reject functions. */
export const later = <T = void>() => Promise.withResolvers<T>();

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

const decoder = new TextDecoder();
const binding = new URL("../../host/bindings/deno/mod.ts", import.meta.url).href;

/** Starts Deno with |program|, a file or a text, which may import "caprun". */
export async function deno(
  command: string[],
  program: URL | string,
  { name = "program.ts", args = [], env = {} }: {
    name?: string;
    args?: string[];
    env?: Record<string, string>;
  } = {},
): Promise<{ code: number; out: string; err: string }> {
  const dir = await Deno.makeTempDir();
  try {
    const path = program instanceof URL ? program.pathname : `${dir}/${name}`;
    if (typeof program === "string") {
      await Deno.writeTextFile(path, program.replaceAll('"caprun"', `"${binding}"`));
    }
    const child = new Deno.Command(Deno.execPath(), {
      args: [...command, path, ...args],
      env,
      stdin: "null",
    });
    const { code, stdout, stderr } = await child.output();
    return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

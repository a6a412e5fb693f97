/** Options of runs and pools, and how they are passed to libcaprun. */
import type { Library } from "./library.ts";
import { bytesOf, cString, wordsOf } from "./texts.ts";

/** Answers calls: returns the value, or throws. */
export type CallHandler = (method: string, args: unknown, call: CallContext) => unknown;

/** More about a call, for a handler. */
export interface CallContext {
  /** The number of the call in its run, from 1. */
  readonly n: number;
  /**
   * Aborted when the answer is not wanted any more: the call has timed out, or the run has ended.
   */
  readonly signal: AbortSignal;
}

/** What happens to a run while it goes on. Texts may be untrusted: escape what you show. */
export type RunEvent =
  | { type: "started" }
  | { type: "call" | "callDone" | "callLost"; n: number; method: string; state: string }
  | { type: "blocked" }
  | { type: "log"; line: string };

/** Limits of a run; a limit that is not set, or 0, has its default. */
export interface Limits {
  /** Wall time of the run; 300,000. */
  timeoutMs?: number;
  /** CPU time of the run; as much as wall time. */
  cpuMs?: number;
  /** Time for one call; 30,000. */
  rpcTimeoutMs?: number;
  /** Memory of the worker; 512. */
  memoryMB?: number;
  /** Length of the result as JSON; 16 MiB. */
  resultBytes?: number;
  /** Length of all log lines together; 1 MiB. */
  logBytes?: number;
  /** How many calls there may be; 10,000. */
  maxCalls?: number;
  /** How many calls may wait for their answers; 256. */
  maxConcurrentCalls?: number;
}

/** Options of a run, besides code and args. */
export interface RunOptions {
  /** Answers the calls of this run; without a handler they fail. */
  onRpc?: CallHandler;
  /**
   * Called for each event, while the run goes on. What it throws is an uncaught error of the
   * program.
   */
  onEvent?: (event: RunEvent) => void;
  /** Ends the run with `CANCELLED` when it is aborted. */
  signal?: AbortSignal;
  /** What the run may use. */
  limits?: Limits;
  /** The calls that the code may make, like `files:read`; all others are denied. */
  tools?: string[];
  /** A JSON Schema that the args must fit. */
  schema?: unknown;
  /** What the code finds in `args.env`. */
  env?: Record<string, string>;
  /**
   * `"continue"`, the default, or `"stop"`: the first denied access ends the run, even if the code
   * would catch the error.
   */
  onDenied?: "continue" | "stop";
  /** Where to record the run: the path of a new journal file. */
  record?: string;
}

/** The size of a pool; a size that is not set, or 0, has its default. */
export interface PoolSizes {
  /** Workers that wait for a run, locked and ready; 8 for each processor. */
  warm?: number;
  /** Processes at most; 256. More runs wait in a queue. */
  maxWorkers?: number;
  /** Memory limit of all runs together; as much as `maxWorkers` runs may use. */
  maxMemoryMB?: number;
  /** Memory limit of runs that set none, and of workers that wait for a run; 512. */
  memoryMB?: number;
}

/** How workers are locked; an option that is not set has its default. */
export interface SandboxOptions {
  /** Refuses to run code if a layer of the sandbox is missing; false. */
  requireAllLayers?: boolean;
  /** A new zygote for each run, so that no two runs share addresses; false. Costs a millisecond. */
  freshProgram?: boolean;
  /** The first uid that root's zygotes use; 2130640896. */
  uidBase?: number;
}

/** Options of a pool. */
export interface PoolOptions {
  /** How many workers there are. */
  pool?: PoolSizes;
  /** How workers are locked. */
  sandbox?: SandboxOptions;
}

/** A runtime or a run of the C library. */
export interface Handle {
  lib: Library;
  pointer: Deno.PointerObject;
}

type Setter<V> = (of: Handle, value: V) => number;
type Setters<T> = { [K in keyof T]-?: Setter<NonNullable<T[K]>> };

const MIB = 1024 * 1024;
/** More than any C setter accepts, and less than the type's maximum. */
const MOST_32 = 0xfffffffe, MOST_64 = 2 ** 63;

/** Throws unless |is|; |what| says what |value| has to be. Returns 0, as a setter does. */
function need(is: boolean, name: string, what: string, value: unknown): number {
  if (is) return 0;
  throw new TypeError(`'${name}' has to be ${what}, and is ${wordsOf(value)}`);
}

/** The same for functions. */
export const needFunction = (name: string, value: unknown): number =>
  need(typeof value === "function", name, "a function", value);

/** Converts |value|, in |unit|s, to C's number; throws if it is not a number of 0 or more. */
export function amount(name: string, value: unknown, unit = 1): bigint {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new RangeError(`'${name}' has to be a number, 0 or more, and is ${wordsOf(value)}`);
  }
  return BigInt(Math.ceil(Math.min(value * unit, MOST_64)));
}

/** The same for 32 bits in C; larger values become one that C rejects. */
const amount32 = (name: string, value: unknown) => Math.min(Number(amount(name, value)), MOST_32);

/**
 * Calls the setter of each key of |values|, until one returns an error. An unknown key is an error,
 * and is not ignored.
 */
function setAll<T extends object>(
  what: string,
  of: Handle,
  values: T | undefined,
  setters: Setters<T>,
): number {
  for (const key of Object.keys(values ?? {}) as (keyof T & string)[]) {
    const value = values?.[key];
    if (!Object.hasOwn(setters, key)) {
      const known = Object.keys(setters).join(", ");
      throw new TypeError(`'${key}' is not a setting of ${what}: there are ${known}`);
    }
    const result = value === undefined ? 0 : setters[key](of, value as NonNullable<typeof value>);
    if (result < 0) return result;
  }
  return 0;
}

/** A list of texts for C: the pointers, followed in the same memory by the texts. */
function listOf(texts: string[]): ArrayBuffer {
  const parts = texts.map(cString);
  const list = new ArrayBuffer(parts.reduce((sum, part) => sum + 8 + part.length, 0));
  const pointers = new BigUint64Array(list, 0, parts.length), bytes = new Uint8Array(list);
  const base = Deno.UnsafePointer.value(Deno.UnsafePointer.of(list));
  let at = 8 * parts.length;
  for (const [i, part] of parts.entries()) {
    bytes.set(part, at);
    pointers[i] = base + BigInt(at);
    at += part.length;
  }
  return list;
}

/** Passes |text| to |give|, a setter; returns its result. */
export function giveText(
  give: Library["caprun_run_set_code"],
  pointer: Handle["pointer"],
  text: string,
): number {
  const bytes = bytesOf(text);
  return give(pointer, bytes, BigInt(bytes.length));
}

const jsonOrNull = (value: unknown) => JSON.stringify(value) ?? "null";

const limits: Setters<Limits> = {
  timeoutMs: ({ lib, pointer }, n) => lib.caprun_run_set_timeout(pointer, amount("timeoutMs", n)),
  cpuMs: ({ lib, pointer }, n) => lib.caprun_run_set_cpu(pointer, amount("cpuMs", n)),
  rpcTimeoutMs: ({ lib, pointer }, n) =>
    lib.caprun_run_set_call_timeout(pointer, amount("rpcTimeoutMs", n)),
  memoryMB: ({ lib, pointer }, n) => lib.caprun_run_set_memory(pointer, amount("memoryMB", n, MIB)),
  resultBytes: ({ lib, pointer }, n) =>
    lib.caprun_run_set_max_result(pointer, amount("resultBytes", n)),
  logBytes: ({ lib, pointer }, n) => lib.caprun_run_set_max_log(pointer, amount("logBytes", n)),
  maxCalls: ({ lib, pointer }, n) => lib.caprun_run_set_max_calls(pointer, amount("maxCalls", n)),
  maxConcurrentCalls: ({ lib, pointer }, n) =>
    lib.caprun_run_set_max_calls_at_once(pointer, amount("maxConcurrentCalls", n)),
};

const run: Setters<RunOptions> = {
  onRpc: (_, value) => needFunction("onRpc", value),
  onEvent: (_, value) => needFunction("onEvent", value),
  signal: (_, value) => need(value instanceof AbortSignal, "signal", "an AbortSignal", value),
  limits: (of, values) => setAll("limits", of, values, limits),
  tools: ({ lib, pointer }, names) => {
    const copy: unknown[] = Array.isArray(names) ? [...names] : [undefined]; // cannot change later
    need(copy.every((name) => typeof name === "string"), "tools", "a list of names", names);
    return lib.caprun_run_set_tools(pointer, listOf(copy as string[]), BigInt(copy.length));
  },
  schema: ({ lib, pointer }, schema) =>
    giveText(lib.caprun_run_set_schema, pointer, jsonOrNull(schema)),
  env: ({ lib, pointer }, env) => giveText(lib.caprun_run_set_env, pointer, jsonOrNull(env)),
  onDenied: ({ lib, pointer }, what) => {
    need(what === "stop" || what === "continue", "onDenied", '"continue" or "stop"', what);
    lib.caprun_run_set_stop_when_denied(pointer, what === "stop" ? 1 : 0);
    return 0;
  },
  record: ({ lib, pointer }, path) => {
    need(typeof path === "string", "record", "a path", path);
    return lib.caprun_run_record(pointer, cString(path));
  },
};

const pool: Setters<PoolSizes> = {
  warm: ({ lib, pointer }, n) => lib.caprun_set_warm(pointer, amount32("warm", n)),
  maxWorkers: ({ lib, pointer }, n) =>
    lib.caprun_set_max_workers(pointer, amount32("maxWorkers", n)),
  maxMemoryMB: ({ lib, pointer }, n) =>
    lib.caprun_set_max_memory(pointer, amount("maxMemoryMB", n, MIB)),
  memoryMB: ({ lib, pointer }, n) => lib.caprun_set_memory(pointer, amount("memoryMB", n, MIB)),
};

const sandbox: Setters<SandboxOptions> = {
  requireAllLayers: ({ lib, pointer }, on) =>
    lib.caprun_set_require_all_layers(pointer, on ? 1 : 0),
  freshProgram: ({ lib, pointer }, on) => lib.caprun_set_fresh_program(pointer, on ? 1 : 0),
  uidBase: ({ lib, pointer }, uid) => lib.caprun_set_uid_base(pointer, amount32("uidBase", uid)),
};

/** The options that stand for the functions which hints of the library name. */
const NAMES: Record<string, string> = {
  caprun_run_set_timeout: "limits.timeoutMs",
  caprun_run_set_cpu: "limits.cpuMs",
  caprun_run_set_call_timeout: "limits.rpcTimeoutMs",
  caprun_run_set_memory: "limits.memoryMB",
  caprun_run_set_max_result: "limits.resultBytes",
  caprun_run_set_max_calls: "limits.maxCalls",
  caprun_set_max_workers: "pool.maxWorkers",
};

/** A hint of the library, with the names of options. */
export const hintInOptions = (hint: string): string =>
  hint.replace(/(caprun_\w+)\(\)/g, (call, name) => NAMES[name] ?? call);

/** Returns 0 or the library's error; throws for values that cannot be passed to C. */
export function configureRun(of: Handle, options: RunOptions): number {
  return setAll("a run", of, options, run);
}

/** The same for a runtime. */
export function configurePool(of: Handle, options: PoolOptions): number {
  return setAll("pool", of, options.pool, pool) || setAll("sandbox", of, options.sandbox, sandbox);
}

/** |options| overridden by |more|; undefined values in |more| change nothing. */
export function mergeOptions(options: RunOptions, more: RunOptions): RunOptions {
  const limits = overlay(options.limits ?? {}, more.limits ?? {});
  return { ...overlay(options, more), limits };
}

function overlay<T extends object>(under: T, over: T): T {
  return Object.assign(
    { ...under },
    Object.fromEntries(Object.entries(over).filter(([, value]) => value !== undefined)),
  );
}

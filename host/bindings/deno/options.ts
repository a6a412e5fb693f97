/** What runs and pools can be told, and how libcaprun is told so. */
import type { Library } from "./library.ts";
import { bytesOf, cString, wordsOf } from "./texts.ts";

/** Answers calls: gives the value, or throws. */
export type CallHandler = (method: string, args: unknown, call: CallContext) => unknown;

/** What else a handler may want to know of a call. */
export interface CallContext {
  /** The number of the call in its run, from 1. */
  readonly n: number;
  /** Aborted when the answer is not wanted any more: the call's time is over, or its run's. */
  readonly signal: AbortSignal;
}

/** What happens to a run while it goes on. Texts may be a stranger's: escape what you show. */
export type RunEvent =
  | { type: "started" }
  | { type: "call" | "callDone" | "callLost"; n: number; method: string; state: string }
  | { type: "blocked" }
  | { type: "log"; line: string };

/** Limits of a run; what is not set, or 0, has its default. */
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

/** What a run is made of, besides code and args. */
export interface RunOptions {
  /** Answers the calls of this run; without one they fail. */
  onRpc?: CallHandler;
  /** Hears what happens, while it happens. What it throws is an uncaught error of the program. */
  onEvent?: (event: RunEvent) => void;
  /** Ends the run with `CANCELLED` when it is aborted. */
  signal?: AbortSignal;
  /** What the run may use. */
  limits?: Limits;
  /** The calls that the code may make, like `files:read`; others are denied, and nobody is asked. */
  tools?: string[];
  /** A JSON Schema that the args must fit. */
  schema?: unknown;
  /** What the code finds in `args.env`. */
  env?: Record<string, string>;
  /**
   * `"continue"`, the default, or `"stop"`: the first attempt on what is denied ends the run, even
   * if the code would catch it.
   */
  onDenied?: "continue" | "stop";
  /** A new file for the journal of the run. */
  record?: string;
}

/** The size of a pool; what is not set, or 0, has its default. */
export interface PoolSizes {
  /** Workers that wait for a run, locked and ready; 8 for each processor. */
  warm?: number;
  /** Processes at most; 256. More runs wait for their turn. */
  maxWorkers?: number;
  /** What all runs together may use; as much as `maxWorkers` runs may. */
  maxMemoryMB?: number;
  /** The limit of runs that set none, with which workers are made ready; 512. */
  memoryMB?: number;
}

/** How workers are locked; what is not set has its default. */
export interface SandboxOptions {
  /** Nothing runs where a layer of the sandbox is missing; false. */
  requireAllLayers?: boolean;
  /** A zygote for each run, so that no two runs share an address; false. Costs a millisecond. */
  freshProgram?: boolean;
  /** The first of the uids of root's zygotes; 2130640896. */
  uidBase?: number;
}

/** What a pool is made with. */
export interface PoolOptions {
  /** How many workers there are. */
  pool?: PoolSizes;
  /** How they are locked. */
  sandbox?: SandboxOptions;
}

/** A runtime or a run of the library. */
export interface Handle {
  lib: Library;
  pointer: Deno.PointerObject;
}

type Setter<V> = (of: Handle, value: V) => number;
type Setters<T> = { [K in keyof T]-?: Setter<NonNullable<T[K]>> };

const MIB = 1024 * 1024;
/** More than C takes of anything, and less than would wrap. */
const MOST_32 = 0xfffffffe, MOST_64 = 2 ** 63;

/** Throws if |value| is not what it has to be; returns 0, as a setter does. */
function need(is: boolean, name: string, what: string, value: unknown): number {
  if (is) return 0;
  throw new TypeError(`'${name}' has to be ${what}, and is ${wordsOf(value)}`);
}

/** The same for functions. */
export const needFunction = (name: string, value: unknown): number =>
  need(typeof value === "function", name, "a function", value);

/** The number |value|, of which |unit| makes one of C's; throws if it is none. */
export function amount(name: string, value: unknown, unit = 1): bigint {
  if (typeof value !== "number" || !Number.isFinite(value) || value < 0) {
    throw new RangeError(`'${name}' has to be a number, 0 or more, and is ${wordsOf(value)}`);
  }
  return BigInt(Math.ceil(Math.min(value * unit, MOST_64)));
}

/** The same for what C has 32 bits for; what is more than that is too much in any case. */
const amount32 = (name: string, value: unknown) => Math.min(Number(amount(name, value)), MOST_32);

/**
 * Calls the setter of each key of |values|, until one returns an error. A key that has none is an
 * error as well, and is not dropped.
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

/** As C wants a list of texts: pointers, and behind them, in the same memory, what they point to. */
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

/** Returns what |give|, a setter, returns. */
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
    const copy: unknown[] = Array.isArray(names) ? [...names] : [undefined]; // which stays as it is
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

/** Returns 0 or the library's error; throws for what the library would not understand. */
export function configureRun(of: Handle, options: RunOptions): number {
  return setAll("a run", of, options, run);
}

/** The same for a runtime. */
export function configurePool(of: Handle, options: PoolOptions): number {
  return setAll("pool", of, options.pool, pool) || setAll("sandbox", of, options.sandbox, sandbox);
}

/** |more| on top of |options|; what is undefined there changes nothing. */
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

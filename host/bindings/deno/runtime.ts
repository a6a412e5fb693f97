/** More than SandboxWorker offers: the whole envelope, events, all limits, a separate pool. */
import type { Envelope } from "./envelope.ts";
import { mergeOptions, type PoolOptions, type RunOptions } from "./options.ts";
import { Pool, READY } from "./pool.ts";

/** Options of the pool, and defaults for all its runs. */
export interface RuntimeOptions extends PoolOptions, RunOptions {}

/** What a pool has now, and has had so far. */
export interface Counts {
  /** Workers that wait for a run. */
  ready: number;
  /** Runs that have a worker. */
  running: number;
  /** Runs that wait for a worker. */
  waiting: number;
  /** Workers that were asked for, so far. */
  workers: number;
  /** Zygotes that were started, so far. */
  zygotes: number;
  /** Workers that crashed or broke the protocol, so far. */
  crashes: number;
}

/** A pool of locked workers. Made by {@linkcode createRuntime}. */
export class Runtime {
  #pool: Pool;
  #options: RunOptions;

  /** Use {@linkcode createRuntime}. */
  constructor(pool: Pool, options: RunOptions) {
    this.#pool = pool;
    this.#options = options;
  }

  /**
   * Runs `code`, the body of an async function of `mcp` and `args`, once, in a fresh worker.
   *
   * Resolves to the envelope however the run ends, also for invalid code and args; after
   * {@linkcode Runtime.close}, its code is `WORKER_TERMINATED`. Rejects only for invalid options.
   *
   * ```ts
   * const { result, metrics } = await runtime.run("return args.a + 1", { a: 1 });
   * ```
   */
  // deno-lint-ignore require-await -- so that it rejects, and does not throw
  async run<T = unknown>(
    code: string,
    args: unknown = {},
    options: RunOptions = {},
  ): Promise<Envelope<T>> {
    const all = mergeOptions(this.#options, options);
    return this.#pool.run(code, args, all) as Promise<Envelope<T>>;
  }

  /**
   * Starts the workers that wait for runs now. Returns when the first is ready, after some
   * milliseconds, so that the first run takes no longer than the next.
   */
  warm(): void {
    this.#pool.warm();
  }

  /**
   * The names of the sandbox layers that this machine lacks; `""` if none is missing. `undefined`
   * until the first worker is ready.
   */
  missingLayers(): string | undefined {
    return this.#pool.missingLayers();
  }

  /** What the pool has now, and has had. */
  counts(): Counts {
    const [ready, running, waiting, workers, zygotes, crashes] = [READY, 2, 3, 4, 5, 6]
      .map((what) => this.#pool.count(what)) as [number, number, number, number, number, number];
    return { ready, running, waiting, workers, zygotes, crashes };
  }

  /** Ends all runs with `WORKER_TERMINATED`, and all processes; resolves when they have ended. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  /** The same as {@linkcode Runtime.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Makes a separate pool of locked workers, which starts with the first run.
 *
 * ```ts
 * await using runtime = createRuntime({
 *   onRpc: (method, args) => tools[method](args),
 *   limits: { timeoutMs: 5000, memoryMB: 64 },
 * });
 * const envelope = await runtime.run(code, args, { signal: AbortSignal.timeout(1000) });
 * ```
 *
 * Throws an error that says what to do if libcaprun is missing or too old, and an error for invalid
 * options.
 */
export function createRuntime(options: RuntimeOptions = {}): Runtime {
  if (typeof options !== "object") throw new TypeError("the options have to be an object");
  const { pool, sandbox, ...forRuns } = options;
  const made = new Pool({ ...(pool && { pool }), ...(sandbox && { sandbox }) });
  try {
    made.check(forRuns);
  } catch (error) {
    made.closeNow();
    throw error;
  }
  return new Runtime(made, forRuns);
}

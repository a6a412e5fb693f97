/** SandboxWorker with the interface of PML's, but each execution has its own locked process. */
import type { EnvelopeError, SandboxErrorCode } from "./envelope.ts";
import { amount, needFunction, type RunOptions } from "./options.ts";
import { Pool, SHUT_DOWN } from "./pool.ts";
import { wordsOf } from "./texts.ts";

/** How long an execution may take, unless the options say otherwise: five minutes. */
export const SANDBOX_EXECUTION_TIMEOUT_MS = 300000;
/** How long one call may take, unless the options say otherwise. */
export const SANDBOX_RPC_TIMEOUT_MS = 30000;

/**
 * Answers `mcp.<namespace>.<action>(args)`; `method` is `"namespace:action"`. Only this handler
 * decides whether a call is allowed. An error that it throws arrives in the code as an error with
 * the same message.
 */
export type RpcHandler = (method: string, args: unknown) => Promise<unknown>;

/** What a {@linkcode SandboxWorker} is made with. */
export interface SandboxWorkerOptions {
  /** Answers the calls of the code. */
  onRpc: RpcHandler;
  /** {@linkcode SANDBOX_EXECUTION_TIMEOUT_MS} unless set, or if it is 0. */
  executionTimeoutMs?: number;
  /** {@linkcode SANDBOX_RPC_TIMEOUT_MS} unless set, or if it is 0. */
  rpcTimeoutMs?: number;
  /** 512 unless set, or if it is 0. */
  memoryLimitMB?: number;
}

/** Why an execution failed. */
export interface SandboxError {
  /** What happened. */
  code: SandboxErrorCode;
  /** `SyntaxError`, `TimeoutError` …: a word for people; programs check the code. */
  type?: string;
  /** For a person. It may contain untrusted text: escape what you show. */
  message: string;
  /** The code's own lines, if there are any. */
  stack?: string;
}

/** How an execution ended. */
export interface SandboxResult<T = unknown> {
  /** Whether the code has returned. */
  success: boolean;
  /** What the code returned, on success. */
  value?: T;
  /** Why there is no value. */
  error?: SandboxError;
  /** From the call of `execute` to the end. */
  durationMs: number;
}

const OPTIONS = ["onRpc", "executionTimeoutMs", "rpcTimeoutMs", "memoryLimitMB"];

/** Checked here so that errors use the option names of this class. */
function checkOptions(given: SandboxWorkerOptions): void {
  if (typeof given !== "object") throw new TypeError("'onRpc' has to be a function");
  for (const [name, value] of Object.entries(given)) {
    if (!OPTIONS.includes(name)) {
      const known = OPTIONS.join(", ");
      throw new TypeError(`'${name}' is not an option of SandboxWorker: there are ${known}`);
    }
    if (name !== "onRpc" && value !== undefined && value !== null) amount(name, value);
  }
  needFunction("onRpc", given.onRpc);
}

let shared: Pool | undefined;

/** All objects share one pool, which lives until the program ends. */
function sharedPool(): Pool {
  return shared ??= new Pool();
}

/** The next use makes a new pool: a test may catch what Deno.exit() throws, and go on. */
globalThis.addEventListener("unload", () => {
  shared?.closeNow();
  shared = undefined;
});

/**
 * Runs untrusted code, each time in a fresh locked process.
 *
 * ```ts
 * const sandbox = new SandboxWorker(async (method, args) => await callTool(method, args));
 * const { success, value, error } = await sandbox.execute("return mcp.math.sum(args)", [1, 2]);
 * sandbox.shutdown();
 * ```
 */
export class SandboxWorker {
  #options: RunOptions;
  #isUsed = false;
  #isDown = false;

  /**
   * Throws an error that says what to do if libcaprun is missing or too old, and an error for
   * invalid limits.
   */
  constructor(options: SandboxWorkerOptions | RpcHandler) {
    const given = typeof options === "function" ? { onRpc: options } : options;
    checkOptions(given);
    const { onRpc, executionTimeoutMs, rpcTimeoutMs, memoryLimitMB } = given;
    this.#options = {
      onRpc: (method, args) => onRpc(method, args),
      limits: {
        timeoutMs: executionTimeoutMs ?? SANDBOX_EXECUTION_TIMEOUT_MS,
        rpcTimeoutMs: rpcTimeoutMs ?? SANDBOX_RPC_TIMEOUT_MS,
        memoryMB: memoryLimitMB ?? 0,
      },
    };
    const pool = sharedPool();
    if (given === options) pool.check(this.#options); // else there are only defaults
  }

  /**
   * Runs `code`, the body of an async function of `mcp` and `args`. Never rejects: errors are in
   * the result. Several executions may run at once.
   */
  async execute<T = unknown>(code: string, args: unknown): Promise<SandboxResult<T>> {
    const start = performance.now();
    const ended = await this.#run<T>(code, args);
    return { ...ended, durationMs: performance.now() - start };
  }

  async #run<T>(code: string, args: unknown): Promise<Omit<SandboxResult<T>, "durationMs">> {
    if (this.#isDown) return failure(SHUT_DOWN);
    this.#isUsed = true;
    try {
      const running = sharedPool().run(code, args, this.#options);
      if (this.#isDown) this.shutdown(); // a toJSON of the args has called it
      const { success, result, error } = await running;
      if (success || !error) return { success: true, value: result as T };
      return failure(error);
    } catch (error) {
      return failure({ type: "InternalError", code: "INTERNAL", message: wordsOf(error) });
    }
  }

  /**
   * Starts the processes that all objects share, and waits some milliseconds until the first is
   * ready, so that the first execution takes no longer than the next.
   */
  warm(): void {
    if (!this.#isDown) sharedPool().warm();
  }

  /** Ends all executions with `WORKER_TERMINATED`; later ones fail. */
  shutdown(): void {
    this.#isDown = true;
    shared?.terminate(this.#options);
  }

  /** The same as {@linkcode SandboxWorker.shutdown}, for `using`. */
  [Symbol.dispose](): void {
    this.shutdown();
  }

  /** False before the first execution and after {@linkcode SandboxWorker.shutdown}. */
  isActive(): boolean {
    return this.#isUsed && !this.#isDown;
  }
}

function failure({ type, code, message, stack, hint }: EnvelopeError) {
  // The envelope names it only in the type; errors that code throws have their names in the message.
  const name = type === "SyntaxError" ? "SyntaxError: " : "";
  // INTERNAL may mean a broken installation: keep the hint
  const advice = code === "INTERNAL" && hint ? `; ${hint}` : "";
  const error = { code, type, message: name + message + advice };
  return { success: false, error: { ...error, ...(stack !== undefined && { stack }) } };
}

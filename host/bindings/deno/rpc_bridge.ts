/**
 * RpcBridge, by the names of PML's sandbox module: executes code in a worker or page of the
 * application's own, over messages. {@linkcode SandboxWorker} does not use it, and code that runs
 * this way is not in caprun's sandbox.
 */
import { type RpcHandler, SANDBOX_RPC_TIMEOUT_MS } from "./sandbox_worker.ts";
import { wordsOf } from "./texts.ts";
import { within } from "./timeout_handler.ts";
import { DenoWorkerTransport, type MessageTransport, type ProtocolAdapter } from "./transports.ts";

/** How long the start of a worker may take. */
export const SANDBOX_INIT_TIMEOUT_MS = 5000;

/** The messages: `execute` and the answers to calls go to the other side, the others come from it. */
export type RpcMessageType = "execute" | "result" | "error" | "rpc" | "rpc_response" | "rpc_error";

/** The fields of every message. */
export interface RpcMessage {
  /** The kind of message. */
  type: RpcMessageType;
  /** The id of the execution or call that the message belongs to. */
  id: string;
}

/** Settles a promise. */
export interface PromiseResolver<T = unknown> {
  /** With a value. */
  resolve: (value: T) => void;
  /** With an error. */
  reject: (error: Error) => void;
}

/** Answers an `init` message, of a page of MCP Apps; what it returns is the result. */
export type InitHandler = (id?: string) => unknown | Promise<unknown>;

/** A message that has arrived, before it is checked. */
interface Arrived {
  type?: unknown;
  id?: string;
  rpcId?: string;
  method?: string;
  args?: unknown;
  value?: unknown;
  error?: string;
  code?: string;
}

const isWorker = (given: MessageTransport | Worker): given is Worker =>
  "postMessage" in given && "terminate" in given;

/** Sends code to the other side, and answers the calls of the code. */
export class RpcBridge {
  #transport: MessageTransport;
  #onRpc: RpcHandler;
  #rpcTimeoutMs: number;
  #adapter: ProtocolAdapter | undefined;
  #onInit: InitHandler | undefined;
  #pending = new Map<string, PromiseResolver>();
  #isShutdown = false;

  /** For a worker, over {@linkcode DenoWorkerTransport}. */
  static forWorker(
    worker: Worker,
    onRpc: RpcHandler,
    rpcTimeoutMs: number = SANDBOX_RPC_TIMEOUT_MS,
    onInit?: InitHandler,
  ): RpcBridge {
    return new RpcBridge(worker, onRpc, rpcTimeoutMs, undefined, onInit);
  }

  /** `onRpc` answers calls; `onInit` answers `init`, otherwise the answer is `{status: "ok"}`. */
  constructor(
    transportOrWorker: MessageTransport | Worker,
    onRpc: RpcHandler,
    rpcTimeoutMs: number = SANDBOX_RPC_TIMEOUT_MS,
    adapter?: ProtocolAdapter,
    onInit?: InitHandler,
  ) {
    this.#transport = isWorker(transportOrWorker)
      ? new DenoWorkerTransport(transportOrWorker)
      : transportOrWorker;
    this.#onRpc = onRpc;
    this.#rpcTimeoutMs = rpcTimeoutMs;
    this.#adapter = adapter;
    this.#onInit = onInit;
    this.#transport.onMessage((message) => this.#receive(message));
    this.#transport.onError?.(({ message }) => this.#rejectAll(`Transport error: ${message}`));
  }

  /** Whether {@linkcode RpcBridge.close} was called. */
  get shutdown(): boolean {
    return this.#isShutdown;
  }

  /**
   * Executes `code` on the other side. Rejects with the error of the code, which has a `code`, or
   * after `timeoutMs`; 0 means no limit. Throws if the bridge is closed.
   */
  execute(id: string, code: string, args: unknown, timeoutMs = 0): Promise<unknown> {
    if (this.#isShutdown) throw new Error("RpcBridge has been shut down");
    const { promise, ...resolver } = Promise.withResolvers<unknown>();
    this.#pending.set(id, resolver);
    try {
      this.#send({ type: "execute", id, code, args });
    } catch (error) {
      this.#take(id)?.reject(error as Error);
    }
    if (timeoutMs <= 0) return promise;
    return within(promise, timeoutMs, () => {
      this.#pending.delete(id);
      return new Error(`Execution timeout after ${timeoutMs}ms`);
    });
  }

  /** Rejects a pending execution, but does not stop the code. */
  cancelExecution(id: string, reason = "Execution cancelled"): void {
    this.#take(id)?.reject(new Error(reason));
  }

  /** Rejects what is pending, and closes the transport. */
  close(): void {
    this.#isShutdown = true;
    this.#rejectAll("RpcBridge shut down");
    this.#transport.close();
  }

  #take(id = ""): PromiseResolver | undefined {
    const resolver = this.#pending.get(id);
    this.#pending.delete(id);
    return resolver;
  }

  #rejectAll(message: string): void {
    for (const id of [...this.#pending.keys()]) this.cancelExecution(id, message);
  }

  #send(message: object): void {
    this.#transport.send(this.#adapter ? this.#adapter.toExternal(message) : message);
  }

  #receive(raw: unknown): void {
    if (this.#isShutdown) return;
    const message = (this.#adapter ? this.#adapter.toInternal(raw) : raw) as Arrived | null;
    switch (message?.type) {
      case "result":
        this.#take(message.id)?.resolve(message.value);
        break;
      case "error":
        this.#take(message.id)?.reject(
          Object.assign(new Error(message.error), { code: message.code }),
        );
        break;
      case "rpc":
        this.#answer("rpc_response", message.rpcId, () => this.#call(message));
        break;
      case "init":
        this.#answer("init_response", message.id, () => this.#initialise(message.id));
    }
  }

  #call({ method = "", args }: Arrived): Promise<unknown> {
    const answer = Promise.resolve(this.#onRpc(method, args));
    return within(answer, this.#rpcTimeoutMs, () => new Error(`RPC timeout: ${method}`));
  }

  #initialise(id?: string): unknown {
    return this.#onInit ? this.#onInit(id) : { status: "ok" };
  }

  /** Sends what |work| returns or throws, unless the bridge or the transport was closed meanwhile. */
  async #answer(type: string, id: string | undefined, work: () => unknown): Promise<void> {
    let answer: object;
    try {
      answer = { type, id, result: await work() };
    } catch (error) {
      answer = { type: "rpc_error", id, error: wordsOf(error) };
    }
    if (this.#isShutdown || this.#transport.closed) return;
    try {
      this.#send(answer);
    } catch (error) { // a value that cannot be sent
      this.#send({ type: "rpc_error", id, error: wordsOf(error) });
    }
  }
}

/**
 * caprun for Deno: runs untrusted code, each time in a fresh locked process.
 *
 * {@linkcode SandboxWorker} is what PML uses; {@linkcode createRuntime} has everything else. Both
 * need libcaprun and `--allow-ffi`.
 *
 * @example
 * ```ts
 * import { SandboxWorker } from "./mod.ts";
 *
 * const sandbox = new SandboxWorker(async (method, args) => ({ method, args }));
 * console.log(await sandbox.execute("return mcp.files.list({ path: args.path })", { path: "." }));
 * sandbox.shutdown();
 * ```
 *
 * @module
 */
export {
  type RpcHandler,
  SANDBOX_EXECUTION_TIMEOUT_MS,
  SANDBOX_RPC_TIMEOUT_MS,
  type SandboxError,
  type SandboxResult,
  SandboxWorker,
  type SandboxWorkerOptions,
} from "./sandbox_worker.ts";
export {
  type InitHandler,
  type PromiseResolver,
  RpcBridge,
  type RpcMessage,
  type RpcMessageType,
  SANDBOX_INIT_TIMEOUT_MS,
} from "./rpc_bridge.ts";
export { TimeoutError, TimeoutHandler, timeoutHandler } from "./timeout_handler.ts";
export {
  BaseTransport,
  DenoWorkerTransport,
  type IframeElement,
  IframeTransport,
  McpAppsProtocolAdapter,
  type MessageTransport,
  type ProtocolAdapter,
} from "./transports.ts";
export { type Counts, createRuntime, type Runtime, type RuntimeOptions } from "./runtime.ts";
export type {
  CallContext,
  CallHandler,
  Limits,
  PoolOptions,
  PoolSizes,
  RunEvent,
  RunOptions,
  SandboxOptions,
} from "./options.ts";
export type {
  Blocked,
  Call,
  Envelope,
  EnvelopeError,
  Metrics,
  SandboxErrorCode,
} from "./envelope.ts";

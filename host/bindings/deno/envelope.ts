/** What a run ends with: the envelope of docs/envelope.md, as types. */

/** How a run can fail. The code comes from what happened, never from words that the code chose. */
export type SandboxErrorCode =
  | "CODE_ERROR"
  | "TOOL_ERROR"
  | "RPC_ERROR"
  | "STALLED"
  | "VALIDATION_ERROR"
  | "CONFIG_ERROR"
  | "INVALID_FQDN"
  | "JOURNAL_INVALID"
  | "USAGE"
  | "PERMISSION_DENIED"
  | "EXECUTION_TIMEOUT"
  | "CPU_TIMEOUT"
  | "RPC_TIMEOUT"
  | "MEMORY_LIMIT"
  | "OUTPUT_LIMIT"
  | "CALL_LIMIT"
  | "NOT_FOUND"
  | "REGISTRY_UNREACHABLE"
  | "METADATA_INVALID"
  | "INTEGRITY_MISMATCH"
  | "APPROVAL_REQUIRED"
  | "REPLAY_DIFFERED"
  | "WORKER_TERMINATED"
  | "INTERNAL"
  | "CANCELLED";

/** Why a run failed. Message and stack may have a stranger's words in them: escape what you show. */
export interface EnvelopeError {
  /** `TimeoutError`, `MemoryError` …: a word for people; programs look at the code. */
  type: string;
  /** What happened. */
  code: SandboxErrorCode;
  /** For a person. */
  message: string;
  /** The capability's own lines, if there are any. */
  stack?: string;
  /** `namespace:action`, if a call is to blame. */
  toolName?: string;
  /** What to change, where that is known. */
  hint?: string;
}

/** What the code reached for, and was denied. */
export interface Blocked {
  /** For instance `Deno.readFile`. */
  api: string;
  /** `read`, `write`, `net`, `run`, `env`, `ffi`, `import`, `eval` and others. */
  access: string;
  /** The path, host or name, if there is one. */
  target?: string;
}

/** One call of a run. */
export interface Call {
  /** Its number, from 1. */
  n: number;
  /** `namespace:action`. */
  method: string;
  /** How far it came. */
  state: "done" | "failed" | "denied" | "waiting" | "not_started" | "in_flight_unknown";
  /** Whether it was made, where somebody decided. */
  decision?: "allow" | "deny";
  /** Who decided: `application` for your handler, `rule:tools` for the list of tools. */
  by?: string;
  /** Until its end. */
  ms: number;
}

/** What a run has cost. */
export interface Metrics {
  /** Until a worker had the code, the time in the queue included. */
  startupTimeMs: number;
  /** From there to the end. */
  executionTimeMs: number;
  /** That the worker has used, as the kernel counts. */
  cpuTimeMs: number;
  /** In which only a person was waited for. */
  waitTimeMs: number;
  /** What the worker had in memory at its most; its own word, if the code returned or threw. */
  memoryUsedMB: number;
  /** How many calls there were. */
  rpcCalls: number;
}

/** How a run has ended. */
export interface Envelope<T = unknown> {
  /** Whether the code has returned. */
  success: boolean;
  /** What the code returned, on success; `null` for `undefined`. */
  result?: T;
  /** Why there is no result. */
  error?: EnvelopeError;
  /** What the code has logged, a line each. */
  logs: string[];
  /** What it reached for and was denied, the first 1,000 times. */
  blocked: Blocked[];
  /** Its calls, in their order. */
  calls: Call[];
  /** What it has cost. */
  metrics: Metrics;
  /** A UUID that sorts by time. */
  runId: string;
}

/** The result of a run: the envelope of docs/envelope.md, as types. */

/**
 * How a run can fail. The host sets the code; the untrusted code cannot choose it by its messages.
 */
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

/** Why a run failed. Message and stack may contain untrusted text: escape what you show. */
export interface EnvelopeError {
  /** `TimeoutError`, `MemoryError` …: a word for people; programs check the code. */
  type: string;
  /** What happened. */
  code: SandboxErrorCode;
  /** For a person. */
  message: string;
  /** The capability's own lines, if there are any. */
  stack?: string;
  /** `namespace:action`, if a call was the cause. */
  toolName?: string;
  /** What to change, if known. */
  hint?: string;
  /** What would allow a call that was denied: a part of the configuration, as docs/envelope.md has it. */
  grant?: Record<string, unknown>;
  /** The `reason` of the signal that cancelled the run. */
  cause?: unknown;
}

/** An access that the code tried, and that was denied. */
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
  /** The decision about it, if there was one. */
  decision?: "allow" | "deny";
  /** What decided: `application` for your handler, `rule:tools` for the list of tools. */
  by?: string;
  /** Milliseconds until its end. */
  ms: number;
}

/** What a run has used. */
export interface Metrics {
  /** Until a worker had the code, including the time in the queue. */
  startupTimeMs: number;
  /** From there to the end. */
  executionTimeMs: number;
  /** CPU time of the worker, as the kernel counts. */
  cpuTimeMs: number;
  /** Time in which the run only waited for a person. */
  waitTimeMs: number;
  /** The worker's peak memory; reported by the worker itself, if the code returned or threw. */
  memoryUsedMB: number;
  /** How many calls there were. */
  rpcCalls: number;
}

/** An envelope for a run that the library knows nothing of. */
export function failedEnvelope(error: EnvelopeError): Envelope {
  const metrics: Metrics = {
    startupTimeMs: 0,
    executionTimeMs: 0,
    cpuTimeMs: 0,
    waitTimeMs: 0,
    memoryUsedMB: 0,
    rpcCalls: 0,
  };
  return { success: false, error, logs: [], blocked: [], calls: [], metrics, runId: "" };
}

/** How a run has ended. */
export interface Envelope<T = unknown> {
  /** Whether the code has returned. */
  success: boolean;
  /** What the code returned, on success; `null` for `undefined`. */
  result?: T;
  /** Why there is no result. */
  error?: EnvelopeError;
  /** The code's log, one line each. */
  logs: string[];
  /** The denied accesses that the code tried, the first 1,000. */
  blocked: Blocked[];
  /** Its calls, in order. */
  calls: Call[];
  /** What it has used. */
  metrics: Metrics;
  /** A UUID that sorts by time. */
  runId: string;
}

/** Time limits for promises, by the names of PML's sandbox module. */

/** The error of an operation that took too long. */
export class TimeoutError extends Error {
  /** What took too long. */
  readonly operation: string;
  /** Its time limit, in milliseconds. */
  readonly timeoutMs: number;

  /** Makes the error for `operation`, whose limit was `timeoutMs`. */
  constructor(operation: string, timeoutMs: number) {
    super(`${operation} timed out after ${timeoutMs}ms`);
    this.name = "TimeoutError";
    this.operation = operation;
    this.timeoutMs = timeoutMs;
  }
}

/**
 * Settles like `promise`, but after `timeoutMs` rejects with the error that `late` makes. The timer
 * ends with the promise.
 */
export function within<T>(promise: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  const { promise: limit, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), timeoutMs);
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

/** Limits how long promises may take. */
export class TimeoutHandler {
  /** Settles like `promise`; rejects with a {@linkcode TimeoutError} if that takes too long. */
  wrap<T>(promise: Promise<T>, timeoutMs: number, operation = "Operation"): Promise<T> {
    return within(promise, timeoutMs, () => new TimeoutError(operation, timeoutMs));
  }

  /** The same as {@linkcode TimeoutHandler.wrap}. PML's leaves its timer running. */
  race<T>(promise: Promise<T>, timeoutMs: number, operation = "Operation"): Promise<T> {
    return this.wrap(promise, timeoutMs, operation);
  }
}

/** A {@linkcode TimeoutHandler} to share; it has no state. */
export const timeoutHandler: TimeoutHandler = new TimeoutHandler();

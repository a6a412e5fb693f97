/**
 * A runtime of libcaprun on Deno's event loop.
 *
 * Deno cannot wait for a descriptor of a C library, but it can wait for a C function on another
 * thread. So while runs are live, one call of caprun_wait() is running there; when it returns, the
 * event loop has a turn, in which caprun_step() reports what has happened. Such a turn costs about
 * 100 µs, several times what a worker needs for its next call. Therefore, after a message to a
 * worker, the JavaScript thread waits for the reply in place, for 60 µs, or 180 µs after a start,
 * before it lets the event loop go on; at most for a millisecond in all until the loop has a turn.
 *
 * The library's callbacks during a step only note what has happened. It is handled when the step
 * has returned: neither handlers nor listeners are called inside of the library.
 */
import { type Envelope, type EnvelopeError, failedEnvelope } from "./envelope.ts";
import { type Library, library, openEarly } from "./library.ts";
import {
  type CallContext,
  configurePool,
  configureRun,
  giveText,
  hintInOptions,
  type PoolOptions,
  type RunOptions,
} from "./options.ts";
import { bytesOf, cString, textAt, textOf, wordsOf } from "./texts.ts";

type Pointer = Deno.PointerObject;

/** A run that has not ended yet. */
interface Live {
  readonly pool: Pool;
  readonly id: number;
  readonly pointer: Pointer;
  readonly options: RunOptions;
  readonly settle: (envelope: Envelope) => void;
  readonly stopListening: () => void;
  ended: boolean;
  /** Bytes of the args of calls that the handler is answering. */
  argBytes: number;
  /** Calls whose answer is not wanted any more. */
  lost?: Set<number>;
  /** For calls whose handler has read its signal. */
  aborts?: Map<number, AbortController>;
}

/** Microtasks that a handler which waits for nothing needs to give its answer. */
const TICKS = 8;
/** Microtasks that a caller which runs one run after the other needs to start the next. */
const IDLE_TICKS = 50;
/** How often caprun_wait() looks in place, for 30 µs each, after a message to a worker. */
const LOOKS = 2;
/** The same after a run was started: the worker has to wake up, and to compile. */
const LOOKS_AT_START = 6;
/** How long waiting in place may delay the event loop's turn. */
const IN_PLACE_MS = 1;
/** How long it may delay timers and sockets. */
const REST_MS = 40;
/** A wait on the other thread ends by itself, so that it does not outlive its isolate for long. */
const ASIDE_MS = 1000;
/** Limit of the args of a run's calls that wait for their answers: two of the largest. */
const MOST_ARG_BYTES = 32 << 20;
const TOO_MANY_ARGS = "The args of calls that wait for their answers have over 32 MiB together";
const MOST_WAITING = 1 << 20;
const E_INVAL = -2;
/** How long warm() waits for the first worker. */
const FIRST_WORKER_MS = 250;
/** The number of CAPRUN_COUNT_READY. */
export const READY = 1;
const CLOSED = "this runtime is closed";

/** The error of runs after the end of their pool or object. */
export const SHUT_DOWN: EnvelopeError = {
  type: "WorkerError",
  code: "WORKER_TERMINATED",
  message: "The sandbox was shut down",
};
const NO_MEMORY: EnvelopeError = {
  type: "InternalError",
  code: "INTERNAL",
  message: "No memory for the envelope",
};

/** C functions write a pointer here. */
const out = new BigUint64Array(1);
/** Runs by the number that callbacks get; numbers that are free. */
const live: (Live | undefined)[] = [];
const free: number[] = [];

// --- callbacks of the library --------------------------------------------------------------------

enum Event {
  Started = 1,
  Call = 2,
  CallDone = 3,
  CallLost = 4,
  Blocked = 5,
  Ended = 6,
}

const CALL_EVENTS = new Map<Event, "call" | "callDone" | "callLost">([
  [Event.Call, "call"],
  [Event.CallDone, "callDone"],
  [Event.CallLost, "callLost"],
]);

function handleEvent(data: bigint, what: Event, call: number): void {
  const run = live[Number(data)];
  if (!run) return;
  if (what === Event.Ended) run.pool.note(() => run.pool.end(run));
  if (what === Event.CallLost) run.pool.note(() => lose(run, call));
  if (run.options.onEvent) tell(run, what, call);
}

/** Asks the library for details of the event now, and notes the call of the listener for later. */
function tell({ pool, pointer, options: { onEvent } }: Live, what: Event, call: number): void {
  if (what === Event.Started) pool.note(() => onEvent?.({ type: "started" }));
  if (what === Event.Blocked) pool.note(() => onEvent?.({ type: "blocked" }));
  const type = CALL_EVENTS.get(what);
  if (!type) return;
  const method = textAt(pool.lib.caprun_get_call_method(pointer, call));
  const state = textAt(pool.lib.caprun_get_call_state(pointer, call));
  pool.note(() => onEvent?.({ type, n: call, method, state }));
}

/** As JavaScript values, args take many times their bytes, so the sum of their bytes is limited. */
function handleCall(data: bigint, call: number, method: string, args: Text): void {
  const run = live[Number(data)], length = Number(args.length);
  if (!run) return;
  if (run.argBytes + length > MOST_ARG_BYTES) {
    run.pool.note(() => run.pool.refuse(run, call, TOO_MANY_ARGS));
    return;
  }
  run.argBytes += length;
  const text = textOf(args.pointer, args.length);
  run.pool.note(() => {
    const answered = run.pool.answer(run, call, method, text);
    answered.finally(() => run.argBytes -= length);
  });
}

interface Text {
  pointer: Deno.PointerValue;
  length: bigint;
}

function handleLog(data: bigint, line: string): void {
  const run = live[Number(data)];
  run?.pool.note(() => run.options.onEvent?.({ type: "log", line }));
}

function makeCallbacks() {
  const event = new Deno.UnsafeCallback(
    { parameters: ["usize", "pointer", "i32", "u32"], result: "void" },
    (data, _run, what, call) => handleEvent(data, what, call),
  );
  const call = new Deno.UnsafeCallback(
    { parameters: ["usize", "pointer", "u32", "pointer", "pointer", "usize"], result: "void" },
    (data, _run, call, method, pointer, length) =>
      handleCall(data, call, textAt(method), { pointer, length }),
  );
  const log = new Deno.UnsafeCallback(
    { parameters: ["usize", "pointer", "usize"], result: "void" },
    (data, line, length) => handleLog(data, textOf(line, length)),
  );
  return { event: event.pointer, call: call.pointer, log: log.pointer };
}

let callbacks = openEarly() ? makeCallbacks() : undefined;

// --- the pool ------------------------------------------------------------------------------------

/** Workers, their runs, and the turns in which the runs are handled. */
export class Pool {
  readonly lib: Library;
  #pointer: Pointer | null;
  #callbacks: ReturnType<typeof makeCallbacks>;
  /** How many runs are live. */
  #count = 0;
  #news: (() => void)[] = [];
  /** How many of |#news| have been handled. */
  #done = 0;
  /** Ends of runs to report when the wait on the other thread has ended. */
  #ends: (() => void)[] = [];
  #turns: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #isAside = false;
  #looks = 0;
  #inPlaceMs = 0;
  #restedAt = 0;

  constructor(options: PoolOptions = {}) {
    this.lib = library();
    this.#callbacks = callbacks ??= makeCallbacks();
    if (this.lib.caprun_new(out) < 0) throw new Error("there is no memory, or no descriptor left");
    const pointer = this.#pointer = Deno.UnsafePointer.create(out[0] ?? 0n) as Pointer;
    try {
      this.#check(this.lib.caprun_set_max_waiting(pointer, MOST_WAITING));
      this.#check(configurePool({ lib: this.lib, pointer }, options));
    } catch (error) {
      this.lib.caprun_free(pointer);
      throw error;
    }
  }

  get pointer(): Pointer {
    if (!this.#pointer) throw new Error(CLOSED);
    return this.#pointer;
  }

  #error(): string {
    return textAt(this.lib.caprun_error(this.pointer));
  }

  #check(result: number): void {
    if (result < 0) throw new RangeError(this.#error());
  }

  // --- runs ---

  /** Throws if the options are invalid; every other error is in the envelope. */
  run(code: string, args: unknown, options: RunOptions): Promise<Envelope> {
    if (this.#closing) return Promise.resolve(failedEnvelope({ ...SHUT_DOWN }));
    const pointer = this.#make(options);
    const refusal = this.#give(pointer, code, args);
    if (refusal !== undefined) this.#reject(pointer, "VALIDATION_ERROR", refusal);
    else if (this.#closing) this.lib.caprun_terminate(pointer); // by a toJSON of the args
    else if (options.signal?.aborted) this.lib.caprun_cancel(pointer);
    else return this.#begin(pointer, options);
    return Promise.resolve(this.#take(pointer, options));
  }

  /** Ends, with `WORKER_TERMINATED`, the runs that have these |options|, or all. */
  terminate(options?: RunOptions): void {
    for (const run of live) {
      if (run?.pool === this && (!options || run.options === options)) {
        this.lib.caprun_terminate(run.pointer);
      }
    }
  }

  /** Throws if the options are invalid. */
  check(options: RunOptions): void {
    this.lib.caprun_run_free(this.#make(options));
  }

  #make(options: RunOptions): Pointer {
    this.#check(this.lib.caprun_run_new(this.pointer, out));
    const pointer = Deno.UnsafePointer.create(out[0] ?? 0n) as Pointer;
    try {
      this.#check(configureRun({ lib: this.lib, pointer }, options));
    } catch (error) {
      this.lib.caprun_run_free(pointer);
      throw error;
    }
    return pointer;
  }

  /** Returns why code or args cannot be set, or nothing. */
  #give(run: Pointer, code: string, args: unknown): string | undefined {
    let json: string;
    if (typeof code !== "string") return `The code has to be a string, and is a ${typeof code}`;
    try {
      json = args === undefined ? "{}" : jsonOf(args);
    } catch (error) {
      return `The args cannot be JSON: ${wordsOf(error)}`;
    }
    const failed = giveText(this.lib.caprun_run_set_code, run, code) ||
      giveText(this.lib.caprun_run_set_args, run, json);
    return failed ? this.#error() : undefined;
  }

  #reject(run: Pointer, outcome: string, message: string): void {
    let number = 0;
    while (textAt(this.lib.caprun_outcome_name(number)) !== outcome) number++;
    this.lib.caprun_reject(run, number, cString(message.replaceAll("\0", "\ufffd")), null);
  }

  #begin(pointer: Pointer, options: RunOptions): Promise<Envelope> {
    const { signal, onEvent } = options;
    const { promise, resolve } = Promise.withResolvers<Envelope>();
    const cancel = () => run.ended || this.lib.caprun_cancel(pointer);
    const run: Live = {
      pool: this,
      id: free.pop() ?? live.length,
      pointer,
      options,
      settle: resolve,
      stopListening: () => signal?.removeEventListener("abort", cancel),
      ended: false,
      argBytes: 0,
    };
    const data = BigInt(run.id);
    this.lib.caprun_run_set_event(pointer, this.#callbacks.event, data);
    this.lib.caprun_run_set_handler(pointer, this.#callbacks.call, data);
    if (onEvent) this.lib.caprun_run_set_log(pointer, this.#callbacks.log, data);
    if (this.lib.caprun_start(pointer) < 0) this.#reject(pointer, "INTERNAL", this.#error());
    live[run.id] = run;
    this.#count++;
    this.#looks = LOOKS_AT_START;
    this.#turns ??= this.#takeTurns();
    signal?.addEventListener("abort", cancel, { once: true });
    this.#step(); // gives the run to a worker
    return promise;
  }

  /** Returns the envelope of a run that has ended, and frees the run. */
  #take(run: Pointer, { signal }: RunOptions): Envelope {
    const json = textAt(this.lib.caprun_result_json(run, null));
    this.lib.caprun_run_free(run);
    if (!json) return failedEnvelope({ ...NO_MEMORY });
    const envelope: Envelope = JSON.parse(json), { error } = envelope;
    if (error?.hint) error.hint = hintInOptions(error.hint);
    if (error?.code === "CANCELLED" && signal?.aborted) {
      error.message += `: ${wordsOf(signal.reason)}`;
      error.cause = signal.reason;
    }
    return envelope;
  }

  /** For the callbacks. Ends the last wait on the other thread before the end is reported. */
  end(run: Live): void {
    run.ended = true;
    run.stopListening();
    live[run.id] = undefined;
    free.push(run.id);
    this.#count--;
    const envelope = this.#take(run.pointer, run.options);
    this.#ends.push(() => run.settle(envelope));
    if (this.#isAside && this.#count === 0) this.lib.caprun_wake(this.pointer);
    else this.#tellEnds();
  }

  #tellEnds(): void {
    for (const tell of this.#ends.splice(0)) tell();
  }

  // --- calls ---

  /** For the callbacks. */
  async answer(run: Live, call: number, method: string, args: string): Promise<void> {
    const { onRpc = rejectCall } = run.options;
    let json: string | undefined, failure: string | undefined;
    try {
      json = answerOf(method, await onRpc(method, JSON.parse(args), new Context(run, call)));
    } catch (error) {
      failure = wordsOf(error);
    }
    run.aborts?.delete(call);
    if (run.ended) return; // the answer is not wanted any more
    if (json !== undefined) failure = this.#reply(run.pointer, call, json);
    if (failure !== undefined) this.refuse(run, call, failure);
    this.#looks = LOOKS;
    while (this.#isAside && this.#mayLook()) this.#look();
  }

  /** Returns why |json| is not a valid answer, or nothing; a late answer is ignored. */
  #reply(run: Pointer, call: number, json: string): string | undefined {
    const bytes = bytesOf(json);
    const result = this.lib.caprun_call_reply(run, call, bytes, BigInt(bytes.length));
    return result === E_INVAL ? this.#error() : undefined;
  }

  /** Fails the call with this message, unless the run has ended. */
  refuse(run: Live, call: number, message: string): void {
    const bytes = bytesOf(message);
    if (!run.ended) this.lib.caprun_call_fail(run.pointer, call, bytes, BigInt(bytes.length));
  }

  // --- turns ---

  /** For the callbacks: handles |what| after the step. */
  note(what: () => void): void {
    this.#news.push(what);
  }

  #step(): void {
    this.lib.caprun_step(this.pointer);
    while (this.#done < this.#news.length) { // also events of a nested step
      try {
        this.#news[this.#done++]?.();
      } catch (error) {
        reportError(error); // like an error of any listener
      }
    }
    this.#news.length = this.#done = 0;
  }

  #mayLook(): boolean {
    return this.#looks > 0 && this.#inPlaceMs < IN_PLACE_MS && this.#count > 0;
  }

  #look(): void {
    const start = performance.now();
    this.#looks--;
    this.lib.caprun_wait(this.pointer, 0);
    this.#step();
    this.#inPlaceMs += performance.now() - start;
  }

  async #takeTurns(): Promise<void> {
    for (;;) {
      await this.#restOfTheTurn();
      if (this.#count === 0) break; // no await from here to the end, so no run can start meanwhile
      if (this.#mayLook()) {
        this.#look();
        continue;
      }
      this.#isAside = true;
      await this.#turn();
      this.#isAside = false;
      this.#inPlaceMs = 0;
      this.#step();
      this.#tellEnds();
    }
    this.#turns = undefined;
    this.#inPlaceMs = 0;
    if (!this.#closing && this.#pointer) this.lib.caprun_warm(this.#pointer); // no run waits now
  }

  /**
   * Deno handles timers and sockets when it is idle, or after many turns. If a worker calls without
   * a pause, each wait ends at once and Deno is never idle, so it gets a pause here.
   */
  async #turn(): Promise<void> {
    const start = performance.now();
    if (this.#inPlaceMs >= IN_PLACE_MS && start - this.#restedAt >= REST_MS) await rest();
    else await this.lib.wait_aside(this.pointer, ASIDE_MS);
    const now = performance.now();
    if (now - start >= IN_PLACE_MS) this.#restedAt = now;
  }

  /** Waits until handlers and callers have done what they can do at once. */
  async #restOfTheTurn(): Promise<void> {
    for (let i = 0; i < TICKS; i++) await null;
    for (let i = 0; i < IDLE_TICKS && this.#count === 0; i++) await null;
  }

  // --- the whole pool ---

  /**
   * Starts the workers that wait for runs. If nothing runs, waits in place until the first is ready:
   * the zygote needs some milliseconds to start, which the first run would have to wait.
   */
  warm(): void {
    if (this.lib.caprun_warm(this.pointer) < 0) throw new Error(this.#error());
    const end = performance.now() + FIRST_WORKER_MS;
    for (;;) {
      this.#step();
      const left = Math.ceil(end - performance.now());
      if (this.#count > 0 || this.count(READY) > 0 || left <= 0) break;
      this.lib.caprun_wait(this.pointer, left);
    }
  }

  missingLayers(): string | undefined {
    this.#step();
    const words = this.lib.caprun_missing_layers(this.pointer);
    return words ? textAt(words) : undefined;
  }

  count(what: number): number {
    return Number(this.lib.caprun_count(this.pointer, what));
  }

  /** Terminates all runs, and ends all processes. */
  close(): Promise<void> {
    return this.#closing ??= this.#close();
  }

  async #close(): Promise<void> {
    await null; // a toJSON of the args may call this during run()
    while (this.#turns) { // it ends when no run is left
      this.terminate();
      await this.#turns;
    }
    const pointer = this.pointer;
    this.#pointer = null;
    await this.lib.free_aside(pointer);
  }

  /** The same at the end of the program, without waiting; the kernel ends the rest. */
  closeNow(): void {
    if (!this.#pointer) return;
    this.terminate();
    if (this.#count > 0 || this.#isAside) return;
    this.lib.caprun_free(this.#pointer);
    this.#pointer = null;
  }
}

/**
 * Makes its signal when it is first read. A class, since V8 keeps a shape for each object literal.
 */
class Context implements CallContext {
  readonly n: number;
  #run: Live;

  constructor(run: Live, n: number) {
    this.n = n;
    this.#run = run;
  }

  get signal(): AbortSignal {
    const aborts = this.#run.aborts ??= new Map();
    let abort = aborts.get(this.n);
    if (!abort) aborts.set(this.n, abort = new AbortController());
    if (this.#run.ended || this.#run.lost?.has(this.n)) abort.abort(reasonOf(this.#run));
    return abort.signal;
  }
}

const rest = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

const rejectCall = () => Promise.reject(new Error("No onRpc was given: calls are not answered"));

/** Converts to JSON; a value without JSON, such as a function, is an error. */
function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (json === undefined) throw new TypeError(`it is a ${typeof value}`);
  return json;
}

function answerOf(method: string, value: unknown): string {
  try {
    return value === undefined ? "null" : jsonOf(value);
  } catch (error) {
    throw new TypeError(`The answer of ${method} cannot be JSON: ${wordsOf(error)}`);
  }
}

function lose(run: Live, n: number): void {
  (run.lost ??= new Set()).add(n);
  run.aborts?.get(n)?.abort(reasonOf(run));
}

/** Why the signals of the run's calls are aborted: like the run, if its signal has ended it. */
function reasonOf({ options: { signal } }: Live): unknown {
  return signal?.aborted ? signal.reason : undefined;
}

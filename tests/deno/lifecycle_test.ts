/** Starts, ends and answers in every order: all promises settle, nothing is left, nothing crashes. */
import { createRuntime, type RunOptions, type Runtime } from "../../host/bindings/deno/mod.ts";
import { isTorture, ok, sleep, test } from "./help.ts";

const ROUNDS = isTorture ? 2000 : 60;
const RUNS = 8;

/** Random numbers that are the same in each run. */
function chanceFrom(seed: number): (below: number) => number {
  let state = seed + 1;
  return (below) => (state = (state * 48271) % 2147483647) % below;
}

const CODES = [
  "return 1",
  "return mcp.a.b(args)",
  "await Promise.all([mcp.a.b(), mcp.a.c(), mcp.a.d()]); return 2",
  "for (;;) {}",
  "await mcp.a.never()",
  "console.log('x'); throw new Error('y')",
  "for (;;) await mcp.a.b()",
  "try { eval('1') } catch {} return mcp.a.late()",
];

class Round {
  #chance: (below: number) => number;
  #all: Promise<unknown>[] = [];
  #runtime: Runtime;
  #abort = new AbortController();
  #left = RUNS;

  constructor(seed: number) {
    this.#chance = chanceFrom(seed);
    this.#runtime = createRuntime({
      pool: { warm: this.#chance(4) },
      limits: { timeoutMs: 60, rpcTimeoutMs: 20 },
      onRpc: (method) => this.#answer(method),
    });
  }

  /** A random action that a handler, a listener or a toJSON might take. */
  #act(): void {
    const what = this.#chance(20);
    if (what < 6) this.#start();
    if (what === 6) this.#abort.abort();
    if (what === 7) this.#all.push(this.#runtime.close());
    if (what === 8) this.#abort = new AbortController();
  }

  /** A delay whose timer the test waits for at its end. */
  #nap(): Promise<void> {
    const nap = sleep(this.#chance(40));
    this.#all.push(nap);
    return nap;
  }

  async #answer(method: string): Promise<unknown> {
    this.#act();
    if (method === "a:never") return new Promise(() => {});
    if (method === "a:late") await this.#nap();
    for (let i = this.#chance(70); i > 0; i--) await null;
    this.#act();
    if (this.#chance(4) === 0) throw new Error("of the handler");
    return { toJSON: () => (this.#act(), this.#chance(9)) };
  }

  #start(): void {
    if (this.#left-- <= 0) return;
    const options: RunOptions = {};
    if (this.#chance(2)) options.signal = this.#abort.signal;
    if (this.#chance(3) === 0) options.onEvent = () => this.#act();
    const args = this.#chance(4) ? {} : { toJSON: () => (this.#act(), {}) };
    const code = CODES[this.#chance(CODES.length)] ?? "";
    this.#all.push(
      this.#runtime.run(code, args, options).then((envelope) => {
        ok(envelope.success === (envelope.error === undefined));
        this.#act();
      }),
    );
  }

  async run(): Promise<void> {
    while (this.#left > 0) {
      this.#start();
      for (let i = this.#chance(130); i > 0; i--) await null;
      this.#act();
    }
    for (let i = 0; i < this.#all.length; i++) await this.#all[i];
    await this.#runtime.close();
  }
}

test(`${ROUNDS} rounds of chance are all settled`, async () => {
  for (let seed = 0; seed < ROUNDS; seed += 4) {
    await Promise.all([0, 1, 2, 3].map((i) => new Round(seed + i).run()));
  }
});

/** The other names that PML's sandbox module exports: RpcBridge, transports, time limits. */
import {
  DenoWorkerTransport,
  IframeTransport,
  type InitHandler,
  McpAppsProtocolAdapter,
  type MessageTransport,
  type PromiseResolver,
  type ProtocolAdapter,
  RpcBridge,
  type RpcMessage,
  type RpcMessageType,
  SANDBOX_INIT_TIMEOUT_MS,
  TimeoutError,
  TimeoutHandler,
  timeoutHandler,
} from "../../host/bindings/deno/mod.ts";
import { equal, later, match, noCalls, ok, sleep, test } from "./help.ts";

/** The message and the own properties of what |promise| rejects with. */
async function rejection(promise: Promise<unknown>): Promise<unknown[]> {
  const error = await promise.then(() => new Error("not rejected"), (error) => error);
  return [error.message, { ...error }];
}

// --- time limits ---------------------------------------------------------------------------------

test("a promise in time keeps its value and its error", async () => {
  const limits = new TimeoutHandler();
  for (const limit of ["wrap", "race"] as const) {
    equal(await limits[limit](Promise.resolve(7), 10000), 7);
    equal(await rejection(limits[limit](Promise.reject(new Error("its own")), 10000)), [
      "its own",
      {},
    ]);
  } // the test's sanitizer finds timers that are left
});

test("a promise that is late rejects with a TimeoutError", async () => {
  for (const limit of ["wrap", "race"] as const) {
    const never = new Promise(() => {});
    const error = await timeoutHandler[limit](never, 5, "The search").catch((error) => error);
    ok(error instanceof TimeoutError && error instanceof Error);
    equal([error.name, error.message], ["TimeoutError", "The search timed out after 5ms"]);
    equal([error.operation, error.timeoutMs], ["The search", 5]);
    match((await rejection(timeoutHandler[limit](never, 5)))[0] as string, /^Operation timed out/);
  }
});

test("an error after the time limit is not an uncaught one", async () => {
  const { promise, reject } = later<void>();
  const limited = rejection(timeoutHandler.wrap(promise, 5));
  equal((await limited)[0], "Operation timed out after 5ms");
  reject(new Error("too late"));
  await sleep(0);
});

test("the constants have PML's values", () => {
  equal(SANDBOX_INIT_TIMEOUT_MS, 5000);
});

// --- the bridge ----------------------------------------------------------------------------------

/** The other side, in this process. */
class Fake implements MessageTransport {
  closed = false;
  sent: Record<string, unknown>[] = [];
  receive: (message: unknown) => void = () => {};
  fail: (error: Error) => void = () => {};

  send(message: unknown): void {
    this.sent.push(structuredClone(message) as Record<string, unknown>);
  }
  onMessage(handler: (message: unknown) => void): void {
    this.receive = handler;
  }
  onError(handler: (error: Error) => void): void {
    this.fail = handler;
  }
  close(): void {
    this.closed = true;
  }
}

/** Lets the bridge send what it has. */
async function answers(fake: Fake, count: number): Promise<unknown> {
  while (fake.sent.length < count) await sleep(1);
  return fake.sent.splice(0);
}

test("the bridge executes code, and settles with the result or the error", async () => {
  const fake = new Fake(), bridge = new RpcBridge(fake, noCalls);
  const one = bridge.execute("1", "return 1", { a: 1 });
  const two = rejection(bridge.execute("2", "throw 2", {}));
  const execute: RpcMessageType = "execute";
  const first: RpcMessage & Record<string, unknown> = {
    type: execute,
    id: "1",
    code: "return 1",
    args: { a: 1 },
  };
  equal(fake.sent[0], first);
  fake.receive({ type: "error", id: "2", error: "broken", code: "CODE_ERROR" });
  fake.receive({ type: "result", id: "1", value: [1] });
  fake.receive({ type: "result", id: "1", value: "again" });
  for (const strange of [{ type: "strange" }, { type: "result", id: "9" }, {}]) {
    fake.receive(strange);
  }
  equal([await one, await two], [[1], ["broken", { code: "CODE_ERROR" }]]);
});

test("the bridge answers calls, also with the handler's error", async () => {
  const fake = new Fake();
  new RpcBridge(fake, (method, args) => {
    if (method === "a:throws") throw new Error("at once");
    if (method === "a:bad") return Promise.resolve(() => "cannot be cloned");
    return method === "a:never" ? new Promise(() => {}) : Promise.resolve({ method, args });
  }, 5);
  for (const name of ["b", "throws", "never", "bad"]) {
    fake.receive({ type: "rpc", rpcId: name, method: `a:${name}`, args: [1] });
  }
  const sent = await answers(fake, 4) as { id: string; error: string }[];
  const by = Object.fromEntries(sent.map((message) => [message.id, message]));
  equal(by.b, { type: "rpc_response", id: "b", result: { method: "a:b", args: [1] } });
  equal(by.throws, { type: "rpc_error", id: "throws", error: "at once" });
  equal(by.never, { type: "rpc_error", id: "never", error: "RPC timeout: a:never" });
  match(by.bad?.error ?? "", /could not be cloned/);
});

test("an execution can time out, be cancelled, and fail with the transport", async () => {
  const fake = new Fake(), bridge = new RpcBridge(fake, noCalls);
  equal(await rejection(bridge.execute("1", "", {}, 5)), ["Execution timeout after 5ms", {}]);
  const all = ["2", "3", "4"].map((id) => rejection(bridge.execute(id, "", {}, 10000)));
  bridge.cancelExecution("2");
  bridge.cancelExecution("3", "not wanted");
  bridge.cancelExecution("unknown");
  fake.fail(new Error("gone"));
  equal((await Promise.all(all)).map(([message]) => message), [
    "Execution cancelled",
    "not wanted",
    "Transport error: gone",
  ]);
});

test("a closed bridge rejects what was pending, and sends nothing", async () => {
  const fake = new Fake(), { promise, resolve } = later<unknown>();
  const bridge = new RpcBridge(fake, () => promise);
  const pending = rejection(bridge.execute("1", "", {}));
  fake.receive({ type: "rpc", rpcId: "r", method: "a:b" });
  equal(bridge.shutdown, false);
  bridge.close();
  resolve("too late");
  equal([bridge.shutdown, fake.closed, (await pending)[0]], [true, true, "RpcBridge shut down"]);
  await sleep(0);
  equal(fake.sent.length, 1);
  let message = "";
  try {
    bridge.execute("2", "", {});
  } catch (error) {
    message = (error as Error).message;
  }
  equal(message, "RpcBridge has been shut down");
});

test("an adapter converts all messages, and init has a handler of its own", async () => {
  const fake = new Fake(), adapter: ProtocolAdapter = new McpAppsProtocolAdapter();
  const onInit: InitHandler = (id) => ({ hello: id });
  new RpcBridge(fake, (method, args) => Promise.resolve([method, args]), 1000, adapter, onInit);
  fake.receive({ jsonrpc: "2.0", id: 1, method: "ui/initialize" });
  fake.receive({
    jsonrpc: "2.0",
    id: 2,
    method: "tools/call",
    params: { name: "a:b", arguments: { c: 1 } },
  });
  fake.receive("nothing of ours");
  equal(await answers(fake, 2), [
    { jsonrpc: "2.0", id: "1", result: { hello: "1" } },
    { jsonrpc: "2.0", id: "2", result: ["a:b", { c: 1 }] },
  ]);
  const plain = new Fake();
  new RpcBridge(plain, noCalls);
  plain.receive({ type: "init", id: "i" });
  equal(await answers(plain, 1), [{ type: "init_response", id: "i", result: { status: "ok" } }]);
});

test("a worker of Deno can be the other side", async () => {
  const program = `self.onmessage = ({ data }) => {
    if (data.type === "execute") self.postMessage({ type: "rpc", rpcId: "r", method: "a:b", args: data.args });
    else self.postMessage({ type: "result", id: "1", value: data.result });
  };`;
  const url = `data:text/javascript,${encodeURIComponent(program)}`;
  const worker = new Worker(url, { type: "module" });
  const bridge = RpcBridge.forWorker(worker, (method, args) => Promise.resolve([method, args]));
  equal(await bridge.execute("1", "", 7), ["a:b", 7]);
  bridge.close(); // terminates the worker
});

test("the types have their fields", () => {
  const { resolve, reject } = later<number>();
  const resolver: PromiseResolver<number> = { resolve, reject };
  resolver.resolve(1);
});

// --- transports ----------------------------------------------------------------------------------

test("a worker's transport has one handler of each kind, and terminates it once", () => {
  let ends = 0;
  const seen: unknown[] = [];
  const worker = {
    postMessage: (message: unknown) => seen.push(message),
    terminate: () => ends++,
  } as unknown as Worker;
  const transport = new DenoWorkerTransport(worker);
  transport.onMessage((message) => seen.push(message));
  transport.onError(({ message }) => seen.push(message));
  transport.send("sent");
  worker.onmessage?.({ data: "arrived" } as MessageEvent);
  worker.onerror?.({ message: "broken" } as ErrorEvent);
  equal(seen, ["sent", "arrived", "broken"]);
  for (const again of [() => transport.onMessage(() => {}), () => transport.onError(() => {})]) {
    match(wordsOf(again), /handler already registered/);
  }
  transport.close();
  transport.close();
  equal([transport.closed, ends], [true, 1]);
  equal(wordsOf(() => transport.send("late")), "DenoWorkerTransport has been closed");
});

/** What |act| throws. */
function wordsOf(act: () => void): string {
  try {
    act();
  } catch (error) {
    return (error as Error).message;
  }
  return "nothing was thrown";
}

test("an iframe's transport accepts only its iframe and its origin", () => {
  const sent: unknown[] = [], seen: unknown[] = [];
  const contentWindow = { postMessage: (...given: unknown[]) => sent.push(given) };
  const transport = new IframeTransport({ contentWindow }, "https://a.example");
  const arrive = (source: unknown, origin: string, data: unknown) => {
    const event = Object.assign(new Event("message"), { source, origin, data });
    globalThis.dispatchEvent(event);
  };
  transport.onMessage((message) => seen.push(message));
  transport.send(1);
  arrive(contentWindow, "https://a.example", "accepted");
  arrive(contentWindow, "https://b.example", "another origin");
  arrive({}, "https://a.example", "another window");
  transport.close();
  arrive(contentWindow, "https://a.example", "late");
  equal([sent, seen], [[[1, "https://a.example"]], ["accepted"]]);
  equal(wordsOf(() => transport.send(2)), "IframeTransport has been closed");
});

test("an iframe's transport for any origin warns", () => {
  const warnings: unknown[] = [], { warn } = console;
  console.warn = (text) => warnings.push(text);
  try {
    const transport = new IframeTransport({ contentWindow: null });
    transport.onError(() => {});
    transport.send("to no window");
    transport.close();
  } finally {
    console.warn = warn;
  }
  equal(warnings.length, 2);
});

test("the adapter ignores what is not for the bridge, and passes on what it does not know", () => {
  const adapter = new McpAppsProtocolAdapter();
  const ignored = [null, 1, {}, { jsonrpc: "1.0" }, { jsonrpc: "2.0", method: "tools/call" }];
  for (const message of [...ignored, { jsonrpc: "2.0", method: "other" }]) {
    equal(adapter.toInternal(message), null);
  }
  const note = { jsonrpc: "2.0", method: "notifications/x", params: 1 };
  equal(adapter.toInternal(note), { type: "notification", method: "notifications/x", args: 1 });
  const context = { jsonrpc: "2.0", id: 3, method: "ui/update-model-context", params: 2 };
  equal(adapter.toInternal(context), { type: "context_update", id: "3", args: 2 });
  for (const message of ["text", null, { type: "execute" }]) {
    equal(adapter.toExternal(message), message);
  }
  equal(adapter.toExternal({ type: "rpc_error", rpcId: "r" }), {
    jsonrpc: "2.0",
    id: "r",
    error: { code: -32000, message: "Unknown error" },
  });
});

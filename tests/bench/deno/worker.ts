/** The code of the benchmark that runs in a worker of Deno without permissions. */
/// <reference lib="deno.worker" />

type Message = { code?: string; args?: unknown; id?: number; value?: unknown };

const waiting = new Map<number, (value: unknown) => void>();
let calls = 0;

const call = (method: string, args: unknown) =>
  new Promise((resolve) => {
    waiting.set(++calls, resolve);
    self.postMessage({ id: calls, method, args });
  });

const namespace = (name: string) =>
  new Proxy({}, { get: (_, action) => (args: unknown) => call(`${name}:${String(action)}`, args) });
const mcp = new Proxy({}, { get: (_, name) => namespace(String(name)) });

const AsyncFunction = (async () => {}).constructor as new (
  ...parts: string[]
) => (mcp: unknown, args: unknown) => Promise<unknown>;

self.onmessage = async ({ data: { code, args, id, value } }: MessageEvent<Message>) => {
  if (id) {
    waiting.get(id)?.(value);
    waiting.delete(id);
  } else if (code) {
    self.postMessage({ result: await new AsyncFunction("mcp", "args", code)(mcp, args) });
  }
};

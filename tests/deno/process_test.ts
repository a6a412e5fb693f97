/** Programs that use the binding, as processes: they exit in time and leave nothing behind. */
import { deno, equal, match, ok, test } from "./help.ts";

const RUN = ["run", "--allow-ffi", "--allow-env=CAPRUN_LIB"];

async function prints(program: string, out: string, command: string[] = RUN): Promise<void> {
  equal(await deno(command, program), { code: 0, out, err: "" });
}

test("a program ends when nothing runs, without a shutdown", async () => {
  await prints(
    `import { SandboxWorker } from "caprun";
     const { value } = await new SandboxWorker(async () => 1).execute("return 'x'", {});
     console.log(value);`,
    "x\n",
  );
});

test("a program that only made its objects ends", async () => {
  await prints(
    `import { createRuntime, SandboxWorker } from "caprun";
     new SandboxWorker(async () => 1);
     createRuntime().warm();
     console.log("made");`,
    "made\n",
  );
});

test("a program waits for active runs", async () => {
  await prints(
    `import { SandboxWorker } from "caprun";
     const sandbox = new SandboxWorker(async () => 1);
     const code = "await new Promise((r) => setTimeout(r, 50)); return 'waited for'";
     sandbox.execute(code, {}).then(({ value }) => console.log(value));`,
    "waited for\n",
  );
});

test("a program ends after a shutdown, whatever was running", async () => {
  await prints(
    `import { SandboxWorker } from "caprun";
     const sandbox = new SandboxWorker(() => new Promise(() => {}));
     const all = ["for (;;) {}", "await mcp.a.b()"].map((code) => sandbox.execute(code, {}));
     setTimeout(() => sandbox.shutdown(), 50);
     console.log((await Promise.all(all)).map(({ error }) => error.code).join());`,
    "WORKER_TERMINATED,WORKER_TERMINATED\n",
    [...RUN, "--no-check"],
  );
});

test("Deno.exit ends a program at once, while code spins", async () => {
  const program = `import { SandboxWorker } from "caprun";
    const sandbox = new SandboxWorker(async () => 1);
    sandbox.execute("for (;;) {}", {});
    setTimeout(() => Deno.exit(7), 50);`;
  equal(await deno(RUN, program), { code: 7, out: "", err: "" });
});

test("a listener that throws is an error of the program", async () => {
  const program = `import { createRuntime } from "caprun";
    await createRuntime({ onEvent() { throw new Error("of the listener"); } }).run("return 1");`;
  const { code, err } = await deno(RUN, program);
  equal(code, 1);
  match(err, /of the listener/);
});

test("a Deno worker may use the binding, and may be terminated during a run", async () => {
  await prints(
    `import { SandboxWorker } from "caprun";
     const inside = (code: string) => \`
       import { SandboxWorker } from "\${import.meta.resolve("caprun")}";
       const sandbox = new SandboxWorker(async () => 1);
       setTimeout(() => self.postMessage("running"), 100);
       self.postMessage((await sandbox.execute(\${JSON.stringify(code)}, {})).value);\`;
     const start = (code: string) => {
       const url = "data:text/javascript," + encodeURIComponent(inside(code));
       const worker = new Worker(url, { type: "module" });
       return new Promise((resolve) => worker.onmessage = ({ data }) => {
         worker.terminate();
         resolve(data);
       });
     };
     console.log(await Promise.all([start("return 'a value'"), start("for (;;) {}")]));
     const sandbox = new SandboxWorker(async () => 1);
     console.log((await sandbox.execute("return 'still here'", {})).value);`,
    '[ "a value", "running" ]\nstill here\n',
    ["run", "--allow-all"],
  );
});

// --- leftovers -----------------------------------------------------------------------------------

const testing = (body: string) => `
  import { SandboxWorker } from "caprun";
  Deno.test({ name: "it", sanitizeOps: true, sanitizeResources: true, fn: async () => {
    const sandbox = new SandboxWorker(async () => { await 0; return 1; });
    ${body}
  }});`;

const suite = (body: string) =>
  deno(["test", "--allow-all", "--no-check"], testing(body), { name: "leftover_test.ts" });

test("Deno's sanitizers find leftovers, so that these tests are meaningful", async () => {
  const { code, out } = await suite(`sandbox.execute("for (;;) {}", {});`);
  equal(code, 1);
  match(out, /leak/i);
});

test("a program that catches an exit can continue", async () => {
  const { code, out } = await suite(`
    await sandbox.execute("return 1", {});
    try { Deno.exit(3); } catch { Deno.exitCode = 0; } // sanitizeExit throws
    const { value } = await sandbox.execute("return 'went on'", {});
    if (value !== "went on") throw new Error(value);
    sandbox.shutdown();`);
  ok(code === 0, out);
});

test("nothing is left over after a shutdown at any moment", async () => {
  const code = "for (let i = 0; i < 5; i++) await mcp.a.b(); await new Promise(() => {})";
  for (const wait of ["", "await 0;", "await new Promise((r) => setTimeout(r, 20));"]) {
    const { code: status, out } = await suite(`
      const running = sandbox.execute("${code}", {});
      ${wait}
      sandbox.shutdown();
      await running;`);
    ok(status === 0, out);
  }
});

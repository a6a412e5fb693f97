/** Where the binding looks for the library, and its errors. Each test starts a new program. */
import { deno, equal, match, ok, test } from "./help.ts";

const PROGRAM = `
  import { SandboxWorker } from "caprun";
  const sandbox = new SandboxWorker(() => Promise.resolve(1));
  console.log((await sandbox.execute("return 40 + await mcp.a.b() + 1", {})).value);
`;
const LIB = Deno.env.get("CAPRUN_LIB") ?? "";
const ENV = "--allow-env=CAPRUN_LIB";

/** A library that has only a version function, or not even that. */
async function withLibrary(source: string, use: (path: string) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  await Deno.writeTextFile(`${dir}/old.c`, source);
  const args = ["-shared", "-fPIC", "-o", `${dir}/old.so`, `${dir}/old.c`];
  equal((await new Deno.Command("cc", { args }).output()).code, 0);
  try {
    await use(`${dir}/old.so`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

test("CAPRUN_LIB names the library", async () => {
  const { code, out, err } = await deno(["run", "--allow-ffi", ENV], PROGRAM, {
    env: { CAPRUN_LIB: LIB },
  });
  equal([code, out, err], [0, "42\n", ""]);
});

test("CAPRUN_LIB is not read without the permission to", async () => {
  const env = { CAPRUN_LIB: "/nonexistent/libcaprun.so.0" };
  const { code, out, err } = await deno(["run", "--allow-ffi"], PROGRAM, { env });
  equal([code, out, err], [0, "42\n", ""]); // the library in the build folder
});

test("a missing library is an error that says what was tried and what to do", async () => {
  const env = { CAPRUN_LIB: "/nonexistent/libcaprun.so.0" };
  const { code, err } = await deno(["run", "--allow-ffi", ENV], PROGRAM, { env });
  equal(code, 1);
  match(err, /libcaprun was not found:\n {2}\/nonexistent\/libcaprun\.so\.0: .*No such file/);
  match(err, /`make install`, or set CAPRUN_LIB/);
});

test("a library without a version is not caprun's, or too old", async () => {
  await withLibrary("int nothing;", async (CAPRUN_LIB) => {
    const { code, err } = await deno(["run", "--allow-ffi", ENV], PROGRAM, { env: { CAPRUN_LIB } });
    equal(code, 1);
    match(err, /is not libcaprun, or one before 0\.1\.0, and this binding needs 0\.1\.0; install/);
  });
});

test("an older library is too old, a newer one must have the functions", async () => {
  const version = (text: string) => `const char *caprun_version(void) { return "${text}"; }`;
  for (const text of ["0.0.9", "0.0.10"]) {
    await withLibrary(version(text), async (CAPRUN_LIB) => {
      const { err } = await deno(["run", "--allow-ffi", ENV], PROGRAM, { env: { CAPRUN_LIB } });
      ok(err.includes(`is libcaprun ${text}, and this binding needs 0.1.0; install`), err);
    });
  }
  for (const text of ["0.1.0", "0.10.0", "1.0.0"]) {
    await withLibrary(version(text), async (CAPRUN_LIB) => {
      const { err } = await deno(["run", "--allow-ffi", ENV], PROGRAM, { env: { CAPRUN_LIB } });
      match(err, /Failed to register symbol caprun_/);
    });
  }
});

test("without the FFI permission, the error says how to give it", async () => {
  for (const permission of [["--no-prompt"], [`--allow-ffi=${LIB}`, "--no-prompt"]]) {
    const { code, err } = await deno(["run", ...permission], PROGRAM);
    equal(code, 1);
    match(err, /run with --allow-ffi, without a path/);
  }
});

test("importing the binding needs no permission and no library", async () => {
  const program = `
    import { SANDBOX_RPC_TIMEOUT_MS, type SandboxResult } from "caprun";
    const result: SandboxResult = { success: true, durationMs: SANDBOX_RPC_TIMEOUT_MS };
    console.log(result.durationMs);
  `;
  const { code, out, err } = await deno(["run", "--no-prompt"], program);
  equal([code, out, err], [0, "30000\n", ""]);
});

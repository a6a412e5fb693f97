/**
 * Finds and opens libcaprun. Only this file knows the signatures of the C functions, which caprun.h
 * documents.
 */

import { textAt } from "./texts.ts";

/** The oldest library that has every function below. */
const OLDEST = "0.1.0";
const FILE = "libcaprun.so.0";

const pointer = "pointer", buffer = "buffer", u32 = "u32", u64 = "u64", i32 = "i32";
const size = "usize", callback = "function";

const SYMBOLS = {
  caprun_new: { parameters: [buffer], result: i32 },
  caprun_free: { parameters: [pointer], result: "void" },
  free_aside: { name: "caprun_free", parameters: [pointer], result: "void", nonblocking: true },
  caprun_error: { parameters: [pointer], result: pointer },
  caprun_set_warm: { parameters: [pointer, u32], result: i32 },
  caprun_set_max_workers: { parameters: [pointer, u32], result: i32 },
  caprun_set_max_memory: { parameters: [pointer, u64], result: i32 },
  caprun_set_max_waiting: { parameters: [pointer, u32], result: i32 },
  caprun_set_fresh_program: { parameters: [pointer, i32], result: i32 },
  caprun_set_require_all_layers: { parameters: [pointer, i32], result: i32 },
  caprun_set_uid_base: { parameters: [pointer, u32], result: i32 },
  caprun_set_memory: { parameters: [pointer, u64], result: i32 },
  caprun_warm: { parameters: [pointer], result: i32 },
  caprun_missing_layers: { parameters: [pointer], result: pointer },
  caprun_count: { parameters: [pointer, i32], result: u64 },
  caprun_step: { parameters: [pointer], result: "void" },
  caprun_wait: { parameters: [pointer, i32], result: "void" },
  wait_aside: {
    name: "caprun_wait",
    parameters: [pointer, i32],
    result: "void",
    nonblocking: true,
  },
  caprun_wake: { parameters: [pointer], result: "void" },
  caprun_run_new: { parameters: [pointer, buffer], result: i32 },
  caprun_run_free: { parameters: [pointer], result: "void" },
  caprun_run_set_code: { parameters: [pointer, buffer, size], result: i32 },
  caprun_run_set_args: { parameters: [pointer, buffer, size], result: i32 },
  caprun_run_set_schema: { parameters: [pointer, buffer, size], result: i32 },
  caprun_run_set_env: { parameters: [pointer, buffer, size], result: i32 },
  caprun_run_set_timeout: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_cpu: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_call_timeout: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_memory: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_max_result: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_max_log: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_max_calls: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_max_calls_at_once: { parameters: [pointer, u64], result: i32 },
  caprun_run_set_tools: { parameters: [pointer, buffer, size], result: i32 },
  caprun_run_set_log: { parameters: [pointer, callback, size], result: "void" },
  caprun_run_set_handler: { parameters: [pointer, callback, size], result: "void" },
  caprun_run_set_event: { parameters: [pointer, callback, size], result: "void" },
  caprun_run_set_stop_when_denied: { parameters: [pointer, i32], result: "void" },
  caprun_run_record: { parameters: [pointer, buffer], result: i32 },
  caprun_start: { parameters: [pointer], result: i32 },
  caprun_cancel: { parameters: [pointer], result: "void" },
  caprun_terminate: { parameters: [pointer], result: "void" },
  caprun_reject: { parameters: [pointer, i32, buffer, pointer], result: "void" },
  caprun_result_json: { parameters: [pointer, buffer], result: pointer },
  caprun_call_reply: { parameters: [pointer, u32, buffer, size], result: i32 },
  caprun_call_fail: { parameters: [pointer, u32, buffer, size], result: i32 },
  caprun_get_call_method: { parameters: [pointer, u32], result: pointer },
  caprun_get_call_state: { parameters: [pointer, u32], result: pointer },
  caprun_outcome_name: { parameters: [i32], result: pointer },
} as const;

/** The functions of libcaprun. */
export type Library = Deno.DynamicLibrary<typeof SYMBOLS>["symbols"];

let opened: Library | undefined;

/** Returns the library; opens it at the first call. Throws an error that says what to do. */
export function library(): Library {
  if (opened) return opened;
  if (!mayOpen() && !isGranted(Deno.permissions.requestSync({ name: "ffi" }))) {
    throw new Error(
      "caprun needs its library, libcaprun: run with --allow-ffi, without a path, since Deno " +
        "allows access to C's memory only with the full permission",
    );
  }
  return opened = openFirst(places());
}

/**
 * Opens the library now if that needs no permission prompt: a test's sanitizer ignores what was
 * open before the test. Returns false if it cannot be opened; library() reports why when it is
 * needed.
 */
export function openEarly(): boolean {
  try {
    if (mayOpen()) library();
  } catch {
    // library() throws this error again when it is called
  }
  return opened !== undefined;
}

const isGranted = ({ state, partial }: Deno.PermissionStatus) => state === "granted" && !partial;
const mayOpen = () => isGranted(Deno.permissions.querySync({ name: "ffi" }));

/** Where the library is, relative to this folder: for each place where this folder may be. */
const BESIDE = {
  "/share/caprun/deno/": "../../../lib/", // installed
  "/host/bindings/deno/": "../../../build/", // in the source tree
};

function places(): string[] {
  const said = fromEnvironment("CAPRUN_LIB");
  if (said) return [said];
  const here = new URL("./", import.meta.url);
  const folders = Object.entries(BESIDE).flatMap(([end, folder]) =>
    here.pathname.endsWith(end) ? [folder] : []
  );
  const beside = ["./", ...folders].map((folder) => new URL(folder + FILE, here));
  const paths = here.protocol === "file:"
    ? beside.map((url) => decodeURIComponent(url.pathname))
    : [];
  return [...paths, `/usr/local/lib/${FILE}`, `/usr/lib/${FILE}`, FILE];
}

/** Reads a variable only if that is permitted already; never prompts. */
function fromEnvironment(name: string): string | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: name });
  return state === "granted" ? Deno.env.get(name) : undefined;
}

function openFirst(paths: string[]): Library {
  const failures = [];
  for (const path of paths) {
    let found;
    try {
      found = Deno.dlopen(path, {
        caprun_version: { parameters: [], result: pointer, optional: true },
      });
    } catch (error) {
      failures.push((error as Error).message.replace(/^(Could not open library: )+/, "  "));
      continue;
    }
    const version = textAt(found.symbols.caprun_version?.() ?? null);
    found.close();
    if (!version || isOlder(version, OLDEST)) {
      throw new Error(
        `'${path}' ${
          version ? `is libcaprun ${version}` : "is not libcaprun, or one before 0.1.0"
        }, ` +
          `and this binding needs ${OLDEST}; install the caprun that it came with, or set ` +
          "CAPRUN_LIB to its library",
      );
    }
    return Deno.dlopen(path, SYMBOLS).symbols;
  }
  throw new Error(
    `libcaprun was not found:\n${failures.join("\n")}\n` +
      "build it with `make` in caprun's source, install it with `make install`, or set " +
      "CAPRUN_LIB to the path of libcaprun.so.0 and run with --allow-env=CAPRUN_LIB",
  );
}

function isOlder(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split(".").map((part) => parseInt(part) || 0));
  const at = [0, 1, 2].find((i) => a?.[i] !== b?.[i]);
  return at !== undefined && (a?.[at] ?? 0) < (b?.[at] ?? 0);
}

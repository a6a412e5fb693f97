/** Memory and the number of descriptors do not grow over many executions. */
import { deno, equal, isTorture, ok, test } from "./help.ts";

const ROUNDS = isTorture ? 100 : 10; // of 100 executions
const SLACK_KIB = 3000;
/** Descriptors of a new zygote, while workers of the old zygote are left. */
const SLACK_DESCRIPTORS = 40;

test(`memory and descriptors stay as they are over ${100 * ROUNDS} executions`, async () => {
  const program = new URL("./endurance.ts", import.meta.url);
  const command = ["run", "--allow-all", "--v8-flags=--expose-gc", "--no-check"];
  const { code, out, err } = await deno(command, program, { args: [String(ROUNDS)] });
  equal([code, err], [0, ""]);
  const { before, after } = JSON.parse(out);
  ok(after.descriptors <= before.descriptors + SLACK_DESCRIPTORS, out);
  ok(after.memoryKiB < before.memoryKiB + SLACK_KIB, out);
});

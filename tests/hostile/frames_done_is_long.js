// expect: WORKER_TERMINATED WorkerError "type 21 (DONE) with 16777217 bytes"
const text = new Uint8Array(16 * MIB + 1).fill(0x78);
text[0] = text[text.length - 1] = 0x22;
send(frame(DONE, 0, text));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "its result is not JSON"
send(frame(DONE, 0, new Uint8Array(16 * MIB).fill(0x78)));
stop();
// twin
// expect: SUCCESS
// expect-length: 16777214
const text = new Uint8Array(16 * MIB).fill(0x78);
text[0] = text[text.length - 1] = 0x22;
send(frame(DONE, 0, text));
stop();

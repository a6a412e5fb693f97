// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
const text = new Uint8Array(16 * MIB + 1).fill(0x78);
text[0] = text[text.length - 1] = 0x22;
send(frame(CALL, 1, [sized('echo', 'it'), text]));
stop();
// twin
// expect: SUCCESS "the most there may be"
// expect-call-count: 1
const text = new Uint8Array(16 * MIB).fill(0x78);
text[0] = text[text.length - 1] = 0x22;
send(frame(CALL, 1, [sized('echo', 'it'), text]));
return 'the most there may be';

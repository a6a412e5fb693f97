// with READY, 0
// with CALL, 8 + 64 + 128 + 16 * MIB
// with LOG, MIB
// with BLOCKED, 20 + 128 + 16 + 1024 + 2048
// with IDLE, 8
// with DONE, 16 * MIB
// with THREW, 24 + 256 + 64 * 1024 + 16 * 1024
// with LATE, 16 * 1024
// with FULL, 0
// expect: WORKER_TERMINATED WorkerError "broke the protocol: type"
const [type, most] = [$CASE];
send(frame(type, 1, '', {length: most + 1}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "broke the protocol: type"
const [type, most] = [$CASE];
send(frame(type, 1, new Uint8Array(most + 1).fill(0x20)));
return 'went on';
// twin
// expect: SUCCESS "a log line of 1 MiB"
// expect-log: xxxxxxxx
send(frame(LOG, 0, 'x'.repeat(MIB)));
return 'a log line of 1 MiB';

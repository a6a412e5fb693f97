// expect: WORKER_TERMINATED WorkerError "type 21 (DONE) with 1001 bytes"
// max-result: 1000
send(frame(DONE, 0, new Uint8Array(1001).fill(0x31)));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "type 21 (DONE) with 16777217 bytes"
send(frame(DONE, 0, '', {length: 16 * MIB + 1}));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "type 21 (DONE) with 67108865 bytes"
// max-result: 67108864
send(frame(DONE, 0, '', {length: 64 * MIB + 1}));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "type 18 (LOG) with 1001 bytes"
// max-log: 1000
send(frame(LOG, 0, 'x'.repeat(1001)));
return 'went on';
// case
// expect: SUCCESS "went on"
// expect-log: [log cut here: it may have 10,000 lines, and 1000 bytes]
// max-log: 1000
for (let i = 0; i < 2; i++) send(frame(LOG, 0, 'x'.repeat(1000)));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "it sends log lines after the end of the log"
// max-log: 1000
for (let i = 0; i < 3; i++) send(frame(LOG, 0, 'x'.repeat(1000)));
return 'went on';
// case
// expect: CALL_LIMIT LimitError "More than 3 calls in one run"
// expect-call-count: 3
// max-calls: 3
for (let i = 1; i <= 4; i++) send(call(i, 'echo', 'it'));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// max-calls: 3
send(call(5, 'echo', 'it'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// expect-call-count: 3
// max-calls-at-once: 3
for (let i = 1; i <= 4; i++) send(call(i, 'never', 'it'));
return 'went on';
// twin
// expect: SUCCESS 1234567890
// expect-log: xxxxxxxxxx
// expect-call-count: 3
// max-result: 10
// max-log: 10
// max-calls: 3
// max-calls-at-once: 3
for (let i = 1; i <= 3; i++) send(call(i, 'never', 'it'));
send(frame(LOG, 0, 'x'.repeat(10)), frame(DONE, 0, '1234567890'));
stop();
// twin
// expect: SUCCESS
// expect-length: 33554430
// max-result: 67108864
const text = new Uint8Array(32 * MIB).fill(0x78);
text[0] = text[text.length - 1] = 0x22;
send(frame(DONE, 0, text));
stop();

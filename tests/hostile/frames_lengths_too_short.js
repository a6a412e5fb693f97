// with CALL, 7
// with BLOCKED, 19
// with IDLE, 7
// with THREW, 23
// expect: WORKER_TERMINATED WorkerError "broke the protocol: type"
const [type, length] = [$CASE];
send(frame(type, 1, new Uint8Array(length)));
return 'went on';
// twin
// expect: SUCCESS {}
// expect-call: echo:it {}
send(call(1, 'echo', 'it'));
send(frame(DONE, 0, '{}'));
stop();

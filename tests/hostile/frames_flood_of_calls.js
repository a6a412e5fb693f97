// expect: CALL_LIMIT LimitError
// expect-call-count: 10000
for (let id = 1; ; id++) {
    send(call(id, 'echo', 'it'));
    read(65536);
}
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// expect-call-count: 256
const many = [];
for (let id = 1; id <= 257; id++) many.push(call(id, 'never', 'it'));
send(many);
stop();
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// expect-call-count: 3
send(call(1, 'echo', 'it'), call(2, 'echo', 'it'), call(3, 'echo', 'it'), call(5, 'echo', 'it'));
stop();
// twin
// expect: SUCCESS "answered"
// expect-call-count: 10000
for (let id = 1; id <= 10000; id++) {
    send(call(id, 'echo', 'it'));
    read(65536);
}
send(frame(DONE, 0, '"answered"'));
stop();
// twin
// expect: SUCCESS "not answered"
// expect-call-count: 256
const many = [];
for (let id = 1; id <= 256; id++) many.push(call(id, 'never', 'it'));
send(many, frame(DONE, 0, '"not answered"'));
stop();

// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 2000
// expect-call-count: 60
for (let id = 1; id <= 60; id++) send(call(id, 'value', 'long'));
for (;;);
// case
// expect: WORKER_TERMINATED WorkerError "it has read frames that were not sent"
// expect-call-count: 60
for (let id = 1; id <= 60; id++) send(call(id, 'value', 'long'));
send(idle(62));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "left with status 0"
// expect-call-count: 60
for (let id = 1; id <= 60; id++) send(call(id, 'value', 'long'));
leave(0);
// twin
// expect: SUCCESS "unread"
// expect-call-count: 60
for (let id = 1; id <= 60; id++) send(call(id, 'value', 'long'));
send(frame(DONE, 0, '"unread"'));
for (;;);
// twin
// expect: SUCCESS 62914500
// expect-call-count: 60
let sum = 0;
for (let i = 0; i < 60; i++) sum += (await mcp.value.long()).length - 1;
return sum;

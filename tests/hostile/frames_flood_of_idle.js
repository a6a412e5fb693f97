// with idle(0)
// with idle(0, 0n)
// with idle(1, 2n ** 62n)
// expect: WORKER_TERMINATED WorkerError "it says again that it has nothing to do"
const many = bytes(Array(100).fill($CASE));
for (;;) send(many);
// twin
// expect: SUCCESS "once"
send($CASE);
return 'once';

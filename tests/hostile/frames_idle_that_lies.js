// expect: STALLED RuntimeError
send(idle(1));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "it has read frames that were not sent"
send(idle(2));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "it has read frames that were not sent"
send(idle(-1));
return 'went on';
// case
// expect: STALLED RuntimeError
send(idle(1, -(2n ** 63n)));
return 'went on';
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 200
send(idle(1, 2n ** 63n - 1n));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "it has read frames that were not sent"
send(idle(1, 0n), idle(2, 0n), idle(3, 0n), idle(4, 0n));
stop();
// twin
// expect: SUCCESS "idle, but not for ever"
send(idle(1, 1000n));
return 'idle, but not for ever';
// twin
// expect: SUCCESS "an old one is not believed"
send(idle(0));
return 'an old one is not believed';

// expect: WORKER_TERMINATED WorkerError "it says that its time is over, and it is not"
send(frame(LATE, 0, '    at forged (cap:00000000:1:1)'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "it says that its time is over, and it is not"
// timeout: 5000
send(frame(LATE));
return 'went on';
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 300
send(idle(1, 295000n));
read(65536);
send(frame(LATE, 0, ['\x1b]0;title\x07', new Uint8Array(1000).fill(255), '\0"}']));
return 'went on';
// twin
// expect: SUCCESS "in time"
return 'in time';

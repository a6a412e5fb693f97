// with JOB
// with REPLY
// with FAIL
// with WAKE
// with READY
// with CALL
// with LOG
// with BLOCKED
// with IDLE
// with DONE
// with THREW
// with LATE
// with FULL
// expect: WORKER_TERMINATED WorkerError "broke the protocol"
send(frame($CASE, 1, '', {length: 1}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "with 2147483647 bytes"
send(frame($CASE, 1, '', {length: 2 ** 31 - 1}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "with 2147483648 bytes"
send(frame($CASE, 1, '', {length: 2 ** 31}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "with 4294967295 bytes"
send(frame($CASE, 1, '', {length: 2 ** 32 - 1}));
return 'went on';
// twin
// expect: SUCCESS "$CASE"
send(frame(DONE, 0, '"$CASE"'));
stop();

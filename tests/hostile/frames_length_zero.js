// with JOB
// with REPLY
// with FAIL
// with WAKE
// with READY
// with CALL
// with BLOCKED
// with IDLE
// with DONE
// with THREW
// with LATE
// expect: WORKER_TERMINATED WorkerError "broke the protocol"
send(frame($CASE, 1, ''));
return 'went on';
// twin
// expect: SUCCESS "after an empty line"
// expect-log: 
send(frame(LOG));
return 'after an empty line';

// with zero: 1
// with zero: 65535
// with left: 1
// with left: 4294967295
// with date: 1
// with date: -1
// with now: 1
// with now: -1
// with left: 1000, date: 1700000000000000, now: 5000
// expect: WORKER_TERMINATED WorkerError "broke the protocol"
send(frame(DONE, 0, '"believed"', {$CASE}));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "broke the protocol"
send(frame(LOG, 0, 'x', {$CASE}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "broke the protocol"
send(frame(CALL, 1, [sized('echo', 'it'), '{}'], {$CASE}));
return 'went on';
// twin
// expect: SUCCESS "believed"
send(frame(DONE, 0, '"believed"', {zero: 0, left: 0, date: 0, now: 0}));
stop();

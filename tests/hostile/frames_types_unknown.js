// with 0
// with 5
// with 15
// with 25
// with 255
// with 256 + DONE
// with 32768 + DONE
// with 65535
// expect: WORKER_TERMINATED WorkerError "broke the protocol: type"
send(frame($CASE, 0, '1'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "broke the protocol: type"
send(frame($CASE));
return 'went on';
// twin
// expect: SUCCESS 1
send(frame(DONE, 0, '1'));
stop();

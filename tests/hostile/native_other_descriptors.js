// with 0
// with 1
// with 2
// with 4
// with 5
// with 100
// with -1
// with 2n ** 32n + 3n
// with 2n ** 31n + 3n
// with -(2n ** 32n) + 3n
// expect: WORKER_TERMINATED WorkerError "killed by signal 31"
return native.syscall(NR.write, $CASE, frame(DONE, 0, '"written"'), 41);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 31"
return native.syscall(NR.read, $CASE, new Uint8Array(8), 8);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 31"
return native.syscall(NR.close, $CASE);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 31"
return native.syscall(NR.dup, $CASE);
// twin
// expect: SUCCESS "written"
native.syscall(NR.write, 3, frame(DONE, 0, '"written"'), 41);
stop();

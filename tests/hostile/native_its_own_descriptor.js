// with close, 3
// with dup, 3
// with shutdown, 3, 2
// with sendmsg, 3, new Uint8Array(56), 0
// with writev, 3, new Uint8Array(16), 1
// with setsockopt, 3, 1, 16, new Uint8Array(4), 4
// expect: WORKER_TERMINATED WorkerError "killed by signal 31"
return native.syscall(NR.$CASE);
// twin
// expect: SUCCESS [0, -14]
return [native.syscall(NR.write, 3, bytes('x'), 0), native.syscall(NR.write, 3, 0, 8)];

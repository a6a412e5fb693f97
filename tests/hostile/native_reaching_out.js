// with openat, -100, bytes('/etc/passwd\0'), 0, 0
// with memfd_create, bytes('x\0'), 0
// with socket, 2, 1, 0
// with execve, bytes('/bin/sh\0'), 0, 0
// with clone3, new Uint8Array(88), 88
// with ptrace, 16, 1, 0, 0
// with kill, 1, 9
// with seccomp, 1, 0, new Uint8Array(16)
// with io_uring_setup, 8, new Uint8Array(120)
// with unshare, 0x10000000
// with mmap, 0, 4096, 7, 0x22, -1, 0
// with mprotect, native.address(new Uint8Array(8192)) & ~4095n, 4096, 5
// expect: WORKER_TERMINATED WorkerError "killed by signal 31"
return native.syscall(NR.$CASE);
// twin
// expect: SUCCESS "on 3"
send(frame(DONE, 0, '"on 3"'));
leave(0);

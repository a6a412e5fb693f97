// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
native.poke(8, 1);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
return native.peek(8, 8);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
native.jump(8);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
// a page of return instructions: the page is writable, so it must not be executable
native.jump(native.address(new Uint8Array(4096).fill(0xc3)));
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
// an address in the kernel's half
native.poke(-4096, 1);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal"
// the fixed address of the old vsyscall page
native.jump(-0xa00000);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
// past the end of the worker's memory
for (let at = native.address(new Uint8Array(16)); ; at += 4096n) native.poke(at, 0);
// twin
// expect: SUCCESS [7]
const own = new Uint8Array(1);
native.poke(native.address(own), 7);
return [...native.peek(native.address(own), 1)];

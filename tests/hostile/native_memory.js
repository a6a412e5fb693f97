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
// a page of instructions that return: it can be written, so it cannot be run
native.jump(native.address(new Uint8Array(4096).fill(0xc3)));
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
// the kernel's half
native.poke(-4096, 1);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal"
// where old programs asked for the time
native.jump(-0xa00000);
// case
// expect: WORKER_TERMINATED WorkerError "killed by signal 11"
// off the end of its memory
for (let at = native.address(new Uint8Array(16)); ; at += 4096n) native.poke(at, 0);
// twin
// expect: SUCCESS [7]
const own = new Uint8Array(1);
native.poke(native.address(own), 7);
return [...native.peek(native.address(own), 1)];

// with frame(LOG, 0, 'a line')
// with frame(DONE, 0, '"done"')
// with call(1, 'echo', 'it')
// with attempt(1, 'fetch', 'net', 'host', 'message')
// with threw()
// with idle(1)
// expect: WORKER_TERMINATED WorkerError "left with status 0"
const whole = $CASE;
write(whole.subarray(0, 1));
leave(0);
// case
// expect: WORKER_TERMINATED WorkerError "left with status 0"
const whole = $CASE;
write(whole.subarray(0, 31));
leave(0);
// case
// expect: WORKER_TERMINATED WorkerError "left with status 0"
const whole = $CASE;
write(whole.subarray(0, 32));
leave(0);
// case
// expect: WORKER_TERMINATED WorkerError "left with status 0"
const whole = $CASE;
write(whole.subarray(0, whole.length - 1));
leave(0);
// case
// expect: EXECUTION_TIMEOUT TimeoutError "after 200 ms"
// timeout: 200
const whole = $CASE;
write(whole.subarray(0, whole.length - 1));
stop();
// twin
// expect: SUCCESS "whole"
write(frame(DONE, 0, '"whole"'));
leave(0);

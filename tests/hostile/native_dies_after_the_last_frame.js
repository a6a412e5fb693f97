// with native.poke(8, 0)
// with native.jump(8)
// with native.syscall(NR.kill, 1, 9)
// with native.syscall(NR.close, 3)
// with for (;;)
// expect: CODE_ERROR RuntimeError "m"
send(threw());
$CASE;
// case
// expect: WORKER_TERMINATED WorkerError "broke the protocol"
send(frame(0));
$CASE;
// twin
// expect: SUCCESS "done"
send(frame(DONE, 0, '"done"'));
$CASE;

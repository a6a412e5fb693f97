// with 0
// with 1
// with 9
// with 10
// with 11
// with 14
// with 70
// with 255
// expect: WORKER_TERMINATED WorkerError "left with status $CASE"
leave($CASE);
// case
// expect: WORKER_TERMINATED WorkerError "left with status $CASE"
// expect-log: said
// expect-call: echo:it {}
send(frame(LOG, 0, 'said'), call(1, 'echo', 'it'));
leave($CASE);
// case
// expect: CODE_ERROR RuntimeError "m"
send(threw());
leave($CASE);
// case
// expect: MEMORY_LIMIT MemoryError
send(frame(FULL));
leave($CASE);
// twin
// expect: SUCCESS "done"
send(frame(DONE, 0, '"done"'));
leave($CASE);

// expect: MEMORY_LIMIT MemoryError "Memory limit of 512 MiB reached"
send(frame(FULL));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "broke the protocol"
send(frame(FULL, 0, 'x'));
return 'went on';
// twin
// expect: SUCCESS "enough"
return 'enough';

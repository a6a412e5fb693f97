// expect: WORKER_TERMINATED WorkerError "an invalid BLOCKED frame"
send(attempt(1, 'fet\0ch', 'net', 'host', 'message'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid BLOCKED frame"
send(attempt(1, 'fetch', 'net', 'host', 'mess\0age'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid BLOCKED frame"
send(attempt(1, 'fetch', 'net', '\0', 'message'));
return 'went on';
// twin
// expect: SUCCESS "none"
// expect-blocked: fetch net host
send(attempt(1, 'fetch', 'net', 'host', 'message'));
return 'none';

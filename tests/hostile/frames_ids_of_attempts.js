// with 0
// with 2
// with -1
// with 1001
// expect: WORKER_TERMINATED WorkerError "an invalid BLOCKED frame"
send(attempt($CASE, 'fetch', 'net', 'host', 'message'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid BLOCKED frame"
// expect-blocked: fetch net host
send(attempt(1, 'fetch', 'net', 'host', 'message'), attempt($CASE === 2 ? 3 : $CASE, 'fetch', 'net', 'other', 'message'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid BLOCKED frame"
// expect-blocked: fetch net host
send(attempt(1, 'fetch', 'net', 'host', 'message'), attempt(1, 'fetch', 'net', 'again', 'message'));
return 'went on';
// twin
// expect: SUCCESS "both"
// expect-blocked: fetch net host
// expect-blocked: fetch net other
send(attempt(1, 'fetch', 'net', 'host', 'message'), attempt(2, 'fetch', 'net', 'other', 'message'));
return 'both';

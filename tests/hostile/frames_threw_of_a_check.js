// with 5
// with 6
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
send(threw({why: $CASE}, '', '/a: expected number'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-log: said before
// schema: true
send(frame(LOG, 0, 'said before'), threw({why: $CASE}, '', '/a: expected number'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-call: fail:it {}
// schema: true
send(call(1, 'fail', 'it'), threw({why: $CASE, call: 1}, '', '/a: expected number'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-blocked: fetch net host
// expect-log: told so
// schema: true
send(attempt(1, 'fetch', 'net', 'host', 'told so'), threw({why: $CASE, blocked: 1}, '', '/a: expected number'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// schema: true
send(idle(0), threw({why: $CASE}, '', '/a: expected number'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// schema: true
send(threw({why: $CASE + 2}, '', '/a: expected number'));
return 'went on';
// twin
// expect: SUCCESS 1
// schema: {"type": "object"}
return 1;

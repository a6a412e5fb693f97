// with {why: 0}
// with {why: 5}
// with {why: 4294967295}
// with {call: 1}
// with {call: 4294967295}
// with {blocked: 1}
// with {blocked: 1000}
// with {blocked: 1001}
// with {blocked: 1002}
// with {blocked: 4294967295}
// with {why: 4, call: 1}
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
send(threw($CASE));
return 'went on';
// twin
// expect: SUCCESS "none"
return 'none';

// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-call: never:it {}
send(call(1, 'never', 'it'), threw({call: 1}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-call: echo:it {}
send(call(1, 'echo', 'it'), threw({call: 1}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-call: fail:it {}
send(call(1, 'fail', 'it'), threw({call: 2}));
return 'went on';
// case
// expect: RPC_ERROR RuntimeError "the test refuses"
// expect-call: fail:it {}
send(call(1, 'fail', 'it'), threw({call: 1}, 'Error', 'words of the worker'));
return 'went on';
// case
// expect: PERMISSION_DENIED PermissionError "told so"
// expect-blocked: fetch net host
send(attempt(1, 'fetch', 'net', 'host', 'told so'), threw({blocked: 1}, 'Error', 'words of the worker'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-blocked: fetch net host
send(attempt(1, 'fetch', 'net', 'host', 'told so'), threw({blocked: 2}));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid THREW frame"
// expect-blocked: fetch net host
send(attempt(1, 'fetch', 'net', 'host', 'told so'), threw({blocked: 1001}));
return 'went on';
// twin
// expect: SUCCESS "the test refuses"
// expect-call: fail:it {}
try { await mcp.fail.it({}); } catch (error) { return error.message; }

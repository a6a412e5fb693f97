// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
send(call(0, 'echo', 'it'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
send(call(2, 'echo', 'it'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
send(call(-1, 'echo', 'it'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
send(call(2 ** 31, 'echo', 'it'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// expect-call: never:it {"n":1}
send(call(1, 'never', 'it', '{"n":1}'), call(1, 'never', 'it', '{"n":2}'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// expect-call: echo:it {"n":1}
await mcp.echo.it({n: 1});
send(call(1, 'echo', 'it', '{"n":2}'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// expect-call: echo:it {"n":1}
// expect-call: echo:it {"n":2}
await mcp.echo.it({n: 1});
await mcp.echo.it({n: 2});
send(call(4, 'echo', 'it', '{"n":4}'), call(3, 'echo', 'it', '{"n":3}'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// expect-call: echo:it {"n":1}
// the worker's own counter does not include the call sent by hand
send(call(1, 'echo', 'it', '{"n":1}'));
read(65536);
return await mcp.echo.it({n: 2});
// case
// expect: CALL_LIMIT LimitError "More than 10000 calls"
send(call(10001, 'echo', 'it'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
send(call(10002, 'echo', 'it'));
return 'went on';
// twin
// expect: SUCCESS "both"
// expect-call: echo:it {"n":1}
// expect-call: echo:it {"n":2}
send(call(1, 'echo', 'it', '{"n":1}'), call(2, 'echo', 'it', '{"n":2}'));
send(frame(DONE, 0, '"both"'));
stop();

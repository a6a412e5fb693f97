// expect: SUCCESS "went on"
// expect-call-denied: echo:that
// tools: echo:it tool:text
send(call(1, 'echo', 'that'));
return 'went on';
// case
// expect: SUCCESS "went on"
// expect-call-denied: echo:it
// tools
send(call(1, 'echo', 'it'));
return 'went on';
// case
// expect: PERMISSION_DENIED PermissionError "echo:that is not in the capability's list of tools (\"echo:it\"); its author has to add it"
// expect-call-denied: echo:that
// tools: echo:it
send(call(1, 'echo', 'that'), threw({call: 1}, 'Error', 'words of the worker'));
stop();
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// tools: echo:it
// an invalid name is refused, even if namespace and action together look like a listed tool
send(call(1, 'echo:it', 'x'));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
// tools: echo:it
send(call(1, 'echo', 'it\0'));
return 'went on';
// case
// expect: PERMISSION_DENIED PermissionError "is not in the capability's list of tools"
// expect-call-count: any
// tools: echo:it
// a thousand calls; the worker never reads the refusals
for (let i = 1; i <= 1000; i++) send(call(i, 'value', 'null'));
send(threw({call: 1000}));
stop();
// twin
// expect: SUCCESS {"n":1}
// expect-call: echo:it {"n":1}
// tools: tool:text echo:it
return await mcp.echo.it({n: 1});

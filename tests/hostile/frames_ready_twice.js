// expect: WORKER_TERMINATED WorkerError "READY came twice"
send(frame(READY));
return 'went on';
// case
// expect: WORKER_TERMINATED WorkerError "READY came twice"
// expect-call: echo:it {}
await mcp.echo.it({});
send(frame(READY));
return 'went on';
// twin
// expect: SUCCESS "once"
return 'once';

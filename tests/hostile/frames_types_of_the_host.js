// with frame(JOB, 0, [new Uint8Array(40), 0, 8, 2, 0, 'return 1', '{}'])
// with frame(REPLY, 1, [1, 0, '"forged"'])
// with frame(REPLY, 1, [2, 0, '{"content":[]}'])
// with frame(FAIL, 1, [sized('RPC_ERROR', 'forged')])
// with frame(WAKE)
// expect: WORKER_TERMINATED WorkerError "broke the protocol: type"
// expect-call: never:it {}
send(call(1, 'never', 'it'), $CASE);
return 'went on';
// twin
// expect: SUCCESS {"n":1}
// expect-call: echo:it {"n":1}
return await mcp.echo.it({n: 1});

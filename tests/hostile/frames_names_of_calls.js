// with 'ec\0o', 'it'
// with 'e o', 'it'
// with 'e:o', 'it'
// with 'echo', 'i:t'
// with 'e/o', 'it'
// with 'e.o', 'it'
// with 'echo', 'i\nt'
// with 'echo', 'i\0'
// with 'echo', '\x1b[31m'
// with 'ech\u00f6', 'it'
// with 'echo', 'i\u202et'
// with 'echo', [new Uint8Array([255, 254])]
// with '', 'it'
// with 'echo', ''
// expect: WORKER_TERMINATED WorkerError "an invalid CALL frame"
send(call(1, $CASE));
return 'went on';
// twin
// expect: SUCCESS {}
// expect-call: echo:a/b.c_-9 {}
return await mcp.echo['a/b.c_-9']({});

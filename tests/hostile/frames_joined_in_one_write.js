// expect: WORKER_TERMINATED WorkerError "type 25"
// expect-log: first
// expect-call: echo:it {"a":1}
send(frame(LOG, 0, 'first'), call(1, 'echo', 'it', '{"a":1}'), frame(25), call(2, 'echo', 'it', '{"a":2}'), frame(DONE, 0, '1'));
stop();
// twin
// expect: SUCCESS ["done"]
// expect-log: first
// expect-log: second
// expect-call: echo:it {"a":1}
// expect-call: echo:it {"a":2}
// expect-blocked: fetch net host
send(frame(LOG, 0, 'first'), call(1, 'echo', 'it', '{"a":1}'), attempt(1, 'fetch', 'net', 'host', 'message'), frame(LOG, 0, 'second'),
    call(2, 'echo', 'it', '{"a":2}'), frame(DONE, 0, '["done"]'));
stop();

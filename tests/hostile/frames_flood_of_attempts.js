// expect: WORKER_TERMINATED WorkerError "an invalid BLOCKED frame"
// expect-blocked-count: 1000
for (let id = 1; ; id++) send(attempt(id, 'fetch', 'net', 'x'.repeat(1024), 'm'.repeat(2048), 2048));
// twin
// expect: SUCCESS "all of them"
// expect-blocked-count: 1000
// expect-log: [blocked]
for (let id = 1; id <= 1000; id++) send(attempt(id, '\x01'.repeat(128), '\x02'.repeat(16), '\x03'.repeat(1024), '\x04'.repeat(2048), 2048));
return 'all of them';

// with frame(LOG, 0, 'x'.repeat(1000))
// with frame(LOG)
// with frame(LOG, 1, 'cut')
// with frame(LOG, 0, new Uint8Array(1000))
// expect: WORKER_TERMINATED WorkerError "it sends log lines after the end of the log"
const many = bytes(Array(100).fill($CASE));
for (;;) send(many);
// twin
// expect: SUCCESS "a few"
for (let i = 0; i < 1000; i++) send($CASE);
return 'a few';

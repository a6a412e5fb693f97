// with frame(LOG, 0, 'x'.repeat(1000))
// with frame(LOG)
// with frame(LOG, 1, 'cut')
// with frame(LOG, 0, new Uint8Array(1000))
// with idle(0)
// with idle(0, 0n)
// expect: EXECUTION_TIMEOUT TimeoutError "after 300 ms"
// timeout: 300
const many = bytes(Array(100).fill($CASE));
for (;;) send(many);
// twin
// expect: SUCCESS "a few"
for (let i = 0; i < 1000; i++) send($CASE);
return 'a few';

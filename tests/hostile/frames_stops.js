// expect: EXECUTION_TIMEOUT TimeoutError "after 200 ms"
// timeout: 200
stop();
// case
// expect: EXECUTION_TIMEOUT TimeoutError "after 200 ms"
// timeout: 200
// expect-call: echo:it {}
send(call(1, 'echo', 'it'));
stop();
// case
// expect: EXECUTION_TIMEOUT TimeoutError "after 200 ms"
// timeout: 200
send(idle(1, 1000n));
for (;;);
// twin
// expect: SUCCESS "goes on"
await new Promise((done) => setTimeout(done, 20));
return 'goes on';

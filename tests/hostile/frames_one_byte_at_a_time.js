// expect: EXECUTION_TIMEOUT TimeoutError "after 300 ms"
// timeout: 300
const whole = frame(LOG, 0, 'x'.repeat(MIB));
for (let at = 0; at < whole.length; at++) {
    write(whole.subarray(at, at + 1));
    for (let i = 0; i < 10; i++) pause();
}
return 'in the end';
// twin
// expect: SUCCESS "in the end"
// expect-log: xxxxx
const whole = frame(LOG, 0, 'x'.repeat(2000));
for (let at = 0; at < whole.length; at++) write(whole.subarray(at, at + 1));
return 'in the end';

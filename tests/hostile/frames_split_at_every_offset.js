// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 200
// expect-log: heard
// the last byte never comes
const whole = frame(DONE, 0, '"never"');
send(frame(LOG, 0, 'heard'));
for (let at = 0; at < whole.length - 1; at++) write(whole.subarray(at, at + 1));
stop();
// twin
// expect: SUCCESS 44
// expect-log: line 1
// expect-log: line 20
// expect-log: line 43
let at = 1;
for (; at < frame(LOG, 0, 'line number 0').length - 1; at++) {
    const whole = frame(LOG, 0, 'line ' + at + 'abcdefg');
    write(whole.subarray(0, at));
    pause();
    write(whole.subarray(at));
    pause();
}
return at;
// twin
// expect: SUCCESS [42]
// expect-call: echo:it [42]
// each byte is written separately: a call sent by hand, and the result
const whole = bytes(call(1, 'echo', 'it', '[42]'), frame(DONE, 0, '[42]'));
for (let at = 0; at < whole.length; at++) {
    write(whole.subarray(at, at + 1));
    pause();
}
stop();

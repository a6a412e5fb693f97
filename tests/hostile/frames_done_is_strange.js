// expect: SUCCESS {"a":2}
// loose
send(frame(DONE, 0, '{"a":1,"a":2}'));
stop();
// case
// expect: SUCCESS {"__proto__":{"success":false},"success":false}
send(frame(DONE, 0, '{"__proto__":{"success":false},"success":false}'));
stop();
// case
// expect: SUCCESS "\ud800"
send(frame(DONE, 0, '"\\ud800"'));
stop();
// case
// expect: SUCCESS "a\u0000b"
send(frame(DONE, 0, '"a\\u0000b"'));
stop();
// case
// expect: CODE_ERROR RuntimeError "The result is refused"
send(frame(DONE, 0, '['.repeat(100000) + ']'.repeat(100000)));
stop();
// case
// expect: CODE_ERROR RuntimeError "The result is refused"
send(frame(DONE, 0, '['.repeat(1001) + ']'.repeat(1001)));
stop();
// twin
// expect: SUCCESS 1e999
send(frame(DONE, 0, '1e999'));
stop();
// twin
// expect: SUCCESS
// expect-length: 1
send(frame(DONE, 0, '['.repeat(900) + ']'.repeat(900)));
stop();

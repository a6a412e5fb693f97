// with call(1, 'echo', 'it')
// with frame(DONE, 0, '"another"')
// with threw()
// with frame(FULL)
// with frame(LATE)
// with frame(READY)
// with idle(1)
// with frame(LOG, 0, 'after')
// with attempt(1, 'fetch', 'net', 'host', 'message')
// with frame(65535, 0, '', {length: 4294967295})
// with new Uint8Array(MIB).fill(255)
// expect: CODE_ERROR RuntimeError "first"
send(threw({}, 'Error', 'first'), $CASE);
stop();
// case
// expect: MEMORY_LIMIT MemoryError
send(frame(FULL), $CASE);
stop();
// case
// expect: SUCCESS "first"
send(frame(DONE, 0, '"first"'));
try { send($CASE); } catch {}
stop();
// twin
// expect: SUCCESS "first"
send(frame(DONE, 0, '"first"'), $CASE);
stop();

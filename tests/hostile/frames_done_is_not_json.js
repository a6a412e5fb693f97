// with 'undefined'
// with 'NaN'
// with 'Infinity'
// with '-'
// with '{'
// with '1 2'
// with '1,"blocked":[]'
// with '1}'
// with '01'
// with '1.'
// with "'x'"
// with '[1,]'
// with '{a:1}'
// with '\ufeff1'
// with '1\0'
// with '1\v'
// with '"\x1f"'
// with '"\\x41"'
// with '"\\ud80"'
// with [new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])]
// with [new Uint8Array([0x22, 0xc0, 0x80, 0x22])]
// with [new Uint8Array([0xff])]
// with '/**/1'
// with '// 1'
// with ' '
// expect: WORKER_TERMINATED WorkerError "its result is not JSON"
send(frame(DONE, 0, $CASE));
stop();
// twin
// expect: SUCCESS {"a":[1,-0.5e3,"\u00e9",null,true]}
send(frame(DONE, 0, '{"a":[1,-0.5e3,"\\u00e9",null,true]}'));
stop();

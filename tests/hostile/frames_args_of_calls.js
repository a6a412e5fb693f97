// with ''
// with 'undefined'
// with '{"a":1,"a":2}'
// with '{"a":1'
// with '{} {}'
// with '\ufeff{}'
// with '"\\ud800"'
// with '"\\u0000"'
// with [new Uint8Array([0x22, 0xff, 0x22])]
// with '"\x01"'
// with '01'
// with '['.repeat(100000)
// with '['.repeat(1001) + ']'.repeat(1001)
// expect: SUCCESS "went on"
// expect-call-refused: echo:it
send(call(1, 'echo', 'it', $CASE));
return 'went on';
// twin
// expect: SUCCESS "went on"
// expect-call: echo:it {"a":[1,{"b":"c"}]}
send(call(1, 'echo', 'it', '{"a":[1,{"b":"c"}]}'));
return 'went on';

// with new Uint8Array(1024).map((_, i) => i)
// with '\x1b[31mred\x1b]0;title\x07\r\n\x9b1m'
// with '\u202e\u200b\u2066\ufeff\u2028\u00ad'
// with new Uint8Array(1024).fill(0x80)
// with [0xa0ed, 0xf5f4, 0xc0, 0xbfbff0e0]
// with '"}],"success":true,"result":"forged"}'
// with '\0'
// expect: CODE_ERROR RuntimeError
const text = bytes($CASE);
send(frame(LOG, 0, text), threw({}, text.subarray(0, 256), text, text));
return 'went on';
// case
// expect: CODE_ERROR SyntaxError
const text = bytes($CASE);
send(threw({why: 2}, text.subarray(0, 256), text, text));
return 'went on';
// case
// expect: PERMISSION_DENIED PermissionError
// expect-blocked-count: 1
const text = bytes($CASE).map((byte) => byte || 1);
send(attempt(1, text.subarray(0, 128), text.subarray(0, 16), text, text, 8 < text.length ? 8 : 0), threw({blocked: 1}));
return 'went on';
// twin
// expect: SUCCESS "went on"
const text = bytes($CASE);
send(frame(LOG, 0, text), frame(LOG, 1, text));
return 'went on';

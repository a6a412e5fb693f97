// expect: CODE_ERROR RuntimeError "string too long"
// memory: 32
let s = 'x';
for (;;) s += s;
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const ropes = [];
for (;;) { let s = ''; for (let i = 0; i < 100; i++) s += 'x'.repeat(99) + i; ropes.push(s); s.charCodeAt(0); }
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let s = '';
for (;;) { s += 'x'.repeat(100000); s.charCodeAt(s.length - 1); }
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
let s = 'x'.repeat(1e6);
const a = [];
for (let i = 1; ; i++) a.push(s.slice(i));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
'x'.repeat(2 ** 29).toUpperCase();
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
'x'.padEnd(2 ** 29, '€');
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new Array(2 ** 20).join('x'.repeat(1000));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
'x'.repeat(1e6).replaceAll('x', 'y'.repeat(1000));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
'x'.repeat(1e5).replace(/x/g, "$'");
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
String.raw({ raw: { length: 2 ** 53 - 1, 0: 'x' } }, ...new Array(1000).fill('y'.repeat(1e5)));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
encodeURIComponent('€'.repeat(1e7));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
escape('€'.repeat(1e7));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
'\ufdfa'.repeat(2e6).normalize('NFKC');
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
[...'x'.repeat(2e7)];
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
JSON.stringify('\u0001'.repeat(1e7));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
JSON.parse('[' + '"x",'.repeat(2e6) + '1]');
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
JSON.parse('{' + Array.from({ length: 5e5 }, (_, i) => `"k${i}":{}`) + '}');
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
const b = btoa('x'.repeat(1e7));
atob(b + b);
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new TextDecoder().decode(new Uint8Array(12e6)) + new TextDecoder('utf-16le').decode(new Uint8Array(14e6).fill(1));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new URLSearchParams('a&'.repeat(2e6));
// case
// expect: MEMORY_LIMIT MemoryError
// memory: 32
new URL('http://h.example/' + '€'.repeat(2e6));
// twin
// expect: SUCCESS [3000000,"xyx",2]
let s = '';
for (let i = 0; i < 1000; i++) s += 'x'.repeat(3000);
return [s.length, 'x-x'.replace('-', 'y'), JSON.parse('[1,2]').length];

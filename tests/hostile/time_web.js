// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const text = 'http://h.example/' + 'é/../'.repeat(1e5);
for (;;) new URL(text);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const text = 'http://' + 'ä'.repeat(1e5) + '.example';
for (;;) URL.canParse(text);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const text = 'a=%C3%A9&'.repeat(1e5);
for (;;) new URLSearchParams(text).toString();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const p = new URLSearchParams('b=1&a=2&'.repeat(1e5));
for (;;) p.sort();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const bytes = new Uint8Array(4e6).fill(0xe2);
for (;;) new TextDecoder().decode(bytes);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const bytes = new Uint8Array(1e6).fill(0x81);
for (;;) new TextDecoder('shift_jis').decode(bytes);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const text = '€'.repeat(1e6);
for (;;) new TextEncoder().encode(text);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const text = 'x'.repeat(3e6);
for (;;) atob(btoa(text));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const list = Array.from({ length: 1e5 }, (_, i) => ({ i }));
for (;;) structuredClone(list);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const rows = Array.from({ length: 1e4 }, (_, i) => ({ i, text: 'x'.repeat(i % 50) }));
for (;;) console.table(rows);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const wide = Object.fromEntries(Array.from({ length: 1e4 }, (_, i) => ['k' + i, { i }]));
for (;;) console.dir(wide, { depth: 9 });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) console.log('%s'.repeat(1e5), ...new Array(1e4).fill('x'));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) crypto.getRandomValues(new Uint8Array(65536));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const t = () => { setTimeout(t); setTimeout(t); };
t(); await new Promise(() => 0);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const e = new AbortController().signal;
const again = () => { for (let i = 0; i < 10; i++) e.addEventListener('x' + i, again); queueMicrotask(again); };
again(); await new Promise(() => 0);
// twin
// expect: SUCCESS ["http://h.example/b","a=2&b=1","é","x",[{"i":0}]]
const p = new URLSearchParams('b=1&a=2');
p.sort();
return [new URL('http://h.example/a/../b').href, p.toString(), new TextDecoder().decode(new TextEncoder().encode('é')), atob(btoa('x')), structuredClone([{ i: 0 }])];

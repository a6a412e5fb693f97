// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/(?<=(a+)+)b/.test('a'.repeat(5e4));
for (;;) /(?<=(a+)+)b/.test('a'.repeat(5e4));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/^(a*)*\1b/.test('a'.repeat(60));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/^(?:a*)*$/.test('a'.repeat(40) + 'b');
for (;;) /(a?){50}a{50}x/.test('a'.repeat(50));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/\s+$/.test(' '.repeat(3e5) + 'x');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
'x'.repeat(3e5).split(/x*y/);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
'x'.repeat(3e5).search(/x*y/);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
[...'x'.repeat(3e5).matchAll(/x*y|x/g)];
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
'x'.repeat(3e5).replace(/(?=x*y)/g, '');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/^([a-z]+)+$/iu.test('a'.repeat(60) + '!');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/^[\p{L}--[b]]*(?:a|[\p{L}])*$/v.test('a'.repeat(60) + '!'); for (;;) /^(\p{L}|\w)*$/v.test('a'.repeat(60) + '!');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(60));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
/^(?<n>a|a)*?(?:b|\k<n>)*$/.test('a'.repeat(40) + '!');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const re = /x/g;
Object.defineProperty(re, 'exec', { value: () => ({ index: 0, length: 1, 0: '' }) });
'x'.replace(re, '');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const re = /x/g;
re.exec = () => [''];
'x'.match(re);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const re = /x/y;
re.constructor = { [Symbol.species]: function () { return { exec: () => null, set lastIndex(n) { for (;;); } }; } };
'xx'.split(re);
// twin
// expect: SUCCESS [true,true,["x","y"],["a"]]
return [/^(a+)+$/.test('a'.repeat(50)), /\s+$/.test('x  '), 'x,y'.split(/,/), 'a'.match(/(?<=^)a/g)];

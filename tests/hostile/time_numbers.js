// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) (3n ** 600000n).toString();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) BigInt('9'.repeat(2e5));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const x = 3n ** 300000n;
for (;;) x * x % (x - 1n);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) (1n << 1000000n) / 3n;
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) BigInt.asIntN(2 ** 20, 3n ** 600000n);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const a = new Float64Array(1e6).map((_, i) => -i);
for (;;) a.toSorted();
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const a = new Float64Array(2e6).map(Math.random);
for (;;) { a.indexOf(2); a.reverse(); a.fill(1); a.lastIndexOf(3); }
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const a = new Uint8Array(4e6);
for (;;) { a.copyWithin(1, 0); a.join(); }
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) parseFloat('1'.repeat(1e6) + 'e-1000000');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
for (;;) (1.1).toString(2).repeat(1e5);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const d = new Date();
for (;;) d.setTime({ valueOf() { for (;;); } });
// twin
// expect: SUCCESS ["27",true,4]
return [(3n ** 3n).toString(), BigInt('9') === 9n, new Float64Array(4).fill(1).reduce((a, b) => a + b)];

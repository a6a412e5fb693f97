// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.every.call({ length: 2 ** 53 - 1 }, () => true);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.some.call({ length: 2 ** 53 - 1 }, () => false);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.forEach.call({ length: 2 ** 53 - 1 }, () => 0);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.reduce.call({ length: 2 ** 53 - 1 }, () => 0, 0);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.reduceRight.call({ length: 2 ** 53 - 1 }, () => 0, 0);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.find.call({ length: 2 ** 53 - 1 }, () => false);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.findLastIndex.call({ length: 2 ** 53 - 1 }, () => false);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.filter.call({ length: 2 ** 53 - 1 }, () => true);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.flatMap.call({ length: 2 ** 53 - 1 }, (x) => x);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.sort.call({ length: 2 ** 53 - 1 });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Array.prototype.join.call(new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 53 - 1 : undefined) }), '');
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Reflect.ownKeys(new Proxy({}, { ownKeys: () => ({ length: 2 ** 32 - 1, get 0() { for (;;); } }) }));
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
Math.max.apply(null, { get length() { for (;;); } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const a = []; a[2 ** 32 - 2] = 1;
a.indexOf(2);
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 100
const a = []; a[2 ** 32 - 2] = 1;
a.sort(); for (;;) a.forEach(() => 0);
// twin
// expect: SUCCESS [true,3,-1,"a,,b"]
const few = { length: 3, 0: 'a', 2: 'b' };
return [Array.prototype.every.call(few, Boolean), Array.prototype.reduce.call(few, (n) => n + 1, 1), Array.prototype.findLastIndex.call(few, () => false), Array.prototype.join.call(few)];

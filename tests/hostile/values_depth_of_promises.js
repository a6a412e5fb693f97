// expect: SUCCESS 1
let result = 1;
for (let i = 0; i < 10000; i++) { const inner = result; result = Promise.resolve().then(() => inner) }
return result;
// case
// expect: SUCCESS true
let n = 0;
const chain = () => (n++ < 20000 ? { then(done) { done(chain()) } } : 1);
return (await chain()) === 1;
// twin
// expect: SUCCESS 1
return Promise.resolve(1);

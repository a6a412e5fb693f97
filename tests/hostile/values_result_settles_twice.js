// expect: SUCCESS 1
return { then(done, fail) { done(1); done(2); fail(new Error("mine")); throw new Error("mine") } };
// case
// expect: CODE_ERROR RuntimeError "mine"
return { get then() { throw new Error("mine") } };
// case
// expect: CODE_ERROR RuntimeError "mine"
return Promise.reject(new Error("mine"));
// twin
// expect: SUCCESS 1
return { then: (done) => done(1) };

// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: Function eval -
setTimeout((() => 1).constructor, 0, "globalThis.ran = true");
await new Promise((done) => setTimeout(done, 1000));
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: AsyncFunction eval -
setTimeout((async () => 1).constructor, 0, "globalThis.ran = true");
await new Promise((done) => setTimeout(done, 1000));
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: GeneratorFunction eval -
setTimeout((function* () {}).constructor, 0, "globalThis.ran = true");
await new Promise((done) => setTimeout(done, 1000));
// case
// expect: PERMISSION_DENIED PermissionError "Requires eval access"
// expect-blocked: AsyncGeneratorFunction eval -
setTimeout((async function* () {}).constructor, 0, "globalThis.ran = true");
await new Promise((done) => setTimeout(done, 1000));
// twin
// expect: SUCCESS true
setTimeout(() => { globalThis.ran = true }, 0);
await new Promise((done) => setTimeout(done, 5));
return globalThis.ran === true;

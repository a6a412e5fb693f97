// expect: SUCCESS []
const names = ["", " ", "a b", "a.b", "a/b", "a:b", "ä", "a\n", "a\0", "x".repeat(65), "\ud800", "..", "a\u202e", "😀", "%2e", "a,b"];
const wrong = [];
for (const name of names) {
    let promise;
    try {
        promise = mcp[name].x({ a: 1 });
    } catch (e) {
        wrong.push(["thrown", name]);
        continue;
    }
    const e = await promise.then(() => "sent", (e) => e);
    if (!(e instanceof TypeError) || e.code !== undefined) wrong.push([name, String(e)]);
}
return wrong;
// case
// expect: CODE_ERROR RuntimeError "TypeError"
await mcp["a b"].x();
// twin
// expect: SUCCESS "RPC_ERROR"
// expect-call: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx:a {}
return mcp["x".repeat(64)].a().catch((e) => e.code);

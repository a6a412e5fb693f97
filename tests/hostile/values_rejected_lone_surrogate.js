// expect: SUCCESS []
const wrong = [];
for (const input of ["\ud800", "\udfff", "a\ud800b", { "\ud800": 1 }, ["\ude00\ud83d"], { a: { b: "\ud83d" } }]) {
    const e = await mcp.echo.x({ input }).then(() => "it was sent", (e) => e);
    if (!(e instanceof TypeError)) wrong.push(String(e));
}
return wrong;
// case
// expect: SUCCESS ["\ufffd","a\ufffdb",{"\ufffd":1},"\ufffd\ufffd"]
return ["\ud800", "a\ud800b", { "\ud800": 1 }, "\ude00\ud83d"];
// case
// expect: CODE_ERROR RuntimeError "a\ufffdb"
throw new Error("a\ud800b");
// case
// expect: SUCCESS 1
// expect-log: a�b
console.log("a\ud800b");
return 1;
// twin
// expect: SUCCESS "😀"
// expect-call: echo:x "😀"
return mcp.echo.x("\ud83d\ude00");

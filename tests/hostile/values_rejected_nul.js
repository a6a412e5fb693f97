// expect: SUCCESS []
// expect-call-refused: echo:x
// expect-call-refused: echo:x
// expect-call-refused: echo:x
// expect-call-refused: echo:x
const wrong = [];
for (const input of ["\0", "x\0y", { "\0": 1 }, [{ a: "\0" }]]) {
    const e = await mcp.echo.x({ input }).then(() => "it was sent", (e) => e);
    if (e.code !== "RPC_ERROR" || !e.message.endsWith("the character NUL in a string")) wrong.push(String(e));
}
return wrong;
// case
// expect: SUCCESS ["x\u0000y",{"\u0000":1}]
return ["x\0y", { "\0": 1 }];
// case
// expect: CODE_ERROR RuntimeError "x\u0000y"
throw new Error("x\0y");
// twin
// expect: SUCCESS "\\0"
// expect-call: echo:x "\\0"
return mcp.echo.x("\\0");

// expect: SUCCESS []
// expect-call: value:proto {}
const got = await mcp.value.proto();
const wrong = [];
if (Object.getPrototypeOf(got) !== Object.prototype) wrong.push("its prototype");
if (!Object.hasOwn(got, "__proto__")) wrong.push("__proto__ is not its own");
if ({}.polluted !== undefined || Object.polluted !== undefined) wrong.push("polluted");
if (got.then !== "t" || got.toJSON !== "j") wrong.push("then, toJSON");
if (got.a !== 2) wrong.push("the last of two keys");
if (!Object.is(got.negativeZero, -0)) wrong.push("-0");
if (got.infinite !== Infinity) wrong.push("1e999");
if (got.big !== 9007199254740992) wrong.push("a big integer");
if (got.nul !== "x\0y") wrong.push("NUL");
if (got[""] !== 0) wrong.push("an empty key");
if (got.ls !== "\u2028") wrong.push("U+2028");
return wrong;
// case
// expect: SUCCESS []
// expect-call: tool:proto {}
const got = await mcp.tool.proto();
const wrong = [];
if (Object.getPrototypeOf(got) !== Object.prototype || !Object.hasOwn(got, "__proto__")) wrong.push("__proto__");
if ({}.polluted !== undefined) wrong.push("polluted");
if (got.then !== "t" || got.a !== 2) wrong.push("then, a");
return wrong;
// case
// expect: SUCCESS [true,true]
// expect-call: tool:proto_text {}
const got = await mcp.tool.proto_text();
return [Object.hasOwn(got, "__proto__"), {}.polluted === undefined];
// case
// expect: SUCCESS []
// expect-call: tool:proto_result {}
return mcp.tool.proto_result();
// twin
// expect: SUCCESS "x"
// expect-call: value:text {}
return mcp.value.text();

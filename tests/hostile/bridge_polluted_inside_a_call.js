// expect: SUCCESS true
// expect-call: echo:x {"a":{"b":1},"c":[1,2]}
const input = {
    get a() {
        JSON.stringify = () => "evil";
        Array.prototype.join = Array.prototype.push = () => "evil";
        Object.keys = Object.getOwnPropertyNames = () => ["evil"];
        return { b: 1 };
    },
    c: [1, 2],
};
const got = await mcp.echo.x(input);
return got.c[1] === 2;
// twin
// expect: SUCCESS true
// expect-call: echo:x {"a":1,"b":["c",{"d":null}]}
// expect-log: hello { a: 1 }
const got = await mcp.echo.x({ a: 1, b: ["c", { d: null }] });
console.log("hello", { a: 1 });
return got.a === 1 && got.b[0] === "c" && got.b[1].d === null;

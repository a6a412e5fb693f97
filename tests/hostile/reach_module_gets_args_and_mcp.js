// expect: SUCCESS [1,{"a":1},2]
// args: {"n":1}
// expect-call: echo:x {"a":1}
export default async (args, { mcp }, ...more) => {
    return [args.n, await mcp.echo.x({ a: 1 }), 2 + more.length];
};
// twin
// expect: SUCCESS 1
// args: {"n":1}
export default function ({ n }) {
    return n;
}

// expect: SUCCESS {"a":1}
// expect-call: echo:x {"a":1}
await null;
const later = await new Promise((done) => setTimeout(done, 1, { a: 1 }));
export default (args, { mcp }) => mcp.echo.x(later);
// case
// expect: STALLED RuntimeError "The code waits for something that cannot happen"
await new Promise(() => {});
export default () => 1;
// case
// expect: CODE_ERROR RuntimeError "mine"
await null;
throw new Error("mine");
export default () => 1;
// twin
// expect: SUCCESS 1
export default async () => 1;

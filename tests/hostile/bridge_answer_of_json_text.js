// expect: SUCCESS {"a":[1,{"b":null}]}
// expect-call: tool:json {"a":1}
return mcp.tool.json({ a: 1 });
// case
// expect: SUCCESS {"a":[1,{"b":null}]}
// expect-call: tool:json {"a":1}
// later
return mcp.tool.json({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"{\"a\":[1,{\"b\":null}]}"}]}
// expect-call: tool:json {"a":1}
return mcp.tool.json.raw({ a: 1 });

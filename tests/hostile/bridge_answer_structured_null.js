// expect: SUCCESS [true]
// expect-call: tool:structured_null {}
const got = await mcp.tool.structured_null();
return [got === null || got === "text"];
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"text"}],"structuredContent":null}
// expect-call: tool:structured_null {}
return mcp.tool.structured_null.raw();

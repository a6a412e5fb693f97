// expect: SUCCESS {"from":"structured"}
// expect-call: tool:structured {"a":1}
return mcp.tool.structured({ a: 1 });
// case
// expect: SUCCESS {"from":"structured"}
// expect-call: tool:structured {"a":1}
// later
return mcp.tool.structured({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"{\"from\":\"text\"}"}],"structuredContent":{"from":"structured"}}
// expect-call: tool:structured {"a":1}
return mcp.tool.structured.raw({ a: 1 });

// expect: SUCCESS [{"type":"text","text":"one"},{"type":"text","text":"two"}]
// expect-call: tool:many {"a":1}
return mcp.tool.many({ a: 1 });
// case
// expect: SUCCESS [{"type":"text","text":"one"},{"type":"text","text":"two"}]
// expect-call: tool:many {"a":1}
// later
return mcp.tool.many({ a: 1 });
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}
// expect-call: tool:many {"a":1}
return mcp.tool.many.raw({ a: 1 });

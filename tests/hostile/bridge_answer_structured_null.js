// expect: SUCCESS "text"
// expect-call: tool:structured_null {}
return mcp.tool.structured_null();
// twin
// expect: SUCCESS {"content":[{"type":"text","text":"text"}],"structuredContent":null}
// expect-call: tool:structured_null {}
return mcp.tool.structured_null.raw();

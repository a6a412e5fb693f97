// columns TOOL | END | RAW
// with text | text | SUCCESS "just text" | {"content":[{"type":"text","text":"just text"}]}
// with json_text | json | SUCCESS {"a":[1,{"b":null}]} | {"content":[{"type":"text","text":"{\"a\":[1,{\"b\":null}]}"}]}
// with array_text | array | SUCCESS [1,2] | {"content":[{"type":"text","text":"[1,2]"}]}
// with number_text | number | SUCCESS "42" | {"content":[{"type":"text","text":"42"}]}
// with quoted_text | quoted | SUCCESS "\"quoted\"" | {"content":[{"type":"text","text":"\"quoted\""}]}
// with null_text | null | SUCCESS "null" | {"content":[{"type":"text","text":"null"}]}
// with broken_json | broken | SUCCESS "{\"a\":" | {"content":[{"type":"text","text":"{\"a\":"}]}
// with spaced_json | spaced | SUCCESS {"a":1} | {"content":[{"type":"text","text":" \n{\"a\":1} "}]}
// with empty_text | empty_text | SUCCESS "" | {"content":[{"type":"text","text":""}]}
// with duplicate_keys | duplicate | SUCCESS {"a":2} | {"content":[{"type":"text","text":"{\"a\":1,\"a\":2}"}]}
// with many_items | many | SUCCESS [{"type":"text","text":"one"},{"type":"text","text":"two"}] | {"content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}
// with an_image | image | SUCCESS [{"type":"image","data":"AAAA","mimeType":"image/png"}] | {"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}
// with no_items | none | SUCCESS [] | {"content":[]}
// with no_content | no_content | SUCCESS {} | {}
// with extras | extra | SUCCESS "x" | {"content":[{"type":"text","text":"x"}],"_meta":{"k":1},"resultType":"complete"}
// with structured | structured | SUCCESS {"from":"structured"} | {"content":[{"type":"text","text":"{\"from\":\"text\"}"}],"structuredContent":{"from":"structured"}}
// with structured_array | structured_array | SUCCESS [1] | {"content":[],"structuredContent":[1]}
// with structured_null | structured_null | SUCCESS "text" | {"content":[{"type":"text","text":"text"}],"structuredContent":null}
// with structured_zero | structured_zero | SUCCESS 0 | {"content":[{"type":"text","text":"text"}],"structuredContent":0}
// with error_uncaught | error | TOOL_ERROR MCPToolError "no such row" | {"content":[{"type":"text","text":"no such row"}],"isError":true}
// with error_json_uncaught | error_json | TOOL_ERROR MCPToolError "{\"reason\":\"r\"}" | {"content":[{"type":"text","text":"{\"reason\":\"r\"}"}],"isError":true}
// with error_empty_uncaught | error_empty | TOOL_ERROR MCPToolError "The tool answered with an error" | {"content":[],"isError":true}
// with error_false | error_false | SUCCESS "fine" | {"content":[{"type":"text","text":"fine"}],"isError":false}
// expect: $END
// expect-call: tool:$TOOL {"a":1}
return mcp.tool.$TOOL({ a: 1 });
// case
// expect: $END
// expect-call: tool:$TOOL {"a":1}
// later
return mcp.tool.$TOOL({ a: 1 });
// twin
// expect: SUCCESS $RAW
// expect-call: tool:$TOOL {"a":1}
return mcp.tool.$TOOL.raw({ a: 1 });

// expect: CODE_ERROR RuntimeError "mine"
throw Object.assign(new Error("mine"), { code: "RPC_ERROR", name: "Error" });
// case
// expect: CODE_ERROR RuntimeError "connect timeout"
throw new Error("connect timeout");
// case
// expect: CODE_ERROR RuntimeError "TimeoutError: mine"
throw Object.assign(new Error("mine"), { code: "EXECUTION_TIMEOUT", name: "TimeoutError", type: "TimeoutError" });
// case
// expect: CODE_ERROR RuntimeError "MCPToolError: mine"
throw Object.assign(new Error("mine"), { code: "TOOL_ERROR", name: "MCPToolError", toolName: "a:b", data: {} });
// case
// expect: CODE_ERROR RuntimeError "{\"code\":\"RPC_ERROR\",\"message\":\"mine\",\"name\":\"Error\",\"stack\":\"x\"}"
throw { code: "RPC_ERROR", message: "mine", name: "Error", stack: "x" };
// case
// expect: CODE_ERROR RuntimeError "RPC_ERROR"
throw "RPC_ERROR";
// case
// expect: CODE_ERROR RuntimeError "MCPToolError: mine"
class MCPToolError extends Error { name = "MCPToolError"; code = "TOOL_ERROR" }
throw new MCPToolError("mine");
// twin
// expect: SUCCESS "TOOL_ERROR"
// expect-call: tool:error {}
return mcp.tool.error().catch((e) => e.code);

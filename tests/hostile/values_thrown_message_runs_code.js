// expect: CODE_ERROR RuntimeError "from a getter"
// expect-call: echo:x {}
throw Object.defineProperty(new Error("x"), "message", { get() { void mcp.echo.x(); return "from a getter" } });
// case
// expect: EXECUTION_TIMEOUT TimeoutError
// timeout: 300
throw Object.defineProperty(new Error("x"), "message", { get() { for (;;); } });
// case
// expect: CODE_ERROR RuntimeError "x"
throw Object.defineProperty(new Error("x"), "name", { get() { throw new Error("y") } });
// twin
// expect: SUCCESS "x"
try { throw new Error("x") } catch (e) { return e.message }

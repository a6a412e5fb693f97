// expect: SUCCESS "done"
// expect-call-count: 50
for (let i = 0; i < 50; i++) void mcp.never.x({ i });
return "done";
// case
// expect: SUCCESS "done"
// expect-call-count: 50
// later
for (let i = 0; i < 50; i++) void mcp.echo.x({ i });
return "done";
// twin
// expect: SUCCESS 50
// expect-call-count: 50
return (await Promise.all(Array.from({ length: 50 }, (_, i) => mcp.echo.x({ i })))).length;

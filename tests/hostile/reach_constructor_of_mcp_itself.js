// expect: SUCCESS ["undefined","undefined","TypeError"]
const found = [typeof mcp.constructor, typeof mcp.a.constructor];
try {
    mcp.constructor.constructor("return 1");
} catch (e) {
    found.push(e.name);
}
return found;
// twin
// expect: SUCCESS "function"
return typeof mcp.a.b;

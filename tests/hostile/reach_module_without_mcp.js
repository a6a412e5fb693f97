// expect: SUCCESS ["undefined","undefined","undefined"]
const seen = [typeof mcp, typeof args, typeof this];
export default () => seen;
// twin
// expect: SUCCESS ["object","object","undefined"]
return [typeof mcp, typeof args, typeof this];

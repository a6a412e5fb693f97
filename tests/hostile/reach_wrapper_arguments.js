// expect: SUCCESS true
const found = [...arguments];
return found.length === 2 && found[0] === mcp && found[1] === args;
// case
// expect: SUCCESS "TypeError"
try {
    return typeof arguments.callee;
} catch (e) {
    return e.name;
}
// twin
// expect: SUCCESS 2
return arguments.length

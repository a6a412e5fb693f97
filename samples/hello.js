// A capability is the body of an async function of `mcp` and `args`.
const { name = "world" } = args;

console.log(`greeting ${name}`);

// Calls to tools go through `mcp`; where nobody has configured that server, the code can cope with it.
let weather = "unknown";
try {
    weather = await mcp.weather.today({ city: name });
} catch (error) {
    console.log(`no weather: ${error.code}`);
}

return { greeting: `Hello, ${name}!`, weather };

// A capability is the body of an async function of `mcp` and `args`.
const { name = "world" } = args;

console.log(`greeting ${name}`);

// Calls of tools go through `mcp`. If the server is not configured, the code can catch the error.
let weather = "unknown";
try {
    weather = await mcp.weather.today({ city: name });
} catch (error) {
    console.log(`no weather: ${error.code}`);
}

return { greeting: `Hello, ${name}!`, weather };

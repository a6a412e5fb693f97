// expect: SUCCESS []
const told = [];
for (const f of [URL, fetch, structuredClone, TextDecoder, AbortController, mcp.a.b, console.log, WebSocket, Deno.env.get])
    for (const name of ["fileName", "lineNumber", "columnNumber", "caller", "arguments"]) {
        try {
            if (f[name] !== undefined) told.push(`${f.name}.${name}`);
        } catch {}
    }
return told;
// twin
// expect: SUCCESS ["URL", "fetch", "WebSocket", "EventSource", "Worker", "XMLHttpRequest", "structuredClone"]
return [URL, fetch, WebSocket, EventSource, Worker, XMLHttpRequest, structuredClone].map((f) => f.name);

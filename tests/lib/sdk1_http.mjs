// sdk1_http.mjs - an MCP server behind HTTP, with the SDK 1.x; its packages are in build/npm-servers.
//
//     node sdk1_http.mjs PACKAGES stateless|session    prints its URL
import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { createRequire } from "node:module";

const [packages, mode] = process.argv.slice(2);
const require = createRequire(`${packages}/`);
const { McpServer } = require("@modelcontextprotocol/sdk/server/mcp.js");
const { StreamableHTTPServerTransport } = require("@modelcontextprotocol/sdk/server/streamableHttp.js");
const { z } = require("zod");

const sessions = new Map();

function makeServer() {
    const server = new McpServer({ name: "sdk1", version: "1.0.0" });

    server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } },
        ({ a, b }) => ({ content: [{ type: "text", text: String(a + b) }] }));
    server.registerTool("forget", { inputSchema: {} }, () => {
        setTimeout(() => sessions.clear(), 0);
        return { content: [{ type: "text", text: "forgotten" }] };
    });
    server.registerTool("hang", { inputSchema: {} },
        (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => {
            console.log("aborted");
            resolve({ content: [] });
        })));
    return server;
}

async function makeTransport() {
    const stateless = mode === "stateless";
    const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: stateless ? undefined : randomUUID,
        enableJsonResponse: stateless,
        onsessioninitialized: (id) => sessions.set(id, transport),
    });

    await makeServer().connect(transport);
    return transport;
}

const server = createServer(async (req, res) => {
    const id = req.headers["mcp-session-id"];
    const known = mode !== "stateless" && id ? sessions.get(id) : await makeTransport();

    if (known) await known.handleRequest(req, res);
    else res.writeHead(404).end();
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/mcp`));

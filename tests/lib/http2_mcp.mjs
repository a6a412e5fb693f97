// http2_mcp.mjs - a modern MCP server that speaks only HTTP/2 over TLS, and breaks streams and connections if a test asks for it.
//
//     node http2_mcp.mjs CERTIFICATE    CERTIFICATE.pem and .key; prints its URL, and a line for each connection
import { readFileSync } from "node:fs";
import { constants, createSecureServer } from "node:http2";

const certificate = process.argv[2];
const server = createSecureServer({ cert: readFileSync(`${certificate}.pem`), key: readFileSync(`${certificate}.key`) });
const text = (value) => ({ resultType: "complete", content: [{ type: "text", text: value }] });
const tools = ["echo", "big", "flood", "wait", "reset", "cut", "refuse", "goaway", "die"].map((name) => ({ name, inputSchema: { type: "object" } }));

const calls = {
    echo: (stream, args, answer) => answer(text(JSON.stringify(args))),
    big: (stream, { bytes }, answer) => answer(text("b".repeat(bytes))),
    flood: (stream, { events }, answer) => {
        const note = `data: ${JSON.stringify({ jsonrpc: "2.0", method: "x", params: "n".repeat(900) })}\n\n`.repeat(100);
        let left = events;
        const more = () => {
            while (left > 0) {
                left -= 100;
                if (!stream.write(note)) return stream.once("drain", more);
            }
            answer(text("flooded"));
        };
        more();
    },
    wait: (stream) => stream.on("close", () => console.log("closed")),
    reset: (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
    refuse: (stream) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
    cut: (stream) => {
        stream.write("data: {");
        setTimeout(() => stream.destroy(new Error("cut")), 20);
    },
    goaway: (stream, args, answer) => {
        stream.session.goaway();
        answer(text("gone"));
    },
    die: (stream) => stream.session.destroy(),
};

server.on("session", () => console.log("connection"));
server.on("stream", async (stream, headers) => {
    let body = "";

    stream.on("error", () => {});
    for await (const chunk of stream) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const answer = (result) => stream.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);

    if (method === "tools/call" && ["reset", "refuse"].includes(params.name)) return calls[params.name](stream);
    stream.respond({ ":status": 200, "content-type": "text/event-stream" });
    if (method === "server/discover") answer({ resultType: "complete", supportedVersions: ["2026-07-28"], capabilities: {} });
    else if (method === "tools/list") answer({ resultType: "complete", tools });
    else calls[params.name](stream, params.arguments, answer);
});
server.listen(0, "127.0.0.1", () => console.log(`https://127.0.0.1:${server.address().port}/mcp`));

// node_worker.js - the peer that is Node's own worker thread: not a sandbox, but often used as one.
import { Worker } from "node:worker_threads";
import { MEMORY_MIB, serve } from "./driver.js";
import { sandbox, script } from "./worker.js";

const SCRIPT = script(
    `((port) => (message) => port.postMessage(message))(require("node:worker_threads").parentPort)`,
    `(receive) => require("node:worker_threads").parentPort.on("message", receive)`);

async function make(host) {
    const worker = new Worker(SCRIPT, {
        eval: true, env: {}, resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB } });
    const made = sandbox(host, {
        post: (message) => worker.postMessage(message),
        listen: (receive, fail) => worker.on("message", receive).on("error", fail),
        stop: () => worker.terminate(),
    });
    await made.ready;
    return made;
}

await serve({ name: `Node worker, ${process.versions.node}`, ownProcess: false, threads: false, make });

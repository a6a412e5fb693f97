// quickjs_emscripten.js - the trivial capability in quickjs-emscripten, a fresh runtime and context
// for each run.
//
//     node quickjs_emscripten.js NPM_FOLDER THREADS
//
// Each line of standard input is "KIND COUNT THREADS": so many runs in each of so many threads. The
// answer is a line with the median, the 95th and the 99th percentile of a run in the first thread,
// in microseconds, and the runs a second of all. The process stays, so that its code is hot.
"use strict";

const path = require("node:path");
const readline = require("node:readline");
const threads = require("node:worker_threads");

const CODE = "return {ok: args.a + 1}";
const ARGS = '{"a": 1}';
const MCP = `new Proxy({}, {get: (_, namespace) => new Proxy({}, {
    get: (_, action) => (args) => call(namespace + ":" + action, JSON.stringify(args))})})`;
const MEMORY = 512 * 1024 * 1024;
const TIMEOUT_MS = 300000;

const kinds = {
    // The least that can be asked of a peer: a function, which neither waits nor calls nor is limited.
    bare(context) {
        const value = context.unwrapResult(
            context.evalCode(`JSON.stringify((function (args) { ${CODE} })(${ARGS}))`));
        return value.consume((handle) => context.getString(handle));
    },

    // What caprun does: an async function that has mcp, under limits of memory and time.
    full(context) {
        const end = Date.now() + TIMEOUT_MS;
        context.runtime.setMemoryLimit(MEMORY);
        context.runtime.setInterruptHandler(() => Date.now() > end);
        context.newFunction("call", () => context.newPromise().handle)
            .consume((call) => context.setProp(context.global, "call", call));
        const promise = context.unwrapResult(context.evalCode(
            `(async function (mcp, args) { ${CODE} })(${MCP}, ${ARGS}).then(JSON.stringify)`));
        context.unwrapResult(context.runtime.executePendingJobs());
        const value = context.unwrapResult(context.getPromiseState(promise));
        promise.dispose();
        return value.consume((handle) => context.getString(handle));
    },
};

function one(quickjs, run) {
    const context = quickjs.newContext();
    try {
        return run(context);
    } finally {
        context.dispose();
    }
}

function measure(quickjs, kind, count) {
    const us = new Float64Array(count);
    const begin = performance.now();
    for (let i = 0; i < count; i++) {
        const start = performance.now();
        const result = one(quickjs, kinds[kind]);
        us[i] = (performance.now() - start) * 1000;
        if (result !== '{"ok":2}') throw new Error(`${kind} returned ${result}`);
    }
    const rate = (count / (performance.now() - begin)) * 1000;
    us.sort();
    return [...[0.5, 0.95, 0.99].map((part) => us[Math.floor(count * part)]), rate];
}

async function inThread(port, npm) {
    const quickjs = await require(path.join(npm, "node_modules/quickjs-emscripten")).getQuickJS();
    port.on("message", ([kind, count]) => port.postMessage(measure(quickjs, kind, count)));
}

function ask(worker, question) {
    return new Promise((resolve) => {
        worker.once("message", resolve);
        worker.postMessage(question);
    });
}

async function inMain(npm, count) {
    const start = () => new threads.Worker(__filename, { workerData: path.resolve(npm) });
    const workers = Array.from({ length: Number(count) }, start);
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const [kind, runs, width] = line.split(" ");
        const answers = await Promise.all(
            workers.slice(0, Number(width)).map((worker) => ask(worker, [kind, Number(runs)])));
        const rate = answers.reduce((sum, answer) => sum + answer[3], 0);
        console.log([...answers[0].slice(0, 3), rate].map((n) => n.toFixed(1)).join(" "));
    }
    process.exit(0);
}

if (threads.isMainThread) inMain(process.argv[2], process.argv[3]);
else inThread(threads.parentPort, threads.workerData);

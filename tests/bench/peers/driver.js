// driver.js - the shared code of all peers' drivers: answers the questions of `run` by measuring.
//
// A driver is a process that reads one question per line, {"what": "fresh", "count": 200}, and answers
// each with one line. It keeps running, so that its code is hot. The answer to a question that fails is
// {"error": "…"}. A peer is an object:
//
//     name        its name and version
//     ownProcess  whether each sandbox is a separate process
//     threads     whether parallel sandboxes use threads of the host (otherwise all use its one loop)
//     make(host)  a promise of a fresh sandbox, whose mcp calls |host|(name, text), which returns a
//                 promise of the answer's text. A sandbox has
//                     run(code, args)  a promise of the result of the function body |code| of (mcp, args)
//                     dispose()        frees the sandbox completely
import fs from "node:fs";
import os from "node:os";
import readline from "node:readline";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import threads from "node:worker_threads";

export const MEMORY_MIB = 512;
export const TIMEOUT_MS = 300000;

// The source of mcp inside the sandbox; it uses call(name, text), which returns a promise of a text.
export const MCP = `new Proxy({}, {get: (_, server) => new Proxy({}, {
    get: (_, tool) => (args) => call(server + ":" + tool, JSON.stringify(args)).then(JSON.parse)})})`;

const TRIVIAL = "return {ok: args.a + 1}";
const CALLS = "for (let i = 0; i < args.count; i++) await mcp.bench.echo({n: i}); return {ok: true}";
const SIFT = fs.readFileSync(new URL("../sift.js", import.meta.url), "utf8");
const BLOCK = 20; // one sample is the mean of so many calls
const CORES = os.availableParallelism();

// --- packages ----------------------------------------------------------------------------------

const packages = createRequire(`${fs.realpathSync(process.argv[2] ?? threads.workerData.npm)}/`);

export const find = packages.resolve;
export const load = packages;

export function version(name) {
    return JSON.parse(fs.readFileSync(`${packages.resolve.paths(name)[0]}/${name}/package.json`)).version;
}

// --- a tool's answer ---------------------------------------------------------------------------

const WORDS = ["lighthouse", "keeper", "lamp", "harbour", "office", "evening", "north", "steps"];
const ROLES = ["admin", "editor", "viewer"];
const word = (n) => WORDS[n % 8];
const digits = (n, width) => String(n).padStart(width, "0");

function row(i) {
    const score = (i * 7919) % 10000;
    return `{"id":${i},"name":"${word(i)} ${word(i * 3 + 1)}","email":"user${i}@example.com",` +
        `"active":${i % 3 !== 0},"score":${Math.floor(score / 100)}.${digits(score % 100, 2)},` +
        `"role":"${ROLES[i % 3]}","createdAt":"2026-01-${digits((i % 28) + 1, 2)}T12:${digits(i % 60, 2)}:00Z",` +
        `"address":{"city":"${word(i * 5)}","zip":"${10000 + (i % 90000)}","geo":{` +
        `"lat":${((i * 31) % 180) - 90}.${digits((i * 104729) % 1000000, 6)},` +
        `"lng":${((i * 17) % 360) - 180}.${digits((i * 15485863) % 1000000, 6)}}},` +
        `"tags":["${word(i)}","${word(i + 3)}","${word(i + 5)}"],"note":null}`;
}

/** An array of rows as ASCII JSON, of at least so many bytes; the same as in caprun's benchmark. */
export function rows(bytes) {
    const all = [];
    for (let length = 1; length < bytes; length += all.at(-1).length + 1) all.push(row(all.length));
    return `[${all.join(",")}]`;
}

// --- the questions -----------------------------------------------------------------------------

const echo = async (_, text) => text;

async function once(peer, host, code, args) {
    const sandbox = await peer.make(host);
    try {
        return await sandbox.run(code, args);
    } finally {
        await sandbox.dispose();
    }
}

async function trivial(peer) {
    const result = await once(peer, echo, TRIVIAL, { a: 1 });
    if (result.ok !== 2) throw new Error(`the trivial capability returned ${JSON.stringify(result)}`);
}

async function fresh(peer, { count }) {
    const us = [];
    for (let i = 0; i < count; i++) {
        const start = performance.now();
        await trivial(peer);
        us.push((performance.now() - start) * 1000);
    }
    return { us };
}

/** The time between the arrivals of two successive calls is one round trip. */
async function call(peer, { count }) {
    const us = [];
    let [calls, last] = [0, 0];
    const host = (name, text) => {
        if (calls++ % BLOCK === 0) {
            const now = performance.now();
            if (last) us.push(((now - last) * 1000) / BLOCK);
            last = now;
        }
        return echo(name, text);
    };
    await once(peer, host, CALLS, { count: count + 1 });
    return { us };
}

async function answer(peer, { bytes, count }) {
    const text = rows(bytes);
    const us = [];
    let result;
    for (let i = 0; i < count; i++) {
        const start = performance.now();
        result = await once(peer, async () => text, SIFT, {});
        us.push((performance.now() - start) * 1000);
    }
    return { us, resultBytes: JSON.stringify(result).length };
}

function pssKiB(pid) {
    const [, own] = /^Pss:\s+(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"));
    const children = fs.readdirSync(`/proc/${pid}/task`).flatMap((task) =>
        fs.readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").split(" ").filter(Boolean));
    return children.reduce((sum, child) => sum + pssKiB(child), Number(own));
}

/** Makes as many sandboxes first, because the host compiles and keeps code for the first ones. */
async function memory(peer, { count }) {
    const open = [];
    const more = async () => {
        for (let i = 0; i < count; i++) open.push(await peer.make(echo));
        globalThis.gc?.();
        return pssKiB("self");
    };
    const before = await more();
    const after = await more();
    for (const sandbox of open) await sandbox.dispose();
    return { pssKiB: (after - before) / count };
}

// --- many at once ------------------------------------------------------------------------------

async function manyHere(peer, count, width) {
    let begun = 0;
    await Promise.all(Array.from({ length: width }, async () => {
        while (begun++ < count) await trivial(peer);
    }));
}

const started = [];

function ask(thread, count) {
    return new Promise((resolve, reject) => {
        thread.once("message", ({ error }) => (error ? reject(new Error(error)) : resolve()));
        thread.postMessage(count);
    });
}

/** Starts the missing threads, and does some runs in each, so that starting is not measured. */
async function startThreads(width) {
    while (started.length < width) {
        started.push(new threads.Worker(fileURLToPath(import.meta.url.replace(/[^/]*$/, "thread.js")),
            { workerData: { npm: process.argv[2], driver: process.argv[1] } }));
        await ask(started.at(-1), 50);
    }
}

/** The best of three widths: some peers are slower with several threads than with one. */
async function rate(peer, { count }) {
    let best = { perSecond: 0 };
    for (const width of [1, CORES, 2 * CORES]) {
        const share = Math.ceil(count / 3 / width);
        if (peer.threads) await startThreads(width);
        const start = performance.now();
        if (peer.threads) await Promise.all(started.slice(0, width).map((thread) => ask(thread, share)));
        else await manyHere(peer, share * width, width);
        const perSecond = (share * width * 1000) / (performance.now() - start);
        if (perSecond > best.perSecond) best = { perSecond, width };
    }
    return best;
}

// --- the process -------------------------------------------------------------------------------

const about = async ({ name, ownProcess }) => ({ name, ownProcess });
const questions = { about, fresh, rate, call, answer, memory };

async function reply(peer, question) {
    try {
        return await questions[question.what](peer, question);
    } catch (error) {
        return { error: `${error?.name}: ${error?.message ?? error}`.slice(0, 200) };
    }
}

function serveThread(peer) {
    threads.parentPort.on("message", async (count) => {
        threads.parentPort.postMessage(await fresh(peer, { count }).then(() => ({}),
            (error) => ({ error: error.message })));
    });
}

/** Answers questions until the end of the input, then returns. */
export async function serve(peer) {
    if (!threads.isMainThread) return serveThread(peer);
    for await (const line of readline.createInterface({ input: process.stdin }))
        console.log(JSON.stringify(await reply(peer, JSON.parse(line))));
    process.exit(0);
}

// quickjs_emscripten.js - the peer quickjs-emscripten: a fresh runtime and context for each sandbox,
// all in one WebAssembly memory of the host.
import { load, MCP, MEMORY_MIB, serve, TIMEOUT_MS, version } from "./driver.js";

const quickjs = await load("quickjs-emscripten").getQuickJS();

function addCall(context, host) {
    const call = context.newFunction("call", (name, text) => {
        const promise = context.newPromise();
        host(context.getString(name), context.getString(text)).then((answer) => {
            if (!context.alive) return;
            context.newString(answer).consume(promise.resolve);
            context.unwrapResult(context.runtime.executePendingJobs());
        });
        return promise.handle;
    });
    call.consume(() => context.setProp(context.global, "call", call));
}

async function run(context, code, args) {
    const promise = context.unwrapResult(context.evalCode(
        `(async (mcp, args) => {${code}\n})(${MCP}, ${JSON.stringify(args)}).then(JSON.stringify)`));
    const settled = context.resolvePromise(promise);
    promise.dispose();
    context.unwrapResult(context.runtime.executePendingJobs());
    return context.unwrapResult(await settled)
        .consume((result) => JSON.parse(context.getString(result)));
}

async function make(host) {
    const context = quickjs.newContext();
    const end = Date.now() + TIMEOUT_MS;
    context.runtime.setMemoryLimit(MEMORY_MIB * 1024 * 1024);
    context.runtime.setInterruptHandler(() => Date.now() > end);
    addCall(context, host);
    return { run: (code, args) => run(context, code, args), dispose: () => context.dispose() };
}

const name = `quickjs-emscripten ${version("quickjs-emscripten")}`;
await serve({ name, ownProcess: false, threads: true, make });

// isolated_vm.js - the peer isolated-vm: a fresh isolate of V8 for each sandbox.
//
// It is made by the host's thread, which is faster than to ask the package's threads for it; its code
// runs in one of those, so that the host can answer calls meanwhile.
import { load, MCP, MEMORY_MIB, serve, TIMEOUT_MS, version } from "./driver.js";

const ivm = load("isolated-vm");

const OPTIONS = { timeout: TIMEOUT_MS, arguments: { copy: true }, result: { promise: true, copy: true } };
const SETUP = `const call = (name, text) => $0.apply(undefined, [name, text], {result: {promise: true}});
    globalThis.mcp = ${MCP};`;

async function make(host) {
    const isolate = new ivm.Isolate({ memoryLimit: MEMORY_MIB });
    const context = isolate.createContextSync();
    context.evalClosureSync(SETUP, [new ivm.Reference(host)]);
    return {
        run: (code, args) =>
            context.evalClosure(`return (async (mcp, args) => {${code}\n})(mcp, $0)`, [args], OPTIONS),
        dispose: () => isolate.dispose(),
    };
}

const name = `isolated-vm ${version("isolated-vm")}`;
await serve({ name, ownProcess: false, threads: false, make });

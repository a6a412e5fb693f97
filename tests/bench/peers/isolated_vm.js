// isolated_vm.js - the peer isolated-vm: a fresh isolate of V8 for each sandbox.
//
// The host's thread makes the isolate, which is faster than in one of the package's threads. The code
// runs in a thread of the package, so that the host can answer calls meanwhile.
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

// quickjs_wasi.js - the peer quickjs-wasi: a fresh WebAssembly instance for each sandbox; the module is
// compiled once.
import fs from "node:fs";
import { pathToFileURL } from "node:url";
import { find, MCP, MEMORY_MIB, serve, TIMEOUT_MS, version } from "./driver.js";

const { QuickJS } = await import(pathToFileURL(find("quickjs-wasi")));
const wasm = await WebAssembly.compile(fs.readFileSync(find("quickjs-wasi/quickjs.wasm")));

function addCall(vm, host) {
    const call = vm.newFunction("call", (name, text) => {
        const promise = vm.newPromise();
        host(name.toString(), text.toString()).then((answer) => {
            vm.newString(answer).consume((value) => promise.resolve(value));
            vm.executePendingJobs();
        });
        return promise.handle;
    });
    call.consume(() => vm.setProp(vm.global, "call", call));
}

async function run(vm, code, args) {
    const promise = vm.evalCode(
        `(async (mcp, args) => {${code}\n})(${MCP}, ${JSON.stringify(args)}).then(JSON.stringify)`);
    const settled = vm.resolvePromise(promise);
    vm.executePendingJobs();
    const { value, error } = await settled;
    promise.dispose();
    if (error) throw new Error(error.consume((handle) => handle.toString()));
    return JSON.parse(value.consume((handle) => handle.toString()));
}

async function make(host) {
    const end = Date.now() + TIMEOUT_MS;
    const vm = await QuickJS.create({
        wasm, memoryLimit: MEMORY_MIB * 1024 * 1024, interruptHandler: () => Date.now() > end });
    addCall(vm, host);
    return { run: (code, args) => run(vm, code, args), dispose: () => vm.dispose() };
}

const name = `quickjs-wasi ${version("quickjs-wasi")}`;
await serve({ name, ownProcess: false, threads: true, make });

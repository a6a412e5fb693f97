// worker.js - the shared code of the peers that are workers: the script of a worker, and the host's side.
//
// They exchange messages: the host sends {code, args} and {id, answer}, the worker {id, name, text} for
// a call, then {result} or {error}. The first message of a worker, {}, says that it is ready.
import { MCP, TIMEOUT_MS } from "./driver.js";

/** The script of a worker: |post| sends a message, |listen| sets the function that receives messages. */
export const script = (post, listen) => `
    const post = ${post}, waiting = new Map();
    let calls = 0;
    const call = (name, text) => new Promise((resolve) => {
        waiting.set(++calls, resolve);
        post({id: calls, name, text});
    });
    const take = (id) => {
        const resolve = waiting.get(id);
        waiting.delete(id);
        return resolve;
    };
    const AsyncFunction = (async () => {}).constructor;
    const run = (code, args) => new AsyncFunction("mcp", "args", code)(${MCP}, args);
    (${listen})(({code, args, id, answer}) => {
        if (id) take(id)(answer);
        else run(code, args).then((result) => post({result}), (error) => post({error: String(error)}));
    });
    post({});`;

/**
 * Makes a sandbox from a new worker: |post| sends it a message, |stop| ends it, and |listen| sets the
 * functions that receive its messages and its failure.
 */
export function sandbox(host, { post, listen, stop }) {
    let settle;
    const next = () => new Promise((resolve, reject) => (settle = { resolve, reject }));
    const ready = next();
    listen(({ id, name, text, result, error }) => {
        if (id) host(name, text).then((answer) => post({ id, answer }));
        else if (error) settle.reject(new Error(error));
        else settle.resolve(result);
    }, (error) => settle.reject(error));
    return {
        ready,
        run(code, args) {
            const timer = setTimeout(stop, TIMEOUT_MS);
            const result = next();
            post({ code, args });
            return result.finally(() => clearTimeout(timer));
        },
        dispose: stop,
    };
}

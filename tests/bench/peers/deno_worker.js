// deno_worker.js - the peer that is a worker of Deno without permissions. Runs in Deno.
import { serve } from "./driver.js";
import { sandbox, script } from "./worker.js";

const SCRIPT = URL.createObjectURL(new Blob(
    [script("(message) => self.postMessage(message)", "(receive) => (self.onmessage = ({data}) => receive(data))")],
    { type: "text/javascript" }));

async function make(host) {
    const worker = new Worker(SCRIPT, { type: "module", deno: { permissions: "none" } });
    const made = sandbox(host, {
        post: (message) => worker.postMessage(message),
        listen(receive, fail) {
            worker.onmessage = ({ data }) => receive(data);
            worker.onerror = (event) => (event.preventDefault(), fail(new Error(event.message)));
        },
        stop: () => worker.terminate(),
    });
    await made.ready;
    return made;
}

await serve({ name: `Deno worker, ${Deno.version.deno}`, ownProcess: false, threads: false, make });

// Gets a page through the tool http:get. When that fails, it waits twice as long as before and
// tries again.
const { url, attempts = 4, firstDelayMs = 250 } = args;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const errors = [];

for (let attempt = 1; attempt <= attempts; attempt++) {
    try {
        return { ok: true, attempts: attempt, page: await mcp.http.get({ url }), errors };
    } catch (error) {
        errors.push(error.code);
        if (error.code === "PERMISSION_DENIED") {
            break; // asking again changes nothing
        }
    }
    if (attempt < attempts) {
        const delay = firstDelayMs * 2 ** (attempt - 1);
        console.log(`attempt ${attempt} failed; the next one is in ${delay} ms`);
        await sleep(delay);
    }
}

return { ok: false, attempts: errors.length, page: null, errors };

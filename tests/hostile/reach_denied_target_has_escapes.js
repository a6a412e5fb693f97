// expect: SUCCESS true
// expect-blocked: Deno.readFile read /?[[]31m???"\ud800?
const path = "/\u001b[31m\r\n\u202e\"\\ud800\ud800";
const e = await Deno.readFile(path).catch((e) => e);
console.log(e.message);
return e.code === "PERMISSION_DENIED" || String(e);
// twin
// expect: SUCCESS true
// expect-blocked: Deno.readFile read /ä€😀
return (await Deno.readFile("/ä€😀").catch((e) => e)).message.startsWith('Requires read access to "/ä€😀"');

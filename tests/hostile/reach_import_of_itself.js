// expect: SUCCESS true
// expect-blocked: import import cap:*
const own = /cap:[0-9a-f]+/.exec(new Error("x").stack)[0];
return import(own).then(() => "it loaded", (e) => e.code === "PERMISSION_DENIED" || String(e));
// case
// expect: SUCCESS true
// expect-blocked: import import cap:*
// expect-blocked: import import ./cap:*
// expect-blocked: import import -
// expect-blocked: import import .
// expect-blocked: import import <evalScript>
// expect-blocked: import import <input>
// expect-blocked: import import /cap:*
export const secret = 1;
export default async () => {
    const own = /cap:[0-9a-f]+/.exec(new Error("x").stack)[0];
    const names = [own, "./" + own, "", ".", "<evalScript>", "<input>", "/" + own];
    const loaded = [];
    for (const name of names) await import(name).then(() => loaded.push(name), (e) => e);
    return loaded.length === 0 || loaded;
};
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";

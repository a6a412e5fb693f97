// expect: SUCCESS true
export default () => Reflect.ownKeys(import.meta).length === 0 && Object.getPrototypeOf(import.meta) === null;
// case
// expect: SUCCESS [null,null,null,null]
export default () => [import.meta.url, import.meta.main, import.meta.resolve, import.meta.filename];
// twin
// expect: SUCCESS true
return typeof (await Promise.resolve(Math)).max === "function";

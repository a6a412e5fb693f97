// expect: SUCCESS []
const names = ["SharedArrayBuffer", "Atomics", "WeakRef", "FinalizationRegistry", "DisposableStack", "AsyncDisposableStack"];
return names.filter((name) => name in globalThis);
// case
// expect: SUCCESS []
const names = ["resize", "resizable", "maxByteLength", "transfer", "transferToFixedLength", "detached"];
return names.filter((name) => name in ArrayBuffer.prototype || name in new ArrayBuffer(8, { maxByteLength: 16 }));
// case
// expect: SUCCESS "DataCloneError"
const buffer = new ArrayBuffer(8);
try {
    structuredClone(buffer, { transfer: [buffer] });
    return buffer.byteLength;
} catch (e) {
    return e.name;
}
// twin
// expect: SUCCESS [8,8]
const buffer = new ArrayBuffer(8);
return [buffer.byteLength, structuredClone(buffer).byteLength];

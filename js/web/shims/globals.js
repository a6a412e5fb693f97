// globals.js - the globals that whatwg-url uses, with only what it needs.
export class TextEncoder {
    encode(text) { return native.utf8Encode(text); }
}

export class TextDecoder {
    decode(bytes) { return native.utf8Decode(bytes, false); }
}

// The engine has no SharedArrayBuffer: reading byteLength through this class always fails.
export class SharedArrayBuffer {
    get byteLength() { throw new TypeError("not a SharedArrayBuffer"); }
}

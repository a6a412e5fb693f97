// globals.js - what whatwg-url takes from the global object, as little as it needs.
export class TextEncoder {
    encode(text) { return native.utf8Encode(text); }
}

export class TextDecoder {
    decode(bytes) { return native.utf8Decode(bytes, false); }
}

// There is none here: nothing has its byteLength.
export class SharedArrayBuffer {
    get byteLength() { throw new TypeError("not a SharedArrayBuffer"); }
}

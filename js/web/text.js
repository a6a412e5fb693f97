// text.js - TextEncoder and TextDecoder. UTF-8 is done in C, other encodings by the legacy module.
const { utf8Encode, utf8EncodeInto, utf8Decode, utf8Unfinished, classOf } = native;
const bufferClass = classOf(new ArrayBuffer(0));
const { isView } = ArrayBuffer;

const bytesOf = (source) => {
    if (source === undefined) return new Uint8Array(0);
    if (isView(source)) return new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    if (classOf(source) === bufferClass) return new Uint8Array(source);
    throw new TypeError("the input is neither an ArrayBuffer nor a view of one");
};

const joined = (first, second) => {
    const both = new Uint8Array(first.length + second.length);
    both.set(first);
    both.set(second, first.length);
    return both;
};

const dictionary = (options) => {
    if (options !== null && options !== undefined && typeof options !== "object" && typeof options !== "function")
        throw new TypeError("the options are not an object");
    return options ?? {};
};

// The UTF-8 decoder keeps an incomplete sequence at the end of a chunk for the next chunk.
class Utf8 {
    #kept = new Uint8Array(0);
    #begun = false;
    #fatal;
    #ignoreBOM;

    constructor(fatal, ignoreBOM) {
        this.#fatal = fatal;
        this.#ignoreBOM = ignoreBOM;
    }

    decode(input, { stream }) {
        const bytes = this.#kept.length ? joined(this.#kept, input) : input;
        const end = bytes.length - (stream ? utf8Unfinished(bytes) : 0);
        const text = utf8Decode(end < bytes.length ? bytes.subarray(0, end) : bytes, this.#fatal);
        const skip = !this.#begun && !this.#ignoreBOM && text?.charCodeAt(0) === 0xfeff;
        this.#kept = bytes.slice(end);
        this.#begun = stream && (this.#begun || end > 0);
        if (text === undefined) throw new TypeError("the input is not valid UTF-8");
        return skip ? text.slice(1) : text;
    }
}

class TextDecoder {
    #encoding = "utf-8";
    #fatal;
    #ignoreBOM;
    #decoder;

    constructor(label = "utf-8", options = undefined) {
        label = `${label}`;
        options = dictionary(options);
        this.#fatal = !!options.fatal;
        this.#ignoreBOM = !!options.ignoreBOM;
        if (!/^utf-?8$/i.test(label)) this.#encoding = this.#name(label); // others need the tables
        this.#decoder = this.#encoding === "utf-8" ? new Utf8(this.#fatal, this.#ignoreBOM)
            : new (native.load("legacy").TextDecoder)(this.#encoding,
                { fatal: this.#fatal, ignoreBOM: this.#ignoreBOM });
    }

    #name(label) {
        const name = native.load("legacy").normalizeEncoding(label);
        if (!name || name === "replacement") throw new RangeError(`"${label}" is not the name of an encoding`);
        return name;
    }

    get encoding() { return this.#encoding; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }

    decode(input = undefined, options = undefined) {
        const bytes = bytesOf(input);
        return this.#decoder.decode(bytes, { stream: !!dictionary(options).stream });
    }

    get [Symbol.toStringTag]() { return "TextDecoder"; }
}

class TextEncoder {
    #encoding = "utf-8";

    get encoding() { return this.#encoding; }

    encode(text = "") {
        this.#encoding; // throws if |this| is not a TextEncoder
        return utf8Encode(`${text}`);
    }

    encodeInto(text, target) {
        this.#encoding;
        return utf8EncodeInto(`${text}`, target);
    }

    get [Symbol.toStringTag]() { return "TextEncoder"; }
}

exported = { TextDecoder, TextEncoder };

/* frames.js - builds and sends any frame or bytes; prepended to test code in the test-only worker. */
const JOB = 1, REPLY = 2, FAIL = 3, WAKE = 4, READY = 16, CALL = 17, LOG = 18, BLOCKED = 19, IDLE = 20, DONE = 21,
    THREW = 22, LATE = 23, FULL = 24, MIB = 1 << 20;

/* Joins its parts: a number is 4 bytes, a BigInt 8, a string UTF-8, a list the bytes of its parts. */
function bytes(...parts) {
    const all = parts.flat(9).map((part) => {
        if (typeof part === 'number') return new Uint8Array(new Uint32Array([part]).buffer);
        if (typeof part === 'bigint') return new Uint8Array(new BigInt64Array([part]).buffer);
        return typeof part === 'string' ? new TextEncoder().encode(part) : part;
    });
    const joined = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of all) {
        joined.set(part, at);
        at += part.length;
    }
    return joined;
}

/* |lies| overrides fields of the header: length, zero, left, date, now. */
function frame(type, id = 0, payload = '', lies = {}) {
    const body = bytes(payload), head = new DataView(new ArrayBuffer(32));
    head.setUint32(0, lies.length ?? body.length, true);
    head.setUint16(4, type, true);
    head.setUint16(6, lies.zero ?? 0, true);
    head.setUint32(8, id, true);
    head.setUint32(12, lies.left ?? 0, true);
    head.setBigInt64(16, BigInt(lies.date ?? 0), true);
    head.setBigInt64(24, BigInt(lies.now ?? 0), true);
    return bytes(new Uint8Array(head.buffer), body);
}

/* The lengths of the texts, then the texts. */
function sized(...texts) {
    const all = texts.map((text) => bytes(text));
    return [all.map((text) => text.length), all];
}

function call(id, namespace, action, args = '{}') {
    return frame(CALL, id, [sized(namespace, action), args]);
}

function attempt(id, api, access, target, message, use = 0) {
    const [lengths, texts] = sized(api, access, target, message);
    return frame(BLOCKED, id, [lengths, use, texts]);
}

function threw({why = 1, call = 0, blocked = 0} = {}, name = 'Error', message = 'm', stack = '') {
    return frame(THREW, 0, [why, call, blocked, sized(name, message, stack)]);
}

function idle(id, wake = -1n) {
    return frame(IDLE, id, [wake]);
}

function write(data) {
    for (let at = 0, n; at < data.length; at += n) {
        n = native.syscall(NR.write, 3, data.subarray(at), data.length - at);
        if (n <= 0) throw new Error(`write: ${n}`);
    }
}

/* Flushes the worker's own frames, then writes these, in one write if the socket has room. */
function send(...frames) {
    native.flush();
    write(bytes(frames));
}

/* Reads up to |length| bytes from the host; waits for the first byte. */
function read(length) {
    const data = new Uint8Array(length);
    return data.subarray(0, native.syscall(NR.read, 3, data, length));
}

/* Gives the host time to read the written bytes. */
function pause() {
    for (let i = 0; i < 5000; i++);
}

/* Stays alive and does nothing. */
function stop() {
    for (;;) read(65536);
}

function leave(status) {
    native.syscall(NR.exit_group, status);
}

// bytes.js - typed arrays, array buffers, data views, base64 and hexadecimal.

// --- storing
// with Uint8Array
// with Int8Array
// with Uint8ClampedArray
// with Int16Array
// with Uint16Array
// with Int32Array
// with Uint32Array
// with Float32Array
// with Float64Array
// with Float16Array
const a = $CASE.from([300, -1, 1.5, 2.5, NaN, Infinity, "7", 70000, -0, 2 ** 33 + 5, 0.1]);
return show([a, a.BYTES_PER_ELEMENT, a.byteLength, $CASE.name, Object.prototype.toString.call(a)])

// --- storing whole numbers
// with BigInt64Array
// with BigUint64Array
const a = new $CASE([2n ** 63n, -1n, 5n]);
return show([a, attempt(() => { a[0] = 1 }), attempt(() => new $CASE([1])), a.includes(5n), a.toSorted(), attempt(() => a.fill("7")), attempt(() => a.fill("x"))])

// --- methods
// with a.subarray(1, 3)
// with a.slice(-2)
// with a.map((x) => x * 100)
// with a.filter((x) => x > 2)
// with a.toReversed()
// with a.toSorted((x, y) => y - x)
// with a.with(0, 300)
// with a.with(9, 1)
// with a.at(-1)
// with a.indexOf(3)
// with a.includes(NaN)
// with a.join("-")
// with a.reduce((s, x) => s + x)
// with a.findLast((x) => x < 3)
// with a.fill(7, 1, 2)
// with a.copyWithin(0, 2)
// with a.set([9, 8], 1)
// with a.set([9, 8], 3)
// with a.set([1], -1)
// with a.reverse()
// with a.sort()
// with [...a.entries()]
// with Array.from(a, (x) => x / 2)
// with a.push
// with a.concat
// with a.toString()
// with JSON.stringify(a)
// with Object.keys(a)
// with a[10]
// with (a[10] = 5, a.length)
// with "1" in a
// with "-0" in a
// with delete a[0]
// with Object.freeze(a)
// with a.constructor === Uint8Array
// with a.buffer.byteLength
// with [].concat(a).length
// with Object.entries(a.subarray(2))
// with a.toLocaleString()
// with a.every((x) => x)
// with a.flatMap
const a = new Uint8Array([1, 2, 3, 4]);
return show([attempt(() => $CASE), a])

// --- made from
// with new Uint8Array(3)
// with new Uint8Array([1, 2, 3])
// with new Uint8Array(new Set([1, 2]))
// with new Uint8Array({ length: 2, 0: 5 })
// with new Uint8Array(new Float32Array([1.9, 256.5]))
// with new Uint8Array("3")
// with new Uint8Array(-1)
// with new Uint8Array(1.5)
// with new Uint8Array(null)
// with Uint8Array(1)
// with Uint8Array.of(1, 256, -1)
// with Uint8Array.from("123")
// with Uint8Array.from([1, 2], (x) => x * 2)
// with new Uint16Array(new ArrayBuffer(8), 2, 2)
// with new Uint16Array(new ArrayBuffer(8), 1)
// with new Uint16Array(new ArrayBuffer(7))
// with new Uint16Array(new ArrayBuffer(8), 4, 9)
// with new BigInt64Array(new Uint8Array(2))
// with new Float64Array([0.1, -0])
return show($CASE)

// --- sorting numbers
return show([new Float64Array([3, -0, 0, NaN, -Infinity, 10, 9]).sort(), Int8Array.of(10, 9, -1, 1).sort(), Uint8Array.of(3, 1, 2).sort((a, b) => b - a)])

// --- two views of one buffer
const b = new ArrayBuffer(8), bytes = new Uint8Array(b), words = new Uint16Array(b, 2, 2);
words[0] = 0x1234; bytes[4] = 0xff;
return show([bytes, words, words.byteOffset, words.buffer === b, b.slice(2, 4).byteLength])

// --- a subarray shares, a slice does not
const a = new Uint8Array([1, 2, 3, 4]), sub = a.subarray(1, 3), copy = a.slice(1, 3);
sub[0] = 99;
return show([a, sub, copy])

// --- a data view
const v = new DataView(new ArrayBuffer(16), 2, 12);
v.setInt16(0, -2); v.setUint16(2, 0xabcd, true); v.setFloat32(4, 1.5); v.setInt8(8, 200); v.setUint8(9, -1);
return show([new Uint8Array(v.buffer), v.getInt16(0), v.getUint16(2), v.getFloat32(4), v.getInt8(8), v.getUint8(9), v.byteLength, v.byteOffset])

// --- big numbers and half floats in a view
const v = new DataView(new ArrayBuffer(16));
v.setBigInt64(0, -5n); v.setBigUint64(8, 2n ** 64n - 1n, true); const big = [v.getBigUint64(0), v.getBigInt64(8)];
v.setFloat16(0, 1.337); v.setFloat64(8, Math.PI, true);
return show([big, v.getFloat16(0), v.getFloat64(8, true), v.getUint8(8)])

// --- out of the bounds of a view
const v = new DataView(new ArrayBuffer(4));
return [attempt(() => v.getInt32(1)), attempt(() => v.setInt8(4, 1)), attempt(() => v.getInt8(-1)), attempt(() => new DataView(new ArrayBuffer(2), 3)), attempt(() => new DataView({})), v.getInt32(0)]

// --- buffers
const b = new ArrayBuffer(10);
return [b.byteLength, b.slice(-3).byteLength, b.slice(4, 2).byteLength, ArrayBuffer.isView(new DataView(b)), ArrayBuffer.isView(b), attempt(() => ArrayBuffer(1)), attempt(() => new ArrayBuffer(-1)), String(b)]

// --- the bits of a float
const bits = (x) => { const v = new DataView(new ArrayBuffer(8)); v.setFloat64(0, x); return v.getBigUint64(0).toString(16).padStart(16, "0") };
return [1, -2, 0.1, -0, Infinity, 5e-324, Number.MAX_SAFE_INTEGER].map(bits)

// --- is this machine little
return new Uint8Array(new Uint16Array([1]).buffer)[0] === 1

// --- to base64 and hexadecimal
const a = new Uint8Array([0, 1, 250, 251, 252, 255]);
return [a.toBase64(), a.toBase64({ alphabet: "base64url" }), a.subarray(1).toBase64({ omitPadding: true }), a.toHex()]

// --- from base64
// with "AAH6+/z/"
// with "AAH6-_z_"
// with "AAH6"
// with "AAE="
// with "AAE"
// with " A A\tE = "
// with "A"
// with "AA=A"
// with "é"
// with ""
// with "AAF="
return show([attempt(() => Uint8Array.fromBase64($CASE)), attempt(() => Uint8Array.fromBase64($CASE, { alphabet: "base64url" })), attempt(() => Uint8Array.fromBase64($CASE, { lastChunkHandling: "strict" })), attempt(() => Uint8Array.fromBase64($CASE, { lastChunkHandling: "stop-before-partial" }))])

// --- from hexadecimal
// with "00ff7f"
// with "0"
// with "0g"
// with "ABcd"
// with ""
return show(Uint8Array.fromHex($CASE))

// --- setting from text
const a = new Uint8Array(4);
return show([a.setFromHex("0102030405"), a, a.setFromBase64("/////w=="), a])

// --- utf-8 by hand
const encode = (s) => Uint8Array.from(unescape(encodeURIComponent(s)), (c) => c.charCodeAt(0)), decode = (b) => decodeURIComponent(Array.from(b, (x) => "%" + x.toString(16).padStart(2, "0")).join(""));
return show([encode("aé€😀"), decode(encode("aé€😀"))])

// --- a histogram
const h = new Uint32Array(5);
for (const x of [1, 3, 1, 4, 1, 0]) h[x]++;
return [...h]

// --- wrapping around
const a = new Uint8Array(1), i = new Int16Array([32767]), c = new Uint8ClampedArray([250]);
a[0]--; i[0]++; c[0] += 10;
return [a[0], i[0], c[0]]

// --- a subclass of a typed array
class Bytes extends Uint8Array { hex() { return this.toHex() } }
const b = Bytes.from([1, 255]);
return [b.hex(), b.map((x) => x - 1) instanceof Bytes, b.subarray(1).hex(), b.toSorted().constructor.name]

// --- iterating
const out = [];
for (const [i, x] of new Int8Array([5, -5]).entries()) out.push(i, x);
return [...out, ...new Int8Array([1]).keys(), Math.max(...new Uint8Array([3, 9]))]

// --- a checksum
const adler = (bytes) => { let a = 1, b = 0; for (const x of bytes) { a = (a + x) % 65521; b = (b + a) % 65521 } return (b << 16 | a) >>> 0 };
return adler(Uint8Array.from("Wikipedia", (c) => c.charCodeAt())).toString(16)

// --- sha-256 of abc
const K = [], H = []; for (let n = 2, f = (x) => (x - Math.floor(x)) * 4294967296 | 0; K.length < 64; n++) { let p = true; for (let i = 2; i * i <= n; i++) if (n % i === 0) p = false; if (p) { if (H.length < 8) H.push(f(Math.sqrt(n))); K.push(f(Math.cbrt(n))) } }
const sha = (s) => { const m = Uint8Array.from(s, (c) => c.charCodeAt()), l = ((m.length + 8 >> 6) + 1) << 6, b = new Uint8Array(l), v = new DataView(b.buffer); b.set(m); b[m.length] = 128; v.setUint32(l - 4, m.length * 8);
    const h = Int32Array.from(H), w = new Int32Array(64), r = (x, n) => x >>> n | x << 32 - n;
    for (let o = 0; o < l; o += 64) { for (let i = 0; i < 64; i++) w[i] = i < 16 ? v.getInt32(o + i * 4) : (r(w[i - 2], 17) ^ r(w[i - 2], 19) ^ w[i - 2] >>> 10) + w[i - 7] + (r(w[i - 15], 7) ^ r(w[i - 15], 18) ^ w[i - 15] >>> 3) + w[i - 16];
        let [a, b, c, d, e, f, g, k] = h; for (let i = 0; i < 64; i++) { const t = k + (r(e, 6) ^ r(e, 11) ^ r(e, 25)) + (e & f ^ ~e & g) + K[i] + w[i] | 0, u = (r(a, 2) ^ r(a, 13) ^ r(a, 22)) + (a & b ^ a & c ^ b & c) | 0; [a, b, c, d, e, f, g, k] = [t + u | 0, a, b, c, d + t | 0, e, f, g] }
        [a, b, c, d, e, f, g, k].forEach((x, i) => h[i] += x) }
    return Array.from(h, (x) => (x >>> 0).toString(16).padStart(8, "0")).join("") };
return [sha("abc"), sha("")]

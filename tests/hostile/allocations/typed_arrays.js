// expect: SUCCESS [[1,2,3],"RangeError",4950,[-1,255,1.5],true,1000]
const kinds = [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array, Float16Array];
const made = kinds.flatMap((K) => Array.from({length: 100}, (_, n) => new K(n + 1).fill(n)));
let failure; try { new Uint16Array(new ArrayBuffer(3)); } catch (e) { failure = e.name; }
const floats = Float64Array.from({length: 100}, (_, i) => i), view = new DataView(new ArrayBuffer(32));
view.setInt8(0, -1); view.setFloat32(4, 1.5); view.setBigInt64(8, -5n, true);
const big = new Uint8Array(5000); big.set([1, 2, 3], 10); big.sort(); big.subarray(4000).toReversed();
const encoded = new TextEncoder().encode("é€😀".repeat(100)), decoded = new TextDecoder("utf-8").decode(encoded), latin = new TextDecoder("windows-1252").decode(new Uint8Array([0xe9]));
const utf16 = new TextDecoder("utf-16le", {fatal: true}).decode(new Uint8Array([65, 0, 66, 0]));
return [Array.from(big.slice(-3)), failure, floats.reduce((a, b) => a + b), [view.getInt8(0), view.getUint8(0), view.getFloat32(4)], decoded.length === 400 && latin === "é" && utf16 === "AB", made.length];
